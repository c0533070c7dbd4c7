/*
 * Computes the data of prec summary from a profile: the functions, threads and call chains with the most samples of an event.
 * profile_summary_print.c prints them.
 */
#include "core/show/report/profile_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/code/function_name.h"
#include "core/perfdata/event_table.h"
#include "core/sched/wait_reason.h"
#include "core/sched/wall.h"
#include "core/show/report/wait_rows.h"
#include "core/ui/fit.h"

#define BRIEF_COLUMNS	90u	/* width of a line with a chain, if the output is no terminal */
#define LEAST_COLUMNS	20u	/* minimum width of a name, in narrow columns */
#define BRIEF_DOTS	"... > "
#define BRIEF_NAME	40u	/* maximum width of a function's name in that line */
#define OUTSIDE UINT32_MAX	/* the caller of an outermost function, the callee of an innermost one */

#define MANY_PROCESSES 4	/* whose commands are a section of their own */

enum of_kind { OF_ALL, OF_FUNCTION, OF_THREAD, OF_CHAIN, OF_FINDING };

struct walk {
	struct profile_summary *out;
	const struct profile_data *d;
	enum of_kind kind;
	uint32_t tid;			/* OF_THREAD: the requested thread */
	bool *wanted;			/* owned, by function (OF_FUNCTION) or node (OF_CHAIN): true if requested; else NULL */
	bool *service;			/* service_threads(), owned; NULL: no such threads */
	/* Owned; sums by number. The last two have one element more, for OUTSIDE. */
	struct profile_sum *functions, *threads, *nodes, *callers, *callees;
	struct profile_sum reasons[NR_WAIT_REASONS];
};

/* ---- names and ids ---- */

static const char *function_name(const struct profile_summary *s, uint32_t function)
{
	const struct profile_function *f = &s->d->functions.v[function];

	return f->name ? profile_string(s->profile, f->name) : SUMMARY_NO_SYMBOL;
}

static const char *function_dso(const struct profile_summary *s, uint32_t function)
{
	uint32_t dso = s->d->functions.v[function].dso;

	return dso == PROFILE_NONE ? "[unknown]" : profile_string(s->profile, s->d->dsos.v[dso].name);
}

/* Distinguishes functions without a name by their addresses. */
static uint32_t function_hash(const struct profile_summary *s, uint32_t function)
{
	const struct profile_function *f = &s->d->functions.v[function];
	const char *name = function_name(s, function), *dso = function_dso(s, function);
	uint64_t hash = hash_pair(hash_bytes(name, strlen(name)), hash_bytes(dso, strlen(dso)));

	return (uint32_t)hash_pair(hash, f->name ? 0 : f->address);
}

static uint32_t function_of(const struct profile_summary *s, uint32_t node)
{
	return s->d->frames.v[s->d->stacks.v[node].frame].function;
}

static uint32_t chain_hash(const struct profile_summary *s, uint32_t node)
{
	uint64_t hash = 0;

	for (; node != PROFILE_ROOT; node = s->d->stacks.v[node].parent)
		hash = hash_pair(hash, function_hash(s, function_of(s, node)));
	return (uint32_t)hash;
}

static bool is_kernel(const struct profile_summary *s, uint32_t function)
{
	return s->d->functions.v[function].level == 'k';
}

/* True if @function is the scheduler's or calls probes of its tracepoint (__traceiter_*()): all chains of waits have these. */
static bool is_scheduler(const char *function)
{
	return str_eq(function, "schedule") || str_eq(function, "__schedule") || str_starts(function, "__traceiter_");
}

struct brief {			/* a chain in one line, with the functions that fit */
	const struct profile_summary *s;
	const uint32_t *path;	/* its functions, the innermost first */
	uint32_t nr;
	bool *shown;		/* by place in .path */
	size_t columns;		/* of the line, at least LEAST_COLUMNS */
};

static size_t name_columns(const struct brief *b)
{
	return MIN(BRIEF_NAME, b->columns - strlen(BRIEF_DOTS));
}

static void put_brief(const struct brief *b, struct buf *out)
{
	uint32_t least = 0;

	while (least < b->nr && !b->shown[least])
		least++;
	for (uint32_t i = b->nr; i-- > least;) {
		const char *name = function_name(b->s, b->path[i]);

		if (b->shown[i])
			fit_name(name, strlen(name), name_columns(b), out);
		else if (i + 1 == b->nr || b->shown[i + 1])
			buf_puts(out, "...");
		else
			continue;
		buf_puts(out, i > least ? " > " : "");
	}
}

/* Shows the function at @place, if the line then fits. Returns true if it is shown. */
static bool show(struct brief *b, uint32_t place)
{
	struct buf line = {0};

	if (b->shown[place])
		return true;
	b->shown[place] = true;
	put_brief(b, &line);
	b->shown[place] = text_columns(buf_str(&line), line.len) <= b->columns;
	buf_release(&line);
	return b->shown[place];
}

/*
 * Chooses the innermost function, and the program's own function that called it, then as many of the others as there is room
 * for, innermost first. Among kernel functions only the system call and the innermost two informative ones remain, to leave room
 * for its callers.
 */
static void choose_brief(struct brief *b)
{
	uint32_t user = 0, program = 0, first = 0;

	while (program < b->nr && !profile_is_program(b->s->profile, b->path[program]))
		program++;
	while (user < b->nr && is_kernel(b->s, b->path[user]))
		user++;
	while (first < user && is_scheduler(function_name(b->s, b->path[first])))
		first++;
	if (first < b->nr)
		show(b, first);
	if (program < b->nr)
		show(b, program);
	for (uint32_t i = 0; i < b->nr; i++) {
		const char *name = function_name(b->s, b->path[i]);
		bool call = i < user && (str_starts(name, "__x64_sys_") || str_starts(name, "__arm64_sys_"));

		if ((i >= user || (i >= first && i - first < 2) || user == b->nr || call) && !show(b, i))
			break;
	}
}

/* "main > work > leaf". Owned by the caller. *short_name: no longer than a line: the innermost functions, each shortened. */
static char *chain_name(const struct profile_summary *s, uint32_t node, char **short_name)
{
	uint32_t depth = s->d->stacks.v[node].depth, *path = xmalloc(MAX(depth, 1) * sizeof(*path)), nr = 0;
	struct buf text = {0}, line = {0};
	struct brief brief;
	char *name;

	for (; node != PROFILE_ROOT && nr < depth; node = s->d->stacks.v[node].parent)
		path[nr++] = function_of(s, node);
	for (uint32_t i = nr; i--;)
		buf_printf(&text, "%s%s", text.len ? " > " : "", function_name(s, path[i]));
	brief = (struct brief){ s, path, nr, xcalloc(MAX(nr, 1), sizeof(*brief.shown)),
				s->opts->width ? s->columns : BRIEF_COLUMNS };
	choose_brief(&brief);
	put_brief(&brief, &line);
	name = xstrdup(buf_str(&text));
	*short_name = xstrdup(buf_str(&line));
	free(brief.shown);
	buf_release(&text);
	buf_release(&line);
	free(path);
	return name;
}

/* ---- sums ---- */

/* The innermost node of the requested function in the chain; PROFILE_ROOT: it is not in it. *callee: the function it called. */
static uint32_t node_with(const struct walk *k, uint32_t node, uint32_t *callee)
{
	for (*callee = OUTSIDE; node != PROFILE_ROOT; node = k->d->stacks.v[node].parent) {
		if (k->wanted[function_of(k->out, node)])
			break;
		*callee = function_of(k->out, node);
	}
	return node;
}

static bool is_wanted(const struct walk *k, const struct profile_weight *w)
{
	uint32_t callee;

	switch (k->kind) {
	case OF_THREAD:
		return w->thread != PROFILE_NONE && k->d->threads.v[w->thread].tid == k->tid;
	case OF_CHAIN:
		return k->wanted[w->stack];
	case OF_FUNCTION:
		return node_with(k, w->stack, &callee) != PROFILE_ROOT;
	case OF_ALL:
	case OF_FINDING:
		break;
	}
	return k->kind == OF_ALL;
}

/* Adds the callers and callees of the requested function, which is in the chain. */
static void add_neighbours(struct walk *k, const struct profile_weight *w)
{
	uint32_t callee, caller = k->d->stacks.v[node_with(k, w->stack, &callee)].parent;

	profile_sum_add(&k->callees[callee == OUTSIDE ? k->d->functions.nr : callee], w->nr, w->period);
	profile_sum_add(&k->callers[caller == PROFILE_ROOT ? k->d->functions.nr : function_of(k->out, caller)], w->nr, w->period);
}

/* The innermost certain reason, or else the innermost one. A wait for a condition is also a wait for a futex. */
static enum wait_reason reason_of(const struct profile_summary *s, uint32_t node)
{
	enum wait_reason found = WAIT_FOR_UNKNOWN, weak = WAIT_FOR_UNKNOWN;

	if (node != PROFILE_ROOT && profile_is_wait(s->profile, function_of(s, node)))
		return WAIT_FOR_CPU;	/* the profile has frames for the times in which threads were ready */
	for (; node != PROFILE_ROOT; node = s->d->stacks.v[node].parent) {
		struct wait_frame f = wait_frame_of(function_name(s, function_of(s, node)));

		if (f.kind == WAIT_FRAME_STRONG && (found == WAIT_FOR_UNKNOWN || wait_reason_is_of_threads(f.reason)))
			found = f.reason;
		if (found != WAIT_FOR_UNKNOWN && found != WAIT_FOR_FUTEX)
			return found;
		if (weak == WAIT_FOR_UNKNOWN && f.kind != WAIT_FRAME_OTHER)
			weak = f.reason;
	}
	return found != WAIT_FOR_UNKNOWN ? found : weak;
}

static void sum_up(struct walk *k)
{
	vec_for(w, &k->d->weights) {
		uint32_t own;

		if (k->out->of_events && is_wanted(k, w))
			profile_sum_add(&k->out->of_events[w->event], w->nr, w->period);
		if (w->event != k->out->event)
			continue;
		if (w->thread != PROFILE_NONE && !k->d->threads.v[w->thread].tid)
			add_saturated(&k->out->idle, w->period);
		if (!is_wanted(k, w))
			continue;
		if (k->kind == OF_FUNCTION)
			add_neighbours(k, w);
		k->out->of_nr += w->nr;
		add_saturated(&k->out->of_period, w->period);
		own = profile_own_function(k->out->profile, w);
		if (own != PROFILE_NONE)
			profile_sum_add(&k->functions[own], w->nr, w->period);
		if (k->out->is_waits)
			profile_sum_add(&k->reasons[reason_of(k->out, w->stack)], w->nr, w->period);
		if (w->thread != PROFILE_NONE)
			profile_sum_add(&k->threads[w->thread], w->nr, w->period);
		profile_sum_add(&k->nodes[w->stack], w->nr, w->period);
	}
}

/* ---- the time of threads ---- */

static unsigned most_waited(const struct profile_sum *reasons)
{
	unsigned most = 0;

	for (unsigned r = 0; r < NR_WAIT_REASONS; r++)
		if (reasons[r].period > reasons[most].period)
			most = r;
	return most;
}

static unsigned nr_services(const struct walk *k)
{
	unsigned nr = 0;

	for (uint32_t t = 0; k->service && t < k->d->threads.nr; t++)
		nr += k->service[t];
	return nr;
}

/* "time of its threads: 8 % on a CPU, 92 % off it: 86 % futex, 4 % sleep" */
static void sum_wall(struct walk *k)
{
	struct profile_sum reasons[NR_WAIT_REASONS] = {{0}};
	uint64_t on = 0, off = 0;
	struct buf text = {0};

	if (k->out->is_waits || k->d->events.v[k->out->event].unit != PROFILE_NS)
		return;
	vec_for(w, &k->d->weights) {
		if (is_service_thread(k->service, w->thread))
			continue;
		if (w->event == k->out->event && (w->thread == PROFILE_NONE || k->d->threads.v[w->thread].tid)) {
			add_saturated(&on, w->period);
		} else if (str_eq(profile_string(k->out->profile, k->d->events.v[w->event].name), OFF_CPU_NAME)) {
			add_saturated(&off, w->period);
			profile_sum_add(&reasons[reason_of(k->out, w->stack)], w->nr, w->period);
		}
	}
	if (!off)
		return;
	buf_printf(&text, "time of its threads: %.1f %% on a CPU, %.1f %% off it", 100.0 * (double)on / ((double)on + (double)off),
		   100.0 * (double)off / ((double)on + (double)off));
	for (unsigned i = 0, r = most_waited(reasons); i < 3 && reasons[r].period; i++, r = most_waited(reasons)) {
		buf_printf(&text, "%s%.1f %% %s", i ? ", " : ": ", 100.0 * (double)reasons[r].period / ((double)on + (double)off),
			   r == WAIT_FOR_CPU ? "runnable" : r ? wait_reason_name(r) : "not known");
		reasons[r].period = 0;
	}
	if (nr_services(k))
		buf_printf(&text, " (without %u threads of " SERVICE_THREADS_OF ")", nr_services(k));
	if (k->out->opts->waits) {
		buf_putc(&text, '\n');
		wait_rows_put(k->out->opts->waits, on + off, k->out->opts->width, &text);
		text.len -= text.data[text.len - 1] == '\n';
	}
	k->out->wall = xstrdup(buf_str(&text));
	buf_release(&text);
}

/* ---- sections ---- */

ORDER(by_weight, struct summary_row,
	compare_numbers(a->last, b->last) ?: compare_numbers(b->period, a->period) ?:
	(a->name && b->name ? strcmp(a->name, b->name) : 0) ?: compare_numbers(a->number, b->number))

static struct summary_section *add_section(struct profile_summary *s, const char *name, const char *title)
{
	struct summary_section *section = &s->sections[s->nr_sections++];

	*section = (struct summary_section){ .name = name, .title = title };
	return section;
}

/* @name NULL: made when the row is printed. */
static struct summary_row *add_row(struct summary_section *section, const struct profile_sum *sum, uint32_t number,
				   const char *name, const char *where)
{
	struct summary_row row = { .name = name ? xstrdup(name) : NULL, .where = where ? xstrdup(where) : NULL,
				   .number = number, .nr = sum->nr, .period = sum->period };

	vec_push(&section->rows.list, row);
	return &section->rows.list.v[section->rows.list.nr - 1];
}

static void sort_section(struct summary_section *section)
{
	vec_sort(&section->rows.list, by_weight);
}

static struct summary_section *add_functions(const struct walk *k, const struct profile_sum *sums, const char *name,
					     const char *title, const char *outside)
{
	struct summary_section *section = add_section(k->out, name, title);

	for (uint32_t f = 0; f < k->d->functions.nr; f++) {
		struct summary_row *row;

		if (!sums[f].nr)
			continue;
		row = add_row(section, &sums[f], f, function_name(k->out, f), function_dso(k->out, f));
		snprintf(row->id, sizeof(row->id), "f:%08x", function_hash(k->out, f));
		row->inlined = k->d->functions.v[f].inlined;
	}
	if (outside && sums[k->d->functions.nr].nr)
		add_row(section, &sums[k->d->functions.nr], OUTSIDE, outside, NULL);
	sort_section(section);
	return section;
}

struct command_use { uint32_t name, process; };

ORDER(by_process, struct command_use, compare_numbers(a->process, b->process) ?: compare_numbers(a->name, b->name))

/*
 * Commands by name, each with its processes, if there are many. A process counts for each of its names: what a shell's child
 * does before its exec is the shell's, as in report -s comm.
 */
static void add_commands(const struct walk *k)
{
	struct { struct profile_sum sum; uint32_t processes; } *by_name = xcalloc(k->d->nr_strings, sizeof(*by_name));
	VEC(struct command_use) uses = {0};
	struct summary_section *section;
	uint32_t processes = 0;

	vec_for(w, &k->d->weights) {
		if (w->event != k->out->event || w->thread == PROFILE_NONE || !is_wanted(k, w))
			continue;
		profile_sum_add(&by_name[w->comm].sum, w->nr, w->period);
		vec_push(&uses, ((struct command_use){ w->comm, k->d->threads.v[w->thread].process }));
	}
	vec_sort(&uses, by_process);
	for (size_t i = 0; i < uses.nr; i++) {
		const struct command_use *use = &uses.v[i];

		by_name[use->name].processes += !i || by_process(use - 1, use);
		processes += !i || use->process != use[-1].process;
	}
	vec_free(&uses);
	if (processes >= MANY_PROCESSES) {
		section = add_section(k->out, "commands", "commands (until a process's exec, the name is its parent's)");
		for (uint32_t name = 0; name < k->d->nr_strings; name++) {
			char where[40];

			if (!by_name[name].processes)
				continue;
			snprintf(where, sizeof(where), "%u process%s", by_name[name].processes,
				 by_name[name].processes == 1 ? "" : "es");
			add_row(section, &by_name[name].sum, name, profile_string(k->out->profile, name), where);
		}
		sort_section(section);
	}
	free(by_name);
}

/* Adds a row, after all others, for the @nr threads of a Java virtual machine itself, which usually wait. */
static void add_services(struct summary_section *section, const struct profile_sum *sum, unsigned nr)
{
	char *name = xasprintf("%u threads of " SERVICE_THREADS_OF, nr);

	if (nr)
		add_row(section, sum, OUTSIDE, name, NULL)->last = true;
	free(name);
}

static void add_threads(const struct walk *k)
{
	struct summary_section *section = add_section(k->out, "threads", "threads");
	struct profile_sum services = {0};
	unsigned nr = 0;

	for (uint32_t t = 0; t < k->d->threads.nr; t++) {
		const struct profile_thread *thread = &k->d->threads.v[t];
		const struct profile_process *process = &k->d->processes.v[thread->process];
		struct summary_row *row;
		char where[32];

		if (!k->threads[t].nr)
			continue;
		if (is_service_thread(k->service, t) && (k->out->is_wall || k->out->is_waits)) {
			nr++;
			profile_sum_add(&services, k->threads[t].nr, k->threads[t].period);
			continue;
		}
		snprintf(where, sizeof(where), "process %u", process->pid);
		row = add_row(section, &k->threads[t], t, profile_string(k->out->profile, profile_thread_name(k->out->profile, t)),
			      where);
		snprintf(row->id, sizeof(row->id), "t:%u", thread->tid);
	}
	add_services(section, &services, nr);
	sort_section(section);
}

static void add_reasons(const struct walk *k)
{
	struct summary_section *section = add_section(k->out, "reasons", "what is waited for");

	for (unsigned r = 0; r < NR_WAIT_REASONS; r++)
		if (k->reasons[r].nr)
			add_row(section, &k->reasons[r], r, r ? wait_reason_name(r) : "(not known)", NULL);
	sort_section(section);
}

/* Call chains get their long names only when they are printed, because there may be many. */
static void add_chains(const struct walk *k)
{
	struct summary_section *section = add_section(k->out, "chains", "call chains, the outermost caller first");

	for (uint32_t n = 1; n < k->d->stacks.nr; n++)
		if (k->nodes[n].nr && k->d->stacks.v[n].depth > 1)
			add_row(section, &k->nodes[n], n, NULL, NULL);
		else if (k->nodes[n].nr)
			profile_sum_add(&section->rest, k->nodes[n].nr, k->nodes[n].period);
	profile_sum_add(&section->rest, k->nodes[PROFILE_ROOT].nr, k->nodes[PROFILE_ROOT].period);
	section->rest_name = section->rest.nr ? "samples without a caller" : NULL;
	sort_section(section);
	for (size_t i = 0; i < MIN(section->rows.list.nr, SUMMARY_ROWS); i++) {
		struct summary_row *row = &section->rows.list.v[i];

		row->name = chain_name(k->out, row->number, &row->brief);
		snprintf(row->id, sizeof(row->id), "s:%08x", chain_hash(k->out, row->number));
	}
}

/* The innermost function of the chain that was not inlined; PROFILE_NONE: all were inlined, or it is empty. */
static uint32_t code_at(const struct profile_summary *s, uint32_t node)
{
	for (; node != PROFILE_ROOT; node = s->d->stacks.v[node].parent)
		if (!s->d->functions.v[function_of(s, node)].inlined)
			return function_of(s, node);
	return PROFILE_NONE;
}

/* The function with most samples of the inlined one @inlined around it; PROFILE_NONE: there is none. */
static uint32_t code_around(const struct walk *k, uint32_t inlined)
{
	struct profile_sum *sums = xcalloc(k->d->functions.nr, sizeof(*sums));
	uint32_t found = PROFILE_NONE;

	vec_for(w, &k->d->weights) {
		uint32_t code;

		if (w->event != k->out->event || profile_own_function(k->out->profile, w) != inlined || !is_wanted(k, w))
			continue;
		code = code_at(k->out, w->stack);
		if (code == PROFILE_NONE)
			continue;
		profile_sum_add(&sums[code], w->nr, w->period);
		if (found == PROFILE_NONE || sums[code].period > sums[found].period)
			found = code;
	}
	free(sums);
	return found;
}

/* True if a function with samples and code of its own has the name of the inlined function @inlined: annotate shows that one. */
static bool has_copy(const struct walk *k, uint32_t inlined)
{
	for (uint32_t f = 0; f < k->d->functions.nr; f++)
		if (k->functions[f].nr && !k->d->functions.v[f].inlined &&
		    function_is_named(function_name(k->out, f), function_name(k->out, inlined), NAME_WHOLE))
			return true;
	return false;
}

/* The function to name to prec annotate for the code of @function, which finds an inlined one by its name, too. */
static uint32_t code_of(const struct walk *k, uint32_t function)
{
	return k->d->functions.v[function].inlined && has_copy(k, function) ? code_around(k, function) : function;
}

/* True if the user can change the code of @function: it has a name, and is not the kernel's. */
static bool is_users(const struct walk *k, uint32_t function)
{
	const struct profile_function *f = &k->d->functions.v[function];

	return f->name && !f->made && f->level != 'k' && !profile_is_wait(k->out->profile, function);
}

/*
 * Chooses the function to suggest for prec annotate among those with rows to print: the hottest outside the kernel, or else the
 * hottest. If the hottest is a wait, it has no code, and there is nothing to show.
 */
static void find_code(struct walk *k, const struct summary_section *functions)
{
	const struct summary_row *rows = functions->rows.list.v;
	size_t nr = MIN(functions->rows.list.nr, SUMMARY_ROWS);

	if (!nr || profile_is_wait(k->out->profile, rows[0].number))
		return;
	k->out->code = rows[0].number;
	if (is_kernel(k->out, rows[0].number))
		for (size_t i = nr; i-- > 0;)
			if (is_users(k, rows[i].number) && !summary_row_is_small(k->out, &rows[i]))
				k->out->code = rows[i].number;
	k->out->code = code_of(k, k->out->code);
}

/* Chooses the requested function, if it has samples of its own: the part with code of its own, or else the hottest inlined one. */
static void find_code_of_function(struct walk *k)
{
	uint32_t best = PROFILE_NONE;

	for (uint32_t f = 0; f < k->d->functions.nr; f++) {
		const struct profile_function *had = best == PROFILE_NONE ? NULL : &k->d->functions.v[best];
		const struct profile_function *has = &k->d->functions.v[f];

		if (!k->wanted[f] || !k->functions[f].nr || profile_is_wait(k->out->profile, f))
			continue;
		if (!had || (had->inlined && !has->inlined) ||
		    (had->inlined == has->inlined && k->functions[f].period > k->functions[best].period))
			best = f;
	}
	k->out->code = best == PROFILE_NONE ? best : code_of(k, best);
}

static void make_sections(struct walk *k)
{
	if (k->kind != OF_ALL)
		k->out->of_events = xcalloc(k->d->events.nr, sizeof(*k->out->of_events));
	sum_up(k);
	if (k->kind == OF_ALL)
		sum_wall(k);
	if (k->kind == OF_ALL)
		add_commands(k);
	if (k->out->is_waits)
		add_reasons(k);
	if (k->kind == OF_FUNCTION) {
		add_functions(k, k->callers, "callers", "its callers", "(none: it is the outermost, or has no chain)");
		add_functions(k, k->callees, "callees", "what it calls", "(its own code)");
		find_code_of_function(k);
	} else if (k->kind != OF_CHAIN) {
		find_code(k, add_functions(k, k->functions, "functions", "functions, by their own time", NULL));
	}
	if (k->kind != OF_THREAD)
		add_threads(k);
	if (k->kind != OF_CHAIN)
		add_chains(k);
}

/* ---- what is asked for ---- */

/*
 * Finds the functions with the ID @hash. They may be several: an inlined copy is another function of the profile, and several files
 * of one name may each have the function. Returns one of them, or PROFILE_NONE.
 */
static uint32_t find_functions(struct walk *k, uint32_t hash)
{
	uint32_t found = PROFILE_NONE;

	k->kind = OF_FUNCTION;
	k->wanted = xcalloc(k->d->functions.nr + 1, sizeof(*k->wanted));
	for (uint32_t f = k->d->functions.nr; f-- > 0;) {
		k->wanted[f] = function_hash(k->out, f) == hash;
		found = k->wanted[f] ? f : found;
	}
	return found;
}

ORDER(by_id, struct summary_row, strcmp(a->id, b->id))

/* Lists the functions with a name that @wanted means, a row for each ID, with their own samples. */
static void list_named(struct walk *k, const char *wanted, enum name_given given, const struct profile_sum *own)
{
	struct summary_section named = {0};
	struct summary_rows *out = &k->out->of_named;

	for (uint32_t f = 0; f < k->d->functions.nr; f++) {
		struct summary_row *row;

		if (!function_is_named(function_name(k->out, f), wanted, given))
			continue;
		row = add_row(&named, &own[f], f, function_name(k->out, f), function_dso(k->out, f));
		snprintf(row->id, sizeof(row->id), "f:%08x", function_hash(k->out, f));
		row->last = !str_eq(row->name, wanted);
	}
	vec_sort(&named.rows.list, by_id);
	vec_for(row, &named.rows.list) {
		struct summary_row *before = out->list.nr ? &out->list.v[out->list.nr - 1] : NULL;

		if (!before || !str_eq(before->id, row->id)) {
			vec_push(&out->list, *row);
			continue;
		}
		before->nr += row->nr;
		add_saturated(&before->period, row->period);
		free(row->name);
		free(row->where);
	}
	vec_free(&named.rows.list);
	vec_sort(&out->list, by_weight);
}

/* Finds a function by the name that people use for it. If several have it, takes the one of just that name, or else the hottest. */
static void find_function(struct walk *k, const char *wanted)
{
	struct profile_sum *own = xcalloc(k->d->functions.nr + 1, sizeof(*own));
	struct profile_summary *s = k->out;
	const struct summary_row *first;

	vec_for(w, &k->d->weights) {
		uint32_t f = w->event == s->event ? profile_own_function(s->profile, w) : PROFILE_NONE;

		if (f != PROFILE_NONE)
			profile_sum_add(&own[f], w->nr, w->period);
	}
	list_named(k, wanted, NAME_WHOLE, own);
	if (!s->of_named.list.nr)
		list_named(k, wanted, NAME_PART, own);
	free(own);
	if (!s->of_named.list.nr)
		return;
	first = &s->of_named.list.v[0];
	find_functions(k, function_hash(s, first->number));
	snprintf(s->of_id, sizeof(s->of_id), "%s", first->id);
	s->of = s->of_id;
	s->of_name = xasprintf("%s [%s]", first->name, first->where);
}

/* Finds the call chains with the ID @hash. They may be several: chains with an inlined copy of a function have equal names. */
static void find_chains(struct walk *k, uint32_t hash)
{
	struct profile_summary *s = k->out;
	char *brief = NULL;

	k->kind = OF_CHAIN;
	k->wanted = xcalloc(k->d->stacks.nr + 1, sizeof(*k->wanted));
	for (uint32_t n = 1; n < k->d->stacks.nr; n++) {
		k->wanted[n] = chain_hash(s, n) == hash;
		if (k->wanted[n] && !s->of_name)
			s->of_name = chain_name(s, n, &brief);
	}
	free(brief);
}

/* Finds what the ID @of names, and its name. */
static void find_of(struct walk *k, const char *of)
{
	struct profile_summary *s = k->out;
	uint32_t number = (uint32_t)strtoul(of[0] ? of + 1 + (of[1] == ':') : of, NULL, of[0] == 't' ? 10 : 16);

	if (str_starts(of, "f:")) {
		uint32_t f = find_functions(k, number);

		if (f != PROFILE_NONE)
			s->of_name = xasprintf("%s [%s]", function_name(s, f), function_dso(s, f));
	} else if (str_starts(of, "t:")) {
		k->kind = OF_THREAD;
		k->tid = number;
		for (uint32_t t = 0; t < k->d->threads.nr && !s->of_name; t++)
			if (k->d->threads.v[t].tid == number)
				s->of_name = xasprintf("thread %u (%s)", number,
						       profile_string(s->profile, profile_thread_name(s->profile, t)));
	} else if (str_starts(of, "s:")) {
		find_chains(k, number);
	} else {
		k->kind = OF_FINDING;
		vec_for(f, &s->findings->list)
			if (!s->of_name && str_eq(finding_name(f->code), of))
				s->of_name = xstrdup(of);
		if (!s->of_name && *of)
			find_function(k, of);
	}
}

bool profile_summary_init(struct profile_summary *s, const struct profile *p, const struct findings *found,
			  const struct profile_summary_opts *opts)
{
	const struct profile_event *e = &profile_data(p)->events.v[opts->event];
	struct walk k = { .out = s, .d = profile_data(p) };

	*s = (struct profile_summary){
		.profile = p, .d = k.d, .findings = found, .opts = opts, .of = opts->of, .event = opts->event,
		.nr = e->nr + e->nr_filtered, .period = e->period + e->period_filtered, .code = PROFILE_NONE,
		.columns = MAX(opts->width, SUMMARY_NAME_AT + LEAST_COLUMNS) - SUMMARY_NAME_AT,
		.is_waits = str_eq(profile_string(p, e->name), OFF_CPU_NAME),
		.is_wall = str_eq(profile_string(p, e->name), WALL_EVENT),
	};
	if (opts->of)
		find_of(&k, opts->of);
	if (opts->of && !s->of_name) {
		free(k.wanted);
		return false;
	}
	k.functions = xcalloc(k.d->functions.nr + 1, sizeof(*k.functions));
	k.callers = xcalloc(k.d->functions.nr + 1, sizeof(*k.callers));
	k.callees = xcalloc(k.d->functions.nr + 1, sizeof(*k.callees));
	k.threads = xcalloc(k.d->threads.nr + 1, sizeof(*k.threads));
	k.nodes = xcalloc(k.d->stacks.nr + 1, sizeof(*k.nodes));
	k.service = service_threads(p);
	if (k.kind != OF_FINDING)
		make_sections(&k);
	free(k.service);
	free(k.functions);
	free(k.callers);
	free(k.callees);
	free(k.threads);
	free(k.nodes);
	free(k.wanted);
	return true;
}

struct profile_sum profile_summary_of_event(const struct profile_summary *s, uint32_t event)
{
	const struct profile_event *e = &s->d->events.v[event];

	return s->of_events ? s->of_events[event] : s->of ? (struct profile_sum){0} : (struct profile_sum){ e->nr, e->period };
}

bool summary_row_is_small(const struct profile_summary *s, const struct summary_row *row)
{
	return (double)row->period * 100 < SUMMARY_LEAST_PERCENT * (double)(s->of ? s->of_period : s->period);
}

bool profile_summary_many_processes(const struct profile_summary *s)
{
	for (unsigned i = 0; i < s->nr_sections; i++)
		if (str_eq(s->sections[i].name, "commands"))
			return true;
	return false;
}

static void release_rows(struct summary_rows *rows)
{
	vec_for(row, &rows->list) {
		free(row->name);
		free(row->where);
		free(row->brief);
	}
	vec_free(&rows->list);
}

void profile_summary_release(struct profile_summary *s)
{
	for (unsigned i = 0; i < s->nr_sections; i++)
		release_rows(&s->sections[i].rows);
	release_rows(&s->of_named);
	free(s->of_events);
	free(s->of_name);
	free(s->wall);
}
