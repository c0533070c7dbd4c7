/*
 * Finds the memory level of a load or store for perf's data_src, from the Data Source packet if its meaning is known for the
 * processor family, and otherwise from the Events packet. Also finds the kind of vector instruction.
 */
#include "auxtrace/arm_spe/record.h"

#include <stdbool.h>

#include "auxtrace/arm_spe/info.h"
#include "auxtrace/arm_spe/packet.h"
#include "core/perfdata/sample.h"

/* ---- the fields of a data_src. Source: linux/perf_event.h, union perf_mem_data_src, PERF_MEM_* ---- */

#define OP(v)		((uint64_t)(v))
#define LVL(v)		((uint64_t)(v) << 5)
#define SNOOP(v)	((uint64_t)(v) << 19)
#define TLB(v)		((uint64_t)(v) << 26)
#define NUM(v)		((uint64_t)(v) << 33)
#define REMOTE		(1ull << 37)
#define PEER		(2ull << 38)

enum { OP_LOAD = 2, OP_STORE = 4 };
enum { NA = 1, HIT = 2, MISS = 4, HITM = 0x10, NO_SNOOP = 2, SNOOP_HIT = 4, WALK = 0x20 };
enum { NUM_ANY_CACHE = 11, NUM_IO = 10, NUM_LFB = 12, NUM_RAM = 13, NUM_NA = 15 };

#define LEVEL_MASK	LVL(0x3fff)
#define SNOOP_MASK	SNOOP(0x1f)

#define L1	(LVL(8) | NUM(1))
#define LFB	(LVL(0x10) | NUM(NUM_LFB))
#define L2	(LVL(0x20) | NUM(2))
#define L3	(LVL(0x40) | NUM(3))
#define RAM	(LVL(0x80) | NUM(NUM_RAM))
#define FAR_RAM	(LVL(0x100) | NUM(NUM_RAM) | REMOTE)
#define NEAR_CLUSTER	(LVL(0x400) | NUM(3))	/* PERF_MEM_LVL_REM_CCE1 */
#define FAR_SOCKET	(LVL(0x800) | NUM(NUM_ANY_CACHE) | REMOTE)	/* PERF_MEM_LVL_REM_CCE2 */
#define DEVICE	(LVL(0x1000) | NUM(NUM_IO))	/* PERF_MEM_LVL_IO */
#define NO_LEVEL	(LVL(NA) | NUM(NUM_NA))

/* ---- by Data Source packet. Source: the processors' technical reference manuals, "Data Source packet" ---- */

enum family { NO_FAMILY, NEOVERSE, AMPERE_ONE, HISI_HIP };

#define ARM_MIDR(part)	(0x41u << 24 | (part) << 4)

static const struct { uint32_t midr; uint8_t family; } processors[] = {
	{ MIDR_NEOVERSE_N1, NEOVERSE },
	{ ARM_MIDR(0xd49), NEOVERSE },	/* Neoverse-N2 */
	{ ARM_MIDR(0xd40), NEOVERSE },	/* Neoverse-V1 */
	{ ARM_MIDR(0xd4f), NEOVERSE },	/* Neoverse-V2 */
	{ ARM_MIDR(0xd84), NEOVERSE },	/* Neoverse-V3 */
	{ ARM_MIDR(0xd4b), NEOVERSE },	/* Cortex-A78C */
	{ ARM_MIDR(0xd4d), NEOVERSE },	/* Cortex-A715 */
	{ ARM_MIDR(0xd81), NEOVERSE },	/* Cortex-A720 */
	{ ARM_MIDR(0xd89), NEOVERSE },	/* Cortex-A720AE */
	{ ARM_MIDR(0xd87), NEOVERSE },	/* Cortex-A725 */
	{ ARM_MIDR(0xd44), NEOVERSE },	/* Cortex-X1 */
	{ ARM_MIDR(0xd4c), NEOVERSE },	/* Cortex-X1C */
	{ ARM_MIDR(0xd4e), NEOVERSE },	/* Cortex-X3 */
	{ ARM_MIDR(0xd82), NEOVERSE },	/* Cortex-X4 */
	{ ARM_MIDR(0xd85), NEOVERSE },	/* Cortex-X925 */
	{ 0xc0u << 24 | 0xac4 << 4, AMPERE_ONE },	/* AmpereOne A */
	{ 0x48u << 24 | 0xd06 << 4, HISI_HIP },	/* HIP12 */
};

static const struct source { uint8_t family, number; uint64_t src; } sources[] = {
	{ NEOVERSE, 0x0, L1 | LVL(HIT) | SNOOP(NO_SNOOP) },	{ NEOVERSE, 0x8, L2 | LVL(HIT) | SNOOP(NO_SNOOP) },
	{ NEOVERSE, 0x9, L2 | LVL(HIT) | PEER },		{ NEOVERSE, 0xa, L3 | LVL(HIT) | PEER },
	{ NEOVERSE, 0xb, L3 | LVL(HIT) | SNOOP(SNOOP_HIT) },	{ NEOVERSE, 0xc, L3 | LVL(HIT) | PEER },
	{ NEOVERSE, 0xd, NO_LEVEL | REMOTE | PEER },		{ NEOVERSE, 0xe, RAM | LVL(HIT) | SNOOP(NO_SNOOP) },

	{ AMPERE_ONE, 0x0, L2 | LVL(HIT) | PEER },		{ AMPERE_ONE, 0x3, L3 | LVL(HIT) | SNOOP(SNOOP_HIT) },
	{ AMPERE_ONE, 0x5, NO_LEVEL | REMOTE | PEER },		{ AMPERE_ONE, 0x7, RAM | LVL(HIT) | SNOOP(NO_SNOOP) },
	{ AMPERE_ONE, 0x8, L1 | LVL(HIT) | SNOOP(NO_SNOOP) },	{ AMPERE_ONE, 0x9, L2 | LVL(HIT) | SNOOP(NO_SNOOP) },

	{ HISI_HIP, 0, L2 | LVL(HIT) | PEER },			{ HISI_HIP, 1, L2 | LVL(HIT) | SNOOP(HITM) | PEER },
	{ HISI_HIP, 2, L3 | LVL(HIT) | SNOOP(SNOOP_HIT) },	{ HISI_HIP, 3, L3 | LVL(HIT) | SNOOP(HITM) },
	{ HISI_HIP, 4, NEAR_CLUSTER | LVL(HIT) | PEER },	{ HISI_HIP, 5, NEAR_CLUSTER | LVL(HIT) | SNOOP(HITM) | PEER },
	{ HISI_HIP, 6, FAR_SOCKET | PEER },			{ HISI_HIP, 7, FAR_SOCKET | SNOOP(HITM) | PEER },
	{ HISI_HIP, 8, RAM | LVL(HIT) | SNOOP(NO_SNOOP) },	{ HISI_HIP, 9, FAR_RAM | LVL(HIT) },
	{ HISI_HIP, 13, DEVICE | LVL(HIT) | SNOOP(NO_SNOOP) },	{ HISI_HIP, 16, L2 | LVL(HIT) | SNOOP(NO_SNOOP) },
	{ HISI_HIP, 17, L2 | LVL(HIT) | SNOOP(HITM) },		{ HISI_HIP, 18, L1 | LVL(HIT) | SNOOP(NO_SNOOP) },
};

static unsigned family_of(const struct spe_cpu *cpu)
{
	for (size_t i = 0; cpu && i < ARRAY_SIZE(processors); i++)
		if ((cpu->midr & MIDR_MODEL) == processors[i].midr)
			return processors[i].family;
	return NO_FAMILY;
}

/*
 * Returns the data_src for the number in the record's Data Source packet; 0: unknown. The numbers describe loads, so the level of
 * a store is NA. Without a Data Source packet r->source is 0, which is looked up like any other number.
 */
static uint64_t by_number(const struct spe_record *r, const struct spe_cpu *cpu, bool store)
{
	unsigned family = family_of(cpu);

	for (const struct source *s = sources; s < sources + ARRAY_SIZE(sources) && family != NO_FAMILY; s++)
		if (s->family == family && s->number == (uint16_t)r->source)
			return store ? NO_LEVEL | SNOOP(NA) : s->src;
	/* A store with an unlisted number is NA too, except on AmpereOne. */
	return store && family != NO_FAMILY && family != AMPERE_ONE ? NO_LEVEL | SNOOP(NA) : 0;
}

/* ---- by events ---- */

struct cache { uint8_t access, miss; uint64_t level; };	/* access, miss: enum spe_event */

static const struct cache caches[] = {
	{ SPE_L1D_ACCESS, SPE_L1D_REFILL, L1 }, { SPE_L2D_ACCESS, SPE_L2D_MISS, L2 }, { SPE_LLC_ACCESS, SPE_LLC_REFILL, L3 },
};

/* Returns the nearest level that hit, or else the farthest level that missed. */
static uint64_t load_level(const struct spe_record *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
		if (spe_has_event(r, caches[i].access) && !spe_has_event(r, caches[i].miss))
			return caches[i].level | LVL(HIT);
		if (i == 0 && spe_has_event(r, SPE_RECENTLY_FETCHED))
			return LFB | LVL(HIT);
	}
	for (size_t i = ARRAY_SIZE(caches); i-- > 0;)
		if (spe_has_event(r, caches[i].miss))
			return caches[i].level | LVL(MISS);
	return 0;
}

/* Returns the farthest level that the store reached. */
static uint64_t store_level(const struct spe_record *r)
{
	for (size_t i = ARRAY_SIZE(caches); i-- > 0;)
		if (spe_has_event(r, caches[i].access) || spe_has_event(r, caches[i].miss))
			return caches[i].level | LVL(spe_has_event(r, caches[i].miss) ? MISS : HIT);
	return 0;
}

static uint64_t snoop(const struct spe_record *r, const struct spe_cpu *cpu)
{
	if (spe_has_event(r, SPE_SNOOPED))
		return SNOOP(spe_has_event(r, SPE_MODIFIED) ? HITM : SNOOP_HIT);
	return SNOOP(cpu && cpu->event_filter >> SPE_SNOOPED & 1 ? NO_SNOOP : NA);
}

/* The level is from the Data Source packet, if its number's meaning is known for the processor, else from the Events packet. */
uint64_t spe_data_src(const struct spe_record *r, const struct spe_cpu *cpu)
{
	bool store = r->subclass & 1;
	uint64_t src;

	if (!(r->has & SPE_HAS_OPERATION) || r->class != SPE_LOAD_STORE)
		return 0;
	src = by_number(r, cpu, store);
	if (!(src & LEVEL_MASK))
		src |= store ? store_level(r) : load_level(r);
	if (!(src & LEVEL_MASK))
		src |= NO_LEVEL;
	if (!(src & SNOOP_MASK))
		src |= snoop(r, cpu);
	if (spe_has_event(r, SPE_REMOTE_ACCESS))
		src |= REMOTE;
	if (spe_has_event(r, SPE_TLB_ACCESS) || spe_has_event(r, SPE_TLB_REFILL))
		src |= TLB(WALK | (spe_has_event(r, SPE_TLB_REFILL) ? MISS : HIT));
	return src | OP(store ? OP_STORE : OP_LOAD);
}

/* Arm ARM, "Operation Type packet payload". With SVE, bit 2 means predicated, and events say which lanes were active. */
uint32_t spe_simd(const struct spe_record *r)
{
	bool memory = r->class == SPE_LOAD_STORE;
	unsigned v = r->subclass, kind;

	if (!(r->has & SPE_HAS_OPERATION) || r->class == SPE_BRANCH)
		return 0;
	if (memory ? (v & 0x0a) == 0x08 : (v & 0x89) == 0x08)
		kind = SIMD_SVE;
	else if (memory ? (v & 0xfe) == 0x04 : (v & 0xfc) == 0x04)
		kind = SIMD_ASE;
	else if (!memory && (v & 0x89) == 0x88)
		kind = SIMD_SME;
	else
		return 0;
	if (kind == SIMD_SVE && !(v & 0x04))
		return SIMD(kind, 'd');
	return SIMD(kind, spe_has_event(r, SPE_EMPTY_PREDICATE) ? 'e' : spe_has_event(r, SPE_PARTIAL_PREDICATE) ? 'p' :
		    kind == SIMD_SVE ? 'f' : '.');
}
