/*
 * Selects samples by the options that `prec report` and `prec script` share (-c -d -S -C --pid --tid --time --switch-on
 * --switch-off).
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
	const char *comms, *dsos, *symbols;	/* words separated by commas or newlines; "file://NAME": the lines of a file */
	bool addresses;				/* .symbols may have addresses of code, "0x401136" */
	uint64_t addr_range;			/* an address in .symbols selects this many bytes from there on; 0: only itself */
	const char *cpus, *pids, *tids;
	const char *sockets;			/* numbers; the recording's header maps CPUs to sockets */
	const char *time;			/* "+2,+3" (first sample: 0), "start,stop", "10%/2", "10%-20%", lists of them */
	struct switch_opts switches;
};

struct filter;

/* True if @word is the name of the function @symbol; C++ functions also match without their arguments: price for price(double) */
bool filter_names_symbol(const char *word, const char *symbol);
/* Parses "seconds[.fraction]" into ns; *end: the end of the number. Returns 0 or -EINVAL. */
int filter_parse_seconds(const char *s, const char **end, uint64_t *out);

/*
 * Makes a filter. Returns 0 and *out (filter_free()), or -1 after printing an error in an option. Walks over @s if events switch
 * samples on or off; @s also gives the time that percents refer to, and the CPUs of sockets.
 */
int filter_new(struct filter **out, const struct filter_opts *opts, struct session *s);
/* Checks that @f can be applied to the session's events. Call it after sources have added events. Prints errors; 0 or -1. */
int filter_check(const struct filter *f, const struct session *s);
void filter_free(struct filter *f);

/* True if @item passes by comm, CPU, socket, pid, tid, time and switches. Call it before any address is resolved. */
bool filter_item(const struct filter *f, const struct item *item);
/* True if an item in @e could pass filter_item(). @f is a struct filter, untyped so that the function can be a callback. */
bool filter_may_pass(const void *f, const struct source_extent *e);
/* True if @comm passes. */
bool filter_comm(const struct filter *f, const char *comm);
/* True if the names of an address pass; call it once for each distinct address. */
bool filter_names(const struct filter *f, const struct dso *dso, const char *symbol);
bool filter_has_names(const struct filter *f);
/* True if the names of the location @l pass; with filter_opts.addresses, also if its address @ip is in the list. */
bool filter_location(const struct filter *f, const struct addr_location *l, uint64_t ip);
/* True if @f selects by addresses in the list of symbols, so that each exact address must be passed to filter_location(). */
bool filter_has_addresses(const struct filter *f);
/* True if the filter passes every sample, so that no other call is needed. */
bool filter_is_open(const struct filter *f);

/* True if @item passes by CPU, time and switches (filter_item() includes it). Other samples are not in report's totals. */
bool filter_in_window(const struct filter *f, const struct item *item);

/* The filter's time ranges, as given; *nr 0: all times. Borrowed. */
const struct time_span *filter_times(const struct filter *f, size_t *nr);

/* Name number @n (from 0) of a list of the filter; NULL: the list is shorter. */
enum filter_list { FILTER_COMMS, FILTER_DSOS, FILTER_SYMBOLS };
const char *filter_word(const struct filter *f, enum filter_list list, size_t n);

/* The only name in each list of a filter, so that report can leave out that column; NULL: the list has no or several names. */
struct filter_single { const char *comm, *dso, *symbol; };
struct filter_single filter_single(const struct filter *f);

#endif
