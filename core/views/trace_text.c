/* Tracepoints by their own print formats. Layer: views */
#include "core/views/trace_text.h"

#include "core/flow/item.h"
#include "core/flow/session.h"
#include "core/format/trace_program.h"
#include "core/format/tracing_data.h"
#include "core/model/machine.h"

struct hit {
	const struct session *session;
	const struct item *item;
};

/* The kernel's function at @addr, by the recording's own kernel. */
static const char *function_name(void *ctx, uint64_t addr, uint64_t *offset)
{
	const struct hit *h = ctx;
	struct place place;

	machine_resolve(session_machine(h->session), h->item->where->kernel_space, addr, &place);
	if (!place.symbol)
		return NULL;
	*offset = place.addr - place.symbol->start;
	return place.symbol->name;
}

static const char *constant_string(void *ctx, uint64_t addr)
{
	const struct hit *h = ctx;

	return tracing_data_string(session_tracing(h->session), addr);
}

void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item, struct buf *out)
{
	struct hit hit = { s, item };
	struct trace_names names = { .ctx = &hit, .function = function_name, .string = constant_string };
	struct trace_data data = session_trace_data(s, item->sample);

	trace_event_print(ev, &data, &names, out);
}
