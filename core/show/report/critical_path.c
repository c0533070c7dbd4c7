/*
 * Prints the critical path of a thread for prec report --critical-path. The first table has the time of each thread in each state,
 * and the second table has the steps of the path. core/sched/wait_path.c finds the path.
 */
#include "core/show/report/own_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/fit.h"
#include "core/base/log.h"
#include "core/ui/options.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/sched/wait_path.h"
#include "core/show/report/wait_cells.h"

#define THREAD_WIDTH	24u
#define MAX_LISTED	5u	/* threads of one name in a message */

struct step_text { uint32_t task; uint8_t phase; };	/* .phase: enum path_kind; if that is OFF, plus the reason of the wait */

struct sum { struct step_text what; uint64_t ns; };

struct critical_path {
	const char *separator;		/* of struct own_table_opts */
	struct session *session;
	const struct waits *waits;
	struct context_cache *cache;
	struct wait_worker *reader;
	struct wait_path path;
	uint32_t task;
	uint64_t from, to;
};

/* ---- which thread, until when ---- */

static const char *comm_of(const struct critical_path *c, uint32_t task, uint64_t time)
{
	const struct wait_task *t = &c->waits->tasks.v[task];

	return machine_context(c->cache, t->pid, t->tid, time)->comm;
}

/* Parses "", "@TO" or "@FROM-TO". */
static int parse_times(struct critical_path *c, const char *at)
{
	const char *s = at;

	c->to = UINT64_MAX;
	if (!*s)
		return 0;
	if (!filter_parse_seconds(s + 1, &s, &c->to) && *s == '-') {
		c->from = c->to;
		if (filter_parse_seconds(s + 1, &s, &c->to) || c->to <= c->from)
			s = at;
	}
	if (s > at && !*s)
		return 0;
	return error("--critical-path: a time in seconds is expected after '@', or two with '-' between, not '%s'", at + 1);
}

/* Finds the thread that @word names by number, and that lived at @at, or by name. WAIT_NO_TASK (printed): not one thread. */
static uint32_t find_thread(const struct critical_path *c, const char *word, uint64_t at)
{
	uint32_t found = WAIT_NO_TASK;
	struct buf tids = {0};
	unsigned nr = 0;
	uint64_t tid;

	if (!parse_count(word, &tid) && tid < UINT32_MAX)
		found = waits_task_at(c->waits, (uint32_t)tid, at);
	if (found != WAIT_NO_TASK)
		return found;
	for (uint32_t i = 0; i < c->waits->tasks.nr; i++) {
		if (!str_eq(comm_of(c, i, c->waits->tasks.v[i].last), word))
			continue;
		found = i;
		if (nr++ < MAX_LISTED)
			buf_printf(&tids, "%s%" PRIu32, tids.len ? ", " : "", c->waits->tasks.v[i].tid);
	}
	if (nr > 1)
		error("--critical-path: %u threads have the name '%s', and one is needed: %s%s", nr, word, buf_str(&tids),
		      nr > MAX_LISTED ? " ..." : "");
	else if (!nr)
		error("--critical-path: '%s' is no thread whose switches were recorded, by number or name", word);
	buf_release(&tids);
	return nr == 1 ? found : WAIT_NO_TASK;
}

static int find_start(struct critical_path *c, const char *thread)
{
	const char *at = strrchr(thread, '@');
	char *word = at ? xstrndup(thread, (size_t)(at - thread)) : xstrdup(thread);
	int err = parse_times(c, at ? at : "");

	c->task = err ? WAIT_NO_TASK : find_thread(c, word, c->to);
	free(word);
	if (c->task == WAIT_NO_TASK)
		return -1;
	c->to = MIN(c->to, c->waits->tasks.v[c->task].last);
	return 0;
}

/* ---- text ---- */

static struct step_text text_of(const struct critical_path *c, const struct path_step *step)
{
	struct step_text t = { .task = step->task, .phase = step->kind };
	const struct item *item = step->kind == PATH_OFF ? wait_worker_read(c->reader, step->wait) : NULL;

	if (item)
		t.phase = (uint8_t)(t.phase + item->sample->wait->reason);
	return t;
}

static void put_ns(const struct critical_path *c, uint64_t ns, struct buf *out)
{
	put_length_cell(c->separator, ns, out);
	buf_puts(out, c->separator ? "" : " ");
}

static void put_thread(const struct critical_path *c, uint32_t task, uint64_t time, struct buf *out)
{
	size_t from = out->len, width;

	buf_printf(out, "%s/%" PRIu32, comm_of(c, task, time), c->waits->tasks.v[task].tid);
	width = out->len - from;
	if (c->separator)
		buf_puts(out, c->separator);
	else
		buf_fill(out, ' ', width < THREAD_WIDTH ? THREAD_WIDTH - width : 1);
}

/* Names another end of a wait: by an unrecorded thread, or an interrupt. */
static void put_end(const struct critical_path *c, const struct path_step *step, struct buf *out)
{
	const struct wait_view *v = wait_worker_read(c->reader, step->wait)->sample->wait;

	if (v->wait->ready != step->to || !wait_view_woken_by(v))
		return;
	if (v->wait->waker_tid == WAIT_INTERRUPT)
		buf_puts(out, ", ended by an interrupt");
	else
		buf_printf(out, ", ended by %s/%" PRIu32, machine_comm(session_machine(c->session), wait_view_waker(v)),
			   v->wait->waker_tid);
}

static void put_step(const struct critical_path *c, size_t number, struct buf *out)
{
	const struct path_step *step = &c->path.steps.v[number], *next = step + 1;

	if (c->separator)
		buf_printf(out, "%" PRIu64 "%s", step->from, c->separator);
	else
		buf_printf(out, "%7" PRIu64 ".%09" PRIu64 " ", step->from / 1000000000, step->from % 1000000000);
	put_ns(c, step->to - step->from, out);
	put_thread(c, step->task, step->from, out);
	put_phase(text_of(c, step).phase, out);
	if (step->wakes) {
		const char *reason = next->wait == PATH_NO_WAIT ? "" :
				     wait_reason_name(wait_worker_read(c->reader, next->wait)->sample->wait->reason);

		buf_printf(out, ", wakes %s/%" PRIu32, comm_of(c, next->task, next->from), c->waits->tasks.v[next->task].tid);
		if (*reason)
			buf_printf(out, " (%s)", reason);
	} else if (step->kind == PATH_OFF) {
		put_end(c, step, out);
	}
	buf_putc(out, '\n');
}

/* ---- sums ---- */

ORDER(compare_by_text, struct sum, compare_numbers(a->what.task, b->what.task) ?: compare_numbers(a->what.phase, b->what.phase))

ORDER(compare_by_time, struct sum, compare_numbers(b->ns, a->ns) ?: compare_by_text(a, b))

static void put_sums(const struct critical_path *c, struct buf *out)
{
	VEC(struct sum) sums = {0};
	uint64_t all = 0;
	size_t nr = 0;

	vec_for(step, &c->path.steps) {
		vec_push(&sums, (struct sum){ text_of(c, step), step->to - step->from });
		all += step->to - step->from;
	}
	vec_sort(&sums, compare_by_text);
	for (size_t i = 0; i < sums.nr; i++)
		if (nr && !compare_by_text(&sums.v[nr - 1], &sums.v[i]))
			sums.v[nr - 1].ns += sums.v[i].ns;
		else
			sums.v[nr++] = sums.v[i];
	sums.nr = nr;
	vec_sort(&sums, compare_by_time);
	buf_puts(out, "#     Time    Share  Thread                  What\n");
	vec_for(sum, &sums) {
		put_ns(c, sum->ns, out);
		buf_printf(out, c->separator ? "%.2f%%%s" : "%6.2f%%%s", 100.0 * (double)sum->ns / (double)all,
			   c->separator ? c->separator : "  ");
		put_thread(c, sum->what.task, c->waits->tasks.v[sum->what.task].last, out);
		put_phase(sum->what.phase, out);
		buf_putc(out, '\n');
	}
	vec_free(&sums);
}

static void put_path(const struct critical_path *c, struct buf *out)
{
	const struct path_step *first = c->path.steps.v;
	struct buf length = {0};
	size_t hops = 0;

	vec_for(step, &c->path.steps)
		hops += step->wakes;
	put_length(&length, c->to - first->from);
	buf_printf(out, "# What thread %s/%" PRIu32 " depended on until %" PRIu64 ".%09" PRIu64 ": %s, %zu wake-ups\n#\n",
		   comm_of(c, c->task, c->to), c->waits->tasks.v[c->task].tid, c->to / 1000000000, c->to % 1000000000,
		   buf_str(&length), hops);
	buf_release(&length);
	put_sums(c, out);
	buf_puts(out, "\n#           From        Took  Thread                  What\n");
	for (size_t i = 0; i < c->path.steps.nr; i++)
		put_step(c, i, out);
}

int critical_path_print(struct session *s, const struct own_table_opts *o, const char *thread, struct buf *out)
{
	struct critical_path c = {
		.separator = o->separator, .session = s, .waits = session_waits(s), .cache = context_cache_new(session_machine(s)),
		.reader = wait_worker_new(s),
	};
	struct wait_lists *lists = wait_lists_new(c.waits);
	int err = find_start(&c, thread);

	if (!err)
		wait_path_find(&c.path, lists, c.task, c.from, c.to);
	if (!err && !c.path.steps.nr)
		err = error("--critical-path: nothing was recorded of '%s' before that time", thread);
	if (!err)
		put_path(&c, out);
	wait_lists_free(lists);
	wait_worker_free(c.reader);
	context_cache_free(c.cache);
	vec_free(&c.path.steps);
	return err;
}
