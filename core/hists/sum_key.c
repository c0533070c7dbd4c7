/* Sums of entries. Layer: hists */
#include "core/hists/sum_key.h"

#include "core/hists/key.h"

static uint64_t sum_period(const struct sums *s) { return s->period; }
static uint64_t sum_children(const struct sums *s) { return s->children; }
static uint64_t sum_nr(const struct sums *s) { return s->nr; }
static uint64_t sum_sys(const struct sums *s) { return s->period_sys; }
static uint64_t sum_us(const struct sums *s) { return s->period_us; }
static uint64_t sum_guest_sys(const struct sums *s) { return s->rare ? s->rare->period_guest_sys : 0; }
static uint64_t sum_guest_us(const struct sums *s) { return s->rare ? s->rare->period_guest_us : 0; }
static uint64_t sum_weight1(const struct sums *s) { return s->rare ? s->rare->weights[0] : 0; }
static uint64_t sum_weight2(const struct sums *s) { return s->rare ? s->rare->weights[1] : 0; }
static uint64_t sum_weight3(const struct sums *s) { return s->rare ? s->rare->weights[2] : 0; }
static uint64_t sum_latency(const struct sums *s) { return s->rare ? s->rare->latency : 0; }
static uint64_t sum_latency_children(const struct sums *s) { return s->rare ? s->rare->latency_children : 0; }

#define LATENCY	(KEY_RIGHT | KEY_PERCENT | KEY_LATENCY)
#define AVERAGE	(KEY_RIGHT | KEY_AVERAGE)

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
};

const struct key_table sum_keys = { keys, ARRAY_SIZE(keys), "sums: columns, and the order of rows" };
