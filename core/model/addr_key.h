/*
 * Gives each address of a sample or call chain a key. In a mapped file, the key is the file and the offset, so processes that
 * map the same file share it, and one symbol lookup (core/hists/location.h) is enough.
 */
#ifndef CORE_MODEL_ADDR_KEY_H
#define CORE_MODEL_ADDR_KEY_H

#include <stdbool.h>

#include "core/base/hash.h"
#include "core/base/unite.h"
#include "core/base/vec.h"

struct machine;

/*
 * An address in a mapped file has one key, so a recording of a thousand short processes has no more keys than a recording of one
 * long process. Here, a space is one version of a process's address space (machine.h).
 *
 *	(space, ip) --map--> (file, offset in it)	in a file of user space
 *		    ------> (space, ip)		at any other address
 *		    ------> the unmapped key	for a caller in a chain, if the space has maps, but none at ip
 *
 * A caller at an address where nothing is mapped cannot be real. Call chains through code without frame pointers are full of such
 * addresses, which are all different. So all of them share one key, the unmapped key.
 */
struct addr_key {
	uint64_t at;		/* for an address in a mapped file, the offset in the file; otherwise the ip */
	uint32_t owner;		/* owner_of_dso() of the file, or owner_of_space(); only compared and hashed */
	uint16_t mode;		/* cpumode (PERF_RECORD_MISC_*) of a sample in SPACE_NONE, else 0; UINT16_MAX: the unmapped key */
	bool in_chain;		/* the key was seen as a frame of a call chain */
	bool calls;		/* .at is a caller's return address; the key differs from that of a sample at this address */
	bool unmapped;		/* this is the unmapped key, which has no address */
	uint32_t space;		/* the space of .ip */
	uint64_t ip;		/* the lowest address that was seen with this key */
};

/* The .owner of an offset in the file of dso @dso, and that of an address in @space. Both are below 2^31, except SPACE_NONE. */
static inline uint32_t owner_of_dso(uint32_t dso) { return dso | 0x80000000u; }
static inline uint32_t owner_of_space(uint32_t space) { return space; }

/* A worker's cache of maps, so that most addresses need no search. */
struct addr_key_finder;
/* @machine, sealed, is borrowed; NULL: no address is in a file. Owned by the caller: addr_key_finder_free(). */
struct addr_key_finder *addr_key_finder_new(const struct machine *machine);
void addr_key_finder_free(struct addr_key_finder *f);

/* The address key of @ip in @space. @mode: the sample's cpumode in SPACE_NONE, else 0. */
struct addr_key addr_key_of(struct addr_key_finder *f, uint32_t space, uint64_t ip, uint16_t mode);
/* The number of the dso that is mapped at @ip, or DSO_NONE. */
#define DSO_NONE UINT32_MAX
uint32_t address_dso(struct addr_key_finder *f, uint32_t space, uint64_t ip);

/* The .at and .owner of an address's key, and the number of the dso at the address (DSO_NONE: nothing is mapped there). */
struct address_place { uint64_t at; uint32_t owner, dso; };
/*
 * Finds the place of @ip in @space. *near, NULL at first, caches the last region, a range of addresses in one map. Callers keep one
 * *near for each kind of address, so that an address near the last one costs two comparisons. Regions live as long as @f.
 */
struct region;
struct address_place address_place(struct addr_key_finder *f, const struct region **near, uint32_t space, uint64_t ip);

/* A table numbers the keys. Each worker thread has its own table, and addr_key_tables_unite() merges the tables. */
struct addr_key_table {		/* addr_key_table_init(), addr_key_table_release() */
	VEC(struct addr_key) list;
	struct index by_key;
	struct addr_key_finder *finder;	/* owned */
	struct recent_addr_key *recent;	/* owned */
	uint32_t unmapped;		/* the unmapped key's number + 1; 0: it is not there yet */
	bool keeps_unmapped;		/* there is no unmapped key: unmapped addresses have keys of their own */
};

/* @machine as for addr_key_finder_new(). */
void addr_key_table_init(struct addr_key_table *t, const struct machine *machine);
void addr_key_table_release(struct addr_key_table *t);

/* The number of @addr_key, added if new. Address keys are equal if .at, .owner, .mode and .calls are. */
uint32_t addr_keys_add(struct addr_key_table *t, const struct addr_key *addr_key);
/* Prefetches the memory that addr_keys_add() will read. */
void addr_keys_expect(const struct addr_key_table *t, const struct addr_key *addr_key);
/* The number of the key of a frame in a call chain; @calls: the frame is a caller's. Fast for repeated addresses. */
uint32_t addr_keys_frame(struct addr_key_table *t, uint32_t space, uint64_t ip, bool calls);
/* True if the number is cached, as that of the unmapped key always is; else addr_keys_frame() should follow soon. */
bool addr_keys_recall(struct addr_key_table *t, uint32_t space, uint64_t ip, bool calls, uint32_t *number);
static inline bool addr_key_is_unmapped(const struct addr_key_table *t, uint32_t number) { return number + 1 == t->unmapped; }

/*
 * Merges the @nr @tables into the list of @out, which must be empty. @out gets no index, so keys cannot be looked up in it by their
 * values. Returns the new number of each key, to be freed by united_release().
 */
struct united addr_key_tables_unite(struct addr_key_table *out, struct addr_key_table *const tables[], size_t nr, unsigned jobs);

#endif
