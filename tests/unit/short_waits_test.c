/*
 * Random switches of threads on two CPUs, replayed as they are and with short waits summed up: the same waits above the threshold,
 * and of those below it the same sums; also where records are missing.
 */
#include "core/record/loop/short_waits.h"

#include "core/base/buf.h"
#include "core/perfdata/event_table.h"
#include "core/tracepoint/tracing_data.h"
#include "core/perfdata/wait_sums.h"
#include "core/sched/waits.h"
#include "core/record/open/ring.h"
#include "tests/unit/check.h"

#define ID_SWITCH	1u
#define ID_WAKE		2u
#define ID_SIDE_BAND	3u
#define ID_COMERS	4u
#define TRACE_SWITCH	11u
#define TRACE_WAKE	12u
#define THREADS		6u	/* their tids are from FIRST on */
#define FIRST		10u
#define BELOW		100u

#define COMMON										\
	"format:\n"									\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"		\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"		\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"	\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_format[] =
	"name: sched_switch\nID: 11\n" COMMON
	"\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t next_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:16;\tsize:8;\tsigned:1;\n\nprint fmt: \"\"\n";
static const char wake_format[] =
	"name: sched_waking\nID: 12\n" COMMON
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

struct switch_raw {
	uint16_t type;
	uint8_t flags, count;
	uint32_t common_pid, prev, next;
	uint64_t state;
	uint32_t pad;
};
struct wake_raw { uint16_t type; uint8_t flags, count; uint32_t common_pid, pid; };

enum { SWITCHES, WAKES, COMERS, SUMS, SIDE_BAND };	/* events, by number */

struct world {
	struct event_table table;
	struct buf tracing;
	uint64_t seed, time;
	bool wide;		/* everything is recorded, not only even tids */
	bool next_only;		/* the thread that leaves names the next one, whatever it is */
	bool gaps;		/* now and then a record is missing */
	uint32_t on[2];		/* the running thread, by CPU; 0: none */
	struct buf ring[2], out;
	uint64_t read[2];	/* so much of each ring */
	VEC(uint64_t) rounds;	/* places in .out */
};

/* ---- what the kernel writes ---- */

#define ALL_HAVE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static struct event *add(struct world *w, uint32_t type, uint64_t config, uint64_t more, uint64_t id)
{
	struct event_attr a = {
		.type = type, .config = config, .size = ATTR_SIZE_VER7, .sample_period = 1, .sample_id_all = 1,
		.sample_type = ALL_HAVE | more,
	};
	struct event *ev = event_table_add(&w->table, &a);

	event_table_add_id(&w->table, ev, id);
	return ev;
}

static void set_up(struct world *w)
{
	const struct trace_text formats[] = {
		{ "sched", switch_format, sizeof(switch_format) - 1 }, { "sched", wake_format, sizeof(wake_format) - 1 },
	};
	const struct tracing_source source = {
		.formats = formats, .nr_formats = ARRAY_SIZE(formats), .header_page = "", .header_event = "",
		.printk_formats = "", .saved_cmdlines = "", .page_size = 4096,
	};

	add(w, PERF_TYPE_TRACEPOINT, TRACE_SWITCH, PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN, ID_SWITCH);
	add(w, PERF_TYPE_TRACEPOINT, TRACE_WAKE, PERF_SAMPLE_RAW, ID_WAKE);
	add(w, PERF_TYPE_TRACEPOINT, TRACE_SWITCH, PERF_SAMPLE_RAW, ID_COMERS);
	add(w, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, WAIT_SUMS_TYPE, WAIT_SUMS_ID);
	add(w, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, ID_SIDE_BAND);
	event_table_finish(&w->table);
	tracing_data_write(&source, &w->tracing);
}

static const struct sample_layout *layout_of(const struct world *w, unsigned event)
{
	return &w->table.events.v[event]->layout;
}

static bool is_followed(const struct world *w, uint32_t tid)
{
	return w->wide || (tid && tid % 2 == 0);
}

static void put(struct world *w, unsigned cpu, unsigned event, struct record *rec)
{
	if (!w->gaps || random_below(&w->seed, 40))
		CHECK(!record_append(&w->ring[cpu], layout_of(w, event), rec));
}

static void put_sample(struct world *w, unsigned cpu, unsigned event, uint32_t tid, const void *raw, uint32_t size)
{
	static const uint64_t ids[] = { ID_SWITCH, ID_WAKE, ID_COMERS };
	uint64_t chain[2] = { PERF_CONTEXT_KERNEL, 0x1000 + tid * 16 + random_below(&w->seed, 2) };
	struct record rec = {
		.header = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_KERNEL },
		.sample = {
			.id = ids[event], .ip = chain[1], .pid = tid, .tid = tid, .time = ++w->time, .cpu = cpu,
			.raw = raw, .raw_size = size, .chain = { .nr = event == SWITCHES ? 2 : 0, .data = (const uint8_t *)chain },
		},
	};

	put(w, cpu, event, &rec);
}

static struct sample_id own_id(struct world *w, unsigned cpu, uint32_t tid)
{
	return (struct sample_id){ .time = ++w->time, .id = ID_SIDE_BAND, .pid = tid, .tid = tid, .cpu = cpu };
}

static void put_switch_record(struct world *w, unsigned cpu, uint32_t tid, uint32_t other, uint16_t misc)
{
	struct record rec = {
		.header = { .type = w->wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH, .misc = misc },
		.sw = { other, other }, .id = own_id(w, cpu, tid),
	};

	if (is_followed(w, tid))
		put(w, cpu, SIDE_BAND, &rec);
}

/* The kernel has the events of one tracepoint in any order. */
static void put_switches(struct world *w, unsigned cpu, const struct switch_raw *raw)
{
	bool told = w->next_only && is_followed(w, raw->next), first = random_below(&w->seed, 2);

	if (told && first)
		put_sample(w, cpu, COMERS, raw->prev, raw, sizeof(*raw));
	if (is_followed(w, raw->prev))
		put_sample(w, cpu, SWITCHES, raw->prev, raw, sizeof(*raw));
	if (told && !first)
		put_sample(w, cpu, COMERS, raw->prev, raw, sizeof(*raw));
}

static void do_switch(struct world *w, unsigned cpu)
{
	static const uint64_t states[] = { 0, 1, 2, 0x80, 0x10 };
	uint32_t prev = w->on[cpu], next = random_below(&w->seed, 4) ? FIRST + (uint32_t)random_below(&w->seed, THREADS) : 0;
	struct switch_raw raw = { .prev = prev, .next = next };

	if (next == prev || (next && next == w->on[!cpu]))
		return;
	/* Hardly any thread exits. */
	raw.state = states[random_below(&w->seed, random_below(&w->seed, 200) ? 4 : 5)];
	put_switches(w, cpu, &raw);
	put_switch_record(w, cpu, prev, next, (uint16_t)(PERF_RECORD_MISC_SWITCH_OUT |
							 (raw.state ? 0 : PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)));
	w->on[cpu] = next;
	put_switch_record(w, cpu, next, prev, 0);
}

static void do_wake(struct world *w, unsigned cpu)
{
	struct wake_raw raw = { .pid = FIRST + (uint32_t)random_below(&w->seed, THREADS) };

	put_sample(w, cpu, WAKES, w->on[cpu], &raw, sizeof(raw));
}

static void do_task(struct world *w, unsigned cpu, uint32_t type)
{
	uint32_t tid = FIRST + (uint32_t)random_below(&w->seed, THREADS);
	struct record rec = { .header.type = type, .task = { .pid = tid, .tid = tid }, .id = own_id(w, cpu, tid) };

	if (is_followed(w, tid))
		put(w, cpu, SIDE_BAND, &rec);
}

/* ---- what the recorder does ---- */

static uint64_t time_of(const struct world *w, const char *record)
{
	struct record_header h;
	uint64_t time;

	memcpy(&h, record, sizeof(h));
	memcpy(&time, record + (h.type == PERF_RECORD_SAMPLE ? sizeof(h) + (size_t)layout_of(w, SIDE_BAND)->time_at :
				h.size - layout_of(w, SIDE_BAND)->id_size + 8u), sizeof(time));
	return time;
}

/* Returns the latest time. Records that the taker does not hold are written at once. */
static uint64_t read_ring(struct world *w, struct short_waits *s, unsigned cpu)
{
	struct ring_span span = { .data = (const uint8_t *)w->ring[cpu].data, .mask = INT64_MAX, .from = w->read[cpu],
				  .to = w->ring[cpu].len };
	struct record_header h;
	uint64_t newest = 0;

	for (uint64_t at = span.from; at < span.to; at += h.size) {
		memcpy(&h, span.data + at, sizeof(h));
		newest = MAX(newest, time_of(w, (const char *)span.data + at));
		if (!short_waits_on_record(s, &span, at, h))
			buf_put(&w->out, span.data + at, h.size);
	}
	w->read[cpu] = span.to;
	return newest;
}

static void do_steps(struct world *w, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		unsigned cpu = (unsigned)random_below(&w->seed, 2);

		w->time += random_below(&w->seed, random_below(&w->seed, 8) ? 20 : 3 * BELOW);
		switch (random_below(&w->seed, 60)) {
		case 0: do_task(w, cpu, PERF_RECORD_FORK); break;
		case 1: do_task(w, cpu, PERF_RECORD_EXIT); break;
		case 2 ... 20: do_wake(w, cpu); break;
		default: do_switch(w, cpu);
		}
	}
}

static void record(struct world *w)
{
	struct short_waits *s = short_waits_new(&w->table, &w->tracing, BELOW);

	for (unsigned round = 0; round < 40; round++) {
		uint64_t newest, other;

		do_steps(w, (unsigned)random_below(&w->seed, 30));
		newest = read_ring(w, s, 0);
		/* More comes to both while they are read. */
		do_steps(w, (unsigned)random_below(&w->seed, 10));
		other = read_ring(w, s, 1);
		short_waits_settle(s, MAX(newest, other), 0, &w->out);
		if (!random_below(&w->seed, 10))
			short_waits_put_sums(s, &w->out);
		if (random_below(&w->seed, 2) && short_waits_end_round(s))
			vec_push(&w->rounds, w->out.len);
	}
	read_ring(w, s, 0);
	read_ring(w, s, 1);
	short_waits_finish(s, &w->out);
	short_waits_free(s);
}

/* ---- what a reader sees ---- */

struct sum { uint64_t period, delay, nr; };
struct sums { struct sum of[THREADS + FIRST][NR_WAIT_STATES]; };
struct steps { VEC(struct wait_step) list; };

static void push(struct steps *s, struct wait_step step)
{
	if (wait_is_of_thread(step.tid))
		vec_push(&s->list, step);
}

static void pass_sample(const struct world *w, const char *record, uint64_t at, struct steps *out, struct sums *sums)
{
	const struct event *ev = event_of_record(&w->table, record);
	struct switch_raw sw;
	struct wake_raw wake;
	struct record rec = {0};
	struct wait_step step = { .position = at };
	struct sum *sum;

	CHECK(!record_read(&rec, record, &ev->layout));
	step.time = rec.sample.time;
	step.pid = rec.sample.pid;
	if (ev->number == SUMS) {
		sum = &sums->of[rec.sample.tid][rec.sample.transaction];
		*sum = (struct sum){ sum->period + rec.sample.period, sum->delay + rec.sample.addr, sum->nr + rec.sample.weight };
		return;
	}
	if (ev->number == WAKES) {
		memcpy(&wake, rec.sample.raw, sizeof(wake));	/* raw data begin between words */
		step.tid = wake.pid;
		step.kind = WAIT_STEP_WAKE;
		push(out, step);
		return;
	}
	memcpy(&sw, rec.sample.raw, sizeof(sw));
	step.tid = sw.prev;
	step.kind = WAIT_STEP_OUT;
	step.source = ev->number == COMERS ? WAIT_BY_NEXT : WAIT_BY_TRACEPOINT;
	step.state = (uint8_t)wait_state_of(sw.state);
	if (ev->number == SWITCHES)
		push(out, step);
	step.pid = UINT32_MAX;
	step.tid = sw.next;
	step.kind = WAIT_STEP_IN;
	push(out, step);
}

static void pass_other(const struct world *w, const char *record, uint64_t at, struct steps *out)
{
	struct record rec = {0};
	struct wait_step step = { .position = at };

	CHECK(!record_read(&rec, record, layout_of(w, SIDE_BAND)));
	step.time = rec.id.time;
	step.pid = rec.id.pid;
	step.tid = rec.id.tid;
	step.source = WAIT_BY_RECORD;
	if (rec.header.type == PERF_RECORD_FORK || rec.header.type == PERF_RECORD_EXIT) {
		step.tid = rec.task.tid;
		step.kind = rec.header.type == PERF_RECORD_FORK ? WAIT_STEP_FORKED : WAIT_STEP_END;
		push(out, step);
		return;
	}
	step.kind = rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT ? WAIT_STEP_OUT : WAIT_STEP_IN;
	step.state = rec.header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? WAIT_PREEMPTED : WAIT_BLOCKED;
	push(out, step);
	if (step.kind != WAIT_STEP_OUT || rec.header.type != PERF_RECORD_SWITCH_CPU_WIDE)
		return;
	step.pid = UINT32_MAX;
	step.tid = rec.sw.next_prev_tid;
	step.kind = WAIT_STEP_IN;
	step.source = WAIT_BY_RECORD_BEFORE;
	step.state = WAIT_BLOCKED;
	push(out, step);
}

static void pass_records(const struct world *w, const struct buf *b, struct steps *out, struct sums *sums)
{
	struct record_header h;

	for (size_t at = 0; at < b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (h.type == PERF_RECORD_SAMPLE)
			pass_sample(w, b->data + at, at, out, sums);
		else
			pass_other(w, b->data + at, at, out);
	}
}

static bool is_short(const struct wait *wait)
{
	return wait->to > wait->from && wait->to - wait->from < BELOW && wait->state != WAIT_NEW && !wait->open;
}

/* Compares single waits, in order; those that are in sums instead are taken off them. */
static void check_waits(const struct waits *all, const struct waits *rest, struct sums *sums)
{
	size_t at = 0;

	vec_for(wait, &all->list) {
		const struct wait *other = at < rest->list.nr ? &rest->list.v[at] : NULL;
		uint32_t tid = all->tasks.v[wait->task].tid;
		struct sum *sum = &sums->of[tid][wait->state];

		if (other && other->from == wait->from && rest->tasks.v[other->task].tid == tid) {
			CHECK(other->to == wait->to && other->state == wait->state && wait_delay(other) == wait_delay(wait),
			      "%" PRIu32 " from %" PRIu64 ": to %" PRIu64 ", not %" PRIu64, tid, wait->from, other->to, wait->to);
			at++;
			continue;
		}
		CHECK(is_short(wait) || wait->to == wait->from,
		      "of %" PRIu32 " from %" PRIu64 " to %" PRIu64 " is missing", tid, wait->from, wait->to);
		sum->period -= wait->to - wait->from;
		sum->delay -= wait_delay(wait);
		sum->nr--;
	}
	CHECK(at == rest->list.nr, "%zu of %zu waits", at, rest->list.nr);
	for (unsigned tid = 0; tid < FIRST + THREADS; tid++)
		for (unsigned state = 0; state < NR_WAIT_STATES; state++)
			CHECK(!sums->of[tid][state].period && !sums->of[tid][state].delay && !sums->of[tid][state].nr,
			      "of %u, %s: %" PRIu64 " ns, %" PRIu64 " waits too much", tid, wait_state_name((enum wait_state)state),
			      sums->of[tid][state].period, sums->of[tid][state].nr);
}

/* After a round no record is from before the round before it. */
static void check_rounds(const struct world *w)
{
	uint64_t newest = 0, until = 0, least = 0;
	struct record_header h;
	size_t round = 0;

	for (size_t at = 0; at < w->out.len; at += h.size) {
		uint64_t time = time_of(w, w->out.data + at);

		memcpy(&h, w->out.data + at, sizeof(h));
		for (; round < w->rounds.nr && w->rounds.v[round] <= at; round++) {
			least = until;
			until = newest;
		}
		CHECK(time >= least, "a record of %" PRIu64 " after a round at %" PRIu64, time, least);
		newest = MAX(newest, time);
	}
}

/* Returns how many waits were summed up. */
static uint64_t check_one(uint64_t seed)
{
	struct world w = { .seed = seed, .wide = seed % 2, .gaps = seed / 2 % 2, .next_only = seed % 8 >= 4 && seed % 2 == 0,
			   .time = 1000 };
	struct steps all = {0}, rest = {0};
	struct sums none = {0}, sums = {0};
	struct waits *a, *r;
	uint64_t nr = 0;

	set_up(&w);
	record(&w);
	check_rounds(&w);
	pass_records(&w, &w.ring[0], &all, &none);
	pass_records(&w, &w.ring[1], &all, &none);
	pass_records(&w, &w.out, &rest, &sums);
	for (unsigned i = 0; i < THREADS + FIRST; i++)
		for (unsigned k = 0; k < NR_WAIT_STATES; k++)
			nr += sums.of[i][k].nr;
	a = waits_new(all.list.v, all.list.nr, w.time, NULL);
	r = waits_new(rest.list.v, rest.list.nr, w.time, NULL);
	check_waits(a, r, &sums);
	waits_free(a);
	waits_free(r);
	vec_free(&all.list);
	vec_free(&rest.list);
	vec_free(&w.rounds);
	buf_release(&w.ring[0]);
	buf_release(&w.ring[1]);
	buf_release(&w.out);
	buf_release(&w.tracing);
	event_table_release(&w.table);
	if (nr_failed)
		fprintf(stderr, "seed %" PRIu64 "\n", seed);
	return nr;
}

int main(void)
{
	uint64_t nr = 0;

	for (uint64_t seed = 4; seed < 1000 && !nr_failed; seed++)
		nr += check_one(seed);
	CHECK(nr > 10000, "%" PRIu64 " waits", nr);
	return checks_done();
}
