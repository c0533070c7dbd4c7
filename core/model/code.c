/*
 * Copies the machine code at an address from the recording's archive, the mapped file, a vmlinux or a kcore. The first lookup in
 * a file or in the kernel chooses one of these, and later lookups use the same one.
 */
#include "core/model/code.h"

#include <string.h>

#include "core/base/log.h"
#include "core/model/machine_archive.h"
#include "core/binary/code_image.h"
#include "core/binary/elf_module.h"
#include "core/model/load.h"
#include "core/model/recorded_file.h"

/* ---- where it is ---- */

static void load_archived(struct dso_code *c, const struct archive_file *file)
{
	void *copy = xmalloc(MAX(file->size, 1));

	memcpy(copy, file->bytes, file->size);
	code_image_init(&c->own, copy, file->size);
}

/* Programs may also map code from files that are not ELF. */
static void find_user(const struct machine *m, const struct dso *dso, struct dso_code *c)
{
	const struct archive_file *archived = dso->kind == DSO_JIT ? archive_find_file(m->archive, dso->path) : NULL;
	char *path = NULL;

	c->by_offset = true;
	if (archived)
		load_archived(c, archived);
	else if (dso->file && dso->file_has_code)
		code_image_open(&c->own, dso->file);
	else if (!dso->file && dso->kind == DSO_USER && dso->state == DSO_NOT_FOUND && !dso->build_id.size && dso->path[0] == '/')
		path = below_symfs(m, dso->path);
	if (path && is_recorded_bytes(m, dso, path))
		code_image_open(&c->own, path);
	free(path);
}

static bool use_kcore(struct machine *m, const struct map *map, struct dso_code *c)
{
	const struct kcore *k = machine_kcore(m);

	if (!k || !kcore_has(k, map))
		return false;
	c->image = &k->image;
	return true;
}

/* Takes over @e and @path; @e may be NULL. Returns whether there is code in it. */
static bool use_vmlinux(const struct dso *dso, struct dso_code *c, struct elf_file *e, const char *path)
{
	struct elf_segments code = {0};

	if (e)
		elf_file_code(e, &code);
	if (code.list.nr && !code_image_open(&c->own, path)) {
		vec_for(s, &code.list)
			code_image_add(&c->own, s->vaddr, s->size, s->offset);
		code_image_finish(&c->own);
		c->shift = vmlinux_relocation(e, dso);
		debug(1, "code of the kernel from '%s'", path);
	}
	vec_free(&code.list);
	drop_candidate(e, &path);
	return c->own.spans.nr;
}

static void find_kernel(struct machine *m, struct dso *dso, const struct map *map, struct dso_code *c)
{
	const char *used = NULL;
	struct elf_file *e = NULL;

	if (m->opts.vmlinux)
		e = open_candidate(dso, below_symfs(m, m->opts.vmlinux), &used);
	if (use_vmlinux(dso, c, e, used) || use_kcore(m, map, c))
		return;
	used = NULL;
	e = open_installed_vmlinux(m, dso, &used);
	use_vmlinux(dso, c, e, used);
}

/* Resolves a symbol that a module uses, by the recording's kallsyms. */
static bool find_symbol(void *ctx, const char *name, uint64_t *addr)
{
	struct machine *m = ctx;
	const struct kallsyms *k = use_kallsyms(m);

	if (!k || kallsyms_value(k, name, addr))
		return false;
	*addr += m->kallsyms.relocation;
	return true;
}

static void find_module(struct machine *m, struct dso *dso, const struct map *map, struct dso_code *c)
{
	const char *used = NULL;
	struct elf_file *e;

	if (use_kcore(m, map, c))
		return;
	e = open_image(m, dso, &used);
	if (e)
		elf_module_code(e, map->start, find_symbol, m, &c->own);
	drop_candidate(e, &used);
}

static uint64_t base_of(const struct map *map)
{
	return map->dso->kind == DSO_MODULE || map->dso->kind == DSO_BPF ? map->start : 0;
}

/* If the archive lacks a file's code, the file itself may be here. */
static void find_archived_file(const struct machine *m, struct dso *dso)
{
	struct elf_file *e = dso->archived && dso->kind == DSO_USER && !dso->file ? open_image(m, dso, &dso->file) : NULL;

	if (e)
		dso->file_has_code = elf_file_code(e, NULL);
	elf_file_close(e);
}

static void find_code(struct machine *m, const struct map *map, struct dso_code *c)
{
	c->image = &c->own;
	if (archived_code(map->dso, base_of(map), c))
		return;
	find_archived_file(m, map->dso);
	switch (map->dso->kind) {
	case DSO_USER:
	case DSO_JIT:
	case DSO_VDSO:
		find_user(m, map->dso, c);
		break;
	case DSO_KERNEL:
		find_kernel(m, map->dso, map, c);
		break;
	case DSO_MODULE:
		find_module(m, map->dso, map, c);
		break;
	case DSO_BPF:
		use_kcore(m, map, c);
		break;
	default:
		break;
	}
}

static struct dso_code *look_up(struct dso_code *c, uint64_t base)
{
	while (c && c->base != base)
		c = c->next;
	return c;
}

/* Adds an entry to dso->code under the dso's lock. Readers of this list take no lock. */
static const struct dso_code *load_code(const struct machine *m, const struct map *map)
{
	struct machine *mutable = (struct machine *)(uintptr_t)m;
	struct dso *dso = map->dso;
	struct dso_code *c;

	dso_load(mutable, dso);
	pthread_mutex_lock(&dso->lock);
	c = look_up(dso->code, base_of(map));
	if (!c) {
		c = xcalloc(1, sizeof(*c));
		c->base = base_of(map);
		c->next = dso->code;
		find_code(mutable, map, c);
		__atomic_store_n(&dso->code, c, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&dso->lock);
	return c;
}

#define NOTES_MIN 4096u

static void note_read(struct dso *dso, struct dso_code *c, uint64_t at, size_t size)
{
	pthread_mutex_lock(&dso->lock);
	vec_push(&c->notes, ((struct code_note){ at, size }));
	if (c->notes.nr > 2 * MAX(c->nr_joined, NOTES_MIN))
		code_notes_join(c);
	pthread_mutex_unlock(&dso->lock);
}

static size_t read_code_of(const struct dso_code *c, uint64_t offset, uint64_t ip, void *out, size_t n)
{
	if (c->archived)
		return code_image_at(c->image, c->by_offset ? offset : ip, out, n);
	if (c->by_offset)
		return code_image_read(c->image, offset, out, n);
	return code_image_at(c->image, ip - c->shift, out, n);
}

size_t code_noted(const struct dso_code *c, uint64_t at, void *out, size_t n)
{
	return read_code_of(c, at, at, out, n);
}

static size_t read_map(const struct machine *m, const struct map *map, uint64_t ip, void *out, size_t n)
{
	const struct dso_code *c = look_up(__atomic_load_n(&map->dso->code, __ATOMIC_ACQUIRE), base_of(map));
	uint64_t offset;
	size_t got;

	if (!c)
		c = load_code(m, map);
	offset = ip - map->start + map->pgoff;
	got = read_code_of(c, offset, ip, out, MIN(n, map->end - ip));
	if (m->noting && got)
		note_read(map->dso, (struct dso_code *)(uintptr_t)c, c->by_offset ? offset : ip, got);
	return got;
}

/* Code that the kernel generated may have no record. */
static size_t read_unmapped(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct kcore *k = machine_space_is_kernel(m, space) ? machine_kcore((struct machine *)(uintptr_t)m) : NULL;

	return k ? code_image_at(&k->image, ip, out, n) : 0;
}

/* Notes if code was found. No code after the end of a file does not mean that the file is missing. */
static void note_code(struct dso *dso, size_t got)
{
	bool *known = got ? &dso->code_read : &dso->code_missed;

	if (!__atomic_load_n(known, __ATOMIC_RELAXED))
		__atomic_store_n(known, true, __ATOMIC_RELAXED);
}

/* Reads code up to the end of the map at that time, as other maps may cover its rest. @map may be NULL. */
static size_t read_code(const struct machine *m, const struct map **map, uint32_t space, uint64_t ip, void *out, size_t n)
{
	struct ip_span span;
	size_t got;

	*map = machine_map_span(m, space, ip, &span);
	if (*map)
		n = MIN(n, span.to - ip);
	got = *map ? read_map(m, *map, ip, out, n) : read_unmapped(m, space, ip, out, n);
	if (m->pokes.list.nr && machine_space_is_kernel(m, space))
		got = pokes_apply(&m->pokes, m->spaces.from.v[space], ip, out, got, n);
	return got;
}

size_t code_at(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct map *map;
	size_t got = read_code(m, &map, space, ip, out, n);

	if (map)
		note_code(map->dso, got);
	return got;
}

size_t code_if_known(const struct machine *m, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct map *map;

	return read_code(m, &map, space, ip, out, n);
}

unsigned insn_mode_of(const struct addr_location *l)
{
	if (l->dso->elf_class != 32)
		return 64;
	return l->symbol && l->symbol->thumb ? 16 : 32;
}
