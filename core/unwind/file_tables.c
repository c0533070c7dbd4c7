/* The unwind tables of a file. Layer: unwind */
#include "core/unwind/file_tables.h"

#include <gelf.h>
#include <dwarf.h>

#include "core/format/elf.h"
#include "core/format/elf_internal.h"
#include "core/unwind/cfi.h"
#include "core/unwind/exidx.h"

enum { EH_FRAME, DEBUG_FRAME, EXIDX };

/* ---- bytes of a file by address ---- */

struct image {
	const struct elf_file *file;
	const uint8_t *bytes;		/* the whole file */
	size_t size;
	struct elf_segments segments;
};

static void image_init(struct image *i, const struct elf_file *e)
{
	*i = (struct image){ .file = e };
	i->bytes = (const uint8_t *)elf_rawfile(e->elf, &i->size);
	if (!i->bytes)
		i->size = 0;
	elf_file_segments(e, &i->segments);
}

/* What is in the file from @addr to the end of its segment. */
static struct bytes image_at(const struct image *image, uint64_t addr)
{
	struct bytes none = { image->bytes, image->bytes, false };

	vec_for(s, &image->segments.list) {
		uint64_t in = addr - s->vaddr;

		if (in < s->size && s->offset < image->size && in < image->size - s->offset)
			return (struct bytes){ image->bytes + s->offset + in,
					       image->bytes + s->offset + MIN(s->size, image->size - s->offset), false };
	}
	return none;
}

static bool image_read(void *ctx, uint64_t addr, unsigned n, uint64_t *value)
{
	struct bytes b = image_at(ctx, addr);

	*value = bytes_number(&b, n);
	return !b.bad;
}

static bool find_segment(const struct elf_file *e, uint32_t type, GElf_Phdr *p)
{
	size_t nr;

	if (elf_getphdrnum(e->elf, &nr))
		return false;
	for (size_t i = 0; i < nr && i < UINT16_MAX; i++)
		if (gelf_getphdr(e->elf, (int)i, p) && p->p_type == type)
			return true;
	return false;
}

/* ---- call frame information ---- */

static struct cfi_section cfi_of(const struct elf_file *e, bool eh)
{
	return (struct cfi_section){
		.word = elf_file_class(e) / 8, .eh = eh, .arm64 = e->ehdr.e_machine == EM_AARCH64,
	};
}

/* Sections may be compressed, .debug_frame commonly is. */
static bool compile_section(struct rule_table *out, const struct elf_file *e, const char *name, bool eh)
{
	struct cfi_section s = cfi_of(e, eh);
	Elf_Scn *section;
	GElf_Shdr header;
	Elf_Data *data;

	section = elf_section(e, name, &header);
	if (!section || header.sh_type == SHT_NOBITS)
		return false;
	if (header.sh_flags & SHF_COMPRESSED)
		elf_compress(section, 0, 0);
	else if (str_starts(name, ".z"))
		elf_compress_gnu(section, 0, 0);
	data = elf_contents(section);
	if (!data)
		return false;
	s.data = data->d_buf;
	s.size = data->d_size;
	s.addr = header.sh_addr;
	cfi_compile(out, &s);
	return true;
}

/* Without section headers, the header of .eh_frame says where it is: Linux Standard Base, ".eh_frame_hdr". */
static void compile_by_header(struct rule_table *out, const struct elf_file *e)
{
	struct cfi_section s = cfi_of(e, true), head = s;
	struct image image;
	struct bytes b, all;
	GElf_Phdr p;
	uint8_t encoding;

	if (!find_segment(e, PT_GNU_EH_FRAME, &p))
		return;
	image_init(&image, e);
	b = image_at(&image, p.p_vaddr);
	head.data = b.pos;
	head.addr = head.data_base = p.p_vaddr;
	if (bytes_u8(&b) == 1) {
		encoding = bytes_u8(&b);
		bytes_number(&b, 2);
		if (cfi_pointer(&head, &b, encoding, &s.addr)) {
			all = image_at(&image, s.addr);
			s.data = all.pos;
			s.size = bytes_left(&all);
			s.until_zero = true;
			cfi_compile(out, &s);
		}
	}
	vec_free(&image.segments.list);
}

/* ---- 32-bit Arm ---- */

static void compile_exidx(struct rule_table *out, const struct elf_file *e)
{
	struct exidx_image x = { .read = image_read };
	struct image image;
	GElf_Phdr p;

	if (e->ehdr.e_machine != EM_ARM || !find_segment(e, PT_ARM_EXIDX, &p))
		return;
	image_init(&image, e);
	x.ctx = &image;
	x.addr = p.p_vaddr;
	x.size = p.p_memsz;
	vec_for(s, &image.segments.list)
		x.end = MAX(x.end, MIN(s->vaddr + s->size, UINT32_MAX));
	exidx_compile(out, &x);
	vec_free(&image.segments.list);
}

/* ---- a file ---- */

static bool is_little_endian(const struct elf_file *e)
{
	return e->ehdr.e_ident[EI_DATA] == ELFDATA2LSB;
}

static void read_image(struct file_tables *t, const struct elf_file *e)
{
	if (!compile_section(&t->v[EH_FRAME], e, ".eh_frame", true))
		compile_by_header(&t->v[EH_FRAME], e);
	compile_exidx(&t->v[EXIDX], e);
}

static bool read_debug(struct file_tables *t, const struct elf_file *e)
{
	return compile_section(&t->v[DEBUG_FRAME], e, ".debug_frame", false) ||
	       compile_section(&t->v[DEBUG_FRAME], e, ".zdebug_frame", false);
}

void file_tables_read(struct file_tables *t, const char *image, const char *debug)
{
	struct elf_file *e = NULL;
	bool found = false;

	if (image && !elf_file_open(&e, image)) {
		t->has_file = true;
		if (is_little_endian(e)) {
			read_image(t, e);
			found = read_debug(t, e);
		}
		elf_file_close(e);
	}
	if (!found && debug && (!image || !str_eq(image, debug)) && !elf_file_open(&e, debug)) {
		if (is_little_endian(e))
			read_debug(t, e);
		elf_file_close(e);
	}
}

void file_tables_release(struct file_tables *t)
{
	for (unsigned i = 0; i < FILE_TABLES; i++)
		rule_table_release(&t->v[i]);
}

const struct rule *file_tables_find(const struct file_tables *t, uint64_t addr, const struct rule_table **whose)
{
	const struct rule *r;

	for (unsigned i = 0; i < FILE_TABLES; i++) {
		r = rule_table_find(&t->v[i], addr);
		if (r) {
			*whose = &t->v[i];
			return r;
		}
	}
	return NULL;
}
