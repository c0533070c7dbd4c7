/*
 * Copies the running kernel's code from /proc/kcore, together with kallsyms and modules, for record --kcore.
 * core/record/loop/output.c calls it. core/model/kcore.c reads the copy.
 */
#include "core/record/host/kcore_copy.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/vec.h"
#include "core/binary/kallsyms.h"

#define PROC_KCORE	"/proc/kcore"	/* ELF core file of all kernel memory: a PT_LOAD segment for each range of addresses */
#define PAGE		4096u
#define GENERATED_SIZE	65536u		/* copied from a symbol of generated code on, as its size is unknown */
#define JOIN_DISTANCE	65536u		/* ranges with a smaller gap between them are joined */
#define RANGES_MAX	60000u		/* e_phnum has 16 bits */
#define TRIES		3		/* modules may be loaded or unloaded during a try */
#define CHUNK		(1u << 20)

/*
 * Addresses to copy: the kernel itself (_text or _stext to _etext in kallsyms), each module, and code generated at run time ([bpf],
 * [__builtin__ftrace] and the like).
 */
struct range { uint64_t from, to; };
struct piece { uint64_t addr, size, offset; };	/* a segment of the copy; .offset: its place in /proc/kcore */

struct copy {
	struct buf kallsyms, modules;	/* their text */
	VEC(struct range) ranges;	/* addresses to copy */
	VEC(struct piece) pieces;
	int in;				/* /proc/kcore; < 0: not open */
	Elf64_Ehdr header;
	VEC(Elf64_Phdr) segments;	/* of /proc/kcore */
};

int kcore_check(void)
{
	int fd = open(PROC_KCORE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error("cannot copy the kernel's code: cannot open '%s': %s%s", PROC_KCORE, strerror(errno),
			     errno == ENOENT ? "; this kernel was built without it" :
			     errno == EACCES || errno == EPERM ? "; that takes root, and a kernel that is not locked down" : "");
	close(fd);
	return 0;
}

/* ---- what to copy ---- */

static void add_range(struct copy *c, uint64_t from, uint64_t to)
{
	from &= ~(uint64_t)(PAGE - 1);
	to = round_up(to, PAGE);
	if (to > from)
		vec_push(&c->ranges, (struct range){ from, to });
}

/* Lines of /proc/modules: "NAME SIZE REFCOUNT DEPENDENCIES STATE ADDRESS". */
static void add_modules(struct copy *c)
{
	for (const char *line = buf_str(&c->modules); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long size, addr;

		if (sscanf(line, "%*s %llu %*s %*s %*s %llx", &size, &addr) == 2 && addr)
			add_range(c, addr, addr + size);
	}
}

static bool is_known(const struct copy *c, uint64_t addr)
{
	vec_for(r, &c->ranges)
		if (addr >= r->from && addr < r->to)
			return true;
	return false;
}

static bool is_named(const struct kallsyms_line *line, size_t size, const char *name)
{
	return !line->module && strlen(name) == size && !memcmp(line->name, name, size);
}

/* Returns true if kallsyms has the addresses of the kernel. */
static bool add_symbols(struct copy *c)
{
	uint64_t from = UINT64_MAX, to = 0, last = 0;
	struct kallsyms_line line;
	size_t size;

	for (const char *at = buf_str(&c->kallsyms); *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (!kallsyms_line_parse(at, &line, &size) || !line.addr)
			continue;
		if (is_named(&line, size, "_text") || is_named(&line, size, "_stext"))
			from = MIN(from, line.addr);
		if (is_named(&line, size, "_etext"))
			to = line.addr;
		if (!line.module)
			continue;
		/* A module's symbols are next to each other, so most are near the last one. Then no range need be searched. */
		if (line.addr - last >= PAGE && !is_known(c, line.addr))
			add_range(c, line.addr, line.addr + GENERATED_SIZE);
		last = line.addr;
	}
	if (from < to)
		add_range(c, from, to);
	return from < to;
}

static int by_address(const void *a, const void *b)
{
	return compare_numbers(((const struct range *)a)->from, ((const struct range *)b)->from);
}

static void join_ranges(struct copy *c)
{
	size_t nr = 0;

	vec_sort(&c->ranges, by_address);
	vec_for(r, &c->ranges) {
		struct range *before = nr ? &c->ranges.v[nr - 1] : NULL;

		if (before && (r->from <= before->to || r->from - before->to < JOIN_DISTANCE))
			before->to = MAX(before->to, r->to);
		else
			c->ranges.v[nr++] = *r;
	}
	c->ranges.nr = nr;
}

/* ---- /proc/kcore ---- */

static int read_headers(struct copy *c)
{
	int64_t got = read_at(c->in, &c->header, sizeof(c->header), 0);

	if (got < 0)
		return error("cannot read '%s': %s", PROC_KCORE, strerror((int)-got));
	if (got != sizeof(c->header) || memcmp(c->header.e_ident, ELFMAG, SELFMAG) || c->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    c->header.e_phentsize != sizeof(Elf64_Phdr))
		return error("'%s' is no 64-bit ELF file: it cannot be copied", PROC_KCORE);
	for (unsigned i = 0; i < c->header.e_phnum; i++) {
		Elf64_Phdr p;

		if (read_at(c->in, &p, sizeof(p), c->header.e_phoff + i * sizeof(p)) == sizeof(p) && p.p_type == PT_LOAD)
			vec_push(&c->segments, p);
	}
	return 0;
}

/* True if the bytes are copied already: on arm64 the kernel image is in its own segment and in that of the vmalloc() area. */
static bool has_piece(const struct copy *c, uint64_t from, uint64_t to)
{
	vec_for(p, &c->pieces)
		if (from >= p->addr && to <= p->addr + p->size)
			return true;
	return false;
}

static void find_pieces(struct copy *c)
{
	vec_for(r, &c->ranges)
		vec_for(p, &c->segments) {
			uint64_t from = MAX(r->from, p->p_vaddr), to = MIN(r->to, p->p_vaddr + p->p_filesz);

			if (from >= to || p->p_vaddr + p->p_filesz < p->p_vaddr || has_piece(c, from, to))
				continue;
			if (c->pieces.nr < RANGES_MAX)
				vec_push(&c->pieces, (struct piece){ from, to - from, p->p_offset + (from - p->p_vaddr) });
		}
}

/* ---- writing ---- */

static int create(const char *dir, const char *name, char **path)
{
	int fd;

	*path = xasprintf("%s/%s", dir, name);
	unlink(*path);
	fd = new_file_at(AT_FDCWD, *path, 0400);
	return fd < 0 ? error("cannot create '%s': %s", *path, strerror(-fd)) : fd;
}

/* Close @fd and report @err: -errno of an earlier write, or 0. Frees the path. Returns 0, or -1 (printed). */
static int finish(int fd, char *owned_path, int err)
{
	if (close(fd) && !err)
		err = -errno;
	if (err)
		error("cannot write '%s': %s", owned_path, strerror(-err));
	free(owned_path);
	return err ? -1 : 0;
}

static int write_text(const char *dir, const char *name, const struct buf *text)
{
	char *path;
	int fd = create(dir, name, &path);

	if (fd < 0) {
		free(path);
		return -1;
	}
	return finish(fd, path, write_all(fd, text->data, text->len));
}

static int write_headers(const struct copy *c, int fd, uint64_t data_at)
{
	Elf64_Ehdr header = c->header;
	struct buf b = {0};
	int err;

	header.e_phoff = sizeof(header);
	header.e_phnum = (Elf64_Half)c->pieces.nr;
	header.e_shoff = header.e_shnum = header.e_shstrndx = header.e_shentsize = 0;
	buf_put(&b, &header, sizeof(header));
	vec_for(p, &c->pieces) {
		Elf64_Phdr phdr = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_offset = data_at, .p_vaddr = p->addr,
			.p_filesz = p->size, .p_memsz = p->size, .p_align = PAGE,
		};

		buf_put(&b, &phdr, sizeof(phdr));
		data_at += p->size;
	}
	buf_fill(&b, '\0', round_up(b.len, PAGE) - b.len);
	err = write_all(fd, b.data, b.len);
	buf_release(&b);
	return err;
}

/* Read @n bytes of /proc/kcore; pages that cannot be read become zeros. */
static void read_chunk(const struct copy *c, uint64_t from, char *to, size_t n)
{
	if (read_at(c->in, to, n, from) == (int64_t)n)
		return;
	memset(to, 0, n);
	for (size_t at = 0; at < n; at += PAGE)
		if (read_at(c->in, to + at, PAGE, from + at) != PAGE)
			memset(to + at, 0, PAGE);
}

static int write_core(const struct copy *c, const char *dir)
{
	char *path, *chunk;
	int fd = create(dir, "kcore", &path), err;

	if (fd < 0) {
		free(path);
		return -1;
	}
	err = write_headers(c, fd, round_up(sizeof(Elf64_Ehdr) + c->pieces.nr * sizeof(Elf64_Phdr), PAGE));
	chunk = xmalloc(CHUNK);
	vec_for(p, &c->pieces)
		for (uint64_t at = 0; at < p->size && !err; at += CHUNK) {
			size_t n = (size_t)MIN(CHUNK, p->size - at);

			read_chunk(c, p->offset + at, chunk, n);
			err = write_all(fd, chunk, n);
		}
	free(chunk);
	return finish(fd, path, err);
}

/* ---- the copy ---- */

static int read_lists(struct copy *c)
{
	int err = read_file("/proc/kallsyms", &c->kallsyms);

	/* A kernel built without modules has no /proc/modules. */
	if (read_file("/proc/modules", &c->modules))
		c->modules.len = 0;
	if (err)
		return error("cannot copy the kernel's code: cannot read '/proc/kallsyms': %s", strerror(-err));
	add_modules(c);
	if (!add_symbols(c))
		return error("cannot copy the kernel's code: /proc/kallsyms does not tell where it is; "
			     "see /proc/sys/kernel/kptr_restrict");
	join_ranges(c);
	return 0;
}

static bool modules_changed(const struct copy *c)
{
	struct buf now = {0};
	bool same;

	if (read_file("/proc/modules", &now))
		now.len = 0;
	same = now.len == c->modules.len && (!now.len || !memcmp(now.data, c->modules.data, now.len));
	buf_release(&now);
	return !same;
}

static void copy_release(struct copy *c)
{
	buf_release(&c->kallsyms);
	buf_release(&c->modules);
	vec_free(&c->ranges);
	vec_free(&c->pieces);
	vec_free(&c->segments);
	if (c->in >= 0)
		close(c->in);
}

/* Returns 0, -1 (printed), or 1: modules changed meanwhile, try again. */
static int copy_once(const char *dir)
{
	struct copy c = { .in = open(PROC_KCORE, O_RDONLY | O_CLOEXEC) };
	int err;

	if (c.in < 0)
		err = kcore_check();
	else
		err = read_lists(&c) || read_headers(&c) ? -1 : 0;
	if (!err) {
		find_pieces(&c);
		if (!c.pieces.nr)
			err = error("'%s' has none of the kernel's code", PROC_KCORE);
	}
	if (!err && (write_text(dir, "kallsyms", &c.kallsyms) || write_text(dir, "modules", &c.modules) || write_core(&c, dir)))
		err = -1;
	if (!err && modules_changed(&c))
		err = 1;
	copy_release(&c);
	return err;
}

int kcore_copy(const char *dir)
{
	int err = 1;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return error("cannot create directory '%s': %s", dir, strerror(errno));
	for (int i = 0; i < TRIES && err == 1; i++)
		err = copy_once(dir);
	if (err == 1)
		warning("modules came or went while the kernel's code was copied: it may lack theirs");
	return err < 0 ? -1 : 0;
}
