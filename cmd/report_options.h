/*
 * Declares the options of prec report, and the function that parses them. prec top uses the defaults of these options for its
 * browser.
 */
#ifndef CMD_REPORT_OPTIONS_H
#define CMD_REPORT_OPTIONS_H

#include <regex.h>

#include "cmd/code_options.h"
#include "cmd/input.h"
#include "core/base/cpus.h"
#include "core/hists/tree.h"

struct key;

struct graph_opts {		/* -g and --percent-limit, of which the later one sets the threshold of call graphs */
	struct tree_opts tree;
	double min_percent;
	bool given;		/* -g was given */
	bool limit_given;	/* --percent-limit was given */
};

struct pattern { regex_t regex; bool given; };

struct report_opts {
	const char *sort, *fields, *widths, *separator, *symbol_filter;
	bool filter_is_word;		/* .symbol_filter was given without its option */
	/* --time-quantum: the time key counts in units of .ns, from the first sample if .since_first, else from 0. */
	struct quantum { uint64_t ns; bool since_first; } quantum;
	uint64_t group_sort;
	bool self_inlined, self_given;	/* --inline-self: inlined functions have rows with their own time; .self_given: was given */
	bool children, children_given, group, group_given, no_empty, inverted, relative, mem_mode, branches, branches_given;
	bool hierarchy, exclude_other, nanoseconds, full_paths, nr_samples, total_period, cpu_utilization, hide_unresolved;
	bool threads, raw_trace, stats, dump, quiet, unresolved, tasks, mmaps;
	uint64_t samples;		/* --samples: number that the browser shows of a function; 0: all */
	bool stdio, tui;		/* --stdio: print text; --tui: show the browser */
	bool runqueue, latency, total_cycles, branch_history;
	struct { bool given; const char *key; } latency_hist;
	const char *pair, *slices, *critical_path, *by;
	unsigned split;			/* permille */
	bool durations;
	struct graph_opts graph;
	struct cpus parallelism;	/* only samples while one of these numbers of threads ran; empty: any number */
	struct pattern parent, ignore_callees;
	struct terminal_opts screen;
	struct annotate_opts code;	/* how the browser annotates */
	struct input_opts input;
};

/* Parses the command line. Returns 0; 1 if help was printed; -1 after printing an error. Call report_opts_release() in any case. */
int report_opts_parse(struct report_opts *o, int argc, char **argv);
void report_opts_release(struct report_opts *o);

struct pieces;

/* True if the browser is to be opened: on a terminal, unless an option needs text. Below 0 (printed): --tui, and it cannot run. */
int report_wants_browser(const struct report_opts *o, const struct terminal *t);
/* @pieces NULL: a finished recording; else one in progress, reread often. @title is for the first line. Returns the exit status. */
int report_browse(const struct report_opts *o, const struct terminal *t, struct pieces *pieces, const char *title);

/* For layout_opts.find_more: finds sort keys for tracepoints. @traces is a struct trace_keys; if it is NULL, none is found. */
unsigned report_find_key(void *traces, const char *name, size_t len, const struct key **out, unsigned max);

#endif
