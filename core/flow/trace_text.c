/* Tracepoints by their own print formats. Layer: flow */
#include "core/flow/trace_text.h"

#include "core/base/hash.h"
#include "core/flow/item.h"
#include "core/flow/session.h"
#include "core/format/trace_program.h"
#include "core/format/tracing_data.h"
#include "core/model/machine.h"

struct hit {
	const struct session *session;
	const struct item *item;
	struct trace_functions *functions;	/* NULL: nothing is remembered */
};

static struct trace_function find_function(const struct hit *h, uint64_t addr)
{
	struct trace_function f = { .addr = addr, .space = h->item->where->kernel_space + 1 };
	struct addr_location al;

	machine_resolve(session_machine(h->session), f.space - 1, addr, &al);
	if (al.symbol) {
		f.name = al.symbol->name;
		f.offset = al.addr - al.symbol->start;
	}
	return f;
}

/* The kernel's function at @addr, by the recording's own kernel. */
static const char *function_name(void *ctx, uint64_t addr, uint64_t *offset)
{
	const struct hit *h = ctx;
	struct trace_function f, *known = NULL;

	if (h->functions)
		known = &h->functions->slots[hash_u64(addr) % ARRAY_SIZE(h->functions->slots)];
	if (known && known->addr == addr && known->space && known->space == h->item->where->kernel_space + 1) {
		*offset = known->offset;
		return known->name;
	}
	f = find_function(h, addr);
	if (known)
		*known = f;
	*offset = f.offset;
	return f.name;
}

static const char *constant_string(void *ctx, uint64_t addr)
{
	const struct hit *h = ctx;

	return tracing_data_string(session_tracing(h->session), addr);
}

void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item,
		    struct trace_functions *functions, struct buf *out)
{
	struct hit hit = { s, item, functions };
	struct trace_names names = { .ctx = &hit, .function = function_name, .string = constant_string };
	struct trace_data data = session_trace_data(s, item->sample);

	trace_event_print(ev, &data, &names, out);
}
