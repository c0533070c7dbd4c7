/* What a tracepoint's hit says, by its own print format. Layer: views */
#include "core/views/column.h"
#include "core/views/line_plan.h"
#include "core/views/trace_text.h"

void column_trace(struct line *l)
{
	if (l->event->trace)
		trace_text_put(l->plan->session, l->event->trace, l->item, &l->functions, l->out);
}
