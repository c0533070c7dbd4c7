/* Grouping, accumulating over chains, sorting. Layer: views */
#include "core/views/hist.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/pool.h"
#include "core/flow/session.h"
#include "core/views/detail.h"
#include "core/views/filter.h"
#include "core/views/mem_key.h"
#include "core/views/trace_key.h"
#include "core/views/weight.h"

#define ROOT 0u

/* ---- rows ---- */

static void add_weights(uint64_t *sums, const uint64_t *weights)
{
	for (unsigned i = 0; i < NR_WEIGHTS; i++)
		sums[i] += weights[i];
}

static uint64_t hash_row(const struct row *row)
{
	return hash_pair((uint64_t)row->context << 32 | row->frame,
			 (uint64_t)row->spot << 32 ^ (uint32_t)row->member << 16 ^ row->mode);
}

/* @extra NULL: there are none. */
static void add_row(struct hists *h, const struct row *row, const struct row_extra *extra, uint64_t hash)
{
	uint32_t pos;

	for (size_t i = index_first(&h->by_row, hash); (pos = index_at(&h->by_row, i, hash)) != INDEX_END; i++) {
		struct row *r = &h->rows.v[pos];

		if (pos == INDEX_OTHER || r->context != row->context || r->spot != row->spot || r->frame != row->frame ||
		    r->mode != row->mode || r->member != row->member)
			continue;
		r->period += row->period;
		r->nr += row->nr;
		if (extra) {
			add_weights(h->extras.v[pos].weights, extra->weights);
			h->extras.v[pos].latency += extra->latency;
		}
		return;
	}
	index_add(&h->by_row, hash, (uint32_t)h->rows.nr);
	vec_push(&h->rows, *row);
	if (extra)
		vec_push(&h->extras, *extra);
}

/* Rows on their way into the table: the memory of all is asked for before the first is waited for. */
#define BATCH 32

struct row_batch {
	struct row rows[BATCH];
	struct row_extra extras[BATCH];
	uint64_t hashes[BATCH];
	unsigned nr;
	bool has_extras;
};

static void add_rows(struct hists *h, struct row_batch *b)
{
	for (unsigned i = 0; i < b->nr; i++) {
		uint32_t pos = index_at(&h->by_row, index_first(&h->by_row, b->hashes[i]), b->hashes[i]);

		if (pos < INDEX_OTHER)
			__builtin_prefetch(&h->rows.v[pos], 1);
	}
	for (unsigned i = 0; i < b->nr; i++)
		add_row(h, &b->rows[i], b->has_extras ? &b->extras[i] : NULL, b->hashes[i]);
	b->nr = 0;
}

static void add_row_later(struct hists *h, struct row_batch *b, const struct row *row, const struct row_extra *extra)
{
	b->rows[b->nr] = *row;
	b->extras[b->nr] = *extra;
	b->hashes[b->nr] = hash_row(row);
	index_expect(&h->by_row, b->hashes[b->nr++]);
	if (b->nr == BATCH)
		add_rows(h, b);
}

/* What it takes to turn raw rows into rows. */
struct translation {
	uint32_t *raw_spot;		/* by raw row: the number of its site; then its spot */
	uint32_t *node_frame;		/* by chain node */
	bool *hidden;			/* by spot: a filter leaves its samples out */
};

/* Frames of call chains are spots with names; so then is all that entries are made of. */
static bool wants_places(const struct hists *h)
{
	unsigned needs = layout_needs(&h->opts.layout);

	return needs & RAW_PLACE || h->opts.branches || (needs & RAW_DSO && h->opts.chains) || filter_has_place(h->opts.filter) ||
	       h->opts.hide_unresolved;
}

static bool wants_dsos(const struct hists *h)
{
	return layout_needs(&h->opts.layout) & RAW_DSO && !wants_places(h);
}

static void find_spots(struct hists *h, struct raws *raws, const struct machine *m, struct translation *t)
{
	bool places = wants_places(h), dsos = wants_dsos(h), exact = h->opts.chains && h->opts.tree.key != TREE_BY_FUNCTION;
	size_t nr = raws->table.rows.nr;

	t->raw_spot = xcalloc(MAX(nr, 1), sizeof(*t->raw_spot));
	for (size_t i = 0; places && i < nr; i++)
		t->raw_spot[i] = h->opts.branches ? raws->table.rows.v[i].key.home :
						    raw_site(&raws->sites, &raws->table.rows.v[i]);
	spots_name(&h->spots, &raws->sites, m, &(struct spot_opts){
		.inlines = h->opts.inlines, .jobs = h->jobs, .full_paths = h->opts.full_paths,
		.lines = exact || layout_needs(&h->opts.layout) & RAW_LINE, .call_lines = exact,
		.offsets = h->opts.tree.key == TREE_BY_ADDRESS || layout_needs(&h->opts.layout) & RAW_OFFSET,
	});
	for (size_t i = 0; i < nr; i++) {
		uint32_t dso = raws->table.rows.v[i].key.home;

		if (places)
			t->raw_spot[i] = h->spots.sites.v[t->raw_spot[i]].spot;
		else if (dsos)
			t->raw_spot[i] = spots_of_dso(&h->spots, dso == SITE_NO_DSO ? NULL : machine_dso(m, dso));
	}
}

static void find_hidden(struct hists *h, struct translation *t)
{
	t->hidden = xcalloc(MAX(h->spots.list.nr, 1), sizeof(*t->hidden));
	if (!filter_has_place(h->opts.filter))
		return;
	for (size_t i = 0; i < h->spots.list.nr; i++) {
		const struct spot *s = &h->spots.list.v[i];

		t->hidden[i] = !filter_place_names(h->opts.filter, s->dso ? s->dso->name : NULL,
						   s->dso ? s->dso->path : NULL, s->name);
	}
}

static void count_unresolved(struct hists *h, const struct dso *dso, uint64_t nr)
{
	h->nr_unresolved += nr;
	vec_for(u, &h->unresolved)
		if (u->dso == dso) {
			u->nr += nr;
			return;
		}
	vec_push(&h->unresolved, ((struct unresolved){ dso, nr }));
}

/* Take note of a row without a symbol. False: it is to be left out. */
static bool keep_unresolved(struct hists *h, const struct raw *raw, uint32_t spot)
{
	struct raw_total *total = &h->list.v[raw->key.event].total;

	count_unresolved(h, h->spots.list.v[spot].dso, raw->nr);
	if (!h->opts.hide_unresolved)
		return true;
	total->nr -= raw->nr;
	total->period -= raw->period;
	return false;
}

/* Members of a group share their leader's entries; of its chain a sample keeps the function that --parent looks for. */
static uint32_t context_of(struct hists *h, const struct raw_key *key, uint32_t frame)
{
	struct raw_key shared = *key;
	uint32_t parent = h->frames.v[frame].parent_frame;

	shared.event = h->list.v[key->event].leader;
	shared.chain = parent == ROOT ? 0 : h->frames.v[parent].spot + 1;
	return groups_context(&h->groups, &shared);
}

/* Is it left out by a filter of places, or because it has no parent? */
static bool is_out(const struct hists *h, const struct translation *t, const struct row *row)
{
	return t->hidden[row->spot] || (h->opts.exclude_other && h->frames.v[row->frame].parent_frame == ROOT);
}

static uint64_t word_at(const struct hists *h, const struct raw *raw, size_t at)
{
	return detail_word(&h->details, raw->key.detail, (unsigned)(at / sizeof(uint64_t)));
}

/* Of all samples of @raw: equal details are equal weights. */
static struct row_extra extra_of(const struct hists *h, const struct raw *raw, const struct detail_plan *plan)
{
	struct row_extra extra = {0};

	for (unsigned i = 0; i < NR_WEIGHTS && plan->needs & RAW_WEIGHTS; i++)
		extra.weights[i] = raw->nr * word_at(h, raw, detail_weights_at(plan) + i * sizeof(uint64_t));
	if (plan->needs & RAW_RUNNING)
		extra.latency = raw->period / word_at(h, raw, detail_running_at(plan));
	return extra;
}

static void make_rows(struct hists *h, const struct raws *raws, const struct translation *t, const struct detail_plan *plan)
{
	struct row_batch batch = { .has_extras = plan->needs & (RAW_WEIGHTS | RAW_RUNNING) };
	bool places = wants_places(h);
	bool modes = layout_needs(&h->opts.layout) & RAW_MODE;

	for (size_t i = 0; i < raws->table.rows.nr; i++) {
		const struct raw *raw = &raws->table.rows.v[i];
		struct hist *hist = &h->list.v[raw->key.event];
		struct raw_total *total = &hist->total;
		struct row row = { .period = raw->period, .nr = raw->nr, .spot = t->raw_spot[i],
				   .frame = t->node_frame[raw->key.chain] };
		struct row_extra extra = {0};

		if (batch.has_extras)
			extra = extra_of(h, raw, plan);
		if (h->frames.v[row.frame].last)
			row.spot = h->frames.v[row.frame].spot;
		if (is_out(h, t, &row)) {
			total->nr_out += raw->nr;
			total->period_out += raw->period;
			hist->latency += extra.latency;
			hist->latency_out += extra.latency;
			continue;
		}
		h->nr_samples += raw->nr;
		if (places && !h->spots.list.v[row.spot].name && !keep_unresolved(h, raw, row.spot))
			continue;
		row.context = context_of(h, &raw->key, row.frame);
		row.member = (uint16_t)(raw->key.event - h->list.v[raw->key.event].leader);
		row.mode = modes ? (uint16_t)raw->key.mode : 0;
		hist->latency += extra.latency;
		add_row_later(h, &batch, &row, &extra);
	}
	add_rows(h, &batch);
}

static int compare_unresolved(const void *a, const void *b)
{
	const struct unresolved *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	if (!x->dso || !y->dso)
		return !x->dso - !y->dso;
	return x->dso->number < y->dso->number ? -1 : 1;
}

static void take_details(struct hists *h, struct raws *raws, const struct detail_plan *plan)
{
	h->details = raws->details;
	raws->details = (struct blobs){ 0 };
	h->view.details = &h->details;
	if (plan->needs & RAW_MEM)
		h->view.mem = h->mem = mem_values_new(&h->details, detail_access_at(plan));
	if (plan->needs & RAW_TRACE)
		h->view.traces = h->traces = trace_values_new(h->opts.traces, &h->details, detail_trace_at(plan));
}

static uint32_t nr_comms(const struct raws *raws)
{
	uint32_t nr = 0;

	vec_for(row, &raws->table.rows)
		nr = MAX(nr, row->key.comm + 1);
	return nr;
}

static void name_rows(struct hists *h, struct raws *raws, const struct detail_plan *plan, const struct features *features)
{
	const struct machine *m = plan->mem.machine;
	struct translation t = {0};

	find_spots(h, raws, m, &t);
	view_init(&h->view, m, &h->spots, h->opts.slot_ns);
	h->view.features = features;
	h->view.nanoseconds = h->opts.nanoseconds;
	if (plan->needs & RAW_FOLDED)
		view_fold_comms(&h->view, nr_comms(raws));
	take_details(h, raws, plan);
	groups_init(&h->groups, &h->opts.layout, &h->view);
	find_hidden(h, &t);
	t.node_frame = hists_make_frames(h, raws);
	make_rows(h, raws, &t, plan);
	if (h->unresolved.nr)
		qsort(h->unresolved.v, h->unresolved.nr, sizeof(*h->unresolved.v), compare_unresolved);
	free(t.raw_spot);
	free(t.node_frame);
	free(t.hidden);
}

/* ---- entries ---- */

static struct hist *hist_of(struct hists *h, uint32_t context)
{
	return &h->list.v[groups_event(&h->groups, context)];
}

/* Where only files are told apart nothing was looked up by name. */
static bool is_unnamed(const struct hists *h, const struct spot *spot)
{
	return wants_places(h) ? !spot->name : !spot->dso;
}

/* The entry that samples of @row count for at @spot. Borrowed until the next entry is made. */
static struct entry *entry_at(struct hists *h, struct hist *hist, const struct row *row, uint32_t spot)
{
	bool added = false;
	uint32_t pos = groups_entry(&h->groups, row->context, spot, (uint32_t)hist->entries.nr, &added);

	if (added) {
		vec_push(&hist->entries, ((struct entry){ .context = row->context,
							  .group = h->groups.group_of_spot.v[spot] }));
		for (uint32_t i = 1; i < hist->nr_members; i++)
			vec_push(&hist->others, ((struct sums){0}));
		if (h->spots.list.nr && is_unnamed(h, &h->spots.list.v[spot]))
			hist->unnamed = true;
	}
	return &hist->entries.v[pos];
}

/* The frames of a chain into h->path, the innermost first. */
static void find_path(struct hists *h, uint32_t frame)
{
	h->path.nr = 0;
	for (; frame != ROOT; frame = h->frames.v[frame].parent)
		vec_push(&h->path, frame);
}

static bool is_wanted(const struct hists *h, uint32_t spot, const bool *wanted)
{
	return !wanted || wanted[h->groups.group_of_spot.v[spot]];
}

void hists_count_row(struct hists *h, const struct row *row, const bool *wanted, count_fn *count, void *ctx)
{
	struct hist *hist = hist_of(h, row->context);
	bool caller_first = h->opts.tree.caller_first;
	struct entry *e;

	h->stamp++;
	if (is_wanted(h, row->spot, wanted)) {
		e = entry_at(h, hist, row, row->spot);
		e->stamp = h->stamp;
		count(h, row, e, caller_first ? ROOT : row->frame, ctx);
	}
	if (!h->opts.children)
		return;
	find_path(h, row->frame);
	for (size_t i = 0; i < h->path.nr; i++) {
		uint32_t frame = h->path.v[caller_first ? h->path.nr - 1 - i : i];

		if (!is_wanted(h, h->frames.v[frame].spot, wanted))
			continue;
		e = entry_at(h, hist, row, h->frames.v[frame].spot);
		if (e->stamp == h->stamp)
			continue;
		e->stamp = h->stamp;
		count(h, row, e, frame, ctx);
	}
}

/* How many frames are on the way from @from to the end of the chain. */
static uint32_t way_length(const struct hists *h, const struct row *row, uint32_t from)
{
	uint32_t depth = h->frames.v[row->frame].depth;

	if (!h->opts.tree.caller_first)
		return h->frames.v[from].depth;
	return from == ROOT ? depth : depth - h->frames.v[from].depth + 1;
}

struct rare_sums *hists_rare_sums(struct hists *h, struct sums *sums)
{
	if (!sums->rare) {
		sums->rare = xcalloc(1, sizeof(*sums->rare));
		vec_push(&h->rare, sums->rare);
	}
	return sums->rare;
}

static const struct row_extra *extra_at(const struct hists *h, const struct row *row)
{
	return &h->extras.v[row - h->rows.v];
}

static void add_own(struct hists *h, struct sums *sums, const struct row *row)
{
	sums->period += row->period;
	sums->nr += row->nr;
	if (h->extras.nr) {
		add_weights(hists_rare_sums(h, sums)->weights, extra_at(h, row)->weights);
		sums->rare->latency += extra_at(h, row)->latency;
	}
	if (row->mode == PERF_RECORD_MISC_KERNEL)
		sums->period_sys += row->period;
	else if (row->mode == PERF_RECORD_MISC_USER)
		sums->period_us += row->period;
	else if (row->mode == PERF_RECORD_MISC_GUEST_KERNEL)
		hists_rare_sums(h, sums)->period_guest_sys += row->period;
	else if (row->mode == PERF_RECORD_MISC_GUEST_USER)
		hists_rare_sums(h, sums)->period_guest_us += row->period;
}

/* Where the sums of a member other than the leader stand among hist.others. */
static size_t place_of_sums(const struct hist *hist, const struct entry *e, uint32_t member)
{
	return (size_t)(e - hist->entries.v) * (hist->nr_members - 1) + member - 1;
}

const struct sums *hist_sums(const struct hist *hist, const struct entry *e, uint32_t member)
{
	return member ? &hist->others.v[place_of_sums(hist, e, member)] : &e->sums;
}

static void add_sums(struct hists *h, const struct row *row, struct entry *e, uint32_t from, void *ctx)
{
	bool *own = ctx;	/* the first call for a row is for its own entry */
	struct hist *hist = hist_of(h, row->context);
	struct sums *sums = row->member ? &hist->others.v[place_of_sums(hist, e, row->member)] : &e->sums;

	if (*own)
		add_own(h, sums, row);
	*own = false;
	sums->children += row->period;
	if (h->extras.nr)
		hists_rare_sums(h, sums)->latency_children += extra_at(h, row)->latency;
	/* The call graph is the leader's. */
	if (!row->member)
		e->depth = MAX(e->depth, way_length(h, row, from));
}

static void make_entries(struct hists *h)
{
	vec_for(row, &h->rows) {
		bool own = true;

		hists_count_row(h, row, NULL, add_sums, &own);
	}
}

/* ---- the rows of a table ---- */

uint64_t hists_value(const struct hists *h, const struct entry *e, unsigned key)
{
	return groups_value(&h->groups, e->context, e->group, key);
}

static bool symbol_matches(const struct hists *h, const struct entry *e)
{
	const struct layout *l = &h->opts.layout;

	for (unsigned i = 0; i < l->nr_keys; i++)
		if (str_eq(l->keys[i]->name, "symbol")) {
			const char *name = h->spots.list.v[hists_value(h, e, i)].name;

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
			struct raw_total *total = &h->list.v[hist->leader + m].total;

			const struct sums *sums = hist_sums(hist, e, m);

			total->nr_out += sums->nr;
			total->period_out += sums->period;
			h->list.v[hist->leader + m].latency_out += sums->rare ? sums->rare->latency : 0;
		}
	}
	hists_sort(h, hist, hist->sorted.v, hist->sorted.nr);
}

/* ---- all of it ---- */

/* More than a row's member can tell are no group. */
#define MAX_MEMBERS UINT16_MAX

/* Which events are shown side by side: a leader and those behind it in the table. */
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
	struct raws raws = {0};
	struct raw_opts raw = { .slot_ns = opts->slot_ns, .max_depth = opts->max_depth, .filter = opts->filter,
				.count = opts->by_weight ? mem_weight : NULL };
	struct detail_plan plan = { .layout = &h->opts.layout, .traces = opts->traces, .mem.machine = session_machine(s) };

	h->opts = *opts;
	h->jobs = session_jobs(s);
	raw.needs = (layout_needs(&opts->layout) & ~(unsigned)RAW_CHAIN) | (wants_places(h) ? RAW_PLACE : 0) |
		    (opts->chains ? RAW_CHAIN : 0) | (opts->branches ? RAW_BRANCH : 0) |
		    (opts->wanted_running ? RAW_RUNNING : 0);
	plan.needs = plan.mem.needs = raw.needs;
	raw.describe = detail_put;
	raw.describe_ctx = &plan;
	raw.queues = opts->queues;
	raw.running = opts->running;
	raw.wanted_running = opts->wanted_running;
	raws_collect(&raws, s, &raw);
	vec_for(event, &session_events(s)->events)
		vec_push(&h->list, ((struct hist){ .event = *event, .total = raws.totals.v[(*event)->number],
						  .latency = raws.totals.v[(*event)->number].latency_out,
						  .latency_out = raws.totals.v[(*event)->number].latency_out }));
	find_groups(h, session_events(s));
	name_rows(h, &raws, &plan, session_features(s));
	raws_release(&raws);
	make_entries(h);
	hists_rank(h);
	vec_for(hist, &h->list)
		sort_hist(h, hist);
	return h;
}

void hists_free(struct hists *h)
{
	if (!h)
		return;
	vec_for(hist, &h->list) {
		vec_free(&hist->entries);
		vec_free(&hist->others);
		vec_free(&hist->sorted);
	}
	vec_free(&h->list);
	vec_free(&h->rows);
	vec_free(&h->extras);
	vec_for(rare, &h->rare)
		free(*rare);
	vec_free(&h->rare);
	index_release(&h->by_row);
	vec_free(&h->frames);
	index_release(&h->by_frame);
	hists_release_ranks(h);
	vec_free(&h->path);
	vec_free(&h->unresolved);
	groups_release(&h->groups);
	view_release(&h->view);
	trace_values_free(h->traces);
	mem_values_free(h->mem);
	blobs_release(&h->details);
	spots_release(&h->spots);
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

/* As for perf: 99 %. */
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
