/* Prints a tracepoint sample by the print format that the kernel gives for the tracepoint. */
#include "core/read/trace_text.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/tracepoint/trace_program.h"
#include "core/tracepoint/tracing_data.h"
#include "core/model/machine.h"

#define MOST_TEXTS	(1u << 20)	/* bytes of texts; when there are more, the cache is emptied */

struct hit {
	const struct session *session;
	const struct item *item;
	struct trace_texts *texts;		/* NULL: nothing is remembered */
};

static struct trace_function find_function(const struct hit *h, uint64_t addr)
{
	struct trace_function f = { .addr = addr, .space = h->item->context->kernel_space + 1 };
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

	if (h->texts)
		known = &h->texts->functions[hash_u64(addr) % ARRAY_SIZE(h->texts->functions)];
	if (known && known->addr == addr && known->space && known->space == h->item->context->kernel_space + 1) {
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

static void print_hit(const struct session *s, const struct trace_event *ev, const struct item *item, struct trace_texts *texts,
		      struct buf *out)
{
	struct hit hit = { s, item, texts };
	struct trace_names names = { .ctx = &hit, .function = function_name, .string = constant_string };
	struct trace_data data = session_trace_data(s, item->sample);

	trace_event_print(ev, &data, &names, out);
}

void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item, struct trace_texts *texts,
		    struct buf *out)
{
	size_t from = out->len;
	uint32_t *at = NULL, size;

	if (texts && texts->texts.len > MOST_TEXTS)
		trace_texts_release(texts);
	if (texts && raw_memo_find(&texts->hits, item, &at)) {
		memcpy(&size, texts->texts.data + *at, sizeof(size));
		buf_put(out, texts->texts.data + *at + sizeof(size), size);
		return;
	}
	print_hit(s, ev, item, texts, out);
	if (!at)
		return;
	size = (uint32_t)(out->len - from);
	*at = (uint32_t)texts->texts.len;
	buf_put(&texts->texts, &size, sizeof(size));
	buf_put(&texts->texts, out->data + from, size);
}

void trace_texts_release(struct trace_texts *t)
{
	raw_memo_release(&t->hits);
	buf_release(&t->texts);
	*t = (struct trace_texts){0};
}
