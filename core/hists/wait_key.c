/*
 * Implements the sort keys of off-CPU waits (state, reason, waker, lock, holder) and the column sch_delay. core/sched finds their
 * values. key_table.c lists the keys.
 */
#include "core/hists/key_table.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/read/item.h"
#include "core/sched/wait_names.h"
#include "core/sched/wait_samples.h"
#include "core/model/machine.h"
#include "core/hists/key.h"
#include "core/hists/key_context.h"

#define NO_WAIT_VALUE	UINT64_MAX	/* of a sample that is no wait: its state is "running", the other keys are empty */

static const struct wait_view *wait_of(const struct sample_view *v)
{
	return v->item->sample->wait;
}

static uint64_t state_word(const struct sample_view *v)
{
	return wait_of(v) ? wait_of(v)->wait->state : NO_WAIT_VALUE;
}

static void state_put(uint64_t value, struct buf *out)
{
	buf_puts(out, value == NO_WAIT_VALUE ? "running" : wait_state_name((enum wait_state)value));
}

static uint64_t reason_word(const struct sample_view *v)
{
	return wait_of(v) ? wait_of(v)->reason : NO_WAIT_VALUE;
}

static void reason_put(uint64_t value, struct buf *out)
{
	if (value != NO_WAIT_VALUE)
		buf_puts(out, value == WAIT_FOR_UNKNOWN ? "[unknown]" : wait_reason_name((enum wait_reason)value));
}

static uint64_t waker_word(const struct sample_view *v)
{
	return wait_of(v) ? wait_view_waker(wait_of(v)) : NO_WAIT_VALUE;
}

static const char *waker_name(const struct key_context *c, uint64_t value)
{
	return value == NO_WAIT_VALUE ? "" : value == COMM_UNKNOWN ? "[unknown]" : value == COMM_INTERRUPT ? "[interrupt]" :
	       machine_comm(c->machine, (uint32_t)value);
}

static int waker_order(const struct key_context *c, uint64_t a, uint64_t b)
{
	return strcmp(waker_name(c, a), waker_name(c, b));
}

static void waker_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	buf_puts(out, waker_name(c, value));
}

/* A wait for the CPU, a sleep or a page fault has no lock or other object that could be named. */
static bool has_no_object(enum wait_reason reason)
{
	return reason == WAIT_FOR_CPU || reason == WAIT_FOR_SLEEP || reason == WAIT_FOR_PAGE_FAULT;
}

static uint64_t lock_word(const struct sample_view *v)
{
	const struct wait_view *w = wait_of(v);

	if (!w || w->reason == WAIT_FOR_JOIN || (w->lock == WAIT_NO_LOCK && has_no_object(w->reason)))
		return NO_WAIT_VALUE;
	return w->lock;
}

static void lock_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	if (value == WAIT_NO_LOCK)
		buf_puts(out, "[unknown]");
	else if (value != NO_WAIT_VALUE)
		wait_lock_put(c->session, (uint32_t)value, out);
}

static uint64_t holder_word(const struct sample_view *v)
{
	return wait_of(v) ? wait_view_holder(wait_of(v)) : NO_WAIT_VALUE;
}

static void holder_print(const struct key_context *c, uint64_t value, struct buf *out)
{
	struct context_cache *cache;

	if (value == NO_WAIT_VALUE)
		return;
	cache = context_cache_new(c->machine);
	wait_holder_put(c->session, cache, value, out);
	context_cache_free(cache);
}

/* The time that threads were ready after a wait but had no CPU. */
static uint64_t sum_delay(const struct sums *s) { return s->rare ? s->rare->cost.delay : 0; }

static const struct key keys[] = {
	{ "state", NULL, "State", NEED_WORDS, 0, 5, .word = state_word, .put = state_put },
	{ "reason", NULL, "Reason", NEED_WORDS, 0, 6, .word = reason_word, .put = reason_put },
	{ "waker", NULL, "Waker", NEED_WORDS, 0, 5, .word = waker_word, .order = waker_order, .print = waker_print },
	{ WAIT_KEY_LOCK, NULL, "Lock", NEED_WORDS, 0, 4, .word = lock_word, .print = lock_print },
	{ WAIT_KEY_HOLDER, NULL, "Holder", NEED_WORDS, 0, 6, .word = holder_word, .print = holder_print },
	{ "sch_delay", NULL, "Sch Delay", NEED_DELAY, KEY_RIGHT, 12, .sum = sum_delay },
};

const struct key_table wait_keys = { keys, ARRAY_SIZE(keys), "waits (record --off-cpu; lock and holder: --off-cpu-args)" };
