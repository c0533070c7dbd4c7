/*
 * Finds the trace that two AUX samples (PERF_SAMPLE_AUX) have in common. Each sample holds the newest bytes of the trace, so it
 * may repeat the end of the sample before it. queue.c joins the samples into one stream without repetitions.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_OVERLAP_H
#define AUXTRACE_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the largest number of bytes at the start of @next that are also the end of @before. Short parts of a trace may be equal
 * by chance. But trace that has a point where decoding can begin also has a timestamp, which does not repeat.
 */
size_t aux_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next);

#endif
