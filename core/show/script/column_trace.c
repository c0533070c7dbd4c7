/*
 * Prints the fields of a tracepoint as text for prec script, as the tracepoint's print format in the recording says.
 * Layer: script
 */
#include "core/read/trace_text.h"
#include "core/show/script/column.h"
#include "core/show/script/line_plan.h"

void column_trace(struct line *l)
{
	if (l->event->trace)
		trace_text_put(l->plan->session, l->event->trace, l->item, &l->trace_texts, l->out);
}
