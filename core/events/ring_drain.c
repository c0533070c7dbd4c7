/*
 * Rings to file. Much is written straight out of the rings; little is gathered first, so that writes are large
 * whatever size the rings have: a recorder that writes for each wake-up records its own writes.
 *
 * A FINISHED_ROUND stands between two rounds over all rings: nothing behind it is older than the newest of the
 * round before it. It is written with the next round's data.
 *
 * Overwrite rings keep what they have until a file ends.
 * Layer: events
 */
#include "core/events/drain.h"

#include <stdlib.h>

#include "core/base/buf.h"
#include "core/events/event_set.h"
#include "core/events/tally.h"
#include "core/format/data_writer.h"
#include "core/format/record.h"

#define WRITE_SIZE	(256u << 10)	/* the least that is worth a write */
#define MAX_RINGS	500		/* in one write; two pieces a ring, and IOV_MAX is 1024 */

struct ring_drain {
	struct drain drain;
	struct event_set *set;		/* borrowed, and so is the tally */
	struct tally *tally;
	struct buf gathered;		/* taken out of the rings, not yet in the file */
	uint64_t samples_written;	/* of the tally's: what a failed write takes back */
	bool round_open;		/* records were taken since the last FINISHED_ROUND */
};

static void finish_round(struct ring_drain *d)
{
	struct record_header h = { .type = RECORD_FINISHED_ROUND, .size = sizeof(h) };

	if (d->round_open)
		buf_put(&d->gathered, &h, sizeof(h));
	d->round_open = false;
}

static int written(struct ring_drain *d, int err)
{
	d->gathered.len = 0;
	if (err)
		d->tally->samples = d->samples_written;
	d->samples_written = d->tally->samples;
	return err;
}

static int flush(struct ring_drain *d, struct data_writer *w)
{
	return written(d, d->gathered.len ? data_writer_append(w, d->gathered.data, d->gathered.len) : 0);
}

/* Write the gathered bytes and the spans of rings [from, to) with one call. */
static int write_through(struct ring_drain *d, struct data_writer *w, const struct ring_span *spans, size_t nr)
{
	struct iovec parts[2 * MAX_RINGS + 1];
	int nr_parts = 0;

	if (d->gathered.len)
		parts[nr_parts++] = (struct iovec){ .iov_base = d->gathered.data, .iov_len = d->gathered.len };
	for (size_t i = 0; i < nr; i++)
		nr_parts += ring_pieces(&spans[i], parts + nr_parts);
	return written(d, data_writer_appendv(w, parts, nr_parts));
}

static void gather(struct ring_drain *d, const struct ring_span *spans, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct iovec parts[2];
		int nr_parts = ring_pieces(&spans[i], parts);

		for (int k = 0; k < nr_parts; k++)
			buf_put(&d->gathered, parts[k].iov_base, parts[k].iov_len);
	}
}

/* Empty rings [from, from + nr), nr <= MAX_RINGS. Returns the bytes taken or -errno. */
static int64_t drain_some(struct ring_drain *d, struct data_writer *w, size_t from, size_t nr)
{
	struct ring_span spans[MAX_RINGS];
	struct ring *rings = d->set->rings.v + from;
	uint64_t total = 0;
	int err = 0;

	for (size_t i = 0; i < nr; i++) {
		spans[i] = ring_read(&rings[i]);
		tally_span(d->tally, &spans[i], (uint32_t)(from + i));
		total += spans[i].to - spans[i].from;
	}
	if (d->gathered.len + total >= WRITE_SIZE)
		err = write_through(d, w, spans, nr);
	else
		gather(d, spans, nr);
	for (size_t i = 0; i < nr; i++)
		ring_done(&rings[i]);
	return err ? err : (int64_t)total;
}

/* Returns the bytes taken. */
static int64_t take_snapshots(struct ring_drain *d)
{
	size_t before = d->gathered.len;

	for (size_t i = 0; i < d->set->rings.nr; i++) {
		struct ring_span s = { .mask = INT64_MAX, .from = d->gathered.len };

		if (!d->set->rings.v[i].overwrite)
			continue;
		ring_snapshot(&d->set->rings.v[i], &d->gathered);
		s.data = (const uint8_t *)d->gathered.data;
		s.to = d->gathered.len;
		tally_span(d->tally, &s, (uint32_t)i);
	}
	return (int64_t)(d->gathered.len - before);
}

static int64_t drain_rings(struct drain *drain, struct data_writer *w, enum drain_how how)
{
	struct ring_drain *d = (struct ring_drain *)drain;
	int64_t total = 0;
	int err;

	finish_round(d);
	for (size_t i = 0; i < d->set->rings.nr; i += MAX_RINGS) {
		int64_t n = drain_some(d, w, i, MIN(d->set->rings.nr - i, MAX_RINGS));

		if (n < 0)
			return n;
		total += n;
	}
	if (how == DRAIN_LAST)
		total += take_snapshots(d);
	d->round_open = total > 0;
	if (how == DRAIN_SOME)
		return total;
	finish_round(d);
	err = flush(d, w);
	return err ? err : total;
}

struct drain *ring_drain_new(struct event_set *set, struct tally *tally)
{
	struct ring_drain *d = xcalloc(1, sizeof(*d));

	*d = (struct ring_drain){ .drain.drain = drain_rings, .set = set, .tally = tally };
	return &d->drain;
}

void ring_drain_free(struct drain *drain)
{
	struct ring_drain *d = (struct ring_drain *)drain;

	if (d)
		buf_release(&d->gathered);
	free(d);
}
