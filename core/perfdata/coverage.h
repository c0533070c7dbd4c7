/*
 * Computes how much of the charged CPU time of the recorded tasks has samples, and why the rest has none, for example because
 * samples were lost. core/record/loop/cpu_accounting.h measures the charged time.
 */
#ifndef CORE_PERFDATA_COVERAGE_H
#define CORE_PERFDATA_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/* The source of the charged time. */
enum coverage_source {
	COVERAGE_UNKNOWN,	/* no source: only the cost of recording is known */
	COVERAGE_RUSAGE,	/* user and system time of the command; an event may exclude one of them */
	COVERAGE_PROC_STAT,	/* time of CPUs that was not idle, iowait or stolen */
	COVERAGE_COUNTER,	/* the event's own count: time of the recorded tasks */
};

/*
 * The recorder writes this into one of prec's own sections (FEATURE_BALANCE). A reader compares it with the samples in the file.
 * The missing time is computed only for the clock events (cpu-clock, task-clock), because each of their samples stands for a fixed
 * time.
 */
struct feature_coverage {
	uint32_t source;		/* enum coverage_source */
	uint32_t event;			/* number of the clock event */
	uint64_t charged_ns;
	uint64_t period_ns;		/* time that a sample stands for */
	uint64_t samples, idle;		/* .samples: written samples of that event; .idle: how many of them are of the idle task */
	uint64_t lost, unwritten;	/* .lost: samples without room in a ring; .unwritten: samples that could not be written */
	uint64_t throttled_ns;		/* how long the kernel had stopped the event, with -a without idle time */
	uint64_t counted_ns;		/* the event's count, including idle time; 0: its count does not match its samples */
	/* The cost of recording: */
	uint64_t wall_ns, recorder_ns;	/* .wall_ns: elapsed time; .recorder_ns: CPU time of the recorder */
	uint64_t bytes, wakeups;	/* .bytes: bytes written, without the header; .wakeups: wake-ups of the recorder */
	uint64_t all_unwritten;		/* samples of all events that could not be written; also known without a clock */
};

struct coverage {			/* shares of the charged time, in percent; together 100, or .here alone is more */
	double charged_s;
	double here;		/* above 100 only if that is an error, not just by chance or because of a little uncharged time */
	double lost, throttled, unwritten;
	double cut;			/* samples that the recorder wrote, but the file lacks */
	double unsampled;		/* counted without a sample: late timers, threads that ended within a period */
	double other;			/* the rest; 0 if more is here than was charged, by chance */
};

/* False: the charged time is unknown, or too short for percentages. @samples: number of the event's samples in the file. */
bool coverage_of(struct coverage *out, const struct feature_coverage *f, uint64_t samples);
/* "98.7 % of 12.31 s CPU is here; 0.4 % lost, 0.6 % throttled, 0.3 % cut" */
void coverage_put(const struct coverage *b, struct buf *out);

#endif
