/*
 * Turns the argument of -e into event requests. event_grammar.c parses the text, and event_resolve.c looks up the names. This
 * file applies the modifiers, numbers the groups, and splits groups with events of several PMUs.
 */
#include "core/record/events/event_parse.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/record/events/event_resolve.h"

static int modify(struct event_requests *out, size_t from, const struct event_node *n, const struct group_node *g,
		  struct event_error *err)
{
	int failed = 0;

	for (size_t i = from; i < out->list.nr && !failed; i++) {
		struct event_request *r = &out->list.v[i];
		bool leader = !r->group || i == 0 || r[-1].group != r->group;

		failed = event_modify(r, n->modifiers, false, true, err);
		if (!failed && g)
			failed = event_modify(r, g->modifiers, true, leader, err);
		if (leader && g && g->name.n)
			r->group_name = word_dup(g->name);
	}
	return failed;
}

static int add_event(struct event_requests *out, const struct event_tree *tree, struct event_node *n,
		     uint32_t first_group, const struct pmus *pmus, struct event_error *err)
{
	const struct group_node *g = n->group == NO_GROUP ? NULL : &tree->groups.v[n->group];
	size_t from = out->list.nr;
	int failed = event_resolve(out, n, pmus, err);

	for (size_t i = from; i < out->list.nr; i++)
		out->list.v[i].group = g ? first_group + n->group : 0;
	return failed ? failed : modify(out, from, n, g, err);
}

#define ANY_PMU	UINT64_MAX

static bool is_tracer(const struct event_requests *all, const struct event_request *r, const struct pmus *pmus)
{
	vec_for(pmu, &pmus->list)
		if (pmu->type == r->attr.type)
			return all->traces && all->traces(pmu->name);
	return false;
}

/*
 * Returns the type of the PMU that counts the event. All events of a group must have the same PMU. ANY_PMU is for events that the
 * kernel itself counts and for events that fill AUX areas, which may be in any group (perf_sw_context in Linux).
 */
static uint64_t pmu_of(const struct event_requests *all, const struct event_request *r, const struct pmus *pmus)
{
	switch (r->attr.type) {
	case PERF_TYPE_SOFTWARE: case PERF_TYPE_TRACEPOINT: case PERF_TYPE_BREAKPOINT:
		return ANY_PMU;
	case PERF_TYPE_HARDWARE: case PERF_TYPE_HW_CACHE:
		return r->attr.config >> 32 ? r->attr.config >> 32 : PERF_TYPE_RAW;
	}
	return r->path || is_tracer(all, r, pmus) ? ANY_PMU : r->attr.type;
}

/* Moves the requests in [@from, @to) that have the PMU of the first one to the front, in order. Returns where the others begin. */
static size_t keep_one_pmu(struct event_requests *out, size_t from, size_t to, const struct pmus *pmus)
{
	struct event_request *v = out->list.v;
	uint64_t pmu = ANY_PMU;
	size_t kept = from;

	for (size_t i = from; i < to && pmu == ANY_PMU; i++)
		pmu = pmu_of(out, &v[i], pmus);
	for (size_t i = from; i < to; i++) {
		struct event_request r = v[i];

		if (pmu_of(out, &r, pmus) != pmu && pmu_of(out, &r, pmus) != ANY_PMU)
			continue;
		memmove(&v[kept + 1], &v[kept], (i - kept) * sizeof(*v));
		v[kept++] = r;
	}
	return kept;
}

/* Splits groups: a name that means several PMUs makes a group for each PMU. @next is a number that no group has yet. */
static void split_groups(struct event_requests *out, size_t from, uint32_t next, const struct pmus *pmus)
{
	for (size_t to; from < out->list.nr; from = to) {
		uint32_t group = out->list.v[from].group;
		size_t kept;

		for (to = from + 1; group && to < out->list.nr && out->list.v[to].group == group; to++)
			;
		kept = group ? keep_one_pmu(out, from, to, pmus) : to;
		for (size_t i = kept; i < to; i++)
			out->list.v[i].group = next;
		next += kept < to;
		to = kept;
	}
}

/* Ends groups of a single event: one event in braces does not need a group. */
static void dissolve_single(struct event_requests *out, size_t from)
{
	struct event_request *v = out->list.v;

	for (size_t i = from; i < out->list.nr; i++) {
		bool first = i == from || v[i - 1].group != v[i].group;
		bool last = i + 1 == out->list.nr || v[i + 1].group != v[i].group;

		if (first && last)
			v[i].group = 0;
	}
}

int event_parse(struct event_requests *out, const char *text, struct event_error *err)
{
	size_t before = out->list.nr;
	uint32_t first_group = 1, last_group;
	struct event_tree tree;
	struct pmus pmus = {0};
	int failed;

	vec_for(r, &out->list)
		first_group = MAX(first_group, r->group + 1);
	failed = event_tree_parse(&tree, text, err);
	last_group = first_group + (uint32_t)tree.groups.nr;
	if (!failed)
		pmus_read(&pmus);
	for (size_t i = 0; i < tree.events.nr && !failed; i++)
		failed = add_event(out, &tree, &tree.events.v[i], first_group, &pmus, err);
	event_tree_release(&tree);
	if (failed)
		event_requests_cut(out, before);
	split_groups(out, before, last_group + 1, &pmus);
	pmus_release(&pmus);
	dissolve_single(out, before);
	if (!failed)
		out->last = before;
	return failed;
}

int event_error_print(const char *text, struct event_error *err)
{
	struct buf b = {0};

	buf_printf(&b, "%s\n    %s\n    ", err->what, text);
	buf_fill(&b, ' ', err->from);
	buf_putc(&b, '^');
	if (err->to > err->from + 1)
		buf_fill(&b, '~', err->to - err->from - 1);
	error("%s", buf_str(&b));
	buf_release(&b);
	free(err->what);
	err->what = NULL;
	return -1;
}
