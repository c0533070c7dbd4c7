/* What a tracepoint's hit says, by its own print format. Layer: views */
#include "core/base/buf.h"
#include "core/flow/item.h"
#include "core/flow/session.h"
#include "core/format/trace_program.h"
#include "core/format/tracing_data.h"
#include "core/views/column.h"
#include "core/views/line_plan.h"

/* The kernel's function at @addr, by the recording's own kernel. */
static const char *function_name(void *ctx, uint64_t addr, uint64_t *offset)
{
	const struct line *l = ctx;
	struct place place;

	machine_resolve(session_machine(l->plan->session), l->item->where->kernel_space, addr, &place);
	if (!place.symbol)
		return NULL;
	*offset = place.addr - place.symbol->start;
	return place.symbol->name;
}

static const char *constant_string(void *ctx, uint64_t addr)
{
	const struct line *l = ctx;

	return tracing_data_string(session_tracing(l->plan->session), addr);
}

void column_trace(struct line *l)
{
	const struct tracing_data *t = session_tracing(l->plan->session);
	struct trace_names names = { .ctx = l, .function = function_name, .string = constant_string };
	struct trace_data data = { .bytes = l->sample->raw, .size = l->sample->raw_size, .swap = t->swap,
				   .long_size = t->long_size };

	if (l->event->trace)
		trace_event_print(l->event->trace, &data, &names, l->out);
}
