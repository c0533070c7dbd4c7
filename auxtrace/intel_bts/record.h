/*
 * Reads a record of Intel BTS (Branch Trace Store): the source and the target of a branch, and whether it was predicted.
 * decode.c synthesizes a sample from each record.
 * Source: Intel SDM vol. 3, "BTS Buffer Setup", records in 64-bit mode.
 */
#ifndef AUXTRACE_INTEL_BTS_RECORD_H
#define AUXTRACE_INTEL_BTS_RECORD_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BTS_RECORD_BYTES 24u

struct bts_record {
	uint64_t from, to;	/* .from is 0: tracing began; .to is 0: tracing ended; both are 0: no record was written */
	bool predicted;
};

/* Reads the record in the BTS_RECORD_BYTES at @p: three words of eight bytes, in the order of struct bts_record. */
static inline struct bts_record bts_record_at(const uint8_t *p)
{
	uint64_t words[3];

	memcpy(words, p, sizeof(words));
	return (struct bts_record){ le64toh(words[0]), le64toh(words[1]), le64toh(words[2]) & 0x10 };
}

#endif
