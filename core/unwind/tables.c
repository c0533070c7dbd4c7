/*
 * Loads the unwind tables of each mapped file when they are first needed, and shares them among threads and processes. During
 * recording, it drops the least recently used half when they reach a limit. file_tables.c reads one file's tables.
 */
#include "core/unwind/tables.h"

#include <errno.h>
#include <pthread.h>

#include "core/perfdata/archive.h"
#include "core/model/code.h"
#include "core/model/jitdump.h"
#include "core/model/machine_state.h"

struct kept_sections { struct archive *archive; struct archive_dso *entry; };

struct shared_tables {
	const struct dso *dso;		/* the first of the dsos that share these tables */
	pthread_mutex_t lock;
	bool loaded;
	struct file_tables tables;
	size_t bytes;			/* of .tables */
	unsigned nr_users;		/* number of dsos in use that share these tables */
};

struct used_dso {
	struct dso *dso;		/* borrowed; NULL: not requested yet, or dropped */
	struct shared_tables *shared;
	uint64_t last_use;		/* number of its last request */
};

struct unwind_tables {
	struct memory_ops memory;		/* first, so that a pointer to it is a pointer to the whole */
	const struct machine *machine;		/* used only for .memory */
	load_dso_fn *load;
	void *ctx;
	pthread_mutex_t lock;
	VEC(struct used_dso) by_dso;		/* by the dso's number */
	VEC(struct shared_tables *) all;	/* owned */
	uint64_t nr_requests;
	/* Bounds; see the header. */
	load_dso_fn *unload;
	unsigned max_files, nr_files;		/* dsos in use; two dsos of one file count twice */
	bool lacked;				/* a file could not be opened because too many files are open */
	size_t max_bytes, bytes;
	unsigned generation;
};

struct unwind_tables *unwind_tables_new(load_dso_fn *load, void *ctx)
{
	struct unwind_tables *t = xcalloc(1, sizeof(*t));

	t->load = load;
	t->ctx = ctx;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void unwind_tables_free(struct unwind_tables *t)
{
	if (!t)
		return;
	vec_for(s, &t->all) {
		file_tables_release(&(*s)->tables);
		pthread_mutex_destroy(&(*s)->lock);
		free(*s);
	}
	vec_free(&t->all);
	vec_free(&t->by_dso);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static bool is_same_file(const struct dso *a, const struct dso *b)
{
	if (a->build_id.size)
		return a->build_id.size == b->build_id.size && !memcmp(a->build_id.data, b->build_id.data, a->build_id.size);
	return a->file && b->file && !b->build_id.size && str_eq(a->file, b->file);
}

static struct shared_tables *add_shared(struct unwind_tables *t, const struct dso *dso)
{
	struct shared_tables *s;

	vec_for(known, &t->all)
		if (is_same_file(dso, (*known)->dso) && !(*known)->dso->file == !dso->file)
			return *known;
	s = xcalloc(1, sizeof(*s));
	s->dso = dso;
	pthread_mutex_init(&s->lock, NULL);
	vec_push(&t->all, s);
	return s;
}

static struct shared_tables *shared_of(struct unwind_tables *t, struct dso *dso)
{
	struct used_dso *a;
	struct shared_tables *s;

	pthread_mutex_lock(&t->lock);
	while (t->by_dso.nr <= dso->number)
		vec_push(&t->by_dso, (struct used_dso){0});
	a = &t->by_dso.v[dso->number];
	if (!a->shared)
		a->shared = add_shared(t, dso);
	s = a->shared;
	if (!a->dso) {
		a->dso = dso;
		s->nr_users++;
		t->nr_files++;
	}
	a->last_use = ++t->nr_requests;
	pthread_mutex_unlock(&t->lock);
	return s;
}

static bool has_jitdump(const struct dso *dso)
{
	return dso->kind == DSO_JIT && dso->jitdump;
}

/* Call it with the lock of @s held. The tables grow as functions in them are looked up. */
static void note_size(struct unwind_tables *t, struct shared_tables *s)
{
	size_t bytes = file_tables_bytes(&s->tables);

	__atomic_add_fetch(&t->bytes, bytes - s->bytes, __ATOMIC_RELAXED);
	s->bytes = bytes;
}

/* Returns 0 or -errno; -EMFILE: the tables may be read later. */
static int read_tables(struct file_tables *t, const struct dso *dso)
{
	if (has_jitdump(dso)) {
		jit_tables_read(t, dso->jitdump);
		return 0;
	}
	if (!dso->archived)
		return dso->file || dso->loaded ? file_tables_read(t, dso->file, dso->dwarf_file) : -EMFILE;
	t->has_file = dso->archived->has_file;
	vec_for(u, &dso->archived->unwind)
		file_tables_add(t, &(struct unwind_section){
			u->kind, u->word, u->until_zero, u->arm64, u->addr, u->table, u->table_size, u->end, u->bytes, u->size });
	return 0;
}

const struct file_tables *unwind_tables_of(struct unwind_tables *t, struct dso *dso)
{
	struct shared_tables *s;

	t->load(t->ctx, dso);
	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO && !has_jitdump(dso))
		return NULL;
	s = shared_of(t, dso);
	pthread_mutex_lock(&s->lock);
	if (!s->loaded)
		s->loaded = read_tables(&s->tables, dso) != -EMFILE;
	if (!s->loaded || (dso->kind == DSO_USER && !dso->loaded))
		__atomic_store_n(&t->lacked, true, __ATOMIC_RELAXED);
	note_size(t, s);
	pthread_mutex_unlock(&s->lock);
	return &s->tables;
}

/* ---- bounds ---- */

void unwind_tables_bound(struct unwind_tables *t, load_dso_fn *unload, unsigned max_files, size_t max_bytes)
{
	t->unload = unload;
	t->max_files = max_files;
	t->max_bytes = max_bytes;
}

bool unwind_tables_lacked_files(const struct unwind_tables *t)
{
	return t->unload && __atomic_load_n(&t->lacked, __ATOMIC_RELAXED);
}

bool unwind_tables_lack_files(const struct unwind_tables *t)
{
	return unwind_tables_lacked_files(t) || (t->unload && __atomic_load_n(&t->nr_files, __ATOMIC_RELAXED) > t->max_files);
}

bool unwind_tables_are_full(const struct unwind_tables *t)
{
	return unwind_tables_lack_files(t) || (t->unload && __atomic_load_n(&t->bytes, __ATOMIC_RELAXED) > t->max_bytes);
}

unsigned unwind_tables_generation(const struct unwind_tables *t)
{
	return __atomic_load_n(&t->generation, __ATOMIC_RELAXED);
}

ORDER(compare_uses, uint64_t, compare_numbers(*a, *b))

/* The median of the dsos' last uses. */
static uint64_t median_use(const struct unwind_tables *t)
{
	VEC(uint64_t) all = {0};
	uint64_t median = 0;

	vec_for(a, &t->by_dso)
		if (a->dso)
			vec_push(&all, a->last_use);
	if (all.nr) {
		vec_sort(&all, compare_uses);
		median = all.v[all.nr / 2];
	}
	vec_free(&all);
	return median;
}

static void drop(struct unwind_tables *t, struct used_dso *a)
{
	struct shared_tables *s = a->shared;

	t->unload(t->ctx, a->dso);
	a->dso = NULL;
	t->nr_files--;
	if (--s->nr_users)
		return;
	file_tables_release(&s->tables);
	s->tables = (struct file_tables){0};
	s->loaded = false;
	t->bytes -= s->bytes;
	s->bytes = 0;
}

void unwind_tables_trim(struct unwind_tables *t)
{
	uint64_t before = median_use(t);

	/* Other parts of the process have more files open than were left to them. */
	if (t->lacked)
		t->max_files = MAX(t->nr_files / 2, 1);
	t->lacked = false;
	vec_for(a, &t->by_dso)
		if (a->dso && a->dso->kind == DSO_USER && a->last_use < before)
			drop(t, a);
	t->generation++;
}

static void keep_section(void *ctx, const struct unwind_section *s)
{
	struct kept_sections *k = ctx;

	vec_push(&k->entry->unwind, ((struct archive_unwind){
		.kind = s->kind, .word = s->word, .until_zero = s->until_zero, .arm64 = s->arm64, .addr = s->addr,
		.table = s->table, .table_size = s->table_size, .end = s->end,
		.bytes = archive_keep(k->archive, s->bytes, s->size), .size = s->size }));
}

void unwind_tables_archive(struct unwind_tables *t, struct archive *out)
{
	for (size_t i = 0; i < t->by_dso.nr && i < out->dsos.nr; i++) {
		const struct dso *dso = machine_dso(t->machine, (uint32_t)i);
		struct kept_sections k = { out, &out->dsos.v[i] };

		if (!t->by_dso.v[i].dso)
			continue;
		if (dso->archived)
			vec_for(u, &dso->archived->unwind)
				vec_push(&k.entry->unwind, *u);
		else
			unwind_sections_read(dso->file, dso->dwarf_file, keep_section, &k);
	}
}

/* ---- of a machine ---- */

static const struct unwind_tables *tables_of_memory(const struct memory_ops *m)
{
	return (const struct unwind_tables *)m;
}

static const struct arch *memory_arch(const struct memory_ops *m)
{
	return machine_arch(tables_of_memory(m)->machine);
}

static const struct map *memory_map(const struct memory_ops *m, uint32_t space, uint64_t ip, struct ip_span *span)
{
	return machine_map_span(tables_of_memory(m)->machine, space, ip, span);
}

static size_t memory_code(const struct memory_ops *m, uint32_t space, uint64_t ip, void *out, size_t n)
{
	return code_if_known(tables_of_memory(m)->machine, space, ip, out, n);
}

/* Tables are loaded on demand, under locks, so the const of the machine is cast away. */
static const struct file_tables *memory_tables(const struct memory_ops *m, const struct map *map)
{
	return unwind_tables_of((struct unwind_tables *)(uintptr_t)tables_of_memory(m), map->dso);
}

static bool memory_same_function(const struct memory_ops *memory, uint32_t space, uint64_t a, uint64_t b)
{
	const struct machine *m = tables_of_memory(memory)->machine;
	struct addr_location here, there;

	machine_resolve(m, space, a, &here);
	machine_resolve(m, space, b, &there);
	return here.symbol && here.symbol == there.symbol;
}

static void load_dso(void *machine, struct dso *dso)
{
	dso_load(machine, dso);
}

struct unwind_tables *unwind_tables_of_machine(const struct machine *m)
{
	struct unwind_tables *t = unwind_tables_new(load_dso, (void *)(uintptr_t)m);

	t->machine = m;
	t->memory = (struct memory_ops){
		.arch = memory_arch, .map = memory_map, .code = memory_code, .tables = memory_tables,
		.same_function = memory_same_function,
	};
	return t;
}

const struct memory_ops *unwind_tables_memory_ops(const struct unwind_tables *t)
{
	return &t->memory;
}
