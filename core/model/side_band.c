/*
 * Building the world from side-band records: one handler a record type.
 * Source for what records mean: perf_event_open(2); for the names of the kernel's maps and the misc flags of
 * synthesized records: tools/perf of Linux 6.1 as a writer.
 * Layer: model
 */
#include "core/model/machine.h"

#include <stdio.h>
#include <string.h>

#include "core/format/record.h"
#include "core/model/machine_state.h"

#define MAP_HUGETLB	0x40000u
#define PROT_EXEC	4u
#define PID_NONE	UINT32_MAX

uint32_t comms_number(struct comms *c, const char *interned)
{
	uint64_t h = hash_u64((uintptr_t)interned);
	uint32_t pos;

	for (size_t i = index_first(&c->by_name, h); (pos = index_at(&c->by_name, i, h)) != INDEX_END; i++)
		if (pos != INDEX_OTHER && c->list.v[pos] == interned)
			return pos;
	index_add(&c->by_name, h, (uint32_t)c->list.nr);
	vec_push(&c->list, interned);
	return (uint32_t)c->list.nr - 1;
}

void comms_release(struct comms *c)
{
	vec_free(&c->list);
	index_release(&c->by_name);
}

/* ---- processes ---- */

static uint32_t process_of(struct machine *m, uint32_t pid)
{
	bool made;
	uint32_t process = threads_process(&m->threads, pid, &made);

	if (made)
		m->threads.processes.v[process].image = spaces_add_image(&m->spaces, IMAGE_NONE, process, 0);
	return process;
}

static void apply_comm(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_comm *c = &rec->comm;
	uint32_t process = process_of(m, c->pid), life = threads_life(&m->threads, process, c->tid, time);

	threads_name(&m->threads, life, comms_number(&m->comms, intern(m->strings, c->comm)), time);
	if (rec->header.misc & PERF_RECORD_MISC_COMM_EXEC)
		m->threads.processes.v[process].image = spaces_add_image(&m->spaces, IMAGE_NONE, process, time);
}

/* A new process: it sees what its parent had mapped. */
static uint32_t born(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_task *t = &rec->task;
	/* Made up by the recorder for what ran already: nothing is inherited (Linux 4.20). */
	uint32_t parent = rec->header.misc & PERF_RECORD_MISC_FORK_EXEC ? PID_NONE : process_of(m, t->ppid), process, image;

	process = threads_new_process(&m->threads, t->pid, time);
	image = parent == PID_NONE ? IMAGE_NONE : m->threads.processes.v[parent].image;
	m->threads.processes.v[process].image = spaces_add_image(&m->spaces, image, process, time);
	return process;
}

static void apply_fork(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_task *t = &rec->task;
	uint32_t parent = threads_last(&m->threads, t->ptid), process, life;
	uint32_t comm = parent == LIFE_NONE ? COMM_NONE : m->threads.lives.v[parent].comm;

	/* Recorders up to Linux 4.x synthesize for each thread the parent of its process: the tid tells. */
	process = t->pid != t->ppid && t->pid == t->tid ? born(m, rec, time) : process_of(m, t->pid);
	life = threads_new_life(&m->threads, process, t->tid, time);
	if (comm != COMM_NONE)
		threads_name(&m->threads, life, comm, time);
}

static void apply_exit(struct machine *m, const struct record *rec, uint64_t time)
{
	uint32_t life = threads_last(&m->threads, rec->task.tid);

	if (life == LIFE_NONE || m->threads.lives.v[life].thread.pid != rec->task.pid)
		m->nr_odd++;
	else
		threads_end(&m->threads, life, time);
}

/* ---- maps ---- */

static void build_id_of_record(const struct record *rec, struct build_id *out)
{
	*out = (struct build_id){0};
	if (rec->header.type != PERF_RECORD_MMAP2 || rec->mmap.build_id_size > BUILD_ID_MAX)
		return;
	out->size = rec->mmap.build_id_size;
	memcpy(out->data, rec->mmap.build_id, out->size);
}

static bool is_exec(const struct record *rec)
{
	if (rec->header.type == PERF_RECORD_MMAP2)
		return rec->mmap.prot & PROT_EXEC;
	return !(rec->header.misc & PERF_RECORD_MISC_MMAP_DATA);
}

static bool map_of_record(const struct record *rec, uint64_t time, struct map *out)
{
	const struct record_mmap *r = &rec->mmap;

	*out = (struct map){
		.start = r->addr, .end = r->addr + r->len < r->addr ? UINT64_MAX : r->addr + r->len,
		.pgoff = r->pgoff, .time = time, .prot = r->prot, .flags = r->flags,
		.maj = r->maj, .min = r->min, .ino = r->ino, .ino_generation = r->ino_generation,
	};
	if (rec->header.type == PERF_RECORD_MMAP)
		out->prot = is_exec(rec) ? PROT_EXEC : 0;
	return out->end > out->start;
}

/* "[kernel.kallsyms]_text": behind the bracket the symbol at whose address, told as pgoff, the kernel was. */
static void set_reference(struct machine *m, struct dso *kernel, const struct record_mmap *r)
{
	const char *name = strchr(r->filename, ']');

	if (!name || !name[1] || !r->pgoff)
		return;
	kernel->reference = intern(m->strings, name + 1);
	kernel->reference_addr = r->pgoff;
}

/*
 * The recorded map ends with the text. Behind it lies the text of the start, which the call chains of idle tasks
 * end in; modules and BPF programs lie in other windows of this size, or overlay. It is only worth its guess where
 * there are symbols for it.
 */
#define KERNEL_WINDOW	(1ull << 30)

static void map_kernel(struct machine *m, const struct record *rec, struct map *map)
{
	struct build_id id;

	if (str_starts(rec->mmap.filename, "[guest"))
		return;
	build_id_of_record(rec, &id);
	if (str_starts(rec->mmap.filename, "[kernel")) {
		map->dso = dsos_find(&m->dsos, DSO_KERNEL, KERNEL_NAME, &id);
		map->pgoff = map->start;
		if (m->opts.this_host || m->opts.kallsyms || m->opts.vmlinux)
			map->end = MAX(map->end, round_up(map->end, KERNEL_WINDOW));
		set_reference(m, map->dso, &rec->mmap);
	} else {
		map->dso = dsos_find(&m->dsos, DSO_MODULE, rec->mmap.filename, &id);
	}
	spaces_add_map(&m->spaces, KERNEL_IMAGE, map);
}

static void map_user(struct machine *m, const struct record *rec, struct map *map)
{
	uint32_t process = process_of(m, rec->mmap.pid);
	const char *filename = *rec->mmap.filename ? rec->mmap.filename : "//anon";
	enum dso_kind kind = dso_kind_of(filename);
	bool anonymous = is_anonymous(filename) || map->flags & MAP_HUGETLB;
	char jit[64];
	struct build_id id;

	/* Code without a file is a JIT's, which may have left its names in a file that is called so. */
	if (anonymous && is_exec(rec)) {
		snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", (int)rec->mmap.pid);
		filename = jit;
	}
	if (anonymous) {
		kind = DSO_ANON;
		map->pgoff = map->start;
	}
	if (kind == DSO_VDSO)
		map->pgoff = 0;
	build_id_of_record(rec, &id);
	map->dso = dsos_find(&m->dsos, kind, filename, &id);
	spaces_add_map(&m->spaces, m->threads.processes.v[process].image, map);
}

static void apply_mmap(struct machine *m, const struct record *rec, uint64_t time)
{
	uint16_t cpumode = rec->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct map map;

	if (cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER)
		return;
	if (!map_of_record(rec, time, &map))
		m->nr_odd++;
	else if (cpumode == PERF_RECORD_MISC_KERNEL || rec->mmap.pid == PID_NONE)
		map_kernel(m, rec, &map);
	else
		map_user(m, rec, &map);
}

static void apply_ksymbol(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_ksymbol *k = &rec->ksymbol;
	struct map map = { .start = k->addr, .end = k->addr + k->len, .pgoff = k->addr, .time = time, .prot = PROT_EXEC };
	struct dso *dso;
	char *name;

	if (map.end <= map.start) {
		m->nr_odd++;
		return;
	}
	if (!(k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)) {
		dso = map.dso = dsos_find(&m->dsos, DSO_BPF, k->name, NULL);
		name = symbols_keep(&dso->symbols, k->name, strlen(k->name));
		symbols_add(&dso->symbols, &(struct symbol){
			.start = map.start, .end = map.end, .name = name, .binding = SYMBOL_GLOBAL,
			.function = true, .named = true,
		});
	}
	spaces_add_map(&m->spaces, KERNEL_IMAGE, &map);
}

typedef void apply_fn(struct machine *m, const struct record *rec, uint64_t time);

static apply_fn *const handlers[] = {
	[PERF_RECORD_MMAP] = apply_mmap,
	[PERF_RECORD_MMAP2] = apply_mmap,
	[PERF_RECORD_COMM] = apply_comm,
	[PERF_RECORD_FORK] = apply_fork,
	[PERF_RECORD_EXIT] = apply_exit,
	[PERF_RECORD_KSYMBOL] = apply_ksymbol,
};

bool machine_heeds(uint32_t type)
{
	return type < ARRAY_SIZE(handlers) && handlers[type];
}

void machine_apply(struct machine *m, const struct record *rec, uint64_t time)
{
	if (machine_heeds(rec->header.type))
		handlers[rec->header.type](m, rec, time);
}

void machine_add_build_id(struct machine *m, const char *filename, const struct build_id *id, uint16_t misc)
{
	uint16_t cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER)
		return;
	dsos_tell_id(&m->dsos, filename, id, cpumode == PERF_RECORD_MISC_KERNEL);
}

/* ---- the whole ---- */

struct machine *machine_new(const struct machine_opts *opts)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	uint32_t swapper;

	if (opts)
		m->opts = *opts;
	m->strings = strtab_new();
	m->dsos.strings = m->strings;
	m->late.strings = strtab_new();
	pthread_mutex_init(&m->late.lock, NULL);
	pthread_mutex_init(&m->kallsyms.lock, NULL);
	spaces_add_image(&m->spaces, IMAGE_NONE, UINT32_MAX, 0);
	/* The idle task has no COMM; perf calls it so. */
	swapper = threads_new_life(&m->threads, process_of(m, 0), 0, 0);
	threads_name(&m->threads, swapper, comms_number(&m->comms, intern(m->strings, "swapper")), 0);
	return m;
}

void machine_seal(struct machine *m)
{
	if (m->sealed)
		return;
	m->sealed = true;
	spaces_seal(&m->spaces);
	for (size_t i = 0; i < m->spaces.images.nr; i++) {
		const struct image *image = &m->spaces.images.v[i];

		if (image->owner == UINT32_MAX)
			continue;
		/* An image without maps is the place its parent was in, or nowhere. */
		if (!image->nr_spaces)
			vec_push(&m->threads.epochs, (struct epoch){ image->time, image->owner, image->base });
		for (uint32_t n = 0; n < image->nr_spaces; n++) {
			uint32_t space = image->first_space + n;

			vec_push(&m->threads.epochs,
				 (struct epoch){ m->spaces.from.v[space], image->owner, space });
		}
	}
	threads_seal(&m->threads);
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	dsos_release(&m->dsos);
	spaces_release(&m->spaces);
	threads_release(&m->threads);
	comms_release(&m->comms);
	strtab_free(m->strings);
	vec_for(thread, &m->late.threads)
		free(*thread);
	vec_free(&m->late.threads);
	index_release(&m->late.by_id);
	comms_release(&m->late.comms);
	strtab_free(m->late.strings);
	pthread_mutex_destroy(&m->late.lock);
	pthread_mutex_destroy(&m->kallsyms.lock);
	kallsyms_release(&m->kallsyms.all);
	free(m->kallsyms.path);
	free(m->release);
	free(m);
}

void machine_set_arch(struct machine *m, const struct arch *arch)
{
	m->arch = arch;
}

const struct arch *machine_arch(const struct machine *m)
{
	return m->arch;
}

void machine_set_this_host(struct machine *m, bool this_host)
{
	m->opts.this_host = this_host;
}

void machine_set_release(struct machine *m, const char *release)
{
	free(m->release);
	m->release = release ? xstrdup(release) : NULL;
}

uint32_t machine_nr_spaces(const struct machine *m)
{
	return (uint32_t)m->spaces.image_of.nr;
}

uint32_t machine_nr_dsos(const struct machine *m)
{
	return (uint32_t)m->dsos.list.nr;
}

struct dso *machine_dso(const struct machine *m, uint32_t number)
{
	return m->dsos.list.v[number];
}

uint64_t machine_nr_odd(const struct machine *m)
{
	return m->nr_odd;
}
