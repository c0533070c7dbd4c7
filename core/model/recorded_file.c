/*
 * Decides whether a file on this machine is the one that was mapped during recording, if no build id was recorded. It compares
 * the inode, the times and the segments.
 */
#include "core/model/recorded_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "core/binary/elf_internal.h"

#define SMALLEST_PAGE	0x1000ull
#define LARGEST_PAGE	0x10000ull	/* arm64's */
#define CLOCK_STEP_NS	10000000	/* file systems take the time of the last tick, 100 Hz or more */

static void note(struct mapped_file *f, const struct map *map, bool executable)
{
	if (map->ino && !f->ino) {
		f->maj = map->maj;
		f->min = map->min;
		f->ino = map->ino;
	}
	if (map->ino_generation)
		f->generation = map->ino_generation;
	if (!f->seen || map->time < f->since)
		f->since = map->time;
	f->seen = true;
	f->injected = S_ISREG(map->prot);
	if (executable && map->end - map->start > f->code_size) {
		f->code_at = map->pgoff;
		f->code_size = map->end - map->start;
	}
}

void recorded_file_note(struct dso *dso, const struct map *map, bool executable)
{
	/* While recording, another thread may hold the lock to load the dso. No need to wait: that thread knows all it needs. */
	if (pthread_mutex_trylock(&dso->lock))
		return;
	note(&dso->mapped, map, executable);
	pthread_mutex_unlock(&dso->lock);
}

/* ---- what the file says ---- */

/* The wall-clock time at which the file had been mapped, at the latest. */
static uint64_t mapped_by(const struct machine *m, const struct dso *dso)
{
	uint64_t since = MAX(dso->mapped.since, m->first_time);

	if (!m->clock.wall_ns || !since || since > m->clock.time)
		return m->clock.wall_ns;
	return m->clock.wall_ns - MIN(m->clock.time - since, m->clock.wall_ns);
}

static bool is_after(struct timespec t, uint64_t limit)
{
	return limit && (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec > limit + CLOCK_STEP_NS;
}

/* Not every file system has generations; the kernel records those of its own inodes. */
static bool is_other_generation(const struct dso *dso, int fd)
{
	long generation = 0;

	if (!dso->mapped.generation || fd < 0 || ioctl(fd, FS_IOC_GETVERSION, &generation) || !(uint32_t)generation)
		return false;
	return (uint32_t)generation != (uint32_t)dso->mapped.generation;
}

static uint64_t page_end(uint64_t at, uint64_t page)
{
	return (at + page - 1) & ~(page - 1);
}

/* Maps end at a page, whose size is not recorded: only x86 has no choice. */
static uint64_t largest_page(const struct elf_file *e)
{
	return e->ehdr.e_machine == EM_X86_64 || e->ehdr.e_machine == EM_386 ? SMALLEST_PAGE : LARGEST_PAGE;
}

/* True if the mapping is the whole of the segment, or with @whole false, a part of it. */
static bool is_of_segment(const struct elf_segment *s, const struct mapped_file *f, uint64_t largest, bool whole)
{
	for (uint64_t page = SMALLEST_PAGE; page <= largest; page *= 4) {
		struct ip_span segment = { s->offset & ~(page - 1), page_end(s->offset + s->size, page) };
		struct ip_span mapped = { f->code_at & ~(page - 1), page_end(f->code_at + f->code_size, page) };

		if (mapped.from >= mapped.to)
			return false;
		if (whole ? mapped.from == segment.from && mapped.to == segment.to :
			    mapped.from >= segment.from && mapped.to <= segment.to)
			return true;
	}
	return false;
}

/*
 * The kernel and ld.so first map the first segment in the size of all segments, to get the addresses, and then the others over
 * it. If the first segment is executable, that size is recorded.
 */
static bool is_room_for_all(const struct elf_segments *s, const struct mapped_file *f, uint64_t largest)
{
	const struct elf_segment *first = s->list.v, *last = s->list.v + s->list.nr - 1;

	if (!s->list.nr || !first->can_run || last->vaddr < first->vaddr || last->memory > UINT64_MAX - last->vaddr)
		return false;
	for (uint64_t page = SMALLEST_PAGE; page <= largest; page *= 4) {
		uint64_t size = page_end(last->vaddr + last->memory, page) - (first->vaddr & ~(page - 1));

		if (f->code_at == (first->offset & ~(page - 1)) && page_end(f->code_size, page) == size)
			return true;
	}
	return false;
}

/* As a debugger or a test maps it: from the first byte to the last. */
static bool is_whole_file(const struct mapped_file *f, uint64_t size)
{
	return !f->code_at && page_end(f->code_size, SMALLEST_PAGE) == page_end(size, SMALLEST_PAGE);
}

/* Files that perf makes of JIT code have no segments: they only have to be long enough. */
static bool is_inside(const struct mapped_file *f, uint64_t size)
{
	return f->code_at <= size && f->code_size <= page_end(size, LARGEST_PAGE) - f->code_at;
}

static bool layout_fits(const struct dso *dso, const struct elf_file *e, uint64_t size, bool whole)
{
	struct elf_segments segments = {0};
	const struct mapped_file *f = &dso->mapped;
	bool fits;

	elf_file_segments(e, &segments);
	fits = !f->code_size || is_whole_file(f, size) || (!segments.list.nr && is_inside(f, size)) ||
	       is_room_for_all(&segments, f, largest_page(e));
	vec_for(s, &segments.list)
		fits = fits || (s->can_run && is_of_segment(s, f, largest_page(e), whole));
	vec_free(&segments.list);
	return fits;
}

/*
 * True if the inode is older than the limit. A later change of the inode, but not of the contents, may be of its owner or
 * mode, or a hard link: perf makes one of each file that it caches. A new file that reuses the number and time of an old one
 * is younger.
 */
static bool was_there(int fd, uint64_t limit)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME))
		return false;
	return !is_after((struct timespec){ .tv_sec = st.stx_btime.tv_sec, .tv_nsec = st.stx_btime.tv_nsec }, limit);
}

/* ---- the answer ---- */

/*
 * The reason why the file may be another one, owned by the caller; NULL: none. A change of only the inode counts, because an
 * older file may have been copied or moved there; but not if files were copied along with the recording.
 */
static char *what_differs(const struct machine *m, const struct dso *dso, const struct elf_file *e)
{
	const struct mapped_file *f = &dso->mapped;
	uint64_t limit = mapped_by(m, dso);
	bool same_inode, touched;
	struct stat st;

	if (fstat(e->fd, &st))
		return xasprintf("it cannot be looked at");
	same_inode = f->ino && f->ino == st.st_ino;
	if (f->ino && !same_inode && m->opts.this_host)
		return xasprintf("its inode is %ju, %" PRIu64 " was recorded", (uintmax_t)st.st_ino, f->ino);
	/* Made by perf inject --jit, after the recording: perf stores the file's mode as prot in the record, and no generation. */
	if (same_inode && f->injected)
		return NULL;
	if (same_inode && is_other_generation(dso, e->fd))
		return xasprintf("its inode has been used again for another file");
	touched = (same_inode || m->opts.this_host || !m->clock.copied) && is_after(st.st_ctim, limit);
	if (is_after(st.st_mtim, limit) || (touched && !(same_inode && was_there(e->fd, limit))))
		return xasprintf("it changed after it was mapped");
	if (!layout_fits(dso, e, (uint64_t)st.st_size, touched || !same_inode))
		return xasprintf("its segments are not what was mapped");
	return NULL;
}

bool is_recorded_file(const struct machine *m, struct dso *dso, const struct elf_file *e)
{
	char *why;

	if (m->opts.symfs)
		return true;
	if (dso->kind != DSO_USER)
		return m->opts.this_host;
	why = what_differs(m, dso, e);
	if (!why)
		return true;
	if (dso->loaded) {
		free(why);
	} else {
		free(dso->why);
		dso->why = why;
		dso->state = DSO_UNPROVEN;
	}
	return false;
}

bool is_recorded_bytes(const struct machine *m, const struct dso *dso, const char *path)
{
	struct stat st;

	return m->opts.symfs || !m->opts.this_host || !dso->mapped.ino || stat(path, &st) || dso->mapped.ino == st.st_ino;
}
