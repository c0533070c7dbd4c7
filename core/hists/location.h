/*
 * Resolves sampled addresses to locations: the functions, source lines or single addresses that a report distinguishes. naming.c
 * calls it for all addresses of a report. core/model/resolve.c finds the symbol of an address.
 */
#ifndef CORE_HISTS_LOCATION_H
#define CORE_HISTS_LOCATION_H

#include "core/base/byte_table.h"
#include "core/base/hash.h"
#include "core/base/vec.h"

struct dso;
struct machine;
struct addr_key_table;

/*
 * All addresses of a function share a location. Without a symbol, a location is one address of a dso, in all processes and at all
 * load addresses. Each function that was inlined at an address in a call chain is a location, too. If source lines are
 * distinguished, each line of a function is a location, which refers to the location of the whole function.
 */
struct location {
	const struct dso *dso;		/* borrowed from the machine; NULL: nothing is mapped there */
	const char *name;		/* of the function; borrowed; NULL: unresolved */
	uint64_t addr;			/* start of the symbol, or without one the address that reports print; in the dso's terms */
	uint64_t own_addr;		/* as .addr with a symbol; else in the terms of symbols; if unmapped, as recorded */
	uint64_t ip;			/* the lowest absolute address seen there */
	uint64_t offset;		/* of the address in the function, if addresses are distinguished; else 0 */
	uint64_t size;			/* bytes of the symbol; 0: unresolved */
	uint64_t map_size;		/* bytes of the map there, the largest that was seen; 0: unmapped */
	uint32_t line, file;		/* numbers of locations.texts + 1; 0: unknown, or lines are not distinguished */
	uint32_t line_number;		/* in .file; 0: not known */
	uint32_t function;		/* the location of the whole function */
	bool made;			/* .name is made from the start address, because the file has no symbol there */
	bool inlined;			/* the function was inlined into another, so .addr is 0 */
	char level;			/* k kernel, . user, p Python, j made at run time, g and u of guests, H hypervisor */
};

struct named_addr_key {
	uint32_t location;
	uint32_t own;			/* the location of self time: with .sample_inlines, the innermost function inlined there */
	uint32_t frame;			/* the location as a frame of a call chain, with the line of the call, inlined or not */
	uint32_t inlines, nr_inlines;	/* the functions inlined there, in locations.inlines, the innermost first */
	uint64_t addr;			/* the address, in the dso's terms; if nothing is mapped there, as recorded */
};

struct locations {		/* = {0}; locations_release() */
	VEC(struct named_addr_key) addr_keys;	/* by the address key's number */
	VEC(struct location) list;
	bool *broken;			/* by address key: true if it is a caller's in a chain, but cannot be: is_broken_caller() */
	uint32_t broken_location;	/* "[broken]", the location of all addresses that are true in .broken */
	VEC(uint32_t) inlines;		/* locations of inlined functions, by address key */
	struct byte_table texts;		/* of lines and files */
};

struct location_opts {
	bool inlines;		/* also make locations of functions inlined at frames of call chains */
	bool sample_inlines;	/* with .inlines: also at sampled addresses */
	bool lines;		/* distinguish source lines */
	bool line_texts;	/* with .lines: set .line, also for unknown lines; else only .file and .line_number */
	bool call_lines;	/* with .lines and .inlines: frames have the function's own line, not the inlined one's */
	bool full_paths;	/* source files with their directories */
	bool offsets;		/* distinguish addresses of a function, by location.offset */
	unsigned jobs;		/* threads */
};

/* The letter of a cpumode (PERF_RECORD_MISC_*): k, . (user), g and u (of guests), H (all else). */
char location_level(uint16_t cpumode);

/*
 * Resolves all of @addr_keys (core/model/addr_key.h). Call it once, when all are known. Each is resolved once, in parallel, to an
 * addr_location (machine_resolve()), and the results are joined file by file: addr_locations with the same symbol share a location.
 */
void locations_resolve(struct locations *s, const struct addr_key_table *addr_keys, const struct machine *m,
		    const struct location_opts *o);
void locations_release(struct locations *s);
/* Makes locations for reports that only distinguish files: location 0 for all addresses in no file, n + 1 for those of dso n. */
void locations_of_files(struct locations *s, const struct machine *m);

/* Appends the name, or "name (inlined)". Appends nothing if the location has no name. */
void location_put_name(const struct location *s, struct buf *out);

/* Appends an address without a name; 0 as zeros without 0x, as perf does. */
void location_put_addr(uint64_t addr, struct buf *out);

/*
 * The text for @number, a location.line or location.file. A line is "file.c:12", without debug information "function+34" or
 * "file[address]", and without a dso "??:0". A file is "file.c" or "". Borrowed, @n bytes.
 */
const char *locations_text(const struct locations *s, uint32_t number, size_t *n);
/* True if debug information has the line. */
bool locations_know_line(const struct locations *s, const struct location *location);

/* A total order that does not depend on the scheduling of threads: by dso, then by address. Negative: @a first. */
int location_compare(const struct location *a, const struct location *b);

#endif
