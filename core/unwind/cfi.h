/*
 * Call frame information: .eh_frame and .debug_frame, compiled into a table of rules. DWARF 5, section 6.4; the Linux Standard
 * Base, "Exception Frames", for what .eh_frame has of its own.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_CFI_H
#define CORE_UNWIND_CFI_H

#include "core/unwind/cfi_section.h"
#include "core/unwind/rules.h"

/*
 * Add all that makes sense to the empty @out, and finish it. What does not is left out: the section is hostile. The work is
 * linear in the section's size.
 */
void cfi_compile(struct rule_table *out, const struct cfi_section *s);

/* The same of @nr sections, whose .from to .to are in ascending order. */
void cfi_compile_all(struct rule_table *out, const struct cfi_section *s, size_t nr);

#endif
