/*
 * Call frame information: .eh_frame and .debug_frame, compiled into a table of rules. DWARF 5, section 6.4; the Linux Standard
 * Base, "Exception Frames", for what .eh_frame has of its own.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_CFI_H
#define CORE_UNWIND_CFI_H

#include "core/unwind/rules.h"

struct cfi_section {
	const uint8_t *data;	/* borrowed while it is compiled */
	size_t size;
	uint64_t addr;		/* of its first byte, in the file's own terms */
	uint64_t data_base;	/* what DW_EH_PE_datarel counts from; 0: not known */
	uint8_t word;		/* bytes of an address: 4 or 8 */
	bool eh;		/* .eh_frame; else .debug_frame */
	bool until_zero;	/* its size is not known: the entry of length 0 ends it, or @size */
	bool arm64;		/* an operation has another meaning there */
};

/*
 * Add all that makes sense to the empty @out, and finish it. What does not is left out: the section is hostile. The work is
 * linear in the section's size.
 */
void cfi_compile(struct rule_table *out, const struct cfi_section *s);

/* An address as @encoding (DW_EH_PE_*) has it; false: it cannot be known. @b is in @s. */
bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint64_t *out);

#endif
