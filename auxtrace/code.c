/* Files by dso number, each mapped by the first who asks. Layer: auxtrace */
#include "auxtrace/code.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/file.h"
#include "core/base/util.h"
#include "core/flow/session.h"
#include "core/model/dso.h"

struct code_file {
	const uint8_t *data;	/* NULL with size 0: there is no file */
	size_t size;
};

struct code {
	const struct machine *machine;
	struct code_file **files;	/* by dso number: NULL until somebody asked */
	uint32_t nr_dsos;
};

struct code *code_new(const struct session *s)
{
	struct code *c = xcalloc(1, sizeof(*c));

	c->machine = session_machine(s);
	c->nr_dsos = machine_nr_dsos(c->machine);
	c->files = xcalloc(MAX(c->nr_dsos, 1), sizeof(*c->files));
	return c;
}

static void file_free(struct code_file *f)
{
	if (f && f->size)
		munmap((void *)f->data, f->size);
	free(f);
}

void code_free(struct code *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->nr_dsos; i++)
		file_free(c->files[i]);
	free(c->files);
	free(c);
}

static void map_file(struct code_file *f, const char *path)
{
	struct stat st;
	int fd = open_regular(path);
	void *p;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED)
			*f = (struct code_file){ .data = p, .size = (size_t)st.st_size };
	}
	close(fd);
}

/* Loading the symbols finds the file, by build id and name; the first to be here loads, all get the same. */
static struct code_file *load_file(struct code *c, const struct dso *dso, uint32_t space, uint64_t ip)
{
	struct code_file *f = xcalloc(1, sizeof(*f)), *other = NULL;
	struct place place;

	machine_resolve(c->machine, space, ip, &place);
	if (dso->file)
		map_file(f, dso->file);
	else if (dso->kind == DSO_USER && dso->state != DSO_CHANGED)
		map_file(f, dso->path);
	if (__atomic_compare_exchange_n(&c->files[dso->number], &other, f, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return f;
	file_free(f);
	return other;
}

/* The offset of @addr, an ELF address, in the file; UINT64_MAX: not there. *left: bytes from there on in its segment. */
static uint64_t file_offset(const struct dso *dso, uint64_t addr, uint64_t *left)
{
	vec_for(s, &dso->segments.list)
		if (addr >= s->vaddr && addr - s->vaddr < s->size) {
			*left = s->size - (addr - s->vaddr);
			return s->offset + (addr - s->vaddr);
		}
	return UINT64_MAX;
}

/* What is mapped at @ip as an offset in its file, and how many bytes are there; UINT64_MAX: none. */
static uint64_t find_offset(const struct code *c, const struct map *map, uint32_t space, uint64_t ip, uint64_t *left)
{
	struct place place;

	*left = map->end - ip;
	if (map->dso->kind == DSO_USER || map->dso->kind == DSO_VDSO)
		return ip - map->start + map->pgoff;
	machine_resolve(c->machine, space, ip, &place);
	if (map->dso->kind != DSO_KERNEL || !map->dso->segments.list.nr)
		return UINT64_MAX;
	return file_offset(map->dso, ip - map->dso->relocation, left);
}

size_t code_at(struct code *c, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct map *map = machine_map(c->machine, space, ip);
	struct code_file *f;
	uint64_t offset, left;

	if (!map || map->dso->number >= c->nr_dsos)
		return 0;
	f = __atomic_load_n(&c->files[map->dso->number], __ATOMIC_ACQUIRE);
	if (!f)
		f = load_file(c, map->dso, space, ip);
	offset = find_offset(c, map, space, ip, &left);
	if (offset >= f->size)
		return 0;
	n = MIN(n, MIN(left, f->size - offset));
	memcpy(out, f->data + offset, n);
	return n;
}
