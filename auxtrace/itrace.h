/*
 * Parses the option --itrace, which selects the samples to synthesize from a hardware trace. The letters have the meaning that
 * perf's itrace.txt describes. The decoder of each trace device uses the parsed options.
 */
#ifndef AUXTRACE_ITRACE_H
#define AUXTRACE_ITRACE_H

#include <stdbool.h>
#include <stdint.h>

enum itrace_unit { ITRACE_INSTRUCTIONS, ITRACE_TICKS, ITRACE_NS };

/* All letters, with blanks between. */
#define ITRACE_LETTERS		"i y b c r x w p o I e d f m M t a g G l L s q A Z T"
#define ITRACE_PERIOD_NS	100000	/* perf's default */
#define ITRACE_CHAIN		16
#define ITRACE_LAST_BRANCHES	64
#define ITRACE_MAX_DEPTH	1024

/* If a device's decoder does not support a letter, it ignores the letter, or prints a warning or an error that names it. */
struct itrace_opts {
	bool given;		/* the user gave the option; otherwise these are the defaults of the command */
	bool none;		/* --no-itrace: decode nothing */
	bool instructions, cycles, branches, calls, returns, transactions, ptwrites, power, others, interrupts, errors;
	bool first_level, last_level, memory, tlb, remote;	/* f m M t a, of data sources */
	bool chain, add_chain, last_branch, add_last_branch;	/* g G l L */
	bool approximate_ipc, timeless, vm_time;		/* A Z T */
	bool debug, debug_errors, debug_stdout;			/* d, d+e, d+o */
	enum itrace_unit unit;
	uint64_t period;	/* between samples of instructions or cycles, in .unit; 0: every instruction, as 1 */
	unsigned chain_depth, last_branch_depth;
	unsigned quick;		/* number of letters q */
	uint64_t skip;		/* s: events to leave out at the beginning */
	/* Set by the command, not by letters, for the columns that it shows: call depth, flags and targets of instructions, and
	 * instructions per cycle. */
	bool depth, flags, targets, ipc;
	/* e-o: no error records for overflows; e-l: no error records for lost data. */
	bool no_overflow_errors, no_lost_errors;
};

struct source_extent;

/* The part of a trace to show; other parts need not be decoded. */
struct aux_window {
	bool (*wants)(const void *ctx, const struct source_extent *e);	/* NULL: all of it is wanted */
	const void *ctx;
};

/* Parses @arg; NULL: the option was not given. Returns 0, or prints an error and returns -1. */
int itrace_parse(struct itrace_opts *o, const char *arg);
/* The default without --itrace: instructions; with @calls_only, as for script: calls. */
void itrace_default(struct itrace_opts *o, bool calls_only);

#endif
