/* Packets that tell something beside the flow: PTWRITE, power, transactions, event trace, frequency. */
#ifndef TESTS_TRACE_PT_NOTICES_H
#define TESTS_TRACE_PT_NOTICES_H

#include <stdint.h>

struct buf;
struct pt_encoder;

/* Some of them, chosen at random, in front of the instruction at @ip. */
void pt_notices_write(struct pt_encoder *e, uint64_t ip);

/*
 * An interrupt in front of the instruction at @ip, with an event packet of its number and now and then more, to untraced
 * code, and back. Appends a line to @truth, in script's words.
 */
void pt_notices_interrupt(struct pt_encoder *e, struct buf *truth, uint64_t ip);

#endif
