/*
 * Which samples count: the filters that report and script share (-c -d -S -C --pid --tid --time --switch-on --switch-off).
 * Layer: flow
 */
#ifndef CORE_FLOW_FILTER_H
#define CORE_FLOW_FILTER_H

#include "core/base/cpus.h"
#include "core/flow/switches.h"

struct item;
struct session;
struct source_extent;

struct time_span { uint64_t from, to; };	/* ns, half-open */

struct filter_opts {		/* as given on the command line; borrowed strings, NULL: no such filter */
	const char *comms, *dsos, *symbols;	/* lists separated by commas; file://NAME holds one a line */
	const char *cpus, *pids, *tids;
	const char *sockets;			/* numbers; which CPUs they have the recording's header says */
	const char *time;			/* "start,stop", "10%/2", "10%-20%", lists of them */
	struct switch_opts switches;
};

struct filter;

/*
 * Prints what is wrong with an option; 0 and *out (filter_free()), or -1. Reads the session
 * where events switch, and needs it for percents of time.
 */
int filter_new(struct filter **out, const struct filter_opts *opts, struct session *s);
/* Can it be applied to the session's events? To be asked when all of them are known. Prints what is wrong; 0 or -1. */
int filter_check(const struct filter *f, const struct session *s);
void filter_free(struct filter *f);

/* By comm, cpu, pid, tid and time: what is known before any address is resolved. */
bool filter_item(const struct filter *f, const struct item *item);
/* Could filter_item() let anything pass of what is in @e? @f: the filter, so that this is a callback. */
bool filter_may_pass(const void *f, const struct source_extent *e);
/* By names, once for each distinct address. */
bool filter_names(const struct filter *f, const char *dso_name, const char *dso_path, const char *symbol);
bool filter_has_names(const struct filter *f);
/* Does every sample pass? Then there is no need to ask. */
bool filter_is_open(const struct filter *f);

/* By cpu, time and switches alone (filter_item() asks it too): what lies outside does not even count in report's totals. */
bool filter_in_window(const struct filter *f, const struct item *item);

/* The one name that a filter lets through, where it lets through one only, else NULL: report shows no such column. */
struct filter_single { const char *comm, *dso, *symbol; };
struct filter_single filter_single(const struct filter *f);

#endif
