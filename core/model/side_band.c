/*
 * Builds the model of a recording (machine.h) from side-band records (MMAP, COMM, FORK, EXIT ...), with one function for each
 * record type. core/read calls machine_apply() for each record.
 * Sources: perf_event_open(2) for the meaning of records; tools/perf of Linux 6.1 for the names of the kernel's maps and the misc
 * flags of synthesized records.
 */
#include "core/model/machine.h"

#include <stdio.h>
#include <string.h>

#include "core/arch.h"
#include "core/perfdata/record.h"
#include "core/model/machine_state.h"
#include "core/model/recorded_file.h"

#define MAP_HUGETLB	0x40000u
#define PROT_EXEC	4u
#define PID_NONE	UINT32_MAX

/* ---- processes ---- */

static void apply_comm(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_comm *c = &rec->comm;
	uint32_t process = machine_process(m, c->pid), life = threads_life(&m->threads, process, c->tid, time);

	threads_name(&m->threads, life, comms_number(&m->comms, intern_printable(m->strings, c->comm)), time);
	if (rec->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		struct process *p = &m->threads.processes.v[process];

		p->image = spaces_add_image(&m->spaces, p->image, process, time);
		p->exec = EXEC_NAMED;
	}
}

/* A new process: it sees what its parent had mapped. */
static uint32_t born(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_task *t = &rec->task;
	/* The recorder synthesized it for an existing process: nothing is inherited (Linux 4.20). */
	uint32_t parent = rec->header.misc & PERF_RECORD_MISC_FORK_EXEC ? PID_NONE : machine_process(m, t->ppid), process, image;

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

	/* Recorders up to Linux 4.x synthesize forks of threads with the parent of the process: the tid shows it. */
	process = t->pid != t->ppid && t->pid == t->tid ? born(m, rec, time) : machine_process(m, t->pid);
	life = threads_new_life(&m->threads, process, t->tid, time);
	if (comm != COMM_NONE)
		threads_name(&m->threads, life, comm, time);
}

static void apply_exit(struct machine *m, const struct record *rec, uint64_t time)
{
	uint32_t life = threads_last(&m->threads, rec->task.tid);

	if (life == LIFE_NONE || m->threads.lives.v[life].thread.pid != rec->task.pid)
		m->nr_inconsistent++;
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

static bool is_of_kernel(const struct record *rec)
{
	return (rec->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL || rec->mmap.pid == PID_NONE;
}

/*
 * The recorded map ends with .text. The kernel's init text is after it, in which call chains of idle tasks end; modules and BPF
 * programs are in other windows of this size, or overlay it. This guess only matters if there are symbols.
 */
#define KERNEL_WINDOW	(1ull << 30)

static void map_kernel(struct machine *m, const struct record *rec, struct map *map)
{
	struct build_id id;

	if (str_starts(rec->mmap.filename, "[guest"))	/* an old perf recorded it with the host's cpumode */
		return;
	build_id_of_record(rec, &id);
	if (str_starts(rec->mmap.filename, "[kernel")) {
		map->dso = dsos_find(&m->dsos, DSO_KERNEL, KERNEL_NAME, &id);
		map->pgoff = map->start;
		if (m->opts.this_host || m->opts.kallsyms || m->opts.vmlinux || m->kcore_dir)
			map->end = MAX(map->end, round_up(map->end, KERNEL_WINDOW));
		dsos_set_reference(&m->dsos, map->dso, rec->mmap.filename, rec->mmap.pgoff);
	} else if (!map->start) {
		return;		/* its address was hidden (kptr_restrict) */
	} else {
		map->dso = dsos_find(&m->dsos, DSO_MODULE, rec->mmap.filename, &id);
	}
	spaces_add_map(&m->spaces, KERNEL_IMAGE, map);
}

/* If the kernel's address was hidden (kptr_restrict), takes the upper half of all addresses as the kernel's. */
static bool map_hidden_kernel(struct machine *m, const struct record *rec, struct map *map)
{
	struct build_id id;

	if (!is_of_kernel(rec) || rec->mmap.addr || rec->mmap.len || !str_starts(rec->mmap.filename, "[kernel"))
		return false;
	build_id_of_record(rec, &id);
	map->dso = dsos_find(&m->dsos, DSO_KERNEL, KERNEL_NAME, &id);
	map->start = map->pgoff = 1ull << 63;
	map->end = UINT64_MAX;
	spaces_add_map(&m->spaces, KERNEL_IMAGE, map);
	return true;
}

static void add_user_map(struct machine *m, struct process *p, const struct map *map)
{
	if (p->exec == EXEC_MAPPED) {
		spaces_lose_base(&m->spaces, p->image);
		p->exec = EXEC_NONE;
	} else if (p->exec == EXEC_NAMED && map->dso->kind == DSO_VDSO) {
		p->exec = EXEC_MAPPED;
	}
	spaces_add_map(&m->spaces, p->image, map);
}

static void set_user_dso(struct machine *m, const struct record *rec, struct map *map)
{
	const char *filename = *rec->mmap.filename ? rec->mmap.filename : "//anon";
	enum dso_kind kind = dso_kind_of(filename);
	bool anonymous = is_anonymous(filename) || map->flags & MAP_HUGETLB;
	char jit[64];
	struct build_id id;

	/* Code without a file was made by a JIT compiler, which may have written its names to this file. */
	if (anonymous && is_exec(rec)) {
		snprintf(jit, sizeof(jit), "/tmp/perf-%d.map", (int)rec->mmap.pid);
		filename = jit;
	}
	if (anonymous) {
		kind = DSO_ANON;
		map->pgoff = map->start;
	}
	if (kind == DSO_VDSO) {
		map->pgoff = 0;
		/* The kernel gives it the name of the 64-bit vdso, which is never below 4 GiB. */
		if (m->arch && m->arch->compat && map->end <= 1ull << 32)
			filename = VDSO32;
	}
	build_id_of_record(rec, &id);
	/* A program that runs from a memfd is a program, too: with its build id, a copy may be in the cache. */
	if (id.size && str_starts(filename, "/memfd:"))
		kind = DSO_USER;
	map->dso = dsos_find_mapped(&m->dsos, kind, filename, &id, map);
	__atomic_store_n(&map->dso->pid, rec->mmap.pid, __ATOMIC_RELAXED);
	recorded_file_note(map->dso, map, is_exec(rec));
}

static void map_user(struct machine *m, const struct record *rec, struct map *map)
{
	uint32_t process = machine_process(m, rec->mmap.pid);

	set_user_dso(m, rec, map);
	add_user_map(m, &m->threads.processes.v[process], map);
	if (map->dso->kind == DSO_JIT)
		jitdump_mapped(m, map, rec->mmap.pid, process);
}

static bool is_of_guest(const struct record *rec)
{
	uint16_t cpumode = rec->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER;
}

bool machine_user_map(struct machine *m, const struct record *rec, struct map *out)
{
	if (is_of_guest(rec) || is_of_kernel(rec) || !map_of_record(rec, 0, out))
		return false;
	set_user_dso(m, rec, out);
	return true;
}

static void apply_mmap(struct machine *m, const struct record *rec, uint64_t time)
{
	struct map map;

	if (is_of_guest(rec)) {
		if (map_of_record(rec, time, &map))
			guest_map(m, rec, &map);
		return;
	}
	if (!map_of_record(rec, time, &map))
		m->nr_inconsistent += !map_hidden_kernel(m, rec, &map);
	else if (is_of_kernel(rec))
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
		m->nr_inconsistent++;
		return;
	}
	if (!(k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)) {
		dso = map.dso = dsos_find(&m->dsos, DSO_BPF, k->name, NULL);
		name = symbols_keep(&dso->symbols, dso->path, strlen(dso->path));
		symbols_add(&dso->symbols, &(struct symbol){
			.start = map.start, .end = map.end, .name = name, .binding = SYMBOL_GLOBAL,
			.function = true, .named = SYMBOL_NAMED,
		});
	}
	spaces_add_map(&m->spaces, KERNEL_IMAGE, &map);
}

/* The address has other code from now on, so this begins a new space. */
static void apply_text_poke(struct machine *m, const struct record *rec, uint64_t time)
{
	pokes_add(&m->pokes, &rec->text_poke, time);
	spaces_cut(&m->spaces, KERNEL_IMAGE, time);
}

static void apply_cgroup(struct machine *m, const struct record *rec, uint64_t time)
{
	machine_add_cgroup(m, rec->cgroup.id, rec->cgroup.path);
}

/* The links are in the order of CGROUP_NS_INDEX and its like, linux/perf_event.h. */
static void apply_namespaces(struct machine *m, const struct record *rec, uint64_t time)
{
	const struct record_namespaces *n = &rec->namespaces;
	uint32_t life = threads_life(&m->threads, machine_process(m, n->pid), n->tid, time);
	struct namespace_id ns = {0};

	if (n->nr > CGROUP_NS_INDEX) {
		ns.dev = words_at(&n->links, 2 * CGROUP_NS_INDEX);
		ns.ino = words_at(&n->links, 2 * CGROUP_NS_INDEX + 1);
	}
	threads_enter(&m->threads, life, machine_add_cgroup_namespace(m, &ns), time);
}

typedef void apply_fn(struct machine *m, const struct record *rec, uint64_t time);

static apply_fn *const handlers[] = {
	[PERF_RECORD_MMAP] = apply_mmap,
	[PERF_RECORD_MMAP2] = apply_mmap,
	[PERF_RECORD_COMM] = apply_comm,
	[PERF_RECORD_FORK] = apply_fork,
	[PERF_RECORD_EXIT] = apply_exit,
	[PERF_RECORD_NAMESPACES] = apply_namespaces,
	[PERF_RECORD_KSYMBOL] = apply_ksymbol,
	[PERF_RECORD_CGROUP] = apply_cgroup,
	[PERF_RECORD_TEXT_POKE] = apply_text_poke,
};

bool machine_handles(uint32_t type)
{
	return type < ARRAY_SIZE(handlers) && handlers[type];
}

void machine_apply(struct machine *m, const struct record *rec, uint64_t time)
{
	if (!machine_handles(rec->header.type))
		return;
	machine_join_early(m);
	m->sealed = false;
	if (m->jitdumps.nr)
		machine_apply_jit(m, time);
	if (time && (!m->first_time || time < m->first_time))
		m->first_time = time;
	handlers[rec->header.type](m, rec, time);
}

void machine_add_build_id(struct machine *m, const char *filename, const struct build_id *id, uint16_t misc)
{
	uint16_t cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER)
		return;
	dsos_report_id(&m->dsos, filename, id, cpumode == PERF_RECORD_MISC_KERNEL);
}
