/*
 * Random walks through a made-up program, traced: what a trace unit writes of each branch, and of all that may happen between two
 * of them: now and then, at each second one, or only when the caller says so.
 */
#ifndef TESTS_TRACE_CS_WALK_H
#define TESTS_TRACE_CS_WALK_H

#include "tests/trace/cs_encode.h"
#include "tests/trace/cs_program.h"

struct cs_walk {			/* = {0}, but for .u, whose seed and configuration are set; cs_walk_release() */
	struct cs_unit u;
	const struct cs_program *p;
	VEC(uint64_t) ips;		/* what a decoder is to find */
	uint64_t nr_insns;		/* passed, traced or not */
	size_t at, block;		/* instruction to come; first of the block since the last element */
	VEC(size_t) calls;		/* where to return to */
	/* How to walk. */
	bool user;			/* all at EL0, in one context */
	bool calm;			/* no exceptions */
	bool late;			/* after a synchronisation the address may come only after some branches */
	bool dense;			/* at each second branch something happens */
	bool steady;			/* no overflows */
	bool quiet;			/* nothing happens but what cs_walk_happen() is called for */
	/* The state. */
	bool tracing;
	bool target_reported;		/* the decoder knows where .block is */
	bool lost;			/* by an overflow: earlier state is void */
};

/* csgen's options (described in csgen.c). */
enum cs_option { CS_RS = 1, CS_CC = 2, CS_CCOMMIT = 4, CS_CID = 8, CS_VMID = 16, CS_SPEC = 32, CS_ETE = 64, CS_RAW = 128,
	CS_SYNCS = 256, CS_TWO = 512, CS_ARM = 1024, CS_HIGH = 2048, CS_USER = 4096, CS_CALM = 8192, CS_LATE = 16384,
	CS_TEXIT = 32768, CS_DENSE = 65536, CS_STEADY = 131072 };

/* 0: there is none of that name. */
unsigned cs_option(const char *name);

/* The registers of a trace unit that has the options, and writes with trace ID @id. */
void cs_options_registers(struct cs_registers *out, unsigned options, unsigned id);

/* A walk through @p, of a unit with these; of context @cid. */
void cs_walk_init(struct cs_walk *w, const struct cs_program *p, unsigned options, unsigned id, uint64_t seed, uint32_t cid);

enum cs_happening {
	HAPPENS_NOTHING, HAPPENS_EXCEPTION, HAPPENS_TOGGLE, HAPPENS_SYNC, HAPPENS_LATE_SYNC, HAPPENS_ADDRESS, HAPPENS_OVERFLOW,
	HAPPENS_DISCARD, HAPPENS_NO_CHANGE,
};

/* Tracing begins, at .at. */
void cs_walk_begin(struct cs_walk *w);
/* Over one instruction. Returns whether it ended with an element, so that the next one is the first of a block. */
bool cs_walk_step(struct cs_walk *w);
/* Before the next instruction; only exceptions may be in the middle of a block. HAPPENS_TOGGLE: tracing ends, or begins again. */
void cs_walk_happen(struct cs_walk *w, enum cs_happening what);
void cs_walk_release(struct cs_walk *w);

#endif
