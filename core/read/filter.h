/*
 * Selects samples by the filters that report and script share (-c -d -S -C --pid --tid --time --switch-on --switch-off).
 * Layer: read
 */
#ifndef CORE_READ_FILTER_H
#define CORE_READ_FILTER_H

#include "core/base/cpus.h"
#include "core/read/switches.h"

struct addr_location;
struct dso;
struct item;
struct session;
struct source_extent;

struct time_span { uint64_t from, to; };	/* ns, half-open */

struct filter_opts {		/* as given on the command line; borrowed strings, NULL: no such filter */
	const char *comms, *dsos, *symbols;	/* lists separated by commas, or a word a line; file://NAME holds such lines */
	bool addresses;				/* .symbols may have addresses, "0x401136", in what executes */
	uint64_t addr_range;			/* bytes: each stands for this many from there on; 0: for itself */
	const char *cpus, *pids, *tids;
	const char *sockets;			/* numbers; the recording's header says which CPUs are on which socket */
	const char *time;			/* "+2,+3" (first sample: 0), "start,stop", "10%/2", "10%-20%", lists of them */
	struct switch_opts switches;
};

struct filter;

/* True if it is the name of the function, of C++ with or without its arguments: price, of price(double) */
bool filter_names_symbol(const char *word, const char *symbol);
/* "seconds[.fraction]" in ns; *end: what follows. Returns 0 or -EINVAL. */
int filter_parse_seconds(const char *s, const char **end, uint64_t *out);

/*
 * Returns 0 and in *out a filter, to filter_free(); or -1 after printing what is wrong with an option. Walks over @s where
 * events switch; takes from it what percents of time are of, and which CPUs are on which socket.
 */
int filter_new(struct filter **out, const struct filter_opts *opts, struct session *s);
/* Checks that it can be applied to the session's events. Call it after sources have added theirs. Prints errors; 0 or -1. */
int filter_check(const struct filter *f, const struct session *s);
void filter_free(struct filter *f);

/* By comm, CPU, socket, pid, tid, time and switches: before any address is resolved. */
bool filter_item(const struct filter *f, const struct item *item);
/* True if an item in @e could pass filter_item(). @f is the filter, without its type, for use as a callback. */
bool filter_may_pass(const void *f, const struct source_extent *e);
/* By comm alone. */
bool filter_comm(const struct filter *f, const char *comm);
/* By names, once for each distinct address. */
bool filter_names(const struct filter *f, const struct dso *dso, const char *symbol);
bool filter_has_names(const struct filter *f);
/* Likewise, and by the address @ip, which @l is: if .addresses were allowed. */
bool filter_location(const struct filter *f, const struct addr_location *l, uint64_t ip);
/* True if it depends on the exact address. */
bool filter_has_addresses(const struct filter *f);
/* True if every sample passes, so that no other call is needed. */
bool filter_is_open(const struct filter *f);

/* By cpu, time and switches alone (filter_item() includes it): samples outside do not even count in report's totals. */
bool filter_in_window(const struct filter *f, const struct item *item);

/* Its spans of time, as they were given; *nr 0: all times. Borrowed. */
const struct time_span *filter_times(const struct filter *f, size_t *nr);

/* Name @n of a list; NULL: it is shorter. */
enum filter_list { FILTER_COMMS, FILTER_DSOS, FILTER_SYMBOLS };
const char *filter_word(const struct filter *f, enum filter_list list, size_t n);

/* The only name that a filter passes, else NULL: report then leaves out that column. */
struct filter_single { const char *comm, *dso, *symbol; };
struct filter_single filter_single(const struct filter *f);

#endif
