/*
 * Saves hardware trace while prec record runs: maps an AUX area for each ring buffer that needs one, and writes the trace in the
 * areas to the file. area.c finds the new trace in an area.
 */
#include "auxtrace/recording.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "auxtrace/area.h"
#include "auxtrace/aux_events.h"
#include "auxtrace/backend.h"
#include "auxtrace/recording_ops.h"
#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/native.h"
#include "core/record/open/event_set.h"
#include "core/record/loop/drain.h"
#include "core/record/loop/recorder_aux.h"
#include "core/record/loop/recorder_opts.h"
#include "core/record/live/stats.h"

#define GROWN_MOST	(64ull << 20)	/* the largest size to which an area grows: a tenth of a second at 640 MB/s */
#define FREE_SHARE	8		/* all areas together grow to at most an eighth of the free memory */

struct aux_recording {
	struct recorder_aux ops;
	struct drain drain;
	struct aux_record_opts o;
	struct aux_events aux_events;
	const struct recorder_opts *rec;	/* borrowed, as the next three */
	struct event_set *set;
	struct drain *rings;
	const struct stats *stats;
	bool grows;			/* areas that were full are enlarged, because the user gave no size */
	VEC(struct aux_area) areas;
	VEC(uint64_t) truncated;	/* by ring: the value of .aux_truncated in .stats that was_truncated() saw last */
	VEC(struct feature_auxtrace_entry) index;
};

/* True for full trace: all trace is saved, and the device stops if the area is full. */
static bool is_full(const struct aux_recording *a)
{
	return !a->o.snapshot && !a->aux_events.sampled;
}

/* ---- areas ---- */

static bool fills_area(const struct aux_recording *a, const struct opened *o)
{
	const struct event_request *r = a->rec->events.list.v;
	uint32_t type = a->set->table.events.v[o->event]->attr.type;

	for (size_t i = 0; i < a->rec->events.list.nr; i++)
		if (r[i].aux && r[i].attr.type == type)
			return true;
	return false;
}

static void unmap_areas(struct aux_recording *a)
{
	vec_for(area, &a->areas)
		aux_area_unmap(area);
	a->areas.nr = 0;
}

static int map_area(struct aux_recording *a, const struct opened *o, bool *seen)
{
	const struct ring *ring = &a->set->rings.v[o->ring];
	struct aux_area area = {
		.page = ring->page, .fd = o->fd, .cpu = o->place.cpu, .tid = o->place.pid, .ring = o->ring,
		.record_bytes = a->aux_events.device->record->record_bytes,
	};
	int err;

	if (seen[o->ring] || !fills_area(a, o))
		return 0;
	seen[o->ring] = true;
	err = aux_area_map(&area, ring->size, a->o.area_bytes, !is_full(a));
	if (!err)
		vec_push(&a->areas, area);
	return err;
}

static int map_areas(struct aux_recording *a)
{
	bool *seen = xcalloc(a->set->rings.nr, sizeof(*seen));
	int err = 0;

	for (size_t i = 0; i < a->set->opened.nr && !err; i++)
		err = map_area(a, &a->set->opened.v[i], seen);
	free(seen);
	return err;
}

/*
 * Returns the smallest size of area that the options allow. It must hold a snapshot or a sample. The watermark is already in the
 * attributes, and the kernel must wake the reader well before an area is full.
 */
static uint64_t smallest_area(const struct aux_recording *a)
{
	uint64_t size = MAX((uint64_t)sysconf(_SC_PAGESIZE), a->o.snapshot_bytes);

	vec_for(r, &a->rec->events.list)
		size = MAX(size, MAX(r->attr.aux_sample_size, 2 * (uint64_t)r->attr.aux_watermark));
	return size;
}

/* Halves the areas until they can be mapped. EPERM: they exceed the limit of locked memory. Returns 0 or -errno. */
static int map_what_fits(struct aux_recording *a)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int err;

	for (;;) {
		err = map_areas(a);
		if ((err != -EPERM && err != -ENOMEM) || a->o.area_bytes <= page)
			return err;
		unmap_areas(a);
		a->o.area_bytes /= 2;
	}
}

static int map_all_areas(struct aux_recording *a)
{
	unsigned long long asked = a->o.area_bytes / 1024, got;
	int err = map_what_fits(a);

	got = a->o.area_bytes / 1024;
	if (err == -EPERM)
		return error("cannot map AUX areas: kernel.perf_event_mlock_kb and 'ulimit -l' allow too little locked "
			     "memory; give smaller rings and areas with -m");
	if (err)
		return error("cannot map AUX areas of %llu KiB for '%s': %s", asked, a->aux_events.pmu.name, strerror(-err));
	if (a->o.area_bytes < smallest_area(a))
		return error("cannot map AUX areas of %llu KiB: kernel.perf_event_mlock_kb and 'ulimit -l' allow %llu KiB; "
			     "give that with -m ,%lluK", asked, got, got);
	if (got < asked)
		warning("AUX areas of %llu KiB, not %llu: kernel.perf_event_mlock_kb and 'ulimit -l' allow no more", got, asked);
	return 0;
}

static int start(struct recorder_aux *ops, struct event_set *set, const struct stats *stats, struct drain *rings)
{
	struct aux_recording *a = (struct aux_recording *)ops;

	a->set = set;
	a->stats = stats;
	a->rings = rings;
	rings->next = &a->drain;
	for (size_t i = 0; i < set->rings.nr; i++)
		vec_push(&a->truncated, 0);
	return map_all_areas(a);
}

/* ---- what is in the file ---- */

/* The kernel changes the fields under .lock (linux/perf_event.h, "Bits needed to read the hw events in user-space"). */
static struct record_time_conv read_time_conv(struct perf_event_mmap_page *p)
{
	_Atomic __u32 *lock = (_Atomic __u32 *)&p->lock;
	struct record_time_conv t;
	uint32_t seq;

	do {
		seq = atomic_load_explicit(lock, memory_order_acquire);
		t = (struct record_time_conv){
			.cap_zero = p->cap_user_time_zero, .zero = p->time_zero, .mult = p->time_mult, .shift = p->time_shift,
		};
		if (p->size > offsetof(struct perf_event_mmap_page, time_mask) && p->cap_user_time_short) {
			t.cap_short = true;
			t.cycles = p->time_cycles;
			t.mask = p->time_mask;
		}
		atomic_thread_fence(memory_order_acquire);
	} while (seq & 1 || atomic_load_explicit(lock, memory_order_relaxed) != seq);
	return t;
}

static void put_record(struct buf *out, struct record *rec)
{
	record_append(out, NULL, rec);
}

static void put_time_conv(struct buf *out, const struct record_time_conv *t)
{
	if (t->cap_zero)
		put_record(out, &(struct record){ .header.type = RECORD_TIME_CONV, .time_conv = *t });
}

/* Ids are split over several records: a record is shorter than 64 KiB. */
#define IDS_IN_RECORD 2000

static void put_id_index(struct buf *out, const struct event_set *set)
{
	struct aux_words w = {0};

	for (size_t i = 0; i < set->opened.nr; i++) {
		const struct opened *o = &set->opened.v[i];
		struct record rec = { .header.type = RECORD_ID_INDEX };

		vec_push(&w.list, o->id);
		vec_push(&w.list, o->ring);
		vec_push(&w.list, (uint64_t)(int64_t)o->place.cpu);
		vec_push(&w.list, (uint64_t)(int64_t)o->place.pid);
		if (w.list.nr / 4 < IDS_IN_RECORD && i + 1 < set->opened.nr)
			continue;
		rec.id_index.nr = w.list.nr / 4;
		rec.id_index.entries = (struct words){ .data = (const uint8_t *)w.list.v, .nr = w.list.nr };
		put_record(out, &rec);
		w.list.nr = 0;
	}
	vec_free(&w.list);
}

static void put_info(struct aux_recording *a, struct buf *out, const struct record_time_conv *time)
{
	struct aux_facts f = {
		.pmu = &a->aux_events.pmu, .request = a->aux_events.first, .time = time, .snapshot = a->o.snapshot,
		.per_cpu = aux_is_per_cpu(a->rec), .switches = a->rec->sampling.switches,
		.system_wide = target_system_wide(&a->rec->target),
	};
	struct record rec = { .header.type = RECORD_AUXTRACE_INFO, .auxtrace_info.type = a->aux_events.device->info_type };
	struct cpus cpus = {0};
	struct aux_words w = {0};

	if (a->rec->target.has_cpus)
		f.cpus = &a->rec->target.cpus;
	else if (!cpus_online(&cpus))
		f.cpus = &cpus;
	else
		die("cannot read which CPUs are online, which a reader of '%s' must know", a->aux_events.pmu.name);
	a->aux_events.device->record->info(&f, &w);
	rec.auxtrace_info.priv = (struct words){ .data = (const uint8_t *)w.list.v, .nr = w.list.nr };
	put_record(out, &rec);
	vec_free(&w.list);
	cpus_release(&cpus);
}

static void describe(struct recorder_aux *ops, struct buf *out)
{
	struct aux_recording *a = (struct aux_recording *)ops;
	struct record_time_conv time = read_time_conv(a->set->rings.v[0].page);

	a->index.nr = 0;
	put_time_conv(out, &time);
	put_id_index(out, a->set);
	put_info(a, out, &time);
}

/* ---- trace ---- */

/* Writes an AUXTRACE record and the trace after it, padded to a multiple of 8 bytes. */
static int write_span(struct aux_recording *a, const struct aux_area *area, struct area_span s, struct data_writer *w)
{
	static const uint8_t zeros[8];
	struct record rec = {
		.header.type = RECORD_AUXTRACE,
		.auxtrace = {
			.offset = s.from, .reference = native.timestamp ? native.timestamp() : 0,
			.idx = (uint32_t)(area - a->areas.v), .tid = (uint32_t)area->tid, .cpu = (uint32_t)area->cpu,
		},
	};
	struct feature_auxtrace_entry at = { .file_offset = data_writer_offset(w) };
	struct iovec parts[4];
	struct buf b = {0};
	int nr = 1 + aux_area_pieces(area, s, parts + 1), err;
	uint64_t n = 0;

	for (int i = 1; i < nr; i++)
		n += parts[i].iov_len;
	if (!n)
		return 0;
	rec.auxtrace.size = round_up(n, 8);
	put_record(&b, &rec);
	at.size = b.len;
	parts[0] = (struct iovec){ .iov_base = b.data, .iov_len = b.len };
	if (n & 7)
		parts[nr++] = (struct iovec){ .iov_base = (void *)(uintptr_t)zeros, .iov_len = 8 - (n & 7) };
	err = data_writer_append_plain(w, parts, nr);
	if (!err)
		vec_push(&a->index, at);
	buf_release(&b);
	return err;
}

/* Applies the ioctl(2) @how to the events that fill the area (NULL: any area) and are on. */
static void switch_events(const struct aux_recording *a, const struct aux_area *area, unsigned long how)
{
	vec_for(e, &a->set->opened)
		if ((!area || e->ring == area->ring) && e->on && fills_area(a, e))
			ioctl(e->fd, how, 0);
}

/*
 * Starts an event that the kernel has stopped because the area was full. To enable it would be enough, but up to Linux 6.14 the
 * kernel does not mark an event on CPU 0 as disabled when it stops it (perf_aux_output_begin(): pending_disable has the CPU's
 * number, and 0 means none). To enable an event that is not marked does nothing, so it is disabled first.
 */
static void begin_again(const struct aux_recording *a, const struct aux_area *area)
{
	switch_events(a, area, PERF_EVENT_IOC_DISABLE);
	switch_events(a, area, PERF_EVENT_IOC_ENABLE);
}

/* True if AUX records with PERF_AUX_FLAG_TRUNCATED have come since the last call. */
static bool was_truncated(struct aux_recording *a, const struct aux_area *area)
{
	uint64_t now = area->ring < a->stats->rings.nr ? a->stats->rings.v[area->ring].aux_truncated : 0;
	bool is = now != a->truncated.v[area->ring];

	a->truncated.v[area->ring] = now;
	return is;
}

/* Writes names, maps and AUX records first: without them, the trace would be useless if prec were killed now. */
static int record_span(struct aux_recording *a, struct aux_area *area, struct area_span s, struct data_writer *w)
{
	int64_t n = a->rings->drain(a->rings, w, DRAIN_WRITE);
	int err = n < 0 ? (int)n : write_span(a, area, s, w);

	if (!err)
		aux_area_done(area, s);
	return err;
}

/* Returns the new size of an area that was full. 0: it keeps its size, which it always does if the device has .record_bytes. */
static uint64_t grown_size(const struct aux_recording *a, const struct aux_area *area)
{
	uint64_t free_bytes = (uint64_t)MAX(sysconf(_SC_AVPHYS_PAGES), 0) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = MIN(GROWN_MOST, free_bytes / FREE_SHARE / a->areas.nr), size = aux_area_wanted(area);

	while (size > most)
		size /= 2;
	return a->grows && !area->record_bytes && size > area->size ? size : 0;
}

/*
 * Enlarges an area that was full. Its events are stopped meanwhile, so the gap in the trace becomes longer; the gap is recorded.
 * Unread data are written first.
 */
static int grow(struct aux_recording *a, struct aux_area *area, struct data_writer *w)
{
	uint64_t size = grown_size(a, area), old = area->size;
	struct area_span s;
	int err = 0;

	if (!size)
		return 0;
	switch_events(a, area, PERF_EVENT_IOC_DISABLE);
	s = aux_area_read(area);
	if (s.to != s.from)
		err = record_span(a, area, s, w);
	if (err)
		return err;
	err = aux_area_resize(area, a->set->rings.v[area->ring].size, size);
	if (err) {
		error("cannot map an AUX area of %llu KiB again: %s", (unsigned long long)old / 1024, strerror(-err));
		return err;
	}
	/* If the kernel did not allow a larger area now, no area grows later. */
	a->grows = area->size != old;
	debug(1, "the AUX area of %s %d was full: it has %llu KiB now", area->cpu < 0 ? "thread" : "CPU",
	      area->cpu < 0 ? (int)area->tid : area->cpu, (unsigned long long)area->size / 1024);
	return 0;
}

/* The kernel wakes the reader each time the head passes a multiple of the watermark (perf_aux_output_end()). */
static bool passed_watermark(const struct aux_area *area, struct area_span s)
{
	uint64_t each = area->size / AUX_WATERMARKS;

	return s.from / each != s.to / each;
}

/* With DRAIN_SOME, leaves the trace after the last watermark in the area until more comes. */
static int64_t drain_area(struct aux_recording *a, struct aux_area *area, struct data_writer *w, enum drain_how how)
{
	struct area_span s = aux_area_read(area);
	uint64_t n = s.to - s.from;
	bool stopped = was_truncated(a, area) || n + 1 >= area->size;
	int err = 0;

	if (!n || how != DRAIN_SOME || stopped || passed_watermark(area, s)) {
		aux_area_measure(area, n, stopped, now_ns());
		err = n ? record_span(a, area, s, w) : 0;
	}
	if (err)
		return err;
	/* More truncations may have been read while the trace was written. */
	stopped = was_truncated(a, area) || stopped;
	if (!stopped || how == DRAIN_LAST)
		return (int64_t)n;
	area->was_full = true;
	err = grow(a, area, w);
	begin_again(a, area);
	return err ? err : (int64_t)n;
}

static int64_t drain_areas(struct drain *d, struct data_writer *w, enum drain_how how)
{
	struct aux_recording *a = (struct aux_recording *)((char *)d - offsetof(struct aux_recording, drain));
	int64_t total = 0;

	if (!is_full(a))
		return 0;
	vec_for(area, &a->areas) {
		int64_t n = drain_area(a, area, w, how);

		if (n < 0)
			return n;
		total += n;
	}
	return total;
}

/* ---- snapshots ---- */

static void stop(struct recorder_aux *ops)
{
	switch_events((struct aux_recording *)ops, NULL, PERF_EVENT_IOC_DISABLE);
}

static void resume(struct recorder_aux *ops)
{
	switch_events((struct aux_recording *)ops, NULL, PERF_EVENT_IOC_ENABLE);
}

static int save(struct recorder_aux *ops, struct data_writer *w)
{
	struct aux_recording *a = (struct aux_recording *)ops;

	vec_for(area, &a->areas) {
		struct area_span s = aux_area_snapshot(area, a->o.snapshot_bytes);
		int err = s.to == s.from ? 0 : write_span(a, area, s, w);

		if (err)
			return err;
		aux_area_advance(area, s);
	}
	return 0;
}

/* ---- the end ---- */

static void put_index(struct recorder_aux *ops, struct features *f)
{
	struct aux_recording *a = (struct aux_recording *)ops;

	vec_for(e, &a->index)
		vec_push(&f->auxtrace, *e);
	f->has[FEATURE_AUXTRACE] = true;
}

/* Appends the size of area that the device's rate needs. At least one area was full. */
static void put_wanted(const struct aux_recording *a, struct buf *out)
{
	uint64_t wanted = 0;

	vec_for(area, &a->areas)
		wanted = MAX(wanted, aux_area_wanted(area));
	buf_printf(out, "; by its rate the size to try next is -m ,%lluK", (unsigned long long)wanted >> 10);
}

static void find_flag(const struct aux_recording *a, size_t member, enum finding_code code, struct findings *out)
{
	struct buf b = {0};
	uint64_t total = 0;

	vec_for(area, &a->areas) {
		uint64_t n = 0;

		if (area->ring < a->stats->rings.nr)
			memcpy(&n, (const char *)&a->stats->rings.v[area->ring] + member, sizeof(n));
		if (!n)
			continue;
		total += n;
		buf_printf(&b, area->cpu < 0 ? "%sthread %d: %llu" : "%sCPU %d: %llu", b.len ? ", " : "",
			   area->cpu < 0 ? (int)area->tid : area->cpu, (unsigned long long)n);
	}
	if (total && code == FINDING_TRACE_BUFFER_FULL && is_full(a))
		put_wanted(a, &b);
	findings_add(out, code, total, 0, buf_str(&b));
	buf_release(&b);
}

static void find_all(const struct recorder_aux *ops, struct findings *out)
{
	const struct aux_recording *a = (const struct aux_recording *)ops;

	find_flag(a, offsetof(struct stats_ring, aux_truncated), FINDING_TRACE_BUFFER_FULL, out);
	find_flag(a, offsetof(struct stats_ring, aux_collision), FINDING_TRACE_COLLISIONS, out);
	find_flag(a, offsetof(struct stats_ring, aux_partial), FINDING_TRACE_PARTIAL, out);
}

/* ---- together ---- */

static bool traces_kernel(const struct recorder_opts *rec)
{
	vec_for(r, &rec->events.list)
		if (r->aux && !r->attr.exclude_kernel && !rec->sampling.all_user)
			return true;
	return false;
}

int aux_record_new(struct recorder_aux **out, struct recorder_opts *rec, const struct aux_record_opts *o)
{
	struct aux_recording *a = xcalloc(1, sizeof(*a));
	int err;

	*a = (struct aux_recording){
		.ops = { .snapshot = o->snapshot, .at_exit = o->at_exit, .start = start, .describe = describe, .stop = stop,
			 .resume = resume, .save = save, .index = put_index, .findings = find_all },
		.drain.drain = drain_areas, .o = *o, .rec = rec, .grows = !o->area_bytes,
	};
	*out = &a->ops;
	err = aux_events_select(&a->aux_events, rec, &a->o);
	if (!err && a->aux_events.device) {
		rec->sampling.cpu = true;
		rec->sampling.switches |= aux_is_per_cpu(rec);
		/* Only events of all CPUs get all TEXT_POKE records. */
		rec->sampling.text_pokes = target_system_wide(&rec->target) && traces_kernel(rec);
		return 0;
	}
	aux_record_free(&a->ops);
	*out = NULL;
	return err;
}

void aux_record_free(struct recorder_aux *ops)
{
	struct aux_recording *a = (struct aux_recording *)ops;

	if (!a)
		return;
	unmap_areas(a);
	vec_free(&a->areas);
	vec_free(&a->truncated);
	vec_free(&a->index);
	pmus_release(&a->aux_events.pmus);
	free(a);
}
