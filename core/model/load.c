/*
 * Loads the symbols of a dso at the first lookup in it: from ELF files for programs and libraries, from /tmp/perf-PID.map for
 * JIT code. load_kernel.c and guest.c load those of kernels and modules.
 * Source of the order in which files are tried: Linux 6.1, tools/perf/Documentation/perf-buildid-cache.txt and perf-report.txt.
 */
#include "core/model/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/feature.h"
#include "core/compression/unpack.h"
#include "core/model/machine_archive.h"
#include "core/binary/debuginfod.h"
#include "core/model/namespace.h"
#include "core/native.h"

/* ---- debug files ---- */

/* Opens a file with the name in @image's debug link. It must have the image's build id, or without one the link's checksum. */
static struct elf_file *try_linked(struct dso *dso, const struct elf_file *image, uint32_t crc, char *path, const char **used)
{
	struct elf_file *e = open_with_symbols(dso, path, used);
	struct build_id own, other;

	if (!e)
		return NULL;
	elf_file_build_id(image, &own);
	elf_file_build_id(e, &other);
	if (own.size ? same_build_id(&own, &other) : elf_file_crc(e) == crc)
		return e;
	debug(1, "'%s': '%s' is not the file that its debug link means", dso->path, *used);
	return drop_candidate(e, used);
}

static struct elf_file *open_by_id(const struct machine *m, struct dso *dso, const struct build_id *id, const char **used)
{
	struct elf_file *e = open_with_symbols(dso, cache_path(id, "debug"), used);
	char *part = build_id_path(id), *path;

	if (e || !part) {
		free(part);
		return e;
	}
	path = xasprintf("%s" DEBUG_DIR "/.build-id/%s.debug", m->opts.symfs ? m->opts.symfs : "", part);
	free(part);
	return open_with_symbols(dso, path, used);
}

static struct elf_file *open_by_link(const struct machine *m, struct dso *dso, const struct elf_file *image, const char **used)
{
	static const char *const places[][2] = { { "", "" }, { "", "/.debug" }, { DEBUG_DIR, "" } };
	const char *slash = strrchr(dso->path, '/'), *symfs = m->opts.symfs ? m->opts.symfs : "", *link;
	int dir = slash ? (int)(slash - dso->path) : 0;
	struct elf_file *e = NULL;
	uint32_t crc;

	link = elf_file_debuglink(image, &crc);
	if (!link || !slash)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !e; i++)
		e = try_linked(dso, image, crc, xasprintf("%s%s%.*s%s/%s", symfs, places[i][0], dir, dso->path, places[i][1], link),
			       used);
	return e;
}

/* Opens a file with .symtab for an image without. @image NULL: only the recorded build id is known. */
static struct elf_file *open_debug(const struct machine *m, struct dso *dso, const struct elf_file *image,
				   const char **used)
{
	const char *symfs = m->opts.symfs ? m->opts.symfs : "";
	struct build_id id = dso->build_id;
	struct elf_file *e;

	if (image && !id.size)
		elf_file_build_id(image, &id);
	e = open_by_id(m, dso, &id, used);
	if (!e && image)
		e = open_by_link(m, dso, image, used);
	/* A file that is found by name must have the build id. */
	if (!e && id.size && dso->path[0] == '/')
		e = open_with_symbols(dso, xasprintf("%s" DEBUG_DIR "%s.debug", symfs, dso->path), used);
	if (!e && id.size && dso->path[0] == '/')
		e = open_with_symbols(dso, xasprintf("%s" DEBUG_DIR "%s", symfs, dso->path), used);
	if (!e && dso->kind == DSO_USER)
		e = open_with_symbols(dso, debuginfod_find(m->debuginfod, DEBUGINFOD_DEBUG, &id, dso->path), used);
	return e;
}

/* ---- user space ---- */

/* Adds the symbols that a stripped file has in .gnu_debugdata. */
static void load_packed(struct dso *dso, const struct elf_file *image)
{
	int err = elf_file_packed_symbols(image, &dso->symbols);

	if (!err || err == -ENOENT)
		return;
	free(dso->why);
	dso->why = xasprintf("its .gnu_debugdata cannot be used: %s", err == -EFBIG ? "it unpacks to more than 256 MiB" :
			     err == -ENOTSUP ? "this prec is built without liblzma" : "it is damaged");
	debug(1, "'%s': %s", dso->path, dso->why);
}

/*
 * Reads the symbols of two files. @image is the file that was mapped: it has segments and PLT, and often only .dynsym. @debug is
 * the file that has .symtab, found by build id, debug link or path.
 */
static void load_symbols(struct dso *dso, const struct elf_file *image, const struct elf_file *debug)
{
	const struct elf_file *any = image ? image : debug;
	size_t nr = debug ? elf_file_symbols(debug, ".symtab", NULL, &dso->symbols) : 0;

	if (!nr && image)
		nr = elf_file_symbols(image, ".symtab", NULL, &dso->symbols);
	dso->is_stripped = !nr;
	/* Packed files lack the dynamic linker's tables. */
	if (!nr && image)
		load_packed(dso, image);
	if (!nr && image)
		elf_file_go_symbols(image, &dso->symbols);
	if (!nr && image)
		nr = elf_file_symbols(image, ".dynsym", NULL, &dso->symbols);
	symbols_finish(&dso->symbols);
	if (image)
		elf_file_plt(image, &dso->symbols);
	elf_file_segments(any, &dso->segments);
	dso->elf_class = elf_file_class(any);
	dso->state = dso->symbols.list.nr ? DSO_LOADED : DSO_NO_SYMBOLS;
	/* Functions without names are known by their start. */
	if (dso->is_stripped && image && dso->kind == DSO_USER)
		elf_file_starts(image, dso->name, &dso->symbols);
}

static void load_elf(const struct machine *m, struct dso *dso, struct elf_file *image)
{
	bool has_symbols = image && elf_file_has(image, ".symtab");
	struct elf_file *debug_file = NULL;
	const char *used = NULL;

	if (!has_symbols || !has_dwarf(image))
		debug_file = open_debug(m, dso, image, &used);
	if (image || debug_file) {
		load_symbols(dso, image, has_symbols ? NULL : debug_file);
		dso->dwarf_file = copy_of(has_dwarf(image) ? dso->file : has_dwarf(debug_file) ? used : NULL);
		dso->symbols_from = copy_of(has_symbols || !used ? dso->file : used);
		dso->file_has_code = image && elf_file_code(image, NULL);
		if (!dso->file && used) {
			dso->file = copy_of(used);
			dso->file_has_code = elf_file_code(debug_file, NULL);
		}
	}
	free((char *)(uintptr_t)used);
	elf_file_close(image);
	elf_file_close(debug_file);
}

/* An ELF file must have the recorded build id. Unlike perf, prec reports a file that has another. */
static void load_user(const struct machine *m, struct dso *dso)
{
	struct elf_file *image = open_image(m, dso, &dso->file);
	bool changed = dso->state == DSO_CHANGED;

	load_elf(m, dso, image);
	/* The mapped file is missing, and a debug file with another build id does not change that. */
	if (dso->state == DSO_CHANGED && !changed)
		dso->state = DSO_NOT_FOUND;
	if (dso->state == DSO_NOT_FOUND)
		debug(1, "no file for '%s': its addresses have no symbols", dso->path);
}

/* ---- the vdso ---- */

int open_own_vdso(void)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uint16_t entry, nr;
	uint64_t at;
	int fd, err;

	if (!image || image[4] != 2)	/* 2: of 64 bits */
		return -ENOENT;
	/* The section headers are at its end; their number and size are in the ELF header. */
	memcpy(&at, image + 0x28, 8);
	memcpy(&entry, image + 0x3a, 2);
	memcpy(&nr, image + 0x3c, 2);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write_all(fd, image, at + (size_t)entry * nr);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* The vDSO of 32-bit programs on this machine. */
static int compat_vdso(void)
{
	int fd = native.compat_vdso ? memfd_create("vdso32", MFD_CLOEXEC) : -1;

	if (fd < 0 || !native.compat_vdso(fd))
		return fd;
	close(fd);
	return -1;
}

static int open_vdso(const struct machine *m, const struct dso *dso)
{
	if (!m->opts.this_host)
		return -1;
	if (str_eq(dso->path, VDSO32))
		return compat_vdso();
	return str_eq(dso->path, "[vdso]") ? open_own_vdso() : -1;
}

static void load_vdso(const struct machine *m, struct dso *dso)
{
	int fd = open_vdso(m, dso);
	struct elf_file *e = fd >= 0 ? open_candidate(dso, xasprintf("/proc/self/fd/%d", fd), &dso->file) : NULL;

	if (e)
		dso->image_fd = fd;
	else if (fd >= 0)
		close(fd);
	load_elf(m, dso, e ? e : open_image(m, dso, &dso->file));
	/* The number of a descriptor means nothing to the user, and differs between runs. */
	if (e && dso->symbols_from && str_eq(dso->symbols_from, dso->file)) {
		free((char *)(uintptr_t)dso->symbols_from);
		dso->symbols_from = xstrdup(dso->path);
	}
}

/* ---- code made at run time ---- */

/* "START SIZE NAME", hexadecimal, a line each: Linux, tools/perf/Documentation/jit-interface.txt. */
static void add_jit_line(struct dso *dso, char *line)
{
	char *end, *name;
	uint64_t start = strtoull(line, &end, 16), size;

	if (end == line || *end != ' ')
		return;
	size = strtoull(end, &name, 16);
	if (name == end || *name != ' ' || !name[1] || !size || start + size < start)
		return;
	symbols_add(&dso->symbols, &(struct symbol){
		.start = start, .end = start + size, .name = name + 1, .binding = SYMBOL_GLOBAL, .function = true,
	});
}

/* A later line replaces one with the same start, where the compiler has put other code. */
static void drop_replaced(struct symbols *symbols)
{
	struct index by_start = {0};
	size_t kept = symbols->list.nr;

	for (size_t i = symbols->list.nr; i; i--) {
		const struct symbol sym = symbols->list.v[i - 1];
		uint64_t h = hash_u64(sym.start);
		bool known = false;

		index_for(pos, &by_start, h)
			known |= symbols->list.v[pos].start == sym.start;
		if (known)
			continue;
		symbols->list.v[--kept] = sym;
		index_add(&by_start, h, (uint32_t)kept);
	}
	symbols->list.nr -= kept;
	memmove(symbols->list.v, symbols->list.v + kept, symbols->list.nr * sizeof(*symbols->list.v));
	index_release(&by_start);
}

#define JIT_MAX	(1u << 30)	/* bytes of a perf map, which any user may have written */

/* The owner of the map must be that of the process, or a trusted user. Files below --symfs may have any owner. */
static int read_map(const struct machine *m, const struct dso *dso, const char *path, struct buf *b)
{
	if (m->opts.symfs)
		return read_regular(path, b, JIT_MAX);
	return read_trusted(path, b, JIT_MAX, m->opts.this_host ? owner_of_process(dso->pid) : geteuid());
}

/* The recording's own copy: a file of this name may be another process's by now. */
static int kept_map(const struct machine *m, const struct dso *dso, struct buf *b)
{
	unsigned pid;

	if (sscanf(dso->path, "/tmp/perf-%u.map", &pid) != 1)
		return -ENOENT;
	for (size_t i = 0; i < m->nr_jit_maps; i++) {
		const struct feature_jit_map *map = &m->jit_maps[i];

		if (map->pid == pid && map->packed && map->size <= JIT_MAX)
			return unpack(map->packed, map->packed_size, map->size, b);
	}
	return -ENOENT;
}

/* Finds the perf map, and appends it to @b. Sets *@path to its path, owned. A tree that the user named (--symfs) comes first. */
static int find_map(const struct machine *m, const struct dso *dso, char **path, struct buf *b)
{
	int err, first;

	*path = below_symfs(m, dso->path);
	first = m->opts.symfs ? read_map(m, dso, *path, b) : kept_map(m, dso, b);
	if (!first)
		return 0;
	b->len = 0;
	first = m->opts.symfs ? kept_map(m, dso, b) : read_map(m, dso, *path, b);
	if (!first)
		return 0;
	b->len = 0;
	free(*path);
	*path = namespace_jit_path(m, dso);
	err = *path ? read_map(m, dso, *path, b) : -ENOENT;
	return err && first == -EPERM ? first : err;
}

static void load_jit(const struct machine *m, struct dso *dso)
{
	char *path = NULL, *line, *next;
	struct buf b = {0};
	int err = str_starts(dso->path, "/tmp/perf-") ? find_map(m, dso, &path, &b) : -ENOENT;

	if (err) {
		if (err == -EPERM)
			dso->why = xstrdup("it belongs to another user");
		free(path);
		buf_release(&b);
		return;
	}
	line = symbols_keep(&dso->symbols, buf_str(&b), b.len);
	buf_release(&b);
	for (; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		add_jit_line(dso, line);
	}
	if (dso->symbols.list.nr)
		drop_replaced(&dso->symbols);
	dso->symbols_from = path;
	dso->state = dso->symbols.list.nr ? DSO_LOADED : DSO_NO_SYMBOLS;
}

/* ---- the whole ---- */

static void load(struct machine *m, struct dso *dso)
{
	bool kernel = dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_GUEST;

	dso->mangled = !m->opts.no_demangle && (!kernel || m->opts.demangle_kernel);
	dso->state = DSO_NOT_FOUND;
	if (archived_load(m, dso)) {
		symbols_finish(&dso->symbols);
		debug(1, "'%s': %zu symbols from the recording's archive", dso->path, dso->symbols.list.nr);
		return;
	}
	switch (dso->kind) {
	case DSO_USER:
		load_user(m, dso);
		break;
	case DSO_VDSO:
		load_vdso(m, dso);
		break;
	case DSO_KERNEL:
		load_kernel(m, dso);
		break;
	case DSO_MODULE:
		load_module(m, dso);
		break;
	case DSO_GUEST:
		load_guest(m, dso);
		break;
	case DSO_ANON:
		load_jit(m, dso);
		break;
	case DSO_JIT:
		dso->state = dso->symbols.list.nr ? DSO_LOADED : DSO_NOT_FOUND;
		break;
	case DSO_BPF:
		dso->state = DSO_LOADED;	/* its records named it */
		break;
	case DSO_UNKNOWN:
		break;
	}
	symbols_finish(&dso->symbols);
	debug(1, "'%s': %zu symbols from '%s'", dso->path, dso->symbols.list.nr,
	      dso->symbols_from ? dso->symbols_from : "nowhere");
}

static void load_once(struct machine *m, struct dso *dso)
{
	if (__atomic_load_n(&dso->loaded, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&dso->lock);
	if (!dso->loaded)
		load(m, dso);
	__atomic_store_n(&dso->loaded, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&dso->lock);
}

void dso_load(struct machine *m, struct dso *dso)
{
	if (!__atomic_load_n(&dso->requested, __ATOMIC_RELAXED))
		__atomic_store_n(&dso->requested, true, __ATOMIC_RELAXED);
	load_once(m, dso);
}

static void *load_early(void *m)
{
	load_once(m, machine_kernel(m));
	log_add_shared(clock_ns(CLOCK_THREAD_CPUTIME_ID));
	return NULL;
}

void machine_load_kernel_early(struct machine *m)
{
	if (m->sealed && !m->early.runs && machine_kernel(m))
		m->early.runs = !pthread_create(&m->early.thread, NULL, load_early, m);
}
