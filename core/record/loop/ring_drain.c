/*
 * Writes the contents of perf ring buffers to the output file of the recording, for readers.c. bpf_rings.c writes the records
 * that the user's BPF programs put into ring buffers of their own.
 */
#include "core/record/loop/drain.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/record.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/descriptors.h"
#include "core/record/live/live_unwind.h"
#include "core/record/loop/shed_stacks.h"
#include "core/record/loop/short_waits.h"
#include "core/record/live/stats.h"

#define TURNS_MAX	3		/* after so many turns a ring buffer and its backlog are empty, except for data that came
					 * meanwhile */
#define WRITE_SIZE	(256u << 10)	/* minimum bytes for which a write is worth its cost */
#define QUEUED_MAX	(4ull << 20)	/* bytes of held records of waits; if there are more, ring buffers are emptied completely */
#define SUMS_NS		1000000000u	/* the interval for writing sums of waits: the loss of a killed recorder */
/* Maximum ring buffers in one write: two pieces of each, and the gathered data, are fewer than IOV_MAX (1024) pieces. */
#define MAX_RINGS	500

struct put_by {			/* records from an overwrite ring buffer that are kept for the next file */
	struct buf records;		/* owned */
	bool overwritten;		/* older records were overwritten since the last file */
};

struct ring_drain {
	struct drain drain;
	struct ring_drain_opts o;
	struct event_set *set;		/* borrowed, as is .stats */
	struct ring_numbers rings;	/* numbers of the ring buffers that this drain empties */
	struct affinity *affinity;	/* NULL: anywhere */
	struct stats *stats;
	bool side_band_first;		/* MMAP and similar records are written first, because all records have times */
	VEC(struct ring_span) rest;	/* data in the ring buffers that this turn takes and has not gathered */
	struct buf gathered;		/* data taken out of the ring buffers, not yet in the file */
	uint64_t samples_taken;		/* samples in the statistics that were not yet submitted for unwinding */
	uint64_t samples_unwritten;		/* samples in the statistics that are not in the file yet: the loss of a failed
						 * write */
	unsigned rounds_due;		/* how many FINISHED_ROUND records must still follow the records that were taken */
	bool in_round;			/* ring buffers were read since the last FINISHED_ROUND */
	struct put_by *put_by;		/* by index in .rings; owned; NULL: no records were kept yet */
	uint64_t until;			/* ring_drain_until() */
	unsigned snapshot;		/* ring_drain_snapshot() */
	uint64_t next_sums_ns;		/* CLOCK_MONOTONIC */
};

static struct ring *ring_at(const struct ring_drain *d, size_t i)
{
	return &d->set->rings.v[d->rings.list.v[i]];
}

/*
 * A round is one pass over all ring buffers, and a FINISHED_ROUND record ends it. No record after the FINISHED_ROUND of round N is
 * older than any record of round N-1. Usually the FINISHED_ROUND is written together with the data of the next round.
 *
 * Ends the round, if it can end. A ring buffer that was not read may hold older records than those of the round, so the round goes
 * on.
 */
static void finish_round(struct ring_drain *d)
{
	struct record_header h = { .type = RECORD_FINISHED_ROUND, .size = sizeof(h) };

	if (d->drain.waits)
		return;
	if (!d->rounds_due || !d->in_round || (d->o.waits && !short_waits_end_round(d->o.waits)))
		return;
	d->rounds_due--;
	d->in_round = false;
	if (d->o.live)
		live_unwind_put(d->o.live, &h, sizeof(h));
	else
		buf_put(&d->gathered, &h, sizeof(h));
}

/* Notes that records were taken, so that a FINISHED_ROUND must follow. */
static void open_round(struct ring_drain *d)
{
	d->in_round = true;
	if (!d->o.no_rounds)
		d->rounds_due = 1 + d->o.idle_rounds;
}

static int written(struct ring_drain *d, const struct data_writer *w, int err)
{
	uint64_t lost = err ? d->samples_unwritten - data_writer_kept_samples(w) : 0;

	if (err && d->o.live)
		lost += live_unwind_abandon(d->o.live);
	d->gathered.len = 0;
	d->stats->samples -= lost;
	d->stats->unwritten += lost;
	d->samples_unwritten = 0;
	return err;
}

static int flush(struct ring_drain *d, struct data_writer *w)
{
	return d->gathered.len ? written(d, w, data_writer_append(w, d->gathered.data, d->gathered.len)) : 0;
}

static void keep_rest(struct ring_drain *d, struct ring_span s)
{
	if (s.to != s.from)
		vec_push(&d->rest, s);
}

/*
 * Gathers the MMAP, COMM and similar records of a span, and passes on records of waits. The other records are between them, and are
 * kept. A round begins with the MMAP, COMM and similar records of all ring buffers, so that even a truncated file has the maps and
 * names for its samples. Within a round the order of records does not matter, because readers sort them by time; only records
 * without times keep their order.
 */
static void split_span(struct ring_drain *d, const struct ring_span *s)
{
	struct ring_span between = *s;
	struct record_header h;

	for (uint64_t at = s->from; ring_record(s, at, &h); at += h.size) {
		if (!(d->o.waits && short_waits_on_record(d->o.waits, s, at, h)) &&
		    !(d->side_band_first && stats_is_side_band(h.type)))
			continue;
		between.to = at;
		keep_rest(d, between);
		between.from = at + h.size;
		if (!stats_is_side_band(h.type))
			continue;
		ring_copy(s, at, buf_room(&d->gathered, h.size), h.size);
		d->gathered.len += h.size;
	}
	between.to = s->to;
	keep_rest(d, between);
}

/* Writes the gathered bytes and the rest with one call. */
static int write_through(struct ring_drain *d, struct data_writer *w)
{
	struct iovec parts[2 * MAX_RINGS + 1];
	int nr_parts = 0;

	if (d->gathered.len)
		parts[nr_parts++] = (struct iovec){ .iov_base = d->gathered.data, .iov_len = d->gathered.len };
	vec_for(s, &d->rest)
		nr_parts += ring_pieces(s, parts + nr_parts);
	return written(d, w, data_writer_appendv(w, parts, nr_parts));
}

static void gather(struct ring_drain *d)
{
	vec_for(s, &d->rest) {
		struct iovec parts[2];
		int nr_parts = ring_pieces(s, parts);

		for (int k = 0; k < nr_parts; k++)
			buf_put(&d->gathered, parts[k].iov_base, parts[k].iov_len);
	}
}

/* Counts the records of a span. Returns true if MMAP, COMM or similar records are among them. */
static bool count_span(struct ring_drain *d, const struct ring_span *s, size_t i)
{
	uint64_t samples = d->stats->samples, side_band = d->stats->side_band;

	stats_count(d->stats, s, d->rings.list.v[i]);
	*(d->o.live ? &d->samples_taken : &d->samples_unwritten) += d->stats->samples - samples;
	return d->stats->side_band != side_band;
}

/* Keeps a copy of the MMAP, COMM and similar records of a span for the next file. */
static void keep_side_band(struct kept_side_band *k, const struct ring_span *s)
{
	struct record_header h;

	for (uint64_t at = s->from; !k->too_much && ring_record(s, at, &h); at += h.size) {
		if (!stats_is_side_band(h.type))
			continue;
		ring_copy(s, at, buf_room(&k->records, h.size), h.size);
		k->records.len += h.size;
		k->too_much = k->records.len > KEPT_SIDE_BAND_MAX;
	}
}

/* True if MMAP and similar records may be in ring buffer @i: live_unwind_probe() looks for them before their data are released. */
static bool has_changes(const struct ring_drain *d, size_t i)
{
	return ring_at(d, i)->side_band || !d->set->side_band_apart;
}

#define RESERVE_BYTES	(256u << 10)	/* for data that come while memory is reserved */

/* Begins to read a ring buffer that has @min_bytes, or is for MMAP and similar records. Returns the number of bytes taken. */
static uint64_t read_ring(struct ring_drain *d, size_t i, uint64_t min_bytes)
{
	bool quick = d->o.live && !has_changes(d, i) &&
		     live_unwind_reserve(d->o.live, ring_fill(ring_at(d, i)) + RESERVE_BYTES);
	struct ring_span s = quick ? ring_read_quickly(ring_at(d, i)) : ring_read(ring_at(d, i));
	bool side_band;

	if (s.to - s.from < min_bytes && !ring_at(d, i)->side_band) {
		d->drain.waits |= s.to != s.from;
		s.to = s.from;
		ring_leave(ring_at(d, i));
	}
	d->drain.waits |= ring_has_backlog(ring_at(d, i));
	if (s.to != s.from)
		affinity_move(d->affinity, ring_at(d, i)->cpu);
	if (!d->o.live && ring_has_shed(ring_at(d, i)))
		d->stats->shed += shed_stacks_mark(&d->set->table, &s);
	side_band = count_span(d, &s, i);
	if (side_band && d->o.kept && d->o.kept->wanted)
		keep_side_band(d->o.kept, &s);
	if (d->o.descriptors)
		descriptors_add(d->o.descriptors, &s);
	if (d->o.stack_probe)
		live_unwind_add(d->o.stack_probe, &s, d->rings.list.v[i]);
	if (d->o.live)
		live_unwind_add(d->o.live, &s, d->rings.list.v[i]);
	else if (d->o.waits || (side_band && d->side_band_first))
		split_span(d, &s);
	else
		keep_rest(d, s);
	if (quick)
		ring_done(ring_at(d, i));
	return s.to - s.from;
}

/*
 * Writes the data of this turn straight out of the ring buffers, or gathers them if there are few, because a recorder that writes
 * at each wake-up records its own writes. MMAP and similar records between samples may split the rest into too many pieces for one
 * write.
 */
static int pass_on(struct ring_drain *d, struct data_writer *w, uint64_t bytes)
{
	bool much = d->gathered.len + bytes >= WRITE_SIZE;

	if (much && d->rest.nr <= MAX_RINGS)
		return write_through(d, w);
	gather(d);
	return much ? flush(d, w) : 0;
}

/* Writes the batches whose unwinding is done. With @wait, waits for all batches. */
static int collect(struct ring_drain *d, struct data_writer *w, bool wait)
{
	bool more = true;
	int err = 0;

	while (more && !err) {
		d->samples_unwritten += live_unwind_collect(d->o.live, &d->gathered, WRITE_SIZE, wait, &more);
		if (more)
			err = flush(d, w);
	}
	return err;
}

static bool is_of_thread(const struct ring_drain *d, size_t i)
{
	return ring_at(d, i)->cpu < 0;
}

/* Enlarges the copies of stacks if too many chains ended with a copy: of the ring buffer's thread, or of all events. */
static void grow_stacks(struct ring_drain *d, struct live_unwind *l)
{
	for (size_t i = 0; i < d->rings.list.nr; i++) {
		const uint32_t *ring = is_of_thread(d, i) ? &d->rings.list.v[i] : NULL;
		uint32_t bytes = (ring || !i) && live_unwind_is_cut(l, ring) ? event_set_grow_stacks(d->set, ring) : 0;

		d->stats->stack_bytes = MAX(d->stats->stack_bytes, bytes);
	}
}

/*
 * Samples are unwound soon, because the first chain that needs larger copies of stacks changes their size. A ring buffer that is
 * read so often is seldom half full, so the thread that fills backlogs seldom has to copy it.
 */
#define LOOK_MS		20
#define IDLE_LOOK_MS	100

/* Looks for new maps, submits the records as a batch for unwinding, and writes the batches that are done. */
static int pass_to_unwinder(struct ring_drain *d, struct data_writer *w)
{
	for (uint32_t i = 0; i < d->rings.list.nr; i++)
		if (has_changes(d, i))
			live_unwind_probe(d->o.live, i, ring_at(d, i));
	live_unwind_submit(d->o.live, d->samples_taken);
	d->drain.look_ms = d->samples_taken ? LOOK_MS : IDLE_LOOK_MS;
	d->samples_taken = 0;
	grow_stacks(d, d->o.live);
	if (live_unwind_lesser_is_cut(d->o.live))
		atomic_store(&d->set->lesser_cuts, true);
	event_set_fit_stacks(d->set, live_unwind_is_shallow(d->o.live));
	return collect(d, w, false);
}

/* Unwinds some samples to check the size of their stacks. The results are dropped, because the samples are written unchanged. */
static void inspect_samples(struct ring_drain *d)
{
	struct buf ignored = {0};
	bool more = true;

	for (uint32_t i = 0; i < d->rings.list.nr; i++)
		live_unwind_probe(d->o.stack_probe, i, ring_at(d, i));
	live_unwind_submit(d->o.stack_probe, 0);
	while (more) {
		ignored.len = 0;
		live_unwind_collect(d->o.stack_probe, &ignored, WRITE_SIZE, false, &more);
	}
	buf_release(&ignored);
	grow_stacks(d, d->o.stack_probe);
}

/* Empties the ring buffers [from, from + nr), nr <= MAX_RINGS. Returns the bytes taken or -errno. */
static int64_t drain_some(struct ring_drain *d, struct data_writer *w, size_t from, size_t nr, uint64_t min_bytes)
{
	uint64_t total = 0;
	int err;

	d->rest.nr = 0;
	for (size_t i = 0; i < nr; i++)
		total += read_ring(d, from + i, min_bytes);
	err = d->o.live ? pass_to_unwinder(d, w) : pass_on(d, w, total);
	if (d->o.stack_probe && total)
		inspect_samples(d);
	for (size_t i = 0; i < nr; i++)
		ring_done(ring_at(d, from + i));
	return err ? err : (int64_t)total;
}

/* Corrects the counts of samples: short_waits.h has dropped samples that were counted when they were read, and has added sums. */
static void count_waits(struct ring_drain *d)
{
	struct short_waits_counts c = short_waits_reset_counts(d->o.waits);

	d->stats->samples += c.sums - c.dropped;
	d->samples_unwritten += c.sums;
	d->samples_unwritten -= MIN(d->samples_unwritten, c.dropped);
}

static uint64_t newest_time(const struct ring_drain *d)
{
	uint64_t newest = 0;

	vec_for(ring, &d->rings.list)
		newest = MAX(newest, *ring < d->stats->rings.nr ? d->stats->rings.v[*ring].last_time : 0);
	return newest;
}

/* Gathers the records of waits that are decided after a round over all ring buffers. */
static void settle_waits(struct ring_drain *d, uint64_t began_ns)
{
	size_t before = d->gathered.len;

	short_waits_settle(d->o.waits, newest_time(d), began_ns, &d->gathered);
	if (began_ns >= d->next_sums_ns) {
		short_waits_put_sums(d->o.waits, &d->gathered);
		d->next_sums_ns = began_ns + SUMS_NS;
	}
	count_waits(d);
	if (d->gathered.len > before)
		open_round(d);
}

static int64_t drain_forward(struct ring_drain *d, struct data_writer *w, uint64_t min_bytes)
{
	uint64_t began_ns = d->o.waits ? now_ns() : 0;
	int64_t total = 0;

	if (d->o.waits && short_waits_queued(d->o.waits) > QUEUED_MAX)
		min_bytes = 0;

	finish_round(d);
	d->drain.waits = false;
	for (size_t i = 0; i < d->rings.list.nr; i += MAX_RINGS) {
		int64_t n = drain_some(d, w, i, MIN(d->rings.list.nr - i, MAX_RINGS), min_bytes);

		if (n < 0)
			return n;
		total += n;
	}
	d->in_round = true;
	if (total > 0)
		open_round(d);
	if (d->o.waits && !d->drain.waits)
		settle_waits(d, began_ns);
	return total;
}

/* Returns the time of a record of an overwrite ring buffer, or 0 if the record has no time. */
static uint64_t record_time(const struct ring_drain *d, const char *record, struct record_header h)
{
	const struct sample_layout *l = &d->set->table.events.v[0]->layout;
	size_t at = h.type == PERF_RECORD_SAMPLE ? sizeof(h) + (size_t)MAX(l->time_at, 0) : h.size - l->id_size + 8u;
	uint64_t time;

	if (!d->side_band_first || l->time_at < 0 || h.size < sizeof(h) + l->id_size || at + sizeof(time) > h.size)
		return 0;
	memcpy(&time, record + at, sizeof(time));
	return time;
}

/* Returns how many of the bytes in @b are records up to @until. */
static size_t length_until(const struct ring_drain *d, const struct buf *b, uint64_t until)
{
	struct record_header h;

	for (size_t at = 0; at < b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (record_time(d, b->data + at, h) > until)
			return at;
	}
	return b->len;
}

/* Keeps only the newest records, up to the size of a ring. Returns true if some were dropped. */
static bool forget_oldest(struct buf *b, uint64_t size)
{
	struct record_header h;
	size_t at = 0;

	while (b->len - at > size) {
		memcpy(&h, b->data + at, sizeof(h));
		at += h.size;
	}
	b->len -= at;
	memmove(b->data, b->data + at, b->len);
	return at;
}

/* Gathers the records of overwrite ring buffer @i up to time .until. Keeps later records for the next file. */
static void drain_snapshot(struct ring_drain *d, size_t i)
{
	struct ring_span s = { .mask = INT64_MAX, .from = d->gathered.len };
	struct put_by *put_by = &d->put_by[i];
	struct buf *b = &put_by->records;
	size_t n;

	put_by->overwritten |= ring_snapshot(ring_at(d, i), b);
	n = d->until == UINT64_MAX ? b->len : length_until(d, b, d->until);
	buf_put(&d->gathered, b->data, n);
	b->len -= n;
	memmove(b->data, b->data + n, b->len);
	if (n)
		put_by->overwritten = false;
	d->snapshot |= n ? SNAPSHOT_TOOK : put_by->overwritten ? SNAPSHOT_LATE : 0;
	put_by->overwritten |= forget_oldest(b, ring_at(d, i)->size);
	s.data = (const uint8_t *)d->gathered.data;
	s.to = d->gathered.len;
	count_span(d, &s, i);
}

/*
 * Reads the overwrite ring buffers, only at the end of a file. Records after the time of ring_drain_until() are kept for the next
 * file. Returns the bytes taken.
 */
static int64_t drain_snapshots(struct ring_drain *d)
{
	size_t before = d->gathered.len;

	if (!d->put_by)
		d->put_by = xcalloc(d->rings.list.nr, sizeof(*d->put_by));
	d->snapshot = 0;
	for (size_t i = 0; i < d->rings.list.nr; i++) {
		if (!ring_at(d, i)->overwrite)
			continue;
		affinity_move(d->affinity, ring_at(d, i)->cpu);
		drain_snapshot(d, i);
	}
	if (d->gathered.len > before)
		open_round(d);
	return (int64_t)(d->gathered.len - before);
}

static int write_batches(struct ring_drain *d, struct data_writer *w, bool wait)
{
	int err;

	live_unwind_submit(d->o.live, 0);
	err = collect(d, w, wait);
	return err ? err : flush(d, w);
}

static int64_t drain_rings(struct drain *drain, struct data_writer *w, enum drain_how how)
{
	struct ring_drain *d = (struct ring_drain *)drain;
	bool some = how == DRAIN_SOME && !d->o.no_buffering;
	int64_t total, n;
	int err;

	total = n = drain_forward(d, w, some ? d->o.min_bytes : 0);
	/* Copies the data that a backlog had no room for, too. */
	for (int i = 0; !some && n > 0 && d->drain.waits && i < TURNS_MAX; i++) {
		n = drain_forward(d, w, 0);
		total += n;
	}
	if (n < 0)
		return n;
	if (how == DRAIN_LAST)
		total += drain_snapshots(d);
	if (how == DRAIN_LAST && d->o.waits) {
		short_waits_finish(d->o.waits, &d->gathered);
		count_waits(d);
	}
	if (some)
		return total;
	finish_round(d);
	err = d->o.live ? write_batches(d, w, how == DRAIN_LAST) : flush(d, w);
	return err ? err : total;
}

struct drain *ring_drain_new(struct event_set *set, struct ring_numbers *numbers, struct stats *stats,
			     const struct ring_drain_opts *o)
{
	struct ring_drain *d = xcalloc(1, sizeof(*d));

	*d = (struct ring_drain){ .drain.drain = drain_rings, .o = *o, .set = set,
				  .rings = *numbers, .affinity = affinity_new(o->affinity), .stats = stats };
	d->side_band_first = event_set_side_band(set)->attr.sample_id_all &&
			     event_set_side_band(set)->attr.sample_type & PERF_SAMPLE_TIME;
	*numbers = (struct ring_numbers){0};
	d->until = UINT64_MAX;
	return &d->drain;
}

void ring_drain_count_unwritten(struct drain *drain)
{
	struct ring_drain *d = (struct ring_drain *)drain;
	uint64_t samples = d->stats->samples;

	for (size_t i = 0; i < d->rings.list.nr; i++) {
		struct ring *r = ring_at(d, i);
		struct ring_span s;

		/* Each read copies what a backlog had no room for. */
		while (s = ring_read(r), s.to != s.from) {
			count_span(d, &s, i);
			ring_done(r);
		}
	}
	d->stats->unwritten += d->stats->samples - samples;
	d->stats->samples = samples;
}

void ring_drain_until(struct drain *drain, uint64_t time)
{
	((struct ring_drain *)drain)->until = time;
}

unsigned ring_drain_snapshot(const struct drain *drain)
{
	return ((const struct ring_drain *)drain)->snapshot;
}

void ring_drain_free(struct drain *drain)
{
	struct ring_drain *d = (struct ring_drain *)drain;

	if (!d)
		return;
	affinity_free(d->affinity);
	for (size_t i = 0; d->put_by && i < d->rings.list.nr; i++)
		buf_release(&d->put_by[i].records);
	free(d->put_by);
	vec_free(&d->rings.list);
	vec_free(&d->rest);
	buf_release(&d->gathered);
	free(d);
}
