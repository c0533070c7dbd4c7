/*
 * Unwinds stacks during the recording. It copies samples from the ring buffers into batches, each sample with the memory maps of
 * its process. It gives the batches to worker threads (live_workers.c), and collects the finished batches for the file.
 */
#include "core/record/live/live_unwind.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/ui/finding.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/model/live_maps.h"
#include "core/record/open/backlog.h"
#include "core/record/open/event_set.h"
#include "core/record/live/live_batch.h"
#include "core/record/live/live_spill.h"
#include "core/record/live/packed_table.h"
#include "core/record/live/stats.h"
#include "core/unwind/jvm_table.h"
#include "core/unwind/tables.h"

#define QUEUE_BYTES	(64ull << 20)	/* default: two seconds of 4,000 stacks of 8 KiB a second */
#define FILE_BYTES	(1ull << 30)	/* default: half a minute of such stacks */
#define SPILL_STEP	(1u << 20)	/* records of one batch are moved to the spill file in steps of this many bytes */
#define LOOKS_MAX	16		/* with .probes_stacks: this many samples of each span are unwound */
#define CUT_SHARE	100		/* copies of the stack are too small if one of this many chains is cut */
#define CUT_LEAST	2		/* and at least this many chains are cut */
#define LESSER_SHARE	8		/* as CUT_SHARE, for copies that were made smaller by shedding */
#define LESSER_LEAST	16
#define SHALLOW_LEAST	64		/* smaller copies are made once so many chains in a row did not need larger ones, */
#define SHALLOW_GROWTH	8		/* so many times more after each time that larger ones were needed again, */
#define SHALLOW_RATE	1000u		/* and only if there are so many samples a second that the copies cost much */
#define PENDING_MAX	4096		/* changes of maps that wait for a later sample */

struct change {			/* a change of maps, of a name by exec, or of processes */
	uint64_t time;
	size_t at;		/* offset of its record in .changes */
	size_t number;		/* the order of changes with equal times */
};

struct seen_chains {			/* counts of unwound chains, by ring buffer */
	uint64_t nr, cut;		/* .nr: chains unwound; .cut: chains that ended at the end of the stack's copy */
	uint32_t most;			/* the largest requested size of a stack's copy among them */
	uint32_t too_small;		/* copies of this size are known to be too small, and are not counted any more */
};

struct live_unwind {
	bool probes_stacks;			/* see struct live_unwind_opts */
	struct python *python;			/* borrowed; NULL: Python frames are not read */
	unsigned nr_probed;			/* with .probes_stacks: samples taken from the present span */
	VEC(struct seen_chains) seen;		/* by ring buffer, since its copies of stacks were made larger */
	struct seen_chains lesser;		/* chains from stacks of which a part was shed */
	bool may_fit, is_shallow;		/* .may_fit: the size of copies may be adapted; .is_shallow: smaller ones suffice */
	uint64_t nr_shallow, wanted_shallow;	/* chains in a row that were shallow; so many make .is_shallow true */
	struct event_set *set;			/* borrowed */
	VEC(struct live_event) events;		/* by number */
	struct live_maps *maps;
	struct unwind_tables *tables;
	struct jvm_table *java;			/* NULL: the code of Java is not recorded */
	struct live_workers *workers;
	uint64_t queue_bytes;
	struct live_spill spill;		/* samples for which memory has no room */
	uint32_t opened;			/* the files of address spaces up to this number were opened */
	struct buf changes;			/* the records of .pending */
	VEC(struct change) pending;		/* not applied yet */
	size_t nr_changes;
	VEC(uint64_t) probed;			/* by ring buffer: records before this position were looked at */
	struct buf wrapped;			/* a copy of a record that wraps around the end of a ring buffer */
	struct live_batch *open;
	VEC(struct live_batch *) given;		/* batches given to the workers, from .next_given on, oldest first */
	size_t next_given;
	VEC(struct live_batch *) spare;
	VEC(uint32_t) by_time;			/* jobs of the batch that is submitted */
	uint64_t not_unwound;			/* samples for which neither memory nor the spill file had room */
};

/* ---- set up ---- */

static bool any_unwinds(const struct live_unwind *l)
{
	vec_for(e, &l->events)
		if (e->unwinds)
			return true;
	return false;
}

static void plan(struct live_unwind *l, const struct sampling_opts *s, bool all)
{
	vec_for(it, &l->set->table.events) {
		struct event copy = **it, *ev = *it;
		struct live_event e;

		/* Samples that are only inspected are written unchanged. */
		if (l->probes_stacks)
			ev = &copy;
		live_event_plan(&e, ev, all || !ev->attr.exclude_callchain_user, s->user_regs);
		vec_push(&l->events, e);
	}
}

int live_unwind_new(struct live_unwind **out, struct event_set *set, const struct sampling_opts *s,
		    const struct live_unwind_opts *o)
{
	struct live_unwind *l = xcalloc(1, sizeof(*l));
	bool any;

	l->set = set;
	l->probes_stacks = o->probes_stacks;
	l->queue_bytes = o->given ? o->queue_bytes : QUEUE_BYTES;
	l->spill.most = o->file_given ? o->file_bytes : FILE_BYTES;
	plan(l, s, o->all);
	l->may_fit = s->stack_fits && s->freq >= SHALLOW_RATE;
	l->wanted_shallow = SHALLOW_LEAST;
	l->python = o->python;
	any = any_unwinds(l) || l->python;
	if (any) {
		l->maps = live_maps_new(s->use_clockid && s->clockid == CLOCK_MONOTONIC);
		l->tables = live_tables_new(l->maps);
		l->java = o->keeps_java ? jvm_table_new() : NULL;
		l->workers = live_workers_new(l->tables, l->java, &l->spill);
	}
	*out = l->workers ? l : NULL;
	if (!*out)
		live_unwind_free(l);
	return any && !*out ? -1 : 0;
}

void live_unwind_free(struct live_unwind *l)
{
	if (!l)
		return;
	live_workers_free(l->workers);
	for (size_t i = l->next_given; i < l->given.nr; i++)
		live_batch_free(l->given.v[i]);
	vec_for(b, &l->spare)
		live_batch_free(*b);
	if (l->open)
		live_batch_free(l->open);
	live_spill_release(&l->spill);
	unwind_tables_free(l->tables);
	jvm_table_free(l->java);
	live_maps_free(l->maps);
	buf_release(&l->changes);
	buf_release(&l->wrapped);
	vec_free(&l->pending);
	vec_free(&l->probed);
	vec_free(&l->given);
	vec_free(&l->spare);
	vec_free(&l->by_time);
	vec_free(&l->seen);
	vec_free(&l->events);
	free(l);
}

/* ---- changes of maps ---- */

static const struct sample_layout *layout_of(const struct live_unwind *l)
{
	return &event_set_side_band(l->set)->layout;
}

static void apply(struct live_unwind *l, const char *record)
{
	struct record rec = {0};

	if (!record_read(&rec, record, layout_of(l)))
		live_maps_apply(l->maps, &rec);
}

void live_unwind_add_records(struct live_unwind *l, const void *records, size_t size)
{
	const char *p = records;
	struct record_header h;

	for (size_t at = 0; size - at >= sizeof(h); at += h.size) {
		memcpy(&h, p + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - at)
			break;
		if (live_maps_handles(h.type))
			apply(l, p + at);
	}
}

/* Keeps a copy of the record at @at of @s until it is applied. */
static void keep_change(struct live_unwind *l, const struct ring_span *s, uint64_t at, uint16_t size)
{
	struct change c = { .at = l->changes.len, .number = l->nr_changes++ };
	struct record rec = {0};

	ring_copy(s, at, buf_room(&l->changes, size), size);
	if (record_read(&rec, l->changes.data + c.at, layout_of(l)))
		return;
	l->changes.len += size;
	c.time = rec.id.has_time ? rec.id.time : 0;
	vec_push(&l->pending, c);
}

void live_unwind_probe(struct live_unwind *l, uint32_t ring, const struct ring *r)
{
	struct ring_span s;
	struct record_header h;
	uint64_t at;

	while (l->probed.nr <= ring)
		vec_push(&l->probed, 0);
	s = ring_unread(r, l->probed.v[ring]);
	for (at = s.from; s.to - at >= sizeof(h); at += h.size) {
		memcpy(&h, s.data + (at & s.mask), sizeof(h));
		if (h.size < sizeof(h) || h.size > s.to - at)
			break;
		if (live_maps_handles(h.type))
			keep_change(l, &s, at, h.size);
	}
	l->probed.v[ring] = at;
}

ORDER(compare_changes, struct change, compare_numbers(a->time, b->time) ?: compare_numbers(a->number, b->number))

/* Applies the changes from number @from on, below @nr, that are not later than @time. Returns the number of the next one. */
static size_t apply_until(struct live_unwind *l, size_t from, size_t nr, uint64_t time)
{
	while (from < nr && l->pending.v[from].time <= time)
		apply(l, l->changes.data + l->pending.v[from++].at);
	return from;
}

/* Forgets the first @nr changes, which have been applied. */
static void drop_changes(struct live_unwind *l, size_t nr)
{
	l->pending.nr -= nr;
	memmove(l->pending.v, l->pending.v + nr, l->pending.nr * sizeof(*l->pending.v));
	if (!l->pending.nr)
		l->changes.len = 0;
}

/* ---- one batch ---- */

static struct live_batch *open_batch(struct live_unwind *l)
{
	if (!l->open)
		l->open = l->spare.nr ? l->spare.v[--l->spare.nr] : xcalloc(1, sizeof(*l->open));
	return l->open;
}

void live_unwind_put(struct live_unwind *l, const void *bytes, size_t size)
{
	buf_put(&open_batch(l)->head, bytes, size);
}

static void copy(const struct ring_span *s, uint64_t at, uint16_t size, struct buf *out)
{
	ring_copy(s, at, buf_room(out, size), size);
	out->len += size;
}

static const struct live_event *event_of(const struct live_unwind *l, const char *record)
{
	const struct event *ev = event_of_record(&l->set->table, record);

	return ev ? &l->events.v[ev->number] : NULL;
}

static uint64_t field_at(const char *record, int at, uint16_t size)
{
	uint64_t v = 0;

	if (at >= 0 && sizeof(struct record_header) + (unsigned)at + sizeof(v) <= size)
		memcpy(&v, record + sizeof(struct record_header) + at, sizeof(v));
	return v;
}

/* Returns the record at @at: in the ring buffer itself or, if it wraps around the end, in a copy. */
static const char *record_at(struct live_unwind *l, const struct ring_span *s, uint64_t at, uint16_t size)
{
	uint64_t offset = at & s->mask;

	if (size <= s->mask + 1 - offset)
		return (const char *)s->data + offset;
	l->wrapped.len = 0;
	copy(s, at, size, &l->wrapped);
	return l->wrapped.data;
}

static bool find_python(struct live_unwind *l, const struct live_event *e, const char *record, uint16_t size,
			struct python_stack *out)
{
	return e->recorded.tid_at >= 0 && e->recorded.time_at >= 0 &&
	       python_find(l->python, (uint32_t)(field_at(record, e->recorded.tid_at, size) >> 32),
			   field_at(record, e->recorded.time_at, size), e->is_switch, out);
}

static void keep_python(struct live_batch *b, struct live_job *job, const struct python_stack *python)
{
	job->frames_at = b->frames.nr;
	job->nr_frames = python->nr;
	job->loop = python->loop;
	for (size_t i = 0; i < python->nr; i++)
		vec_push(&b->frames, python->frames[i]);
}

/*
 * A record that was shortened in a backlog has at most this size, and no longer the requested size of its copy of the stack. Larger
 * records still have it. The kernel lowers it if the record would have more than 65535 bytes (perf_sample_ustack_size()).
 */
#define SHORTENED_MAX	(UINT16_MAX - BACKLOG_HOLE_LEAST)

/* Returns the requested size of the copy of the stack. */
static uint32_t stack_wanted(const struct live_unwind *l, const struct live_event *e, const char *record, uint16_t size)
{
	const struct event_id *id = event_id_info(&l->set->table, field_at(record, e->recorded.id_at, size));

	return id ? id->stack_size : e->stack_size;
}

/* Moves the records of the open batch to the spill file. Returns false if that fails. */
static bool spill(struct live_unwind *l, struct live_batch *b)
{
	uint64_t at;

	if (live_spill_put(&l->spill, b->raw.data, b->raw.len, &at))
		return false;
	b->spilled_at = b->spilled ? b->spilled_at : at;
	b->spilled += b->raw.len;
	b->raw.len = 0;
	return true;
}

/* True if there is room for the batch with the record just added. @queued: bytes of other batches in memory. */
static bool has_room(struct live_unwind *l, struct live_batch *b, uint64_t queued)
{
	if (queued + b->raw.len <= l->queue_bytes)
		return true;
	return live_spill_has_room(&l->spill, b->raw.len) && (b->raw.len < SPILL_STEP || spill(l, b));
}

#define RECORD_USUAL	256		/* bytes: most samples without a stack are larger */

bool live_unwind_reserve(struct live_unwind *l, uint64_t bytes)
{
	struct live_batch *b = open_batch(l);

	if (live_workers_queued(l->workers) + b->raw.len + bytes > l->queue_bytes)
		return false;
	buf_room(&b->raw, bytes);
	vec_reserve(&b->jobs, bytes / RECORD_USUAL);
	return true;
}

/* Makes a job of a sample. If there is no room for the job, writes the sample with the chain that is known without unwinding. */
static void on_sample(struct live_unwind *l, struct live_batch *b, const char *record, uint16_t size, uint32_t ring,
			uint64_t queued)
{
	struct live_job job = { .raw_at = b->spilled + b->raw.len, .plain_at = b->plain.len, .event = event_of(l, record),
				.ring = ring, .may_be_shed = ring_has_shed(&l->set->rings.v[ring]) };
	struct python_stack python, *with = NULL;

	if (l->python && job.event && find_python(l, job.event, record, size, &python))
		with = &python;
	if (!job.event || !job.event->unwinds) {
		if (with)
			live_sample_merge(job.event, (const uint8_t *)record, with, &b->plain);
		else
			buf_put(&b->plain, record, size);
		return;
	}
	job.stack_wanted = (uint32_t)live_sample_keep(job.event, (const uint8_t *)record, &b->raw);
	if (size <= SHORTENED_MAX)
		job.stack_wanted = stack_wanted(l, job.event, record, size);
	if (has_room(l, b, queued)) {
		job.time = field_at(record, job.event->recorded.time_at, size);
		job.pid = (uint32_t)field_at(record, job.event->recorded.tid_at, size);
		if (with)
			keep_python(b, &job, with);
		vec_push(&b->jobs, job);
		return;
	}
	live_sample_write(job.event, NULL, NULL, (const uint8_t *)record, 0, with, &b->plain);
	l->not_unwound++;
	b->raw.len = job.raw_at - b->spilled;
}

/* True for records that are not looked at, because only the first samples of each span are unwound to check stack sizes. */
static bool is_passed_over(struct live_unwind *l, uint32_t type)
{
	return l->probes_stacks && (type != PERF_RECORD_SAMPLE || l->nr_probed++ >= LOOKS_MAX);
}

void live_unwind_add(struct live_unwind *l, const struct ring_span *s, uint32_t ring)
{
	uint64_t queued = s->from != s->to ? live_workers_queued(l->workers) : 0;
	struct live_batch *b = open_batch(l);
	struct record_header h;

	l->nr_probed = 0;
	if (l->python && s->from != s->to)
		python_read(l->python);
	for (uint64_t at = s->from; s->to - at >= sizeof(h); at += h.size) {
		memcpy(&h, s->data + (at & s->mask), sizeof(h));
		if (h.size < sizeof(h) || h.size > s->to - at)
			break;
		if (is_passed_over(l, h.type))
			continue;
		if (h.type == PERF_RECORD_SAMPLE)
			on_sample(l, b, record_at(l, s, at, h.size), h.size, ring, queued);
		else
			copy(s, at, h.size, stats_is_side_band(h.type) ? &b->side_band : &b->plain);
	}
}

static int compare_jobs(const void *pa, const void *pb, void *batch)
{
	const struct live_batch *b = batch;
	uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
	uint64_t a = b->jobs.v[x].time, c = b->jobs.v[y].time;

	return a != c ? compare_numbers(a, c) : compare_numbers(x, y);
}

/* Each job gets the maps that its process had at its time. */
static void note_spaces_in_order(struct live_unwind *l, struct live_batch *b)
{
	size_t applied = 0;

	vec_sort(&l->pending, compare_changes);
	l->by_time.nr = 0;
	for (uint32_t i = 0; i < b->jobs.nr; i++)
		vec_push(&l->by_time, i);
	if (b->jobs.nr)
		qsort_r(l->by_time.v, l->by_time.nr, sizeof(*l->by_time.v), compare_jobs, b);
	vec_for(i, &l->by_time) {
		struct live_job *job = &b->jobs.v[*i];

		applied = apply_until(l, applied, l->pending.nr, job->time);
		job->space = live_maps_space(l->maps, job->pid, job->time);
	}
	/* Without samples, the oldest changes need not wait for one. */
	if (l->pending.nr - applied > PENDING_MAX)
		applied = apply_until(l, applied, l->pending.nr - PENDING_MAX / 2, UINT64_MAX);
	drop_changes(l, applied);
}

static void note_spaces(struct live_unwind *l, struct live_batch *b)
{
	if (live_maps_read_jits(l->maps) || l->pending.nr) {
		note_spaces_in_order(l, b);
		return;
	}
	vec_for(job, &b->jobs)
		job->space = live_maps_space(l->maps, job->pid, job->time);
}

/*
 * Opens the files of address spaces that are new in this batch, because they may be removed before the samples are unwound. Address
 * spaces are numbered in the order of their creation.
 */
static void open_files(struct live_unwind *l, const struct live_batch *b)
{
	uint32_t newest = l->opened;

	vec_for(job, &b->jobs) {
		if (!job->space || job->space->number <= l->opened)
			continue;
		newest = MAX(newest, job->space->number);
		if (job == b->jobs.v || job->space != job[-1].space)
			live_workers_open_files(l->workers, l->maps, job->space);
	}
	l->opened = newest;
}

/* Moves the rest of the records to the spill file if memory is full. */
static void spill_rest(struct live_unwind *l, struct live_batch *b)
{
	if (b->raw.len && live_workers_queued(l->workers) + b->raw.len > l->queue_bytes && spill(l, b))
		buf_release(&b->raw);
	if (b->spilled)
		open_files(l, b);
}

void live_unwind_submit(struct live_unwind *l, uint64_t samples)
{
	struct live_batch *b = open_batch(l);

	note_spaces(l, b);
	spill_rest(l, b);
	if (!b->head.len && !b->side_band.len && !b->plain.len && !b->jobs.nr)
		return;
	b->samples = samples;
	l->open = NULL;
	live_batch_cut(b);
	vec_push(&l->given, b);
	live_workers_give(l->workers, b);
}

/* ---- and back ---- */

static struct live_batch *next_done(struct live_unwind *l, bool wait)
{
	struct live_batch *b;

	if (l->next_given == l->given.nr) {
		l->next_given = l->given.nr = 0;
		return NULL;
	}
	b = l->given.v[l->next_given];
	if (!live_workers_done(l->workers, b, wait))
		return NULL;
	l->next_given++;
	return b;
}

#define SPARE_MAX	4	/* batches that are kept for reuse */

static void give_back(struct live_unwind *l, struct live_batch *b)
{
	if (b->spilled)
		live_spill_drop(&l->spill, b->spilled_at, b->spilled);
	if (l->spare.nr >= SPARE_MAX) {
		live_batch_free(b);
		return;
	}
	live_batch_clear(b);
	vec_push(&l->spare, b);
}

/* ---- are the copies large enough? ---- */

static void note_size(struct live_unwind *l, const struct live_job *job)
{
	if (!l->may_fit || !job->event->lesser_stack || job->stack_wanted < job->event->lesser_stack)
		return;
	l->nr_shallow++;
	if (job->is_cut || job->stack_used > job->event->lesser_stack / 4 * 3) {
		l->nr_shallow = 0;
		l->wanted_shallow *= l->is_shallow ? SHALLOW_GROWTH : 1;
		l->is_shallow = false;
	}
	l->is_shallow |= l->nr_shallow >= l->wanted_shallow;
}

bool live_unwind_is_shallow(const struct live_unwind *l)
{
	return l->is_shallow;
}

static void count_seen(struct live_unwind *l, const struct live_batch *b)
{
	vec_for(job, &b->jobs) {
		struct seen_chains *seen;

		while (l->seen.nr <= job->ring)
			vec_push(&l->seen, (struct seen_chains){0});
		seen = &l->seen.v[job->ring];
		note_size(l, job);
		if (job->may_be_shed && job->stack_wanted == job->event->lesser_stack) {
			l->lesser.nr++;
			l->lesser.cut += job->is_cut;
		}
		/* Smaller copies belong to samples whose stacks were shed. */
		if (job->stack_wanted <= seen->too_small || job->stack_wanted < seen->most)
			continue;
		seen->nr++;
		seen->cut += job->is_cut;
		seen->most = MAX(seen->most, job->stack_wanted);
	}
}

bool live_unwind_is_cut(struct live_unwind *l, const uint32_t *ring)
{
	size_t from = ring ? *ring : 0, to = ring ? MIN((size_t)*ring + 1, l->seen.nr) : l->seen.nr;
	struct seen_chains all = {0};

	for (size_t i = from; i < to; i++) {
		all.nr += l->seen.v[i].nr;
		all.cut += l->seen.v[i].cut;
		all.most = MAX(all.most, l->seen.v[i].most);
	}
	if (all.cut < CUT_LEAST || all.cut < all.nr / CUT_SHARE)
		return false;
	for (size_t i = from; i < to; i++)
		l->seen.v[i] = (struct seen_chains){ .too_small = all.most };
	return true;
}

bool live_unwind_lesser_is_cut(const struct live_unwind *l)
{
	return l->lesser.cut >= LESSER_LEAST && l->lesser.cut >= l->lesser.nr / LESSER_SHARE;
}

uint64_t live_unwind_collect(struct live_unwind *l, struct buf *out, size_t enough, bool wait, bool *more)
{
	struct live_batch *b = NULL;
	uint64_t samples = 0;

	while (out->len < enough && (b = next_done(l, wait))) {
		count_seen(l, b);
		live_batch_write(b, out);
		samples += b->samples;
		give_back(l, b);
	}
	*more = b != NULL;
	return samples;
}

uint64_t live_unwind_abandon(struct live_unwind *l)
{
	struct live_batch *b;
	uint64_t samples = 0;

	while ((b = next_done(l, true))) {
		samples += b->samples;
		give_back(l, b);
	}
	return samples;
}

void live_unwind_section(const struct live_unwind *l, struct features *f)
{
	struct buf table = {0};

	if (!l->java)
		return;
	jvm_table_write(l->java, &table);
	f->has[FEATURE_JAVA] = packed_table_make(&table, &f->java);
	buf_release(&table);
}

uint64_t live_unwind_bytes(const struct live_unwind *l)
{
	return l->java ? jvm_table_bytes(l->java) / 4 : 0;
}

void live_unwind_findings(const struct live_unwind *l, struct findings *out)
{
	struct chain_cuts cuts = {0};

	live_workers_count(l->workers, &cuts);
	cuts.chains += l->not_unwound;
	findings_add(out, FINDING_CHAINS_NOT_UNWOUND, l->not_unwound, cuts.chains, NULL);
	chain_cuts_findings(&cuts, out);
	chain_cuts_release(&cuts);
}
