/*
 * Finds the overlap of two AUX samples: each saves the newest trace, so that it repeats a part of the sample before.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_OVERLAP_H
#define AUXTRACE_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * The largest number of bytes at the start of @next that are also the end of @before. Trace may repeat itself, so that they are
 * equal by chance; but trace that holds a point where a decoder can begin also holds a time, which does not repeat.
 */
size_t aux_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next);

#endif
