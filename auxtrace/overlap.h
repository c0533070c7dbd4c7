/*
 * Finds the overlap of two AUX samples: each saves the newest trace, so that it repeats a part of the sample before.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_OVERLAP_H
#define AUXTRACE_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes at the beginning of @next are the last ones of @before; as many as there can be. Trace repeats itself, so
 * they may only look the same; but where a decoder can begin there are times in it, which do not.
 */
size_t aux_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next);

#endif
