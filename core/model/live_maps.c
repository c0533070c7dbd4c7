/*
 * Keeps the current maps of all processes during recording, to unwind their stacks. Each process has a list of maps. If a caller
 * still holds the list when the maps change, the change is made in a copy.
 */
#include "core/model/live_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/perfdata/record.h"
#include "core/binary/code_image.h"
#include "core/model/jitdump.h"
#include "core/model/load.h"
#include "core/model/machine.h"
#include "core/model/machine_state.h"
#include "core/native.h"

#define BUCKETS	1024

/* A jitdump that grows. */
struct live_jit {
	int fd;
	char *path;			/* owned */
	bool any_pid;			/* the dump may have another pid, as the process may be in another PID namespace */
	uint64_t offset;		/* number of bytes of the dump that were read */
	struct jitdump *last;		/* the last one read, owned by its dso; NULL: none */
	VEC(struct jitdump *) waiting;	/* borrowed: parts of which not all is in the maps */
};

struct live_process {
	struct live_process *next;
	struct live_jit *jit;		/* owned; NULL: none is mapped */
	uint32_t pid;
	uint32_t threads;		/* number of live ones, according to the records */
	struct live_space *space;	/* a reference; NULL: nothing is mapped */
};

struct live_maps {
	struct machine *machine;	/* has the dsos, and nothing else */
	bool monotonic;
	uint32_t last_number;		/* the last number that was given to a space */
	uint32_t nr_jits;		/* number of processes with a jitdump */
	uint32_t nr_parts;		/* number of parts of jitdumps that were read; each part is a dso of its own */
	struct live_process *processes[BUCKETS];
};

struct live_maps *live_maps_new(bool monotonic)
{
	struct live_maps *l = xcalloc(1, sizeof(*l));

	l->monotonic = monotonic;
	l->machine = machine_new(&(struct machine_opts){ .this_host = true });
	machine_set_arch(l->machine, native.arch);
	return l;
}

/* ---- spaces ---- */

void live_space_put(const struct live_space *space)
{
	struct live_space *s = (struct live_space *)(uintptr_t)space;

	if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL))
		return;
	vec_free(&s->maps);
	free(s);
}

static struct live_space *hold(struct live_space *s)
{
	if (s)
		__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	return s;
}

/* Returns the process's space, to be changed: a copy if a caller still holds the present one. */
static struct live_space *own_space(struct live_process *p)
{
	struct live_space *old = p->space;

	if (old && __atomic_load_n(&old->refs, __ATOMIC_ACQUIRE) == 1) {
		old->number = 0;
		return old;
	}
	p->space = xcalloc(1, sizeof(*p->space));
	p->space->refs = 1;
	if (old)
		vec_append(&p->space->maps, &old->maps);
	live_space_put(old);
	return p->space;
}

/* The first map that ends above @addr. */
static size_t first_above(const struct live_space *s, uint64_t addr)
{
	return bisect(i, 0, s->maps.nr, s->maps.v[i].end <= addr);
}

static void replace(struct live_space *s, size_t from, size_t to, const struct map *maps, size_t nr)
{
	size_t after = s->maps.nr - to;

	vec_reserve(&s->maps, nr);
	memmove(s->maps.v + from + nr, s->maps.v + to, after * sizeof(*s->maps.v));
	memcpy(s->maps.v + from, maps, nr * sizeof(*maps));
	s->maps.nr = from + nr + after;
}

static void add_map(struct live_space *s, const struct map *map)
{
	size_t from = first_above(s, map->start), to = from, nr = 0;
	struct map parts[3];

	while (to < s->maps.nr && s->maps.v[to].start < map->end)
		to++;
	if (to > from && s->maps.v[from].start < map->start) {
		parts[nr] = s->maps.v[from];
		parts[nr++].end = map->start;
	}
	parts[nr++] = *map;
	if (to > from && s->maps.v[to - 1].end > map->end) {
		struct map rest = s->maps.v[to - 1];

		rest.pgoff += map->end - rest.start;
		rest.start = map->end;
		parts[nr++] = rest;
	}
	replace(s, from, to, parts, nr);
}

const struct map *live_space_map(const struct live_space *s, uint64_t ip, struct ip_span *span)
{
	size_t i = first_above(s, ip);
	const struct map *map = i < s->maps.nr ? &s->maps.v[i] : NULL;

	if (map && map->start <= ip) {
		*span = (struct ip_span){ map->start, map->end };
		return map;
	}
	*span = (struct ip_span){ i ? s->maps.v[i - 1].end : 0, map ? map->start : UINT64_MAX };
	return NULL;
}

/* ---- processes ---- */

static struct live_process **place_of(struct live_maps *l, uint32_t pid)
{
	struct live_process **p = &l->processes[pid % BUCKETS];

	while (*p && (*p)->pid != pid)
		p = &(*p)->next;
	return p;
}

static struct live_process *process_of(struct live_maps *l, uint32_t pid)
{
	struct live_process **place = place_of(l, pid);

	if (!*place) {
		*place = xcalloc(1, sizeof(**place));
		(*place)->pid = pid;
		(*place)->threads = 1;
	}
	return *place;
}

static void set_space(struct live_process *p, struct live_space *s)
{
	live_space_put(p->space);
	p->space = s;
}

static void close_jit(struct live_maps *l, struct live_process *p)
{
	struct live_jit *jit = p->jit;

	if (!jit)
		return;
	l->nr_jits--;
	close(jit->fd);
	free(jit->path);
	vec_free(&jit->waiting);
	free(jit);
	p->jit = NULL;
}

static void forget(struct live_maps *l, struct live_process **place)
{
	struct live_process *p = *place;

	close_jit(l, p);
	*place = p->next;
	set_space(p, NULL);
	free(p);
}

void live_maps_free(struct live_maps *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (l->processes[i])
			forget(l, &l->processes[i]);
	machine_free(l->machine);
	free(l);
}

/* ---- code that is made at run time ---- */

#define PART_MAX	(16u << 20)	/* bytes of a dump that are read at a time; a dump has a code record at least this often */

/* Each part is a dso that never changes, because unwinders may be using the one before. */
static struct jitdump *read_part(struct live_maps *l, struct live_process *p, const void *bytes, size_t n, size_t *used)
{
	struct live_jit *jit = p->jit;
	char *name = xasprintf("%s#%u", jit->path, l->nr_parts++);
	struct jit_source source = { .strings = l->machine->strings, .monotonic = l->monotonic, .pid = p->pid,
				     .any_pid = jit->any_pid, .offset = jit->offset };
	struct jitdump *j = xcalloc(1, sizeof(*j));

	j->dso = dsos_find(&l->machine->dsos, DSO_JIT, name, NULL);
	free(name);
	if (jit->last) {
		j->swap = jit->last->swap;
		j->machine = jit->last->machine;
		j->has_times = jit->last->has_times;
	}
	*used = jitdump_read(j, j->dso, bytes, n, &source);
	j->dso->jitdump = jit->last = j;
	return j;
}

/* Reads the next part of the jitdump. Returns true if some code is not in the maps yet. */
static bool read_jit(struct live_maps *l, struct live_process *p)
{
	struct live_jit *jit = p->jit;
	struct jitdump *part;
	uint8_t *bytes;
	struct stat st;
	size_t used;
	int64_t n;

	if (fstat(jit->fd, &st) || (uint64_t)st.st_size <= jit->offset)
		return jit->waiting.nr;
	bytes = xmalloc(PART_MAX);
	n = read_at(jit->fd, bytes, PART_MAX, jit->offset);
	part = read_part(l, p, bytes, (size_t)MAX(n, 0), &used);
	free(bytes);
	jit->offset += used;
	if (!used && (!jit->offset || n == PART_MAX))
		close_jit(l, p);
	else if (part->changes.nr)
		vec_push(&jit->waiting, part);
	return p->jit && jit->waiting.nr;
}

/* Opens the dump by its path in the process. If the process has ended, that is impossible; then the dump must have its pid. */
static int open_dump(const struct live_process *p, const char *path, bool *any_pid)
{
	char *seen = xasprintf("/proc/%u/root%s", p->pid, path);
	uid_t owner = owner_of_process(p->pid);
	int fd = open_trusted(seen, owner);

	free(seen);
	*any_pid = fd >= 0;
	return fd >= 0 ? fd : open_trusted(path, owner);
}

/* Reads the dump at once: its code may run already. */
static void open_jit(struct live_maps *l, struct live_process *p, const struct map *map)
{
	bool any_pid;
	int fd = open_dump(p, map->dso->path, &any_pid);

	close_jit(l, p);
	if (fd < 0)
		return;
	p->jit = xcalloc(1, sizeof(*p->jit));
	p->jit->fd = fd;
	p->jit->any_pid = any_pid;
	p->jit->path = xstrdup(map->dso->path);
	l->nr_jits++;
	read_jit(l, p);
}

bool live_maps_read_jits(struct live_maps *l)
{
	bool any = false;

	for (size_t i = 0; l->nr_jits && i < BUCKETS; i++)
		for (struct live_process *p = l->processes[i]; p; p = p->next)
			any |= p->jit && read_jit(l, p);
	return any;
}

/* The old place keeps its map after a move: nothing runs there. */
static void apply_change(struct live_process *p, const struct jitdump *j, const struct jit_change *c)
{
	struct map map = {
		.start = c->addr, .end = c->addr + c->size, .pgoff = c->at, .time = c->time, .prot = PROT_READ | PROT_EXEC,
		.dso = j->dso,
	};

	if (c->at)
		add_map(own_space(p), &map);
}

/* Adds the code up to @time to the maps, or all code if it has no times. */
static void apply_jit(struct live_process *p, uint64_t time)
{
	struct live_jit *jit = p->jit;
	size_t done = 0;

	vec_for(it, &jit->waiting) {
		struct jitdump *j = *it;

		while (j->applied < j->changes.nr && (!j->has_times || j->changes.v[j->applied].time <= time))
			apply_change(p, j, &j->changes.v[j->applied++]);
		if (j->applied < j->changes.nr)
			break;
		done++;
	}
	jit->waiting.nr -= done;
	memmove(jit->waiting.v, jit->waiting.v + done, jit->waiting.nr * sizeof(*jit->waiting.v));
}

const struct live_space *live_maps_space(struct live_maps *l, uint32_t pid, uint64_t time)
{
	struct live_process *p = *place_of(l, pid);

	if (!p || !p->space)
		return NULL;
	if (p->jit && p->jit->waiting.nr)
		apply_jit(p, time);
	if (!p->space->number)
		p->space->number = ++l->last_number;
	return hold(p->space);
}

/* ---- records ---- */

static void apply_mmap(struct live_maps *l, const struct record *rec)
{
	struct map map;

	if (!machine_user_map(l->machine, rec, &map))
		return;
	add_map(own_space(process_of(l, rec->mmap.pid)), &map);
	if (map.dso->kind == DSO_JIT)
		open_jit(l, process_of(l, rec->mmap.pid), &map);
}

/* A new program: nothing of the old is mapped any more. */
static void apply_comm(struct live_maps *l, const struct record *rec)
{
	struct live_process *p;

	if (!(rec->header.misc & PERF_RECORD_MISC_COMM_EXEC))
		return;
	p = process_of(l, rec->comm.pid);
	close_jit(l, p);
	set_space(p, NULL);
}

static void apply_fork(struct live_maps *l, const struct record *rec)
{
	const struct record_task *t = &rec->task;
	struct live_process *parent = *place_of(l, t->ppid), *p = process_of(l, t->pid);

	if (t->pid != t->tid) {
		p->threads++;
	} else if (t->time) {		/* else the recorder synthesized it for an existing process */
		p->threads = 1;
		set_space(p, parent ? hold(parent->space) : NULL);
	}
}

/* The other threads of a process may live on when its first thread exits. */
static void apply_exit(struct live_maps *l, const struct record *rec)
{
	struct live_process **place = place_of(l, rec->task.pid);

	if (*place && (*place)->threads)
		(*place)->threads--;
	if (*place && !(*place)->threads)
		forget(l, place);
}

typedef void apply_fn(struct live_maps *l, const struct record *rec);

static apply_fn *const handlers[] = {
	[PERF_RECORD_MMAP] = apply_mmap,
	[PERF_RECORD_MMAP2] = apply_mmap,
	[PERF_RECORD_COMM] = apply_comm,
	[PERF_RECORD_FORK] = apply_fork,
	[PERF_RECORD_EXIT] = apply_exit,
};

bool live_maps_handles(uint32_t type)
{
	return type < ARRAY_SIZE(handlers) && handlers[type];
}

void live_maps_apply(struct live_maps *l, const struct record *rec)
{
	if (live_maps_handles(rec->header.type))
		handlers[rec->header.type](l, rec);
}

/* ---- files ---- */

/* A path by which the file of a descriptor can be opened again, even after the file was renamed or removed. */
static char *name_of_fd(int fd)
{
	return xasprintf("/proc/self/fd/%d", fd);
}

/* The file at @path (taken over), if it is the one that was mapped. Returns a descriptor or -errno. */
static int open_if_same(const struct dso *dso, char *path)
{
	int fd = open_regular(path), err;
	struct build_id id;
	char *name;

	free(path);
	if (fd < 0 || !dso->build_id.size)
		return fd;
	name = name_of_fd(fd);
	err = build_id_of_file(&id, name);
	free(name);
	if (!err && same_build_id(&dso->build_id, &id))
		return fd;
	close(fd);
	return err == -EMFILE ? err : -ESTALE;
}

static int open_file(const struct dso *dso)
{
	uint32_t pid = __atomic_load_n(&dso->pid, __ATOMIC_RELAXED);
	int fd = open_if_same(dso, xasprintf("/proc/%u/root%s", pid, dso->path));

	return fd >= 0 || fd == -EMFILE ? fd : open_if_same(dso, xstrdup(dso->path));
}

/* Reads the file and does not map it, because a library that is truncated while it runs must not end prec. Takes over @fd. */
static void keep_code(struct dso *dso, int fd)
{
	struct dso_code *c = xcalloc(1, sizeof(*c));

	c->by_offset = true;
	c->image = &c->own;
	c->own = (struct code_image){ .size = INT64_MAX, .fd = fd };
	__atomic_store_n(&dso->code, c, __ATOMIC_RELEASE);
}

/* Returns 0 or -errno; -EMFILE: the file may be opened later. */
static int load_file(struct dso *dso)
{
	struct elf_file *e = NULL;
	int fd = open_file(dso), err;
	char *file;

	if (fd < 0)
		return fd;
	file = name_of_fd(fd);
	err = elf_file_open(&e, file);
	if (err == -EMFILE) {
		free(file);
		close(fd);
		return err;
	}
	dso->file = file;
	if (!err) {
		elf_file_segments(e, &dso->segments);
		dso->elf_class = elf_file_class(e);
		elf_file_close(e);
	}
	keep_code(dso, fd);
	return 0;
}

/* Loads the symbols of the vdso. It is so small that this costs nothing; symbols of libraries are not loaded. */
static void load_vdso(struct live_maps *l, struct dso *dso)
{
	int fd = -1;

	dso_load(l->machine, dso);
	pthread_mutex_lock(&dso->lock);
	if (!dso->code && dso->file)
		fd = open_regular(dso->file);
	if (fd >= 0)
		keep_code(dso, fd);
	pthread_mutex_unlock(&dso->lock);
}

void live_dso_load(struct live_maps *l, struct dso *dso)
{
	int err = 0;

	if (dso->kind == DSO_VDSO) {
		load_vdso(l, dso);
		return;
	}
	pthread_mutex_lock(&dso->lock);
	/* May raise the limit of open files: the workload was started before, and does not inherit it. */
	if (!dso->loaded && dso->kind == DSO_USER && dso->path[0] == '/')
		do
			err = load_file(dso);
		while (err == -EMFILE && raise_file_limit());
	dso->loaded = err != -EMFILE;
	pthread_mutex_unlock(&dso->lock);
}

void live_dso_unload(struct dso *dso)
{
	if (dso->kind != DSO_USER)
		return;
	dso_code_free(dso->code);
	dso->code = NULL;
	free((char *)(uintptr_t)dso->file);
	dso->file = NULL;
	vec_free(&dso->segments.list);
	dso->segments = (struct elf_segments){0};
	dso->loaded = false;
}

size_t live_map_code(const struct map *map, uint64_t ip, void *out, size_t n)
{
	const struct dso_code *c = __atomic_load_n(&map->dso->code, __ATOMIC_ACQUIRE);

	if (!c || !c->image)
		return 0;
	return code_image_read(c->image, ip - map->start + map->pgoff, out, MIN(n, map->end - ip));
}
