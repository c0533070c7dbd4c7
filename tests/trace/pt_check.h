/*
 * Compares a decoded trace with the truth: traces in memory, and the text of a recording of many of them for mkdata. Gaps
 * separate the decoded instructions into segments; each of these should be a part of the truth.
 */
#ifndef TESTS_TRACE_PT_CHECK_H
#define TESTS_TRACE_PT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/block.h"
#include "core/base/vec.h"

struct pt_decoded {			/* = {0}; pt_decoded_release() */
	VEC(uint64_t) ips;
	VEC(size_t) cuts;		/* ips.nr at each gap, */
	VEC(size_t) unsure;		/* and how many before it the gap says may be wrong */
	read_code_fn read;		/* of the program, */
	void *read_ctx;			/* called with this */
};

struct pt_check {			/* = {0} */
	size_t before, behind;		/* instructions that are right at the beginning, and at the end */
	size_t hole;			/* instructions that ran and were not decoded */
	size_t wrong_before;		/* that did not run, decoded before a reported gap that does not cover them, */
	size_t wrong_behind;		/* after one, */
	size_t wrong_silent;		/* and with none in between */
	bool silent;			/* differs from the truth, and no gap was reported */
};

struct pt_truth {			/* = {0}; vec_free(&t.ips) */
	VEC(uint64_t) ips;
};

/* How pt_decode() goes about it. All must give the same instructions and gaps. */
enum pt_way { PT_WHOLE, PT_PIECES, PT_SAMPLES, PT_LATE, PT_NR_WAYS };

/* A recording's settings for its traces. */
struct pt_made {
	uint64_t absent;		/* as in struct pt_flow_config */
	bool no_ret_comp;
};

/* Decode @data, a trace of the code that @read gives with @ctx. @made: NULL, nothing is known. */
void pt_decode(struct pt_decoded *out, const uint8_t *data, size_t size, const struct pt_made *made, enum pt_way way,
	       read_code_fn read, void *ctx);
void pt_decoded_release(struct pt_decoded *d);

/* Reads the truth in the file FILE.exp that ptgen wrote. Returns 0; or -1, with a message. */
int pt_truth_read(struct pt_truth *t, const char *path);

/* Compare with the @nr instructions of @truth. */
void pt_compare(struct pt_check *out, const struct pt_decoded *d, const uint64_t *truth, size_t nr);

/*
 * The text of a recording for mkdata, on stdout: its beginning, with the code at @base from @path; then a trace, which is that
 * of the thread @tid, from 1000 on, of process 100. @config: attr.config.
 */
void pt_text_begin(const char *path, uint64_t base, uint64_t size, uint64_t config);
void pt_text_trace(const uint8_t *data, size_t size, unsigned tid);

#endif
