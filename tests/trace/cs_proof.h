/*
 * Could a trace unit have written a stream while the processor executed the decoded instructions? Independent of the decoder:
 * this goes through the instructions one by one, knows from the ETM specification the packets of each, and takes each packet
 * for the next of these. If it reaches the end of both, the bytes are the trace of such an execution, and no decoder can know
 * of another one.
 */
#ifndef TESTS_TRACE_CS_PROOF_H
#define TESTS_TRACE_CS_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/block.h"
#include "auxtrace/cs_etm/config.h"

struct cs_proof {
	const struct cs_config *config;
	read_code_fn read;		/* in space 0 */
	void *ctx;
	const uint8_t *data;		/* the stream, from an A-sync on */
	size_t size;
	const uint64_t *ips;		/* the instructions that are said to have run */
	size_t nr;
};

/* NULL: it could. Else why not; *at is the offset of the packet that no trace unit writes there. */
const char *cs_prove(const struct cs_proof *p, size_t *at);

#endif
