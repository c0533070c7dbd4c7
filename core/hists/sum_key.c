/*
 * Implements the columns that are sums over the samples of a row, such as overhead and period. key.h describes what a column has
 * to implement.
 */
#include "core/hists/key_table.h"

#include "core/hists/key.h"
#include "core/perfdata/data_src.h"

static uint64_t sum_period(const struct sums *s) { return s->period; }
static uint64_t sum_children(const struct sums *s) { return s->children; }
static uint64_t sum_nr(const struct sums *s) { return s->nr; }
static uint64_t sum_sys(const struct sums *s) { return s->period_sys; }
static uint64_t sum_us(const struct sums *s) { return s->period_us; }
static uint64_t sum_guest_sys(const struct sums *s) { return s->rare ? s->rare->period_guest_sys : 0; }
static uint64_t sum_guest_us(const struct sums *s) { return s->rare ? s->rare->period_guest_us : 0; }
static uint64_t sum_weight1(const struct sums *s) { return s->rare ? s->rare->cost.weights[0] : 0; }
static uint64_t sum_weight2(const struct sums *s) { return s->rare ? s->rare->cost.weights[1] : 0; }
static uint64_t sum_weight3(const struct sums *s) { return s->rare ? s->rare->cost.weights[2] : 0; }
static uint64_t sum_latency(const struct sums *s) { return s->rare ? s->rare->cost.latency : 0; }
static uint64_t sum_latency_children(const struct sums *s) { return s->rare ? s->rare->latency_children : 0; }

static uint64_t branch_sum(const struct sums *s, enum branch_sum n) { return s->rare ? s->rare->cost.branches[n] : 0; }
static uint64_t sum_ends(const struct sums *s) { return branch_sum(s, BRANCH_ENDS); }
static uint64_t sum_predicted(const struct sums *s) { return branch_sum(s, BRANCH_ENDS_PREDICTED); }
static uint64_t sum_abort(const struct sums *s) { return branch_sum(s, BRANCH_ENDS_ABORT); }
static uint64_t end_cycles(const struct sums *s) { return branch_sum(s, BRANCH_ENDS_CYCLES) / MAX(sum_ends(s), 1); }

#define LATENCY	(KEY_RIGHT | KEY_PERCENT | KEY_LATENCY)
#define AVERAGE	(KEY_RIGHT | KEY_AVERAGE)

/* A row of a kind of classes, whose widths are perf's. */
#define PART(name, alias, title, above, class_of) \
	{ name, alias, title, NEED_MEM_SOURCE | NEED_MEM_CLASSES, KEY_RIGHT | KEY_PERCENT, 7, .heading = above, \
	  .class = class_of }
/* With -s, this name is that of a sort key. */
#define FIELD_PART(name, alias, title, above, class_of) \
	{ name, alias, title, NEED_MEM_SOURCE | NEED_MEM_CLASSES, KEY_RIGHT | KEY_PERCENT | KEY_FIELD, 7, .heading = above, \
	  .class = class_of }

static const struct key keys[] = {
	{ "overhead", NULL, "Overhead", 0, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_period },
	{ "overhead_sys", NULL, "sys", NEED_MODE, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_sys },
	{ "overhead_us", NULL, "usr", NEED_MODE, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_us },
	{ "overhead_guest_sys", NULL, "guest sys", NEED_MODE, KEY_RIGHT | KEY_PERCENT, 9, .sum = sum_guest_sys },
	{ "overhead_guest_us", NULL, "guest usr", NEED_MODE, KEY_RIGHT | KEY_PERCENT, 9, .sum = sum_guest_us },
	{ "overhead_children", NULL, "Children", NEED_CHAIN, KEY_RIGHT | KEY_PERCENT | KEY_CHILDREN, 8,
	  .sum = sum_children },
	{ "latency", NULL, "Latency", NEED_RUNNING, LATENCY, 8, .sum = sum_latency },
	{ "latency_children", NULL, "Latency", NEED_RUNNING | NEED_CHAIN, LATENCY | KEY_CHILDREN, 7, .sum = sum_latency_children },
	{ "sample", NULL, "Samples", 0, KEY_RIGHT, 12, .sum = sum_nr },
	{ "period", NULL, "Period", 0, KEY_RIGHT, 12, .sum = sum_period },
	{ "weight1", NULL, "Weight1", NEED_WEIGHTS, AVERAGE, 8, .sum = sum_weight1 },
	{ "weight2", NULL, "Weight2", NEED_WEIGHTS, AVERAGE, 8, .sum = sum_weight2 },
	{ "weight3", NULL, "Weight3", NEED_WEIGHTS, AVERAGE, 8, .sum = sum_weight3 },
	{ "ins_lat", NULL, "Weight2", NEED_WEIGHTS, AVERAGE | KEY_FIELD, 8, .sum = sum_weight2 },
	{ "retire_lat", NULL, "Weight3", NEED_WEIGHTS, AVERAGE | KEY_FIELD, 8, .sum = sum_weight3 },
	{ "p_stage_cyc", NULL, "Weight3", NEED_WEIGHTS, AVERAGE | KEY_FIELD, 8, .sum = sum_weight3 },
	{ "callchain_branch_predicted", NULL, "Predicted", NEED_BRANCH_SUMS, KEY_NO_ORDER, 9, .sum = sum_predicted,
	  .of = sum_ends },
	{ "callchain_branch_abort", NULL, "Abort", NEED_BRANCH_SUMS, KEY_NO_ORDER, 5, .sum = sum_abort },
	{ "callchain_branch_cycles", NULL, "Cycles", NEED_BRANCH_SUMS, KEY_NO_ORDER, 6, .sum = end_cycles },
	PART("op_load", "op", "Load", "Mem Op", OP_LOAD),
	PART("op_store", "op", "Store", "Mem Op", OP_STORE),
	PART("op_load_store", "op", "Ld+St", "Mem Op", OP_LOAD_STORE),
	PART("op_prefetch", "op", "Pfetch", "Mem Op", OP_PREFETCH),
	PART("op_exec", "op", "Exec", "Mem Op", OP_EXEC),
	PART("op_other", "op", "Other", "Mem Op", OP_OTHER),
	PART("cache_l1", "cache", "L1", "Cache", CACHE_L1),
	PART("cache_l2", "cache", "L2", "Cache", CACHE_L2),
	PART("cache_l3", "cache", "L3", "Cache", CACHE_L3),
	PART("cache_l4", "cache", "L4", "Cache", CACHE_L4),
	PART("cache_l1_buffer", "cache", "L1-buf", "Cache", CACHE_L1_BUFFER),
	PART("cache_l2_buffer", "cache", "L2-buf", "Cache", CACHE_L2_BUFFER),
	PART("cache_other", "cache", "Other", "Cache", CACHE_OTHER),
	PART("memory_ram", "memory", "RAM", "Memory", MEMORY_RAM),
	PART("memory_side_cache", "memory", "MSC", "Memory", MEMORY_SIDE_CACHE),
	PART("memory_uncached", "memory", "Uncach", "Memory", MEMORY_UNCACHED),
	PART("memory_cxl", "memory", "CXL", "Memory", MEMORY_CXL),
	PART("memory_io", "memory", "IO", "Memory", MEMORY_IO),
	PART("memory_pmem", "memory", "PMEM", "Memory", MEMORY_PMEM),
	PART("memory_other", "memory", "Other", "Memory", MEMORY_OTHER),
	FIELD_PART("snoop_hit", "snoop", "Hit", "Snoop", SNOOP_HIT),
	FIELD_PART("snoop_hitm", "snoop", "HitM", "Snoop", SNOOP_HITM),
	FIELD_PART("snoop_miss", "snoop", "Miss", "Snoop", SNOOP_MISS),
	FIELD_PART("snoop_other", "snoop", "Other", "Snoop", SNOOP_OTHER),
	PART("dtlb_l1_hit", "dtlb", "L1-Hit", "D-TLB", DTLB_L1_HIT),
	PART("dtlb_l2_hit", "dtlb", "L2-Hit", "D-TLB", DTLB_L2_HIT),
	PART("dtlb_any_hit", "dtlb", "L?-Hit", "D-TLB", DTLB_ANY_HIT),
	PART("dtlb_miss", "dtlb", "Miss", "D-TLB", DTLB_MISS),
	PART("dtlb_other", "dtlb", "Other", "D-TLB", DTLB_OTHER),
};

const struct key_table sum_keys = { keys, ARRAY_SIZE(keys), "sums: columns, and the order of rows" };
