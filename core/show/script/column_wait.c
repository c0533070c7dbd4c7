/*
 * Prints how long a thread was off the CPU, in which state and for what reason, and which thread ended the wait, for the column
 * synth of prec script.
 * Layer: script
 */
#include "core/show/script/column.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "core/read/item.h"
#include "core/sched/wait_names.h"
#include "core/sched/wait_samples.h"
#include "core/model/machine.h"

static void put_waker(const struct wait_view *v, struct buf *out)
{
	const struct item *by = wait_view_woken_by(v);

	if (!by)
		return;
	buf_printf(out, " woken by: %s", v->wait->waker_tid == WAIT_INTERRUPT ? "interrupt in " : "");
	buf_printf(out, "%s/%" PRIu32, by->context->comm, sample_owner(by->sample));
}

void column_wait(const struct session *session, const struct sample *s, struct buf *out)
{
	const struct wait_view *v = s->wait;

	if (!v)
		return;
	buf_printf(out, " off: %" PRIu64 " state: %s", s->period, wait_state_name(v->wait->state));
	if (v->wait->nr)
		buf_printf(out, " waits: %" PRIu64, v->wait->nr);
	if (v->reason != WAIT_FOR_UNKNOWN)
		buf_printf(out, " reason: %s", wait_reason_name(v->reason));
	if (v->lock != WAIT_NO_LOCK) {
		buf_puts(out, " for: ");
		wait_lock_put(session, v->lock, out);
	}
	if (v->wait->ready)
		buf_printf(out, " sch delay: %" PRIu64, wait_delay(v->wait));
	put_waker(v, out);
	if (v->wait->open)
		buf_puts(out, " until the end");
	if (v->wait->earlier)
		buf_puts(out, " (stack of the sample before)");
	buf_putc(out, ' ');
}
