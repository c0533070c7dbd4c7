/*
 * Finds functions that have no symbols, from the unwind tables of a stripped file, and gives them names such as "prog@0x2eb0".
 * core/model/load.c calls it after it has read all symbols.
 * Sources: Linux Standard Base, "Exception Frames" (.eh_frame); for 32-bit Arm, EHABI32, section 6 (.ARM.exidx).
 */
#include <dwarf.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/binary/elf.h"
#include "core/binary/elf_internal.h"

#define HEADER_SIZE	4u		/* the first bytes of .eh_frame_hdr: the version, and three encodings (DW_EH_PE_*) */
#define TABLE_FORM	(DW_EH_PE_datarel | DW_EH_PE_sdata4)	/* the only encoding of the table that linkers write */
#define STARTS_MAX	(16u << 20)

struct start { uint64_t from, to; };	/* addresses of a function; .to 0: not known */

struct starts {
	const uint8_t *bytes;		/* the whole file */
	size_t size;
	struct elf_segments segments;
	unsigned word;			/* bytes of an address */
	uint64_t cie;			/* offset in the file of the CIE that was read last */
	uint8_t form;			/* the encoding of addresses (DW_EH_PE_*) in the FDEs of .cie */
	VEC(struct start) list;
};

/* ---- bytes ---- */

/* Returns the file's bytes at @addr, of which *left are in the segment; NULL: there are none. Tables may have any address. */
static const uint8_t *bytes_at(const struct starts *s, uint64_t addr, uint64_t *left)
{
	vec_for(segment, &s->segments.list) {
		uint64_t in = addr - segment->vaddr;

		if (in < segment->size && segment->offset < s->size && in < s->size - segment->offset) {
			*left = MIN(segment->size, s->size - segment->offset) - in;
			return s->bytes + segment->offset + in;
		}
	}
	return NULL;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static int64_t s32_at(const uint8_t *p)
{
	return (int32_t)u32_at(p);
}

/* Skips a LEB128 number. */
static const uint8_t *over_leb(const uint8_t *p, const uint8_t *end)
{
	while (p < end && *p & 0x80)
		p++;
	return p < end ? p + 1 : end;
}

/* Returns the size in bytes of an address with encoding @form; 0: unknown. */
static unsigned form_size(const struct starts *s, uint8_t form)
{
	static const uint8_t sizes[] = {
		[DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4, [DW_EH_PE_udata8] = 8,
		[DW_EH_PE_sdata2] = 2, [DW_EH_PE_sdata4] = 4, [DW_EH_PE_sdata8] = 8,
	};

	form &= 0xf;
	return form == DW_EH_PE_absptr ? s->word : form < ARRAY_SIZE(sizes) ? sizes[form] : 0;
}

/* ---- .eh_frame ---- */

/* Returns the encoding of addresses in the FDEs of a CIE, from 'R' in its augmentation. @p: after its version; @end: its end. */
static uint8_t form_in(const struct starts *s, const uint8_t *p, const uint8_t *end, unsigned version)
{
	const char *words = (const char *)p;

	while (p < end && *p)
		p++;
	if (p >= end || *words != 'z')
		return DW_EH_PE_absptr;
	p = over_leb(over_leb(p + 1, end), end);		/* the factors of code and data */
	p = version == 1 ? p + 1 : over_leb(p, end);		/* the return address */
	p = over_leb(p, end);					/* how long the augmentation's data is */
	for (words++; *words && p < end; words++) {
		if (*words == 'R')
			return *p;
		if (*words == 'P')
			p += 1 + form_size(s, *p);
		else if (*words == 'L')
			p++;
	}
	return DW_EH_PE_absptr;
}

static uint8_t form_of(struct starts *s, uint64_t cie)
{
	uint32_t length;

	if (cie == s->cie)
		return s->form;
	s->cie = cie;
	s->form = DW_EH_PE_omit;
	if (cie >= s->size || s->size - cie < 9)
		return s->form;
	length = u32_at(s->bytes + cie);
	if (length >= 5 && length <= s->size - cie - 4)
		s->form = form_in(s, s->bytes + cie + 9, s->bytes + cie + 4 + length, s->bytes[cie + 8]);
	return s->form;
}

/* Returns the size of the function whose FDE is at address @fde; 0: unknown. */
static uint64_t length_of(struct starts *s, uint64_t fde)
{
	uint64_t left = 0, value = 0;
	const uint8_t *p = bytes_at(s, fde, &left);
	uint32_t length, back;
	unsigned size;

	if (!p || left < 8)
		return 0;
	length = u32_at(p);
	back = u32_at(p + 4);
	if (length > left - 4 || !back || back > (uint64_t)(p + 4 - s->bytes))
		return 0;
	size = form_size(s, form_of(s, (uint64_t)(p + 4 - s->bytes) - back));
	if (!size || length < 4 + 2 * size)
		return 0;
	memcpy(&value, p + 8 + size, size);
	return le64toh(value);
}

bool elf_find_segment(const struct elf_file *e, uint32_t type, GElf_Phdr *p)
{
	size_t nr;

	if (elf_getphdrnum(e->elf, &nr))
		return false;
	for (size_t i = 0; i < nr && i < UINT16_MAX; i++)
		if (gelf_getphdr(e->elf, (int)i, p) && p->p_type == type)
			return true;
	return false;
}

/* .eh_frame_hdr has a sorted list of the functions' start addresses, and .eh_frame has their sizes. */
static void read_eh_frame_hdr(struct starts *s, const struct elf_file *e)
{
	GElf_Phdr header;
	uint64_t left = 0, nr;
	const uint8_t *p;
	unsigned pointer;

	if (!elf_find_segment(e, PT_GNU_EH_FRAME, &header))
		return;
	p = bytes_at(s, header.p_vaddr, &left);
	pointer = p && left > HEADER_SIZE ? form_size(s, p[1]) : 0;
	if (!pointer || p[0] != 1 || p[2] != DW_EH_PE_udata4 || p[3] != TABLE_FORM || left < HEADER_SIZE + pointer + 4)
		return;
	nr = u32_at(p + HEADER_SIZE + pointer);
	left -= HEADER_SIZE + pointer + 4;
	p += HEADER_SIZE + pointer + 4;
	for (uint64_t i = 0; i < MIN(nr, left / 8) && i < STARTS_MAX; i++, p += 8) {
		uint64_t from = header.p_vaddr + (uint64_t)s32_at(p), size = length_of(s, header.p_vaddr + (uint64_t)s32_at(p + 4));

		vec_push(&s->list, ((struct start){ from, size && from + size > from ? from + size : 0 }));
	}
}

/* Reads a number of @size bytes, which is signed if encoding @form says so. */
static uint64_t value_at(const uint8_t *p, unsigned size, uint8_t form)
{
	unsigned unused = 64 - 8 * size;
	uint64_t v = 0;

	memcpy(&v, p, size);
	v = le64toh(v) << unused;
	return form & DW_EH_PE_signed ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

/* Adds the function of the entry at @p, if it is an FDE. The entry is at @addr, and has @length bytes after its first word. */
static void add_entry(struct starts *s, const uint8_t *p, uint64_t addr, uint32_t length)
{
	uint32_t back = u32_at(p + 4);
	uint64_t at = (uint64_t)(p + 4 - s->bytes), from, size;
	uint8_t form;
	unsigned n;

	if (!back || back > at)
		return;		/* it is a CIE */
	form = form_of(s, at - back);
	n = form_size(s, form);
	if (!n || length < 4 + 2 * n || (form & 0x70 && (form & 0x70) != DW_EH_PE_pcrel))
		return;
	from = value_at(p + 8, n, form) + (form & 0x70 ? addr + 8 : 0);
	size = value_at(p + 8 + n, n, form & 0xf & ~DW_EH_PE_signed);
	if (size && from + size > from)
		vec_push(&s->list, ((struct start){ from, from + size }));
}

/* Reads all entries of .eh_frame, because static programs may have no .eh_frame_hdr. */
static void read_eh_frame(struct starts *s, const struct elf_file *e)
{
	GElf_Shdr header;
	uint64_t left = 0, addr;
	const uint8_t *p;

	if (!elf_section(e, ".eh_frame", &header) || header.sh_type == SHT_NOBITS)
		return;
	addr = header.sh_addr;
	p = bytes_at(s, addr, &left);
	left = MIN(left, header.sh_size);
	while (p && left >= 8 && s->list.nr < STARTS_MAX) {
		uint32_t length = u32_at(p);

		if (!length || length > left - 4)
			return;
		add_entry(s, p, addr, length);
		p += 4 + length;
		addr += 4 + length;
		left -= 4 + length;
	}
}

/* ---- .ARM.exidx ---- */

/* 32-bit Arm has .ARM.exidx in place of .eh_frame. It has no sizes. */
static void read_exidx(struct starts *s, const struct elf_file *e)
{
	GElf_Phdr header;
	uint64_t left = 0;
	const uint8_t *p;

	if (e->ehdr.e_machine != EM_ARM || !elf_find_segment(e, PT_ARM_EXIDX, &header))
		return;
	p = bytes_at(s, header.p_vaddr, &left);
	for (uint64_t at = 0; p && at + 8 <= MIN(left, header.p_memsz) && s->list.nr < STARTS_MAX; at += 8) {
		int64_t offset = (int32_t)(u32_at(p + at) << 1) >> 1;

		vec_push(&s->list, ((struct start){ (uint32_t)(header.p_vaddr + at + (uint64_t)offset), 0 }));
	}
}

/* ---- symbols ---- */

ORDER(by_address, struct start, compare_numbers(a->from, b->from))

/* True if the starts are sorted by address, as linkers write .eh_frame_hdr. */
static bool is_sorted(const struct starts *s)
{
	for (size_t i = 1; i < s->list.nr; i++)
		if (s->list.v[i].from < s->list.v[i - 1].from)
			return false;
	return true;
}

/* Adds a symbol for each start that is in code without symbols. All names are in one text. */
static void add_unknown(struct starts *s, const char *name, struct symbols *known)
{
	struct buf text = {0};
	VEC(size_t) at = {0};
	size_t nr = 0;
	char *names;

	vec_for(start, &s->list) {
		const struct symbol *cover = symbols_find(known, start->from);

		if ((cover && (!cover->guessed || cover->start == start->from)) || !elf_segments_can_run(&s->segments, start->from))
			continue;
		vec_push(&at, text.len);
		buf_puts(&text, name);
		buf_puts(&text, "@0x");
		buf_hex(&text, start->from, 0);
		buf_putc(&text, '\0');
		s->list.v[nr++] = *start;
	}
	names = text.len ? symbols_keep(known, text.data, text.len) : NULL;
	for (size_t i = 0; i < nr; i++) {
		const struct start *start = &s->list.v[i];

		symbols_add(known, &(struct symbol){
			.start = start->from, .end = start->to ? start->to : start->from, .name = names + at.v[i],
			.binding = SYMBOL_LOCAL, .function = true, .made = true,
		});
	}
	vec_free(&at);
	buf_release(&text);
}

void elf_file_starts(const struct elf_file *e, const char *name, struct symbols *known)
{
	struct starts s = { .word = elf_file_class(e) / 8, .cie = UINT64_MAX };

	s.bytes = (const uint8_t *)elf_rawfile(e->elf, &s.size);
	if (!s.bytes || e->ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return;
	elf_file_segments(e, &s.segments);
	read_eh_frame_hdr(&s, e);
	if (!s.list.nr)
		read_eh_frame(&s, e);
	if (!s.list.nr)
		read_exidx(&s, e);
	if (s.list.nr) {
		if (!is_sorted(&s))
			vec_sort(&s.list, by_address);
		add_unknown(&s, name, known);
		symbols_finish(known);
	}
	vec_free(&s.list);
	vec_free(&s.segments.list);
}
