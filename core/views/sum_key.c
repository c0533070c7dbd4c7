/* What entries sum up. Layer: views */
#include "core/views/sum_key.h"

#include "core/views/key.h"

static uint64_t sum_period(const struct sums *s) { return s->period; }
static uint64_t sum_children(const struct sums *s) { return s->children; }
static uint64_t sum_nr(const struct sums *s) { return s->nr; }
static uint64_t sum_sys(const struct sums *s) { return s->period_sys; }
static uint64_t sum_us(const struct sums *s) { return s->period_us; }

static const struct key keys[] = {
	{ "overhead", NULL, "Overhead", 0, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_period },
	{ "overhead_sys", NULL, "sys", RAW_MODE, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_sys },
	{ "overhead_us", NULL, "usr", RAW_MODE, KEY_RIGHT | KEY_PERCENT, 8, .sum = sum_us },
	{ "overhead_children", NULL, "Children", RAW_CHAIN, KEY_RIGHT | KEY_PERCENT | KEY_CHILDREN, 8,
	  .sum = sum_children },
	{ "sample", NULL, "Samples", 0, KEY_RIGHT, 12, .sum = sum_nr },
	{ "period", NULL, "Period", 0, KEY_RIGHT, 12, .sum = sum_period },
};

const struct key_table sum_keys = { keys, ARRAY_SIZE(keys) };
