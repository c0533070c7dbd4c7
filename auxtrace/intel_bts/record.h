/*
 * Records of the Branch Trace Store: a branch's source, target and prediction, each in eight bytes (Intel SDM vol. 3, "BTS
 * Buffer Setup", records in 64-bit mode).
 * Layer: auxtrace
 */
#ifndef AUXTRACE_INTEL_BTS_RECORD_H
#define AUXTRACE_INTEL_BTS_RECORD_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BTS_RECORD_BYTES 24u

struct bts_record {
	uint64_t from, to;	/* 0: tracing began, or ended, there; both: nothing was written */
	bool predicted;
};

/* The record in the BTS_RECORD_BYTES at @p. */
static inline struct bts_record bts_record_at(const uint8_t *p)
{
	uint64_t words[3];

	memcpy(words, p, sizeof(words));
	return (struct bts_record){ le64toh(words[0]), le64toh(words[1]), le64toh(words[2]) & 0x10 };
}

#endif
