/*
 * Returns the weight of a sample, which is the cost that the CPU measured, such as a load's latency. It is PERF_SAMPLE_WEIGHT,
 * or one of the three parts of PERF_SAMPLE_WEIGHT_STRUCT.
 */
#ifndef CORE_HISTS_WEIGHT_H
#define CORE_HISTS_WEIGHT_H

#include "core/read/item.h"

#define NR_WEIGHTS 3

/* Part 0, 1 or 2 as union perf_sample_weight of linux/perf_event.h (Linux 5.12) has them; part 0 of a plain weight is all of it. */
static inline uint64_t weight_of(const struct item *item, unsigned part)
{
	uint64_t weight = item->sample->weight;

	if (!(item->event->layout.type & PERF_SAMPLE_WEIGHT_STRUCT))
		return part ? 0 : weight;
	return part == 0 ? (uint32_t)weight : (uint16_t)(weight >> (part == 1 ? 32 : 48));
}

#endif
