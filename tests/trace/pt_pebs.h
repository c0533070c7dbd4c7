/* Writes PEBS records with known random content into Intel PT. */
#ifndef TESTS_TRACE_PT_PEBS_H
#define TESTS_TRACE_PT_PEBS_H

#include <stdint.h>

struct buf;
struct pt_encoder;

/*
 * A record in front of the instruction at @ip. Appends a line of words to @truth, by tabs: its TSC (0: none), the counters,
 * the address, the data's address (these in hexadecimal), the cycles of the access, those of the instruction, the registers,
 * the last branches; these two as script prints them, '-' if there are none.
 */
void pt_pebs_write(struct pt_encoder *e, struct buf *truth, uint64_t ip);

/* The beginning of a record; no end is to follow. Appends the line "cut". */
void pt_pebs_begin(struct pt_encoder *e, struct buf *truth);

#endif
