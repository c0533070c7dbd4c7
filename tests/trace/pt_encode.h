/*
 * Writing Intel PT packets, with the state that writing takes: the last address, TNT bits that wait for a full
 * packet, TIPs that wait after them, the return compression stack, the clock.
 */
#ifndef TESTS_TRACE_PT_ENCODE_H
#define TESTS_TRACE_PT_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/vec.h"

struct pt_encode_options {
	uint32_t psb_bytes;	/* a PSB each so many bytes */
	bool no_ret_comp, cyc, no_mtc, long_tnt, defer;
	uint32_t async;		/* an interrupt about each so many instructions; 0: none */
	uint32_t overflow;	/* an overflow about each so many instructions; 0: none */
	bool whole;		/* the address after an overflow is not compressed */
	uint32_t pebs;		/* a PEBS record about each so many instructions; 0: none */
	uint32_t notices;	/* pt_notices_write() about each so many instructions; 0: never */
	uint32_t cfe;		/* and pt_notices_interrupt() */
	uint32_t early;		/* before about each so many TIP.PGE what comes while tracing is off: PSB+, overflows; 0: never */
	bool bdm70, apl12;	/* a FUP may be among that, at the TIP.PGE's address, as processors with these errata write it; */
	bool astray;		/* or at another */
	uint32_t plus;		/* a PSB+ of any kind about each so many instructions, and where tracing changes; 0: none */
	uint64_t seed;
};

struct pt_encoder {
	struct pt_encode_options o;
	struct buf out;		/* owned */
	uint64_t last_ip;
	uint64_t bits;		/* the oldest highest of nr_bits */
	unsigned nr_bits;
	VEC(uint64_t) tips;	/* deferred */
	uint64_t calls[64];
	unsigned top, nr_calls;
	size_t last_psb;
	size_t places;		/* packets that tell where the program was: FUP, TIP.PGE */
	bool enabled, in_tx, interrupts;
	uint64_t tsc, cycles, last_cycles, last_ctc;
};

void pt_encode_start(struct pt_encoder *e, const struct pt_encode_options *o);
void pt_encode_release(struct pt_encoder *e);

/* One instruction passed: the clock goes on, MTC packets are due. */
void pt_encode_tick(struct pt_encoder *e);
bool pt_encode_psb_is_due(const struct pt_encoder *e);
/* A PSB+ where one is due; @ip: the next instruction. */
void pt_encode_sync(struct pt_encoder *e, uint64_t ip);

void pt_encode_cond(struct pt_encoder *e, bool taken);
void pt_encode_call(struct pt_encoder *e, uint64_t return_ip);
void pt_encode_ret(struct pt_encoder *e, uint64_t to);
void pt_encode_indirect(struct pt_encoder *e, uint64_t to);
/* One of any kind; @ip: the next instruction, 0 while tracing is off. As .plus has it. */
void pt_encode_any_psb(struct pt_encoder *e, uint64_t ip);
/* Into the kernel by a far branch; by an interrupt in front of @ip; and back at @ip. */
void pt_encode_leave(struct pt_encoder *e);
void pt_encode_interrupt(struct pt_encoder *e, uint64_t ip);
void pt_encode_enter(struct pt_encoder *e, uint64_t ip);
/* For packets that are not of the flow: the low @n bytes of @v; a FUP. pt_encode_flush() has to be called before. */
void pt_encode_bytes(struct pt_encoder *e, uint64_t v, unsigned n);
void pt_encode_fup(struct pt_encoder *e, uint64_t ip);
void pt_encode_cyc(struct pt_encoder *e);
/* MODE.Exec: 64 bit, with the interrupt flag as it is. */
void pt_encode_mode(struct pt_encoder *e);
/* Packets were lost; the next instruction is @ip. */
void pt_encode_overflow(struct pt_encoder *e, uint64_t ip);

struct insn;

/* Writes the packets of the instruction at @ip; @next: the following address. Returns false if tracing ended. */
bool pt_encode_insn(struct pt_encoder *e, const struct insn *insn, uint64_t ip, uint64_t next);
/* True about once in @each calls. 0: never. */
bool pt_encode_happens(struct pt_encoder *e, uint32_t each);

/* A number below @n. */
uint32_t pt_encode_random(struct pt_encoder *e, uint32_t n);

/* Read a list as "psb=2048,long-tnt,cyc": names of options, '-' for '_'. Prints what is wrong; 0 or -1. */
int pt_encode_parse(struct pt_encode_options *o, const char *set);

/* All that waits is written. */
void pt_encode_flush(struct pt_encoder *e);

#endif
