/*
 * Computes how much of the CPU time that the kernel charged is in a recording, how much is missing and why, and how much
 * recording cost. The recorder writes its part of the figures as a section of the header; a reader compares them with the samples
 * in the file. Only clocks (cpu-clock, task-clock) have it: each of their samples stands for a fixed time.
 * Layer: perfdata
 */
#ifndef CORE_PERFDATA_COVERAGE_H
#define CORE_PERFDATA_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/* The source of the charged time. */
enum coverage_source {
	COVERAGE_UNKNOWN,	/* none: only .cost is known */
	COVERAGE_RUSAGE,	/* of the command: user and system time, of which an event may leave out one */
	COVERAGE_PROC_STAT,	/* of CPUs: all that was not idle, iowait or stolen */
	COVERAGE_COUNTER,	/* the event's own count: time of the tasks that were watched */
};

struct feature_coverage {
	uint32_t source;		/* enum coverage_source */
	uint32_t event;			/* number of the clock */
	uint64_t charged_ns;
	uint64_t period_ns;		/* that a sample stands for */
	uint64_t samples, idle;		/* written of that event; of these, of the idle task */
	uint64_t lost, unwritten;	/* samples that did not find room in a ring; that could not be written */
	uint64_t throttled_ns;		/* the kernel had stopped the event */
	uint64_t counted_ns;		/* the event counted, of idle time, too; 0: it does not count as it samples */
	/* The cost of recording: */
	uint64_t wall_ns, recorder_ns;	/* time; of it the recorder's CPU time */
	uint64_t bytes, wakeups;	/* written, without the header; times that it was woken */
	uint64_t all_unwritten;		/* samples of all events that could not be written: known without a clock, too */
};

struct coverage {			/* shares of what was charged, in percent */
	double charged_s;
	double here;		/* above 100 only if that is an error: no luck of where periods end, no little uncharged time */
	double lost, throttled, unwritten;
	double cut;			/* the file had it, and the reader does not find it */
	double unsampled;		/* counted without a sample: timers that were late, threads that ended within a period */
	double other;			/* the rest; 0 if more is here than was charged, as the ends of periods are lucky */
};

/* False if it is unknown. @samples: of the event, as counted in the file. A time of few periods is too short for a result. */
bool coverage_of(struct coverage *out, const struct feature_coverage *f, uint64_t samples);
/* "98.7 % of 12.31 s CPU is here; missing: lost 0.4, throttled 0.6, cut 0.3" */
void coverage_put(const struct coverage *b, struct buf *out);

#endif
