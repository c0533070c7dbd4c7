/*
 * Raw rows to rows: addresses get their names, what is filtered by name is left out, and rows that are now the same become one.
 * From hists_make_rows(), at the end, upwards.
 * Layer: profile
 */
#include "core/profile/hist.h"

#include "core/flow/filter.h"
#include "core/model/machine.h"
#include "core/profile/detail.h"
#include "core/profile/mem_key.h"
#include "core/profile/trace_key.h"

#define ROOT 0u

/* ---- the table ---- */

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
			for (unsigned n = 0; n < NR_WEIGHTS; n++)
				h->extras.v[pos].weights[n] += extra->weights[n];
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

/* ---- names ---- */

/* Frames of call chains are spots with names; so then is all that entries are made of. */
bool hists_want_places(const struct hists *h)
{
	unsigned needs = layout_needs(&h->opts.layout);

	return needs & RAW_PLACE || h->opts.branches || (needs & RAW_DSO && h->opts.chains) || filter_has_place(h->opts.filter) ||
	       h->opts.hide_unresolved;
}

static bool wants_dsos(const struct hists *h)
{
	return layout_needs(&h->opts.layout) & RAW_DSO && !hists_want_places(h);
}

static void find_spots(struct hists *h, struct raws *raws, const struct machine *m, struct translation *t)
{
	bool places = hists_want_places(h), dsos = wants_dsos(h), exact = h->opts.chains && h->opts.tree.key != TREE_BY_FUNCTION;
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
	bool places = hists_want_places(h);
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

void hists_make_rows(struct hists *h, struct raws *raws, const struct detail_plan *plan, const struct features *features)
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
