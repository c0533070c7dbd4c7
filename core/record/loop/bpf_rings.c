/*
 * Reads the ring buffers (BPF_MAP_TYPE_RINGBUF) of the user's BPF programs, and writes each of their records as a sample.
 * readers.c calls it. ring_drain.c reads the perf ring buffers.
 */
#include "core/record/loop/bpf_rings.h"

#include <stdlib.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/ui/finding.h"
#include "core/base/util.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/record.h"
#include "core/record/open/event_set.h"
#include "core/record/live/stats.h"

#define RAW_MAX	(UINT16_MAX - 1024u)	/* bytes that fit in a sample with its other fields */

struct bpf_rings {
	struct drain drain;
	const struct event *event;
	uint64_t id;
	clockid_t clock;
	struct stats *stats;		/* borrowed */
	struct user_rings *rings;	/* owned */
	struct buf taken, raw;
	uint64_t nr_taken, nr_large;
};

static const struct opened *find_output(const struct event_set *set)
{
	vec_for(e, &set->opened)
		if (event_is_bpf_output(&set->table.events.v[e->event]->attr))
			return e;
	return NULL;
}

/*
 * Makes a sample of a record. Its data are padded like the kernel's raw data, so that the next field begins at a multiple of 8
 * bytes. A record has no time, address or thread: the sample gets the time at which the record is read.
 */
static void on_bytes(void *ctx, const void *data, size_t size)
{
	static const uint8_t zeros[8];
	struct bpf_rings *r = ctx;
	struct record rec = {
		.header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL },
		.sample = {
			.id = r->id, .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX,
			.time = clock_ns(r->clock), .period = 1,
		},
	};

	if (size > RAW_MAX) {
		r->nr_large++;
		return;
	}
	r->raw.len = 0;
	buf_put(&r->raw, data, size);
	buf_put(&r->raw, zeros, round_up(size + 4, 8) - 4 - size);
	rec.sample.raw = r->raw.data;
	rec.sample.raw_size = (uint32_t)r->raw.len;
	if (record_append(&r->taken, &r->event->layout, &rec))
		r->nr_large++;
	else
		r->nr_taken++;
}

void bpf_rings_poll(struct bpf_rings *r)
{
	user_rings_read(r->rings, on_bytes, r);
}

static int64_t drain(struct drain *d, struct data_writer *w, enum drain_how how)
{
	struct bpf_rings *r = (struct bpf_rings *)d;
	uint64_t kept;
	int64_t n;
	int err;

	bpf_rings_poll(r);
	n = (int64_t)r->taken.len;
	err = n ? data_writer_append(w, r->taken.data, r->taken.len) : 0;
	kept = err ? data_writer_kept_samples(w) : r->nr_taken;
	r->stats->samples += kept;
	r->stats->unwritten += r->nr_taken - kept;
	r->taken.len = 0;
	r->nr_taken = 0;
	return err ? err : n;
}

int bpf_rings_open(struct bpf_rings **out, const struct event_set *set, struct stats *stats)
{
	const struct opened *output = find_output(set);
	struct user_rings *rings = NULL;
	int err;

	*out = NULL;
	err = user_objects_rings(&set->objects, &rings);
	if (err || !rings || !output) {
		user_rings_free(rings);
		return err;
	}
	*out = xcalloc(1, sizeof(**out));
	**out = (struct bpf_rings){
		.drain.drain = drain, .event = set->table.events.v[output->event], .id = output->id, .stats = stats, .rings = rings,
	};
	(*out)->clock = (*out)->event->attr.clockid;
	return 0;
}

void bpf_rings_free(struct bpf_rings *r)
{
	if (!r)
		return;
	user_rings_free(r->rings);
	buf_release(&r->taken);
	buf_release(&r->raw);
	free(r);
}

struct drain *bpf_rings_drain(struct bpf_rings *r)
{
	return &r->drain;
}

/*
 * If a ring buffer is full, the kernel drops a record and informs only the BPF program. So prec can see that a ring buffer was
 * full, but not how many records were dropped.
 */
void bpf_rings_findings(const struct bpf_rings *r, struct findings *out)
{
	const char *name = NULL;
	uint64_t full = user_rings_full(r->rings, &name);

	findings_add(out, FINDING_BPF_LARGE, r->nr_large, 0, NULL);
	findings_add(out, FINDING_BPF_FULL, full, 0, name);
}
