/*
 * Evaluates the DWARF expressions by which call frame information gives the CFA or the location of a register (DWARF 5, section
 * 2.5). step.c calls it.
 */
#ifndef CORE_UNWIND_EXPRESSION_H
#define CORE_UNWIND_EXPRESSION_H

#include "core/unwind/frame.h"

/* Evaluates a DWARF expression into *value, in at most some hundred operations. *first begins the stack (NULL: empty). */
enum step expression_run(struct bytes program, const struct unwind_frame *f, const struct arch *arch, uint64_t bias,
			 const struct memory *m, const uint64_t *first, uint64_t *value);

#endif
