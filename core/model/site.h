/*
 * Sites: the addresses of samples and of frames of call chains, each once. An address in a file is one site in
 * whatever process and at whatever load address it was seen, so a build of a thousand short processes has no more sites
 * than one long process.
 *
 *	(space, ip) --map--> (file, offset in it)	of a user's file
 *		    ------> (space, ip)		of all else
 *
 * A table belongs to one worker; sites_merge() brings workers' tables together.
 * Layer: model
 */
#ifndef CORE_MODEL_SITE_H
#define CORE_MODEL_SITE_H

#include <stdbool.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/map.h"

struct machine;

struct site {
	uint64_t at;		/* in a file the offset there, else the ip */
	uint32_t home;		/* the dso's number | SITE_IN_FILE, or the space */
	uint16_t mode;		/* PERF_RECORD_MISC_* of a sample in SPACE_NONE, else 0 */
	bool in_chain;		/* it is a frame of a call chain, */
	bool calls;		/* of a caller in one: the address that a call returns to */
	uint32_t space;		/* where it was seen with the lowest address: */
	uint64_t ip;
};

#define SITE_IN_FILE	0x80000000u	/* so many spaces there are not */

/* A worker's memory of what is mapped where, so that most addresses cost no search. */
struct site_finder;
/* @machine, sealed, is borrowed; NULL: no address is in a file. Owned by the caller: site_finder_free(). */
struct site_finder *site_finder_new(const struct machine *machine);
void site_finder_free(struct site_finder *f);

/* What site @ip of @space is. @mode: the sample's cpumode in SPACE_NONE, else 0. */
struct site site_of(struct site_finder *f, uint32_t space, uint64_t ip, uint16_t mode);
/* The number of the dso that is mapped at @ip, or SITE_NO_DSO. */
#define SITE_NO_DSO UINT32_MAX
uint32_t site_dso(struct site_finder *f, uint32_t space, uint64_t ip);

struct site_table {		/* site_table_init(), site_table_release() */
	VEC(struct site) list;
	struct index by_key;
	struct site_finder *finder;	/* owned */
	struct recent_site *recent;	/* owned */
};

/* @machine as for site_finder_new(). */
void site_table_init(struct site_table *t, const struct machine *machine);
void site_table_release(struct site_table *t);

/* The number of @site, added if new: .at, .home and .mode tell sites apart. */
uint32_t sites_add(struct site_table *t, const struct site *site);
/* That of a frame of a call chain, with @calls of a caller; quick for what comes again and again. */
uint32_t sites_frame(struct site_table *t, uint32_t space, uint64_t ip, bool calls);
/* Is the same known without a search? If not, sites_frame() will soon ask for it. */
bool sites_recall(struct site_table *t, uint32_t space, uint64_t ip, bool calls, uint32_t *number);

/* Add all of @from to @into; the result [n] is the number in @into of site n. Owned by the caller. */
uint32_t *sites_merge(struct site_table *into, const struct site_table *from);

#endif
