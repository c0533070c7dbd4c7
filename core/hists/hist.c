/*
 * Makes the tables of a report: hists_new() sums the samples, looks up the names of their addresses, makes the entries (rows),
 * and sorts them. hist.h shows the steps and declares the structs.
 */
#include "core/hists/hist.h"

#include <string.h>

#include "core/base/phase.h"
#include "core/read/session.h"
#include "core/ui/finding.h"
#include "core/hists/detail.h"
#include "core/hists/mem_key.h"

/* ---- the rows of a table ---- */

uint64_t hists_value(const struct hists *h, const struct entry *e, unsigned key)
{
	return tuples_value(&h->tuples, e->sample_tuple, e->location_tuple, key);
}

static bool symbol_matches(const struct hists *h, const struct entry *e)
{
	const struct layout *l = &h->opts.layout;

	for (unsigned i = 0; i < l->nr_keys; i++)
		if (str_eq(l->keys[i]->name, "symbol")) {
			const char *name = h->locations.list.v[hists_value(h, e, i)].name;

			return name && strstr(name, h->opts.symbol_filter);
		}
	return true;
}

static void sort_hist(struct hists *h, struct hist *hist)
{
	for (uint32_t i = 0; i < hist->entries.nr; i++) {
		const struct entry *e = &hist->entries.v[i];

		if (!h->opts.symbol_filter || symbol_matches(h, e)) {
			vec_push(&hist->sorted, i);
			continue;
		}
		for (uint32_t m = 0; m < hist->nr_members; m++) {
			struct event_total *total = &h->list.v[hist->leader + m].total;

			const struct sums *sums = hist_sums(hist, e, m);

			total->nr_out += sums->nr;
			add_saturated(&total->period_out, sums->period);
			add_saturated(&h->list.v[hist->leader + m].latency_out, sums->rare ? sums->rare->cost.latency : 0);
		}
	}
	hists_sort(h, hist, hist->sorted.v, hist->sorted.nr);
}

/* ---- all of it ---- */

/* Finds the events that are shown side by side: the leader of a group and the events after it in the group. */
static void find_groups(struct hists *h, const struct event_table *events)
{
	uint32_t nr = (uint32_t)h->list.nr, step;
	bool all = h->opts.forced && !h->opts.separate && !event_table_has_groups(events) && nr <= MAX_MEMBERS;

	for (uint32_t i = 0; i < nr; i += step) {
		const struct event *leader = h->list.v[i].event;

		step = all ? nr : !h->opts.separate && leader->nr_members <= MAX_MEMBERS ? MAX(leader->nr_members, 1) : 1;
		for (uint32_t m = 0; m < step; m++)
			h->list.v[i + m].leader = i;
		h->list.v[i].nr_members = step;
	}
}

struct hists *hists_new(struct session *s, const struct hists_opts *opts)
{
	struct hists *h = xcalloc(1, sizeof(*h));
	struct buckets buckets = {0};
	struct bucket_opts bucket = { .event = opts->event,
				.slot_ns = opts->slot_ns ? opts->slot_ns : HISTS_SLOT_NS, .slot_from = opts->slot_from,
				.max_depth = opts->max_depth, .filter = opts->filter,
				.branch_history = opts->branch_history,
				.count = opts->by_weight ? mem_weight : NULL };
	struct phase phase;
	struct detail_plan plan = { .layout = &h->opts.layout, .traces = opts->traces, .machine = session_machine(s) };

	h->opts = *opts;
	/* Inlined functions have no addresses of their own, so with branches or address columns they have no self time. */
	h->opts.self_inlined &= !opts->branches && !(layout_needs(&opts->layout) & NEED_OFFSET);
	h->opts.slot_ns = bucket.slot_ns;
	h->jobs = session_jobs(s);
	bucket.needs = (layout_needs(&opts->layout) & ~(unsigned)NEED_CHAIN) | (hists_want_names(h) ? NEED_ADDRESS : 0) |
		    (opts->chains ? NEED_CHAIN : 0) | (opts->branches ? NEED_BRANCH : 0) |
		    (opts->wanted_running ? NEED_RUNNING : 0);
	plan.needs = bucket.needs;
	bucket.describe = detail_put;
	bucket.describe_ctx = &plan;
	bucket.describes_raw = (bucket.needs & NEED_DETAIL) == NEED_TRACE;
	bucket.queues = opts->queues;
	bucket.running = opts->running;
	bucket.wanted_running = opts->wanted_running;
	buckets_collect(&buckets, s, &bucket);
	phase = phase_begin();
	vec_for(event, &session_events(s)->events)
		vec_push(&h->list, ((struct hist){ .event = *event,
						  .latency = buckets.totals.v[(*event)->number].latency_out,
						  .latency_out = buckets.totals.v[(*event)->number].latency_out }));
	find_groups(h, session_events(s));
	hists_name_buckets(h, &buckets, &plan, s);
	phase_end(&phase, "naming");
	buckets_release(&buckets);
	hists_make_entries(h);
	hists_rank(h);
	vec_for(hist, &h->list)
		sort_hist(h, hist);
	phase_end(&phase, "sorting");
	return h;
}

void hists_free(struct hists *h)
{
	if (!h)
		return;
	vec_for(hist, &h->list) {
		vec_free(&hist->entries);
		vec_free(&hist->others);
		vec_free(&hist->stamps);
		vec_free(&hist->sorted);
	}
	vec_free(&h->list);
	vec_free(&h->buckets);
	vec_free(&h->costs);
	vec_for(rare, &h->rare) {
		free((*rare)->classes);
		free(*rare);
	}
	vec_free(&h->rare);
	index_release(&h->by_named_bucket);
	vec_free(&h->frames);
	index_release(&h->by_frame);
	hists_release_ranks(h);
	vec_free(&h->path);
	name_counts_release(&h->counts);
	tuples_release(&h->tuples);
	detail_context_release(&h->view);
	byte_table_release(&h->details);
	locations_release(&h->locations);
	free(h);
}

uint64_t hist_total(const struct hist *hist, bool relative)
{
	return hist->total.period - (relative ? hist->total.period_out : 0);
}

uint64_t hist_total_of(const struct hist *hist, const struct key *sum, bool relative)
{
	return sum->flags & KEY_LATENCY ? hist->latency - (relative ? hist->latency_out : 0) : hist_total(hist, relative);
}

/* True if at least 99 % of the samples ran alone, which is the limit of perf, too. */
bool hists_are_single(const struct hists *h)
{
	uint64_t nr = 0, single = 0;

	vec_for(hist, &h->list) {
		nr += hist->total.nr;
		single += hist->total.nr_single;
	}
	return single >= nr - nr / 100;
}

uint64_t hists_weight(const struct hists *h, const struct entry *e)
{
	return h->opts.children ? e->sums.children : e->sums.period;
}

void hists_findings(const struct hists *h, const struct session *s, struct findings *out)
{
	uint64_t no_chain = 0, nr = 0;

	vec_for(hist, &h->list) {
		no_chain += hist->total.nr_no_chain;
		nr += hist->total.nr;
		findings_add(out, FINDING_PERIOD_OVERFLOW, hist->total.period == UINT64_MAX, 0, hist->event->name);
	}
	name_counts_findings(&h->counts, s, h->opts.branches, out);
	if (!nr)
		session_without_samples(s, out);
	findings_add(out, FINDING_NO_CHAIN, no_chain, nr, NULL);
}
