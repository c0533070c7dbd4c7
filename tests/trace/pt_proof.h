/*
 * Could a processor have written a trace while it executed the decoded instructions? Independent of the decoder: this goes
 * through the instructions one by one, knows from the Intel SDM the packets of each, and takes each packet for the next of
 * these. If it reaches the end of both, the bytes are the trace of such an execution, and no decoder can know of another one.
 */
#ifndef TESTS_TRACE_PT_PROOF_H
#define TESTS_TRACE_PT_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

struct pt_proof {
	struct image *image;
	const uint8_t *data;		/* the trace, from a PSB on */
	size_t size;
	const uint64_t *ips;		/* the instructions that are said to have run */
	size_t nr;
	uint64_t types;			/* enum pt_type that the recording does not rule out, as bits */
	bool no_ret_comp;
};

/* NULL: it could. Else why not; *at is the offset of the packet that no processor writes there. */
const char *pt_prove(const struct pt_proof *p, size_t *at);

#endif
