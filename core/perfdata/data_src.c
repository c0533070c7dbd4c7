/*
 * Prints the fields of PERF_SAMPLE_DATA_SRC, with one table of names for each field. The spelling is perf's. Source: union
 * perf_mem_data_src of linux/perf_event.h (Linux 6.18).
 */
#include "core/perfdata/data_src.h"

#include "core/base/buf.h"

struct bit_name { uint8_t bit; const char *name; };

#define BIT(v, n)	((v) >> (n) & 1)
#define BITS(v, n, w)	((v) >> (n) & ((1u << (w)) - 1))

enum {
	OP_NA = 0, LVL_HIT = 6, LVL_MISS = 7, SNOOP_NA = 19, LOCK_NA = 24, LOCK_LOCKED = 25, TLB_NA = 26, TLB_HIT = 27,
	TLB_MISS = 28, LVL_NUM = 33, REMOTE = 37, BLK_NA = 40, HOPS = 43,
};

#define LVL_NUM_NONE	0u	/* before Linux 4.17, or unknown */
#define LVL_NUM_NA	15u

static const struct bit_name op_names[] = { { 1, "LOAD" }, { 2, "STORE" }, { 3, "PFETCH" }, { 4, "EXEC" } };

static const struct bit_name level_names[] = {
	{ 8, "L1" }, { 9, "LFB/MAB" }, { 10, "L2" }, { 11, "L3" }, { 12, "Local RAM" },
	{ 13, "Remote RAM (1 hop)" }, { 14, "Remote RAM (2 hops)" }, { 15, "Remote Cache (1 hop)" },
	{ 16, "Remote Cache (2 hops)" }, { 17, "I/O" }, { 18, "Uncached" },
};

static const char *const level_number_names[16] = {
	NULL, "L1", "L2", "L3", "L4", "L2 MHB", "Memory-side Cache", "Unknown level 7", "Uncached", "CXL", "I/O",
	"Any cache", "LFB/MAB", "RAM", "PMEM", NULL,
};

static const char *const hop_names[8] = {
	NULL, "core, same node", "node, same socket", "socket, same board", "board",
};

static const struct bit_name snoop_names[] = {
	{ 19, "N/A" }, { 20, "None" }, { 21, "Hit" }, { 22, "Miss" }, { 23, "HitM" }, { 38, "Fwd" }, { 39, "Peer" },
};

static const struct bit_name tlb_names[] = {
	{ 26, "N/A" }, { 29, "L1" }, { 30, "L2" }, { 31, "Walker" }, { 32, "Fault" },
};

/* The names of all bits that are set, " or " between them; @none if there is none. Returns how many. */
static unsigned print_any(uint64_t v, const struct bit_name *names, size_t nr, const char *none, struct buf *out)
{
	unsigned found = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!BIT(v, names[i].bit))
			continue;
		buf_puts(out, found++ ? " or " : "");
		buf_puts(out, names[i].name);
	}
	if (!found)
		buf_puts(out, none);
	return found;
}

static void print_op(uint64_t v, struct buf *out)
{
	if (BIT(v, OP_NA)) {
		buf_puts(out, "N/A");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(op_names); i++) {
		if (BIT(v, op_names[i].bit)) {
			buf_puts(out, op_names[i].name);
			return;
		}
	}
	buf_puts(out, "No");
}

static void print_hit(uint64_t v, struct buf *out)
{
	buf_puts(out, BIT(v, LVL_HIT) ? " hit" : BIT(v, LVL_MISS) ? " miss" : " ");
}

/* ---- which bits say it ---- */

#define FIELD(from, to)	(((1ull << (to)) - 1) & ~((1ull << (from)) - 1))

static bool has_level_number(uint64_t v)
{
	unsigned number = BITS(v, LVL_NUM, 4);

	return number != LVL_NUM_NONE && number != LVL_NUM_NA;
}

/* The number of the level, which is the newer field, wins over the older bits. */
uint64_t data_src_level(uint64_t v)
{
	uint64_t outcome = BIT(v, LVL_HIT) ? 1ull << LVL_HIT : v & 1ull << LVL_MISS;

	if (has_level_number(v))
		return outcome | (v & (FIELD(LVL_NUM, REMOTE + 1) | FIELD(HOPS, HOPS + 3)));
	v &= FIELD(level_names[0].bit, level_names[ARRAY_SIZE(level_names) - 1].bit + 1);
	return v ? v | outcome : 0;
}

static uint64_t bits_of(uint64_t v, const struct bit_name *names, size_t nr)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < nr; i++)
		bits |= v & 1ull << names[i].bit;
	return bits;
}

uint64_t data_src_snoop(uint64_t v)
{
	return bits_of(v, snoop_names, ARRAY_SIZE(snoop_names));
}

uint64_t data_src_tlb(uint64_t v)
{
	return bits_of(v, tlb_names, ARRAY_SIZE(tlb_names)) | (v & (1ull << TLB_HIT | 1ull << TLB_MISS));
}

uint64_t data_src_lock(uint64_t v)
{
	return BIT(v, LOCK_NA) ? 1ull << LOCK_NA : v & 1ull << LOCK_LOCKED;
}

uint64_t data_src_blocked(uint64_t v)
{
	return BIT(v, BLK_NA) ? 0 : v & FIELD(BLK_NA + 1, BLK_NA + 3);
}

/* ---- classes ---- */

static unsigned op_class(uint64_t v)
{
	switch (BITS(v, OP_NA, 5)) {
	case 1 << 1: return OP_LOAD;
	case 1 << 2: return OP_STORE;
	case 1 << 1 | 1 << 2: return OP_LOAD_STORE;
	}
	return BIT(v, OP_NA + 3) ? OP_PREFETCH : BIT(v, OP_NA + 4) ? OP_EXEC : OP_OTHER;
}

static unsigned snoop_class(uint64_t v)
{
	switch (BITS(v, SNOOP_NA, 5)) {
	case 1 << 2: return SNOOP_HIT;
	case 1 << 3: return SNOOP_MISS;
	case 1 << 4: return SNOOP_HITM;
	}
	return SNOOP_OTHER;
}

static unsigned dtlb_class(uint64_t v)
{
	switch (BITS(v, TLB_NA, 7)) {
	case 1 << 1 | 1 << 3: return DTLB_L1_HIT;
	case 1 << 1 | 1 << 4: return DTLB_L2_HIT;
	case 1 << 1 | 1 << 3 | 1 << 4: return DTLB_ANY_HIT;
	}
	return BIT(v, TLB_MISS) ? DTLB_MISS : DTLB_OTHER;
}

static const uint8_t first_class[NR_DATA_SRC_KINDS] = { OP_LOAD, CACHE_L1, MEMORY_RAM, SNOOP_HIT, DTLB_L1_HIT };

unsigned data_src_classes(uint64_t v)
{
	/* The classes by the number of the level. 0: CACHE_OTHER or MEMORY_OTHER. */
	static const uint8_t caches[16] = { [1] = CACHE_L1, CACHE_L2, CACHE_L3, CACHE_L4, CACHE_L2_BUFFER, [12] = CACHE_L1_BUFFER };
	static const uint8_t memories[16] = {
		[6] = MEMORY_SIDE_CACHE, [8] = MEMORY_UNCACHED, MEMORY_CXL, MEMORY_IO, [13] = MEMORY_RAM, MEMORY_PMEM,
	};
	unsigned level = BITS(v, LVL_NUM, 4), classes = 0;
	const unsigned of[NR_DATA_SRC_KINDS] = {
		op_class(v), caches[level] ? caches[level] : CACHE_OTHER, memories[level] ? memories[level] : MEMORY_OTHER,
		snoop_class(v), dtlb_class(v),
	};

	for (unsigned i = 0; i < NR_DATA_SRC_KINDS; i++)
		classes |= (of[i] - first_class[i]) << (3 * i);
	return classes;
}

enum data_src_class data_src_class(unsigned classes, unsigned kind)
{
	return (enum data_src_class)(first_class[kind] + (classes >> (3 * kind) & 7));
}

/* ---- words ---- */

void data_src_put_level(uint64_t v, struct buf *out)
{
	unsigned number = BITS(v, LVL_NUM, 4), hops = BITS(v, HOPS, 3);

	if (!has_level_number(v)) {
		if (print_any(v, level_names, ARRAY_SIZE(level_names), "N/A", out))
			print_hit(v, out);
		return;
	}
	buf_puts(out, BIT(v, REMOTE) ? "Remote " : "");
	if (hop_names[hops]) {
		buf_puts(out, hop_names[hops]);
		buf_putc(out, ' ');
	}
	buf_puts(out, level_number_names[number]);
	print_hit(v, out);
}

void data_src_put_snoop(uint64_t v, struct buf *out)
{
	print_any(v, snoop_names, ARRAY_SIZE(snoop_names), "N/A", out);
}

void data_src_put_tlb(uint64_t v, struct buf *out)
{
	print_any(v, tlb_names, ARRAY_SIZE(tlb_names), "N/A", out);
	buf_puts(out, BIT(v, TLB_HIT) ? " hit" : "");
	buf_puts(out, BIT(v, TLB_MISS) ? " miss" : "");
}

void data_src_put_lock(uint64_t v, struct buf *out)
{
	buf_puts(out, BIT(v, LOCK_NA) ? "N/A" : BIT(v, LOCK_LOCKED) ? "Yes" : "No");
}

void data_src_put_blocked(uint64_t v, struct buf *out)
{
	if (BIT(v, BLK_NA) || !BITS(v, BLK_NA, 3)) {
		buf_puts(out, " N/A");
		return;
	}
	buf_puts(out, BIT(v, BLK_NA + 1) ? " Data" : "");
	buf_puts(out, BIT(v, BLK_NA + 2) ? " Addr" : "");
}

void page_size_put(uint64_t size, struct buf *out)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;

	if (!size) {
		buf_puts(out, "N/A");
		return;
	}
	while (size >= 1024 && unit < sizeof(units) - 2) {
		size /= 1024;
		unit++;
	}
	buf_dec(out, size, 0);
	buf_putc(out, units[unit]);
}

void data_src_print(uint64_t v, struct buf *out)
{
	buf_puts(out, "|OP ");
	print_op(v, out);
	buf_puts(out, "|LVL ");
	data_src_put_level(v, out);
	buf_puts(out, "|SNP ");
	data_src_put_snoop(v, out);
	buf_puts(out, "|TLB ");
	data_src_put_tlb(v, out);
	buf_puts(out, "|LCK ");
	data_src_put_lock(v, out);
	buf_puts(out, "|BLK ");
	data_src_put_blocked(v, out);
}
