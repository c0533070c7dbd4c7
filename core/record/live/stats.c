/*
 * Counts the records in the ring buffers during a recording, from their headers and a few words such as the time. ring_drain.c
 * calls it, and summary.c prints the counts.
 */
#include "core/record/live/stats.h"

#include <stdlib.h>
#include <string.h>

#include "core/perfdata/event_table.h"
#include "core/perfdata/record.h"
#include "core/record/open/ring.h"
#include "core/record/live/jit_maps.h"
#include "core/record/live/binary_saver.h"
#include "core/record/live/pid_bits.h"
#include "core/record/live/python.h"

/* Offsets into records, header included (perf_event_open(2)). */
#define LOST_COUNT_AT	16
#define AUX_FLAGS_AT	24
#define THROTTLE_TIME_AT 8
#define THROTTLE_ID_AT	16
#define THROTTLE_STREAM_AT 24

#define THROTTLES_MAX	4096	/* threads that end while they are throttled leave their entries */

void stats_init(struct stats *t, const struct event_table *events, enum mapped_ids ids)
{
	*t = (struct stats){ .time_at = -1, .events = events, .clock = UINT32_MAX, .idle_at = -1 };
	mapped_files_init(&t->files, ids);
	if (events->events.nr && events->events.v[0]->layout.time_at >= 0)
		t->time_at = (int)sizeof(struct record_header) + events->events.v[0]->layout.time_at;
	if (t->time_at >= 0 && events->events.v[0]->layout.id_size)
		t->trailer_size = events->events.v[0]->layout.id_size;
}

void stats_see_jit_maps(struct stats *t, struct jit_maps *maps)
{
	int at = t->events->events.nr ? t->events->events.v[0]->layout.tid_at : -1;

	t->jit_maps = maps;
	t->sampled = jit_maps_sampled(maps);
	t->tid_at = (int)sizeof(struct record_header) + at;
	if (at >= 0) {
		t->of_pid = xcalloc(PID_BITS, sizeof(*t->of_pid));
		return;
	}
	for (uint32_t pid = 0; pid < PID_BITS; pid++)
		pid_bits_set(t->sampled, pid);
	t->sampled = NULL;
}

void stats_watch_clock(struct stats *t, uint32_t clock, bool idle)
{
	const struct sample_layout *l = &t->events->events.v[clock]->layout;

	t->clock = clock;
	t->clock_alone = t->events->events.nr == 2;	/* the other event is for MMAP and similar records */
	if (idle && l->tid_at >= 0)
		t->idle_at = (int)sizeof(struct record_header) + l->tid_at;
}

uint64_t stats_clock_samples(const struct stats *t)
{
	return t->clock_alone ? t->samples + t->unwritten : t->clock_counted;
}

void stats_release(struct stats *t)
{
	vec_free(&t->throttles);
	mapped_files_release(&t->files);
	vec_free(&t->rings);
	vec_free(&t->gaps);
	free(t->of_pid);
}

/* Records are multiples of 8 bytes, so neither a header nor a word wraps around the end of a ring buffer. */
static uint64_t word_at(const struct ring_span *s, uint64_t at)
{
	uint64_t v;

	ring_copy(s, at, &v, sizeof(v));
	return v;
}

static bool is_of_clock(const struct stats *t, uint64_t id)
{
	const struct event *ev = event_by_id(t->events, id);

	return ev && ev->number == t->clock;
}

/* Counts a sample of the clock event. The id is the first word, because each of several events has PERF_SAMPLE_IDENTIFIER. */
static void count_clock(struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size)
{
	if (!t->clock_alone && !is_of_clock(t, word_at(s, at + sizeof(struct record_header))))
		return;
	t->clock_counted++;
	if (t->idle_at >= 0 && (unsigned)t->idle_at + 8 <= size)
		t->clock_idle += !word_at(s, at + (unsigned)t->idle_at);
}

/*
 * Counts a sample of the process @pid, also before its maps are read. The idle task (0) and tasks that have ended (-1) are left
 * out, because processes whose pids are equal modulo PID_BITS share a count.
 */
static void count_process(struct stats *t, uint32_t pid)
{
	pid_bits_set(t->sampled, pid);
	if (pid && pid != UINT32_MAX)
		t->of_pid[pid % PID_BITS]++;
}

static void count_sample(struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size, uint32_t ring)
{
	uint64_t time;

	t->samples++;
	if (t->sampled && (unsigned)t->tid_at + 8 <= size)
		count_process(t, (uint32_t)word_at(s, at + (unsigned)t->tid_at));
	if (t->clock != UINT32_MAX && (!t->clock_alone || t->idle_at >= 0))
		count_clock(t, s, at, size);
	if (t->time_at < 0 || (unsigned)t->time_at + sizeof(time) > size)
		return;
	time = word_at(s, at + (unsigned)t->time_at);
	if (!t->first_time || time < t->first_time)
		t->first_time = time;
	t->last_time = MAX(t->last_time, time);
	t->rings.v[ring].last_time = time;
}

/* Returns the time in the trailer of a record other than a sample, after pid and tid, or 0 if the trailer has no time. */
static uint64_t trailer_time(const struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size)
{
	if (!t->trailer_size || size < sizeof(struct record_header) + t->trailer_size)
		return 0;
	return word_at(s, at + size - t->trailer_size + 8);
}

static void add_gap(struct stats *t, struct stats_gap g)
{
	uint64_t ns = g.from && g.to > g.from ? g.to - g.from : 0;

	t->nr_gaps++;
	t->gap_ns += ns;
	if (t->nr_gaps == 1 || ns > t->longest.to - t->longest.from)
		t->longest = (struct stats_gap){ .ring = g.ring, .from = g.to - ns, .to = g.to, .lost = g.lost };
	if (t->gaps.nr < STATS_GAPS_MAX)
		vec_push(&t->gaps, g);
}

/* Counts lost records. The kernel writes the LOST record with the next record that finds room, and with that record's time. */
static void count_lost(struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size, uint32_t ring)
{
	struct stats_ring *r = &t->rings.v[ring];
	struct stats_gap g = { .ring = ring, .from = r->last_time, .lost = word_at(s, at + LOST_COUNT_AT) };

	t->lost += g.lost;
	r->lost += g.lost;
	g.to = trailer_time(t, s, at, size);
	if (g.to)
		add_gap(t, g);
}

static void count_aux(struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size, uint32_t ring)
{
	uint64_t flags = size >= AUX_FLAGS_AT + sizeof(flags) ? word_at(s, at + AUX_FLAGS_AT) : 0;
	struct stats_ring *r = &t->rings.v[ring];

	r->aux_truncated += !!(flags & PERF_AUX_FLAG_TRUNCATED);
	r->aux_partial += !!(flags & PERF_AUX_FLAG_PARTIAL);
	r->aux_collision += !!(flags & PERF_AUX_FLAG_COLLISION);
}

/* Passes on the record of a map, a fork or an exit. */
static void see_map(struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size)
{
	uint64_t record[(UINT16_MAX + 1) / sizeof(uint64_t)];

	if (!t->binary_saver && !t->jit_maps && !t->python && t->files.wanted == MAPPED_IDS_NONE)
		return;
	ring_copy(s, at, record, size);
	if (t->binary_saver)
		binary_saver_see(t->binary_saver, record, size);
	if (t->jit_maps)
		jit_maps_see(t->jit_maps, record, size);
	if (t->python)
		python_see(t->python, record, size);
	mapped_files_see(&t->files, record, size, t->binary_saver);
}

/*
 * Sums the times in which sampling was stopped: from a THROTTLE record to the UNTHROTTLE record of that event, which follows in the
 * same ring buffer. Threads that inherited an event have its id, but each has a stream of its own. A thread that ends while it is
 * throttled has no UNTHROTTLE record.
 */
static void count_throttle(struct stats *t, const struct ring_span *s, uint64_t at, uint16_t size, bool begins)
{
	uint64_t time, stream;

	t->throttled += begins;
	if (t->clock == UINT32_MAX || size < THROTTLE_STREAM_AT + sizeof(stream))
		return;
	time = word_at(s, at + THROTTLE_TIME_AT);
	stream = word_at(s, at + THROTTLE_STREAM_AT);
	if (!is_of_clock(t, word_at(s, at + THROTTLE_ID_AT)))
		return;
	for (size_t i = 0; i < t->throttles.nr; i++) {
		if (t->throttles.v[i].stream != stream)
			continue;
		/* If sampling is stopped again, the UNTHROTTLE record was lost. */
		t->throttled_ns += !begins && time > t->throttles.v[i].since ? time - t->throttles.v[i].since : 0;
		t->throttles.v[i] = t->throttles.v[--t->throttles.nr];
		break;
	}
	if (begins && t->throttles.nr < THROTTLES_MAX)
		vec_push(&t->throttles, (struct stats_throttle){ stream, time });
}

static void count_record(struct stats *t, const struct ring_span *s, uint64_t at, struct record_header h,
			 uint32_t ring)
{
	uint64_t time;

	switch (h.type) {
	case PERF_RECORD_SAMPLE:
		count_sample(t, s, at, h.size, ring);
		return;
	case PERF_RECORD_LOST:
		count_lost(t, s, at, h.size, ring);
		break;
	case PERF_RECORD_AUX:
		count_aux(t, s, at, h.size, ring);
		break;
	case PERF_RECORD_THROTTLE: case PERF_RECORD_UNTHROTTLE:
		count_throttle(t, s, at, h.size, h.type == PERF_RECORD_THROTTLE);
		break;
	case PERF_RECORD_FORK:
		if (!t->python)
			break;
		/* fallthrough */
	case PERF_RECORD_MMAP: case PERF_RECORD_MMAP2: case PERF_RECORD_EXIT:
		see_map(t, s, at, h.size);
		break;
	}
	time = trailer_time(t, s, at, h.size);
	if (time)
		t->rings.v[ring].last_time = time;
}

bool stats_is_side_band(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP: case PERF_RECORD_MMAP2: case PERF_RECORD_COMM: case PERF_RECORD_FORK: case PERF_RECORD_EXIT:
	case PERF_RECORD_NAMESPACES: case PERF_RECORD_CGROUP: case PERF_RECORD_KSYMBOL: case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

static void reach_ring(struct stats *t, uint32_t ring)
{
	while (t->rings.nr <= ring)
		vec_push(&t->rings, (struct stats_ring){0});
}

void stats_count(struct stats *t, const struct ring_span *s, uint32_t ring)
{
	struct record_header h;

	reach_ring(t, ring);
	for (uint64_t at = s->from; s->to - at >= sizeof(h); at += h.size) {
		memcpy(&h, s->data + (at & s->mask), sizeof(h));
		/* The kernel writes no such record; a loop that does not end would be worse than a wrong count. */
		if (h.size < sizeof(h) || h.size > s->to - at)
			break;
		t->records++;
		t->side_band += stats_is_side_band(h.type);
		count_record(t, s, at, h, ring);
	}
	t->bytes += s->to - s->from;
}

static void collect_rings(struct stats *t, struct stats *from)
{
	for (uint32_t i = 0; i < from->rings.nr; i++) {
		struct stats_ring *r = &from->rings.v[i], *sum;

		reach_ring(t, i);
		sum = &t->rings.v[i];
		sum->aux_truncated += r->aux_truncated;
		sum->aux_partial += r->aux_partial;
		sum->aux_collision += r->aux_collision;
		sum->lost += r->lost;
		*r = (struct stats_ring){ .last_time = r->last_time };
	}
}

static void collect_gaps(struct stats *t, struct stats *from)
{
	if (from->nr_gaps && from->longest.to - from->longest.from >= t->longest.to - t->longest.from)
		t->longest = from->longest;
	t->nr_gaps += from->nr_gaps;
	t->gap_ns += from->gap_ns;
	vec_for(g, &from->gaps)
		if (t->gaps.nr < STATS_GAPS_MAX)
			vec_push(&t->gaps, *g);
	from->longest = (struct stats_gap){0};
	from->nr_gaps = from->gap_ns = from->gaps.nr = 0;
}

static void collect_processes(struct stats *t, struct stats *from)
{
	for (uint32_t pid = 0; from->of_pid && pid < PID_BITS; pid++) {
		t->of_pid[pid] += from->of_pid[pid];
		from->of_pid[pid] = 0;
	}
}

void stats_begin_file(struct stats *t)
{
	if (t->of_pid)
		memset(t->of_pid, 0, PID_BITS * sizeof(*t->of_pid));
	t->samples_before = t->samples;
}

void stats_collect(struct stats *t, struct stats *from)
{
	collect_processes(t, from);
	collect_rings(t, from);
	collect_gaps(t, from);
	t->samples += from->samples;
	t->unwritten += from->unwritten;
	t->shed += from->shed;
	t->records += from->records;
	t->bytes += from->bytes;
	t->lost += from->lost;
	t->throttled += from->throttled;
	t->throttled_ns += from->throttled_ns;
	t->clock_counted += from->clock_counted;
	t->clock_idle += from->clock_idle;
	if (from->first_time && (!t->first_time || from->first_time < t->first_time))
		t->first_time = from->first_time;
	t->last_time = MAX(t->last_time, from->last_time);
	mapped_files_collect(&t->files, &from->files);
	from->samples = from->unwritten = from->shed = from->records = from->bytes = from->lost = from->throttled = 0;
	from->throttled_ns = from->clock_counted = from->clock_idle = 0;
	from->first_time = from->last_time = 0;
}
