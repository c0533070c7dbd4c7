/*
 * Sums the waits of a profile by reason and waiting function, for prec summary and the HTML page. Finds for each sum the thread
 * that others waited for longest. The frames of core/profile/wait_frames.c give the reason and this thread.
 */
#include "core/show/report/wait_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"
#include "core/base/vec.h"
#include "core/profile/writer.h"
#include "core/ui/fit.h"

#define MOST_ROWS	3u
#define LEAST_SHARE	100u	/* a row has at least a hundredth of all */
#define NAME_AT		25u	/* the column in which a row's name begins */

/* ---- threads of a Java virtual machine ---- */

#define JVM "libjvm.so"

/* As HotSpot of JDK 8 to 25 calls them, cut by the kernel after 15 characters. Numbered ones begin so. */
static const char *const service_names[] = {
	"VM Thread", "VM Periodic Tas", "Reference Handl", "Finalizer", "Signal Dispatch", "Service Thread", "Monitor Deflati",
	"Notification Th", "Attach Listener", "Common-Cleaner", "Sweeper thread", "G1 Main Marker", "G1 Service", "G1 Young RemSet",
	"Concurrent Mark", "ZDirector", "ZDriver", "ZStat", "ZUncommitter", "ZUnmapper", "Shenandoah Cont", "StringDedupThre",
};
static const char *const numbered_services[] = {
	"GC Thread#", "G1 Conc#", "G1 Refine#", "ParGC Thread#", "Gang worker#", "C1 CompilerThre", "C2 CompilerThre", "ZWorker#",
	"XWorker#", "Shenandoah GC",
};

static bool is_of_jvm(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(service_names); i++)
		if (str_eq(name, service_names[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(numbered_services); i++)
		if (str_starts(name, numbered_services[i]))
			return true;
	return false;
}

static bool has_jvm(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);

	for (size_t i = 0; i < d->dsos.nr; i++)
		if (str_eq(profile_string(p, d->dsos.v[i].name), JVM))
			return true;
	return false;
}

bool *service_threads(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	bool *all;

	if (!has_jvm(p))
		return NULL;
	all = xcalloc(d->threads.nr + 1, sizeof(*all));
	for (uint32_t t = 0; t < d->threads.nr; t++) {
		const struct profile_thread *thread = &d->threads.v[t];

		all[t] = is_of_jvm(profile_string(p, d->names.v[thread->first_name + thread->nr_names - 1].name));
	}
	return all;
}

/* ---- sums ---- */

struct wait_sum { uint32_t what, name, holder; uint64_t period; };	/* the first three: functions, or PROFILE_NONE */
struct wait_row { uint32_t what, name, holder; uint64_t period, held_up; unsigned nr_holders; };
struct wait_rows { VEC(struct wait_row) list; };

static uint32_t function_at(const struct profile_data *d, uint32_t node)
{
	return d->frames.v[d->stacks.v[node].frame].function;
}

/* The innermost function of the program itself from @node on, or else of any file. */
static uint32_t waiter(const struct profile *p, uint32_t node)
{
	const struct profile_data *d = profile_data(p);
	uint32_t first = node == PROFILE_ROOT ? PROFILE_NONE : function_at(d, node);

	for (; node != PROFILE_ROOT; node = d->stacks.v[node].parent)
		if (profile_is_program(p, function_at(d, node)))
			return function_at(d, node);
	return first;
}

static bool read_wait(const struct profile *p, const struct profile_weight *w, struct wait_sum *out)
{
	const struct profile_data *d = profile_data(p);
	uint32_t node = w->stack;

	if (node == PROFILE_ROOT || !profile_is_wait(p, function_at(d, node)))
		return false;
	*out = (struct wait_sum){ .what = function_at(d, node), .holder = PROFILE_NONE, .period = w->period };
	for (node = d->stacks.v[node].parent; node != PROFILE_ROOT && profile_is_wait(p, function_at(d, node));
	     node = d->stacks.v[node].parent)
		out->holder = function_at(d, node);
	out->name = waiter(p, node);
	return true;
}

ORDER(by_place, struct wait_sum,
	compare_numbers(a->what, b->what) ?: compare_numbers(a->name, b->name) ?: compare_numbers(a->holder, b->holder))

ORDER(by_period, struct wait_row, compare_numbers(b->period, a->period) ?: compare_numbers(a->what, b->what))

/* Adds what one holder held up. */
static void add(struct wait_rows *rows, const struct wait_sum *s, uint64_t held_up)
{
	struct wait_row *last = rows->list.nr ? &rows->list.v[rows->list.nr - 1] : NULL;

	if (!last || last->what != s->what || last->name != s->name) {
		vec_push(&rows->list, ((struct wait_row){ s->what, s->name, PROFILE_NONE, 0, 0, 0 }));
		last = &rows->list.v[rows->list.nr - 1];
	}
	add_saturated(&last->period, held_up);
	last->nr_holders += s->holder != PROFILE_NONE;
	if (s->holder != PROFILE_NONE && held_up > last->held_up) {
		last->held_up = held_up;
		last->holder = s->holder;
	}
}

static void make_rows(struct wait_rows *rows, const struct profile *p)
{
	bool *service = service_threads(p);
	VEC(struct wait_sum) sums = {0};
	struct wait_sum one;

	vec_for(w, &profile_data(p)->weights)
		if (!is_service_thread(service, w->thread) && read_wait(p, w, &one))
			vec_push(&sums, one);
	free(service);
	vec_sort(&sums, by_place);
	for (size_t i = 0, next; i < sums.nr; i = next) {
		uint64_t held_up = 0;

		for (next = i; next < sums.nr && !by_place(&sums.v[i], &sums.v[next]); next++)
			add_saturated(&held_up, sums.v[next].period);
		add(rows, &sums.v[i], held_up);
	}
	vec_sort(&rows->list, by_period);
	vec_free(&sums);
}

/* ---- text ---- */

/* The name without its brackets. */
static void put_words(const struct profile *p, uint32_t function, struct buf *out)
{
	const char *name = profile_string(p, profile_data(p)->functions.v[function].name);
	char *words = xstrndup(name + 1, strlen(name) - 2);

	buf_put_printable(out, words);
	free(words);
}

/* Appends "waiting: lock jobs_mutex, in take_job, held by worker-2 (31 %) and 3 more". */
static void put_text(const struct profile *p, const struct wait_row *row, unsigned width, struct buf *text)
{
	struct buf name = {0};

	put_words(p, row->what, text);
	if (row->name != PROFILE_NONE) {
		profile_put_function(p, row->name, &name);
		buf_puts(text, ", in ");
		fit_name(name.data, name.len, width ? width / 3 : SIZE_MAX, text);
	}
	if (row->holder != PROFILE_NONE) {
		buf_puts(text, ", ");
		put_words(p, row->holder, text);
		if (row->nr_holders > 1)
			buf_printf(text, " (%.0f %%) and %u more", 100.0 * (double)row->held_up / (double)row->period,
				   row->nr_holders - 1);
	}
	buf_release(&name);
}

static void put_row(const struct profile *p, const struct wait_row *row, uint64_t all, unsigned width, struct buf *out)
{
	struct buf text = {0}, amount = {0};

	put_text(p, row, width, &text);
	put_duration(&amount, row->period);
	buf_printf(out, "  %6.2f %% %10s  ", 100.0 * (double)row->period / (double)all, buf_str(&amount));
	fit_name(text.data, text.len, width > NAME_AT ? width - NAME_AT : SIZE_MAX, out);
	buf_putc(out, '\n');
	buf_release(&text);
	buf_release(&amount);
}

void wait_rows_put(const struct profile *p, uint64_t all, unsigned width, struct buf *out)
{
	struct wait_rows rows = {0};

	make_rows(&rows, p);
	for (size_t i = 0; i < MIN(rows.list.nr, MOST_ROWS) && rows.list.v[i].period >= MAX(all / LEAST_SHARE, 1); i++)
		put_row(p, &rows.list.v[i], all, width, out);
	vec_free(&rows.list);
}

size_t wait_rows_list(const struct profile *p, struct export_wait *out, size_t most)
{
	struct wait_rows rows = {0};
	size_t nr;

	make_rows(&rows, p);
	nr = MIN(rows.list.nr, most);
	for (size_t i = 0; i < nr; i++) {
		const struct wait_row *row = &rows.list.v[i];
		struct buf text = {0}, function = {0};

		put_text(p, row, 0, &text);
		if (row->name != PROFILE_NONE)
			profile_put_function(p, row->name, &function);
		out[i] = (struct export_wait){ xstrdup(buf_str(&text)), function.len ? xstrdup(buf_str(&function)) : NULL,
					       row->period };
		buf_release(&text);
		buf_release(&function);
	}
	vec_free(&rows.list);
	return nr;
}
