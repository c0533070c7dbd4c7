/*
 * Spots: what addresses are, named once. Many addresses share a spot: all of a function, or, where no symbol is
 * known, the one address in its dso, whatever process and load address it was seen at.
 *
 *	site (core/model/site.h) --machine_resolve()--> place --same symbol--> spot
 *
 * An address in a call chain may also lie in functions that were inlined there: each is a spot, too. Where lines of source
 * are told apart, each line of a function is a spot, which names that of the function.
 * Sites are collected first, then resolved in parallel, each once.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SPOT_H
#define CORE_PROFILE_SPOT_H

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/profile/blob.h"

struct buf;
struct dso;
struct machine;
struct site_table;

struct spot {
	const struct dso *dso;		/* borrowed from the machine; NULL: nothing is mapped there */
	const char *name;		/* of the function; borrowed likewise; NULL: unresolved */
	bool inlined;			/* the function was inlined into another, and has no address */
	uint64_t addr;			/* of a symbol its start, else the address as reports print it; in the dso's terms */
	uint64_t ip;			/* the lowest absolute address that was seen there */
	char level;			/* k kernel, . user, g guest kernel, u guest user, H hypervisor */
	uint64_t offset;		/* of the address in the function, where its addresses are told apart; else 0 */
	uint64_t size;			/* bytes of the symbol; 0: unresolved */
	uint64_t map_size;		/* bytes of what is mapped there, the most that was seen; 0: nothing is */
	uint32_t line, file;		/* numbers of spots.texts + 1; 0: lines are not told apart */
	uint32_t line_number;		/* in .file; 0: not known */
	uint32_t function;		/* the spot of all of it */
};

struct named_site {
	uint32_t spot;
	uint32_t frame;			/* the same as a frame of a call chain: its line is that of the call, inlined ones too */
	uint32_t inlines, nr_inlines;	/* where in spots.inlines those inlined there are, the innermost first */
	uint64_t addr;			/* of the site, in the dso's terms; mapped nowhere: as recorded */
};

struct spots {		/* = {0}; spots_release() */
	VEC(struct named_site) sites;	/* by the site's number */
	VEC(struct spot) list;
	struct index by_place;
	VEC(uint32_t) inlines;		/* spots of inlined functions, by site */
	struct blobs texts;		/* of lines and files */
};

struct spot_opts {
	bool inlines;		/* inlined functions of frames, too */
	bool lines;		/* lines of source are told apart */
	/* With .lines: of frames the line of the function's own code, not of what was inlined there. */
	bool call_lines;
	bool full_paths;	/* files of source with their directories */
	bool offsets;		/* addresses are told apart */
	unsigned jobs;		/* threads */
};

/* The letter of a cpumode (PERF_RECORD_MISC_*): k, . (user), g and u (of guests), H (all else). */
char spot_level(uint16_t cpumode);

/* Resolve all of @sites. Once, when all are known. */
void spots_name(struct spots *s, const struct site_table *sites, const struct machine *m, const struct spot_opts *o);
void spots_release(struct spots *s);

/* The spot that stands for all addresses of @dso (NULL: mapped nowhere), where only files are told apart. */
uint32_t spots_of_dso(struct spots *s, const struct dso *dso);

/* Append the name, "name (inlined)"; only where there is one. */
void spot_put_name(const struct spot *s, struct buf *out);

/* Append an address that has no name; 0 is zeros alone, as perf has it. */
void spot_put_addr(uint64_t addr, struct buf *out);

/*
 * The text of spot.line: "file.c:12", where no debug information knows the line "function+34" or "file[address]", and "??:0"
 * of nothing; of spot.file "file.c", or "". Borrowed, @n bytes.
 */
const char *spots_text(const struct spots *s, uint32_t number, size_t *n);
/* Does debug information know the line? */
bool spots_know_line(const struct spots *s, const struct spot *spot);

/* A total order that no thread can change: by dso, then by address. Negative: @a first. */
int spot_compare(const struct spot *a, const struct spot *b);

#endif
