/*
 * CoreSight traces for tests: from a perf.data (its AUX records, trace ID registers and mapped files) or from
 * a snapshot folder as OpenCSD's trc_pkt_lister takes it.
 */
#ifndef TESTS_TRACE_CS_INPUT_H
#define TESTS_TRACE_CS_INPUT_H

#include "auxtrace/cs_etm/config.h"
#include "core/base/vec.h"

struct cs_buffer {		/* one AUX record: a new start */
	const uint8_t *data;	/* borrowed from a file in memory */
	size_t size;
	uint64_t offset;	/* in the trace */
	bool raw;		/* without frames */
};

struct cs_code {		/* a mapped range of code */
	uint64_t ip, size;
	const uint8_t *data;
};

struct cs_input {
	VEC(struct cs_config) sources;	/* one a trace unit */
	VEC(struct cs_buffer) buffers;
	VEC(struct cs_code) code;
	VEC(void *) files;			/* owned */
};

/* Prints what is wrong; returns 0 or -1. cs_input_release() in both cases. */
int cs_input_open(struct cs_input *in, const char *path);
void cs_input_release(struct cs_input *in);

/* The read_code of a block cache; @ctx is the cs_input, which is only read. */
size_t cs_input_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n);

#endif
