/*
 * Decodes the numbers and addresses in DWARF call frame information, which have the formats DW_EH_PE_*, such as sdata4 relative
 * to the PC. cfi.c and cfi_program.c call it.
 */
#include "core/unwind/cfi_section.h"

#include <dwarf.h>

bool cfi_number(const struct cfi_section *s, struct bytes *b, uint8_t format, uint64_t *out)
{
	switch (format) {
	case DW_EH_PE_absptr:
		*out = bytes_number(b, s->word);
		return true;
	case DW_EH_PE_uleb128:
		*out = bytes_uleb(b);
		return true;
	case DW_EH_PE_sleb128:
		*out = (uint64_t)bytes_sleb(b);
		return true;
	case DW_EH_PE_udata2:
	case DW_EH_PE_udata4:
	case DW_EH_PE_udata8:
		*out = bytes_number(b, 1u << (format - 1));
		return true;
	case DW_EH_PE_sdata2:
	case DW_EH_PE_sdata4:
	case DW_EH_PE_sdata8:
		*out = (uint64_t)bytes_signed(b, 1u << (format - 9));
		return true;
	default:
		return false;
	}
}

bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint64_t *out)
{
	uint64_t here = s->addr + (uint64_t)(b->pos - s->data);

	if (!cfi_number(s, b, encoding & 0x0f, out) || b->bad)
		return false;
	switch (encoding & 0xf0) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		*out += here;
		break;
	case DW_EH_PE_datarel:
		*out += s->data_base;
		if (!s->data_base)
			return false;
		break;
	default:		/* in memory, or an unused encoding */
		return false;
	}
	if (s->word == 4)
		*out = (uint32_t)*out;
	return true;
}
