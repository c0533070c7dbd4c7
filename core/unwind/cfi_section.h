/* Describes a section of DWARF call frame information (.eh_frame, .debug_frame), and reads numbers and addresses in it. */
#ifndef CORE_UNWIND_CFI_SECTION_H
#define CORE_UNWIND_CFI_SECTION_H

#include "core/unwind/bytes.h"

struct cfi_section {
	const uint8_t *data;	/* borrowed until the section is compiled */
	size_t size;
	uint64_t addr;		/* link-time address of the first byte */
	uint64_t from, to;	/* leave out functions that are not in this range of addresses; .to 0: keep all */
	uint64_t data_base;	/* the base of DW_EH_PE_datarel; 0: unknown */
	uint8_t word;		/* bytes of an address: 4 or 8 */
	bool eh;		/* .eh_frame; else .debug_frame */
	bool until_zero;	/* an entry of length 0 ends the section, whose size is unknown; .size is only its maximum */
	bool arm64;		/* operation 0x2d is DW_CFA_AARCH64_negate_ra_state */
};

/* Reads the number at @b; @format: the low four bits of a DW_EH_PE_*. Returns false if there is no such format. */
bool cfi_number(const struct cfi_section *s, struct bytes *b, uint8_t format, uint64_t *out);
/* Reads the address at @b, which is in @s, with @encoding (DW_EH_PE_*). Returns false if it cannot be computed. */
bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint64_t *out);

#endif
