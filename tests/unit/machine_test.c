/*
 * The timeline against a model that is too simple to be wrong: processes are arrays of pages, every query replays the
 * history from its beginning. Thousands of random histories of fork, exec, exit, tids and pids used again, maps over
 * maps, modules and BPF programs that come and go; then histories made by hand, and how it scales.
 */
#include "core/model/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/vec.h"
#include "core/perfdata/record.h"
#include "tests/unit/check.h"

#define MISC_FORK_EXEC	(1 << 13)

static uint64_t seed;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* ---- records ---- */

static struct record mmap_record(uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
{
	bool kernel = pid == UINT32_MAX;

	return (struct record){
		.header = {
			.type = PERF_RECORD_MMAP2,
			.misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		},
		.mmap = { .pid = pid, .tid = pid, .addr = addr, .len = len, .pgoff = pgoff, .prot = 5, .filename = name },
	};
}

static struct record comm_record(uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	return (struct record){
		.header = { .type = PERF_RECORD_COMM, .misc = exec ? PERF_RECORD_MISC_COMM_EXEC : 0 },
		.comm = { .pid = pid, .tid = tid, .comm = comm },
	};
}

static struct record task_record(uint32_t type, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	return (struct record){
		.header = { .type = type },
		.task = { .pid = pid, .tid = tid, .ppid = ppid, .ptid = ptid },
	};
}

static struct record ksymbol_record(uint64_t addr, uint32_t len, const char *name, bool unregister)
{
	return (struct record){
		.header = { .type = PERF_RECORD_KSYMBOL },
		.ksymbol = { .addr = addr, .len = len, .name = name, .ksym_type = PERF_RECORD_KSYMBOL_TYPE_BPF,
			     .flags = unregister ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0 },
	};
}

/* ---- the simple model ---- */

#define PAGES	48
#define NR_PIDS	8
#define NR_TIDS	16

struct page { const char *name; uint64_t delta; bool old; };	/* name NULL: nothing; delta: file offset - address */
/* Old pages are those of before the exec; with the first map after the vdso's they are gone. */
struct space_model { struct page page[PAGES]; bool exec, vdso; };
struct thread_model { bool known; uint32_t pid; const char *comm; };

struct world {
	struct space_model of_pid[NR_PIDS], kernel;
	struct thread_model of_tid[NR_TIDS];
};

struct event { uint64_t time; struct record rec; };

static void replay_mmap(struct space_model *s, const char *name, uint64_t addr, uint64_t len, uint64_t pgoff)
{
	for (uint64_t i = 0; i < PAGES && s->vdso; i++)
		if (s->page[i].old)
			s->page[i] = (struct page){0};
	s->exec = s->exec && !s->vdso;
	s->vdso = s->exec && name && str_eq(name, "[vdso]");
	for (uint64_t i = addr / 4096; i < (addr + len) / 4096; i++)
		s->page[i] = (struct page){ name, pgoff - addr, false };
}

static void replay_exec(struct space_model *s)
{
	for (uint64_t i = 0; i < PAGES; i++)
		s->page[i].old = true;
	s->exec = true;
	s->vdso = false;
}

static void replay_fork(struct world *w, const struct record_task *t, bool fresh)
{
	if (t->pid == t->tid && t->pid != t->ppid) {
		if (fresh)
			memset(&w->of_pid[t->pid], 0, sizeof(w->of_pid[0]));
		else
			w->of_pid[t->pid] = w->of_pid[t->ppid];
		w->of_pid[t->pid].exec = w->of_pid[t->pid].vdso = false;
	}
	w->of_tid[t->tid] = (struct thread_model){ true, t->pid, w->of_tid[t->ptid].comm };
}

static void replay_one(struct world *w, const struct record *rec)
{
	const struct record_mmap *m = &rec->mmap;

	switch (rec->header.type) {
	case PERF_RECORD_MMAP2:
		if (m->pid == UINT32_MAX)
			replay_mmap(&w->kernel, m->filename, m->addr, m->len, m->pgoff);
		else
			replay_mmap(&w->of_pid[m->pid], m->filename, m->addr, m->len, m->pgoff);
		break;
	case PERF_RECORD_KSYMBOL:
		if (rec->ksymbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
			replay_mmap(&w->kernel, NULL, rec->ksymbol.addr, rec->ksymbol.len, 0);
		else
			replay_mmap(&w->kernel, rec->ksymbol.name, rec->ksymbol.addr, rec->ksymbol.len,
				    rec->ksymbol.addr);
		break;
	case PERF_RECORD_COMM:
		if (rec->header.misc & PERF_RECORD_MISC_COMM_EXEC)
			replay_exec(&w->of_pid[rec->comm.pid]);
		w->of_tid[rec->comm.tid] = (struct thread_model){ true, rec->comm.pid, rec->comm.comm };
		break;
	case PERF_RECORD_FORK:
		replay_fork(w, &rec->task, rec->header.misc & MISC_FORK_EXEC);
		break;
	default:
		break;
	}
}

struct history { VEC(struct event) list; };

static void replay(struct world *w, const struct history *h, uint64_t time)
{
	memset(w, 0, sizeof(*w));
	vec_for(e, &h->list)
		if (e->time <= time)
			replay_one(w, &e->rec);
}

/* ---- random histories ---- */

static const char *const files[] = { "/bin/a", "/lib/b.so", "/lib/c.so", "/opt/d", "[vdso]" };
static const char *const comms[] = { "init", "worker", "shell", "x" };
static const char *const modules[] = { "[m1]", "[m2]", "[m3]" };
static const char *const programs[] = { "bpf_prog_1", "bpf_prog_2" };

static struct record random_mmap(uint32_t pid)
{
	uint64_t first = any(PAGES), nr = 1 + any(any(3) ? 6 : (uint32_t)(PAGES - first)), pgoff;
	const char *file = files[any(ARRAY_SIZE(files))];

	nr = MIN(nr, PAGES - first);
	/* Often as if all of a file had been mapped at one place, so that maps of the same meaning meet. */
	pgoff = any(2) ? first * 4096 : any(PAGES) * 4096u;
	/* A module at address 0 has a hidden address, and is mapped nowhere. */
	if (pid == UINT32_MAX && !first)
		first = nr = 1;
	if (pid == UINT32_MAX)
		return mmap_record(pid, first * 4096, nr * 4096, pgoff, modules[any(ARRAY_SIZE(modules))]);
	/* The vdso's is from its beginning, whatever the record says. */
	return mmap_record(pid, first * 4096, nr * 4096, str_eq(file, "[vdso]") ? 0 : pgoff, file);
}

/* The thread groups are fixed - tid / 2 is the pid, but for the tids that are a pid - so that pids and tids agree. */
static uint32_t any_thread_of(uint32_t pid)
{
	return any(2) ? pid : NR_PIDS + pid;
}

static struct record random_record(void)
{
	uint32_t pid = 1 + any(NR_PIDS - 1), parent = 1 + any(NR_PIDS - 1), tid = any_thread_of(pid);
	struct record rec;

	switch (any(16)) {
	case 0:
	case 1:
		rec = task_record(PERF_RECORD_FORK, pid, pid, parent, any_thread_of(parent));
		if (pid == parent)
			rec.task.ptid = pid;
		if (!any(8))
			rec.header.misc = MISC_FORK_EXEC;
		return rec;
	case 2:
		return task_record(PERF_RECORD_FORK, pid, NR_PIDS + pid, pid, pid);
	case 3:
		return task_record(PERF_RECORD_EXIT, pid, tid, parent, parent);
	case 4:
		return comm_record(pid, tid, comms[any(ARRAY_SIZE(comms))], !any(3));
	case 5:
		return random_mmap(UINT32_MAX);
	case 6:
		return ksymbol_record(any(PAGES - 4) * 4096, (1 + any(3)) * 4096, programs[any(ARRAY_SIZE(programs))],
				      any(2));
	default:
		return random_mmap(pid);
	}
}

static void check_page(const struct machine *m, uint32_t space, unsigned page, const struct page *want, uint64_t time,
		       const char *what)
{
	uint64_t ip = page * 4096u + any(4096);
	const struct map *map = machine_map(m, space, ip);

	if (!want->name) {
		/* A map that comes to an empty place later may be seen before: it is part of the space. */
		CHECK(!map || map->time > time, "%s: page %u at %" PRIu64 " should be empty, is '%s'", what, page, time,
		      map->dso->path);
		return;
	}
	CHECK(map, "%s: page %u at %" PRIu64 " should be '%s'", what, page, time, want->name);
	if (!map)
		return;
	CHECK(str_eq(map->dso->path, want->name) && map->pgoff - map->start == want->delta,
	      "%s: page %u at %" PRIu64 ": '%s' %" PRIx64 ", should be '%s' %" PRIx64, what, page, time,
	      map->dso->path, map->pgoff - map->start, want->name, want->delta);
}

/* The contract of machine_map_span(): the same map from end to end, and just inside of each. */
static void check_span(const struct machine *m, uint32_t space, uint64_t ip)
{
	struct ip_span span;
	const struct map *map = machine_map_span(m, space, ip, &span);
	uint64_t probes[] = { span.from, span.to - 1, span.from + (span.to - span.from) / 2 };

	CHECK(map == machine_map(m, space, ip), "map at %" PRIx64, ip);
	CHECK(span.from <= ip && ip < span.to, "%" PRIx64 " in %" PRIx64 "-%" PRIx64, ip, span.from, span.to);
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		CHECK(machine_map(m, space, probes[i]) == map, "map at %" PRIx64 " is that of %" PRIx64, probes[i], ip);
	for (unsigned page = 0; page < PAGES; page++)
		if (span.from <= page * 4096u && page * 4096u < span.to)
			CHECK(machine_map(m, space, page * 4096u) == map, "map of page %u is that of %" PRIx64, page, ip);
}

static void check_moment(const struct machine *m, struct context_cache *cache, const struct world *w, uint64_t time)
{
	uint32_t pid = 1 + any(NR_PIDS - 1), tid = any_thread_of(pid);
	const struct task_context *where = machine_context(cache, pid, tid, time);
	const struct thread_model *t = &w->of_tid[tid];
	char unnamed[16];

	snprintf(unnamed, sizeof(unnamed), ":%u", tid);
	CHECK(where->thread->pid == pid && where->thread->tid == tid, "thread %u/%u", pid, tid);
	CHECK(where->from <= time && time < where->to, "time %" PRIu64, time);
	CHECK(str_eq(where->comm, t->comm ? t->comm : unnamed), "comm of %u at %" PRIu64 ": '%s', should be '%s'", tid,
	      time, where->comm, t->comm ? t->comm : unnamed);
	CHECK(machine_comm(m, where->comm_number) == where->comm, "number of '%s'", where->comm);
	for (unsigned page = 0; page < PAGES; page += 1 + any(3)) {
		check_page(m, where->user_space, page, &w->of_pid[pid].page[page], time, "user");
		check_page(m, where->kernel_space, page, &w->kernel.page[page], time, "kernel");
		check_span(m, where->user_space, page * 4096u + any(4096));
		check_span(m, where->kernel_space, page * 4096u + any(4096));
	}
}

static void one_history(unsigned number)
{
	struct machine *m = machine_new(NULL);
	struct context_cache *cache;
	struct history h = {0};
	struct world w;
	uint64_t time = 0;
	unsigned nr = 1 + any(120);

	seed = number;
	for (unsigned i = 0; i < nr; i++) {
		struct event e = { time, random_record() };

		machine_apply(m, &e.rec, time);
		vec_push(&h.list, e);
		time += any(4) ? 10 : 0;
	}
	machine_seal(m);
	cache = context_cache_new(m);
	for (unsigned i = 0; i < 30; i++) {
		uint64_t at = any(4) ? any((uint32_t)time + 20) : h.list.v[any(nr)].time;

		replay(&w, &h, at);
		for (unsigned n = 0; n < 4; n++)
			check_moment(m, cache, &w, at);
	}
	context_cache_free(cache);
	machine_free(m);
	vec_free(&h.list);
}

/* ---- by hand ---- */

static void apply(struct machine *m, uint64_t time, struct record rec)
{
	machine_apply(m, &rec, time);
}

static const char *path_at(const struct machine *m, uint32_t space, uint64_t ip)
{
	const struct map *map = machine_map(m, space, ip);

	return map ? map->dso->path : "nothing";
}

static void test_names(void)
{
	struct machine *m = machine_new(NULL);
	struct context_cache *c;
	struct task_context w;

	apply(m, 0, comm_record(10, 10, "shell", false));
	apply(m, 100, task_record(PERF_RECORD_FORK, 11, 11, 10, 10));
	apply(m, 200, comm_record(11, 11, "ls", true));
	apply(m, 300, task_record(PERF_RECORD_EXIT, 11, 11, 10, 10));
	apply(m, 400, task_record(PERF_RECORD_FORK, 11, 11, 12, 12));
	machine_seal(m);
	c = context_cache_new(m);
	CHECK(str_eq(machine_context(c, 0, 0, 5)->comm, "swapper"), "idle");
	CHECK(str_eq(machine_context(c, UINT32_MAX, UINT32_MAX, 5)->comm, ":-1"), "nobody");
	CHECK(str_eq(machine_context(c, 77, 78, 5)->comm, ":78"), "unheard of");
	CHECK(machine_context(c, 77, 78, 5)->comm_number == machine_context(c, 77, 78, 9)->comm_number, "its number");
	CHECK(str_eq(machine_context(c, 11, 11, 150)->comm, "shell"), "inherited");
	CHECK(str_eq(machine_context(c, 11, 11, 99)->comm, ":11"), "not born yet");
	w = *machine_context(c, 11, 11, 250);
	CHECK(str_eq(w.comm, "ls") && w.from == 200 && w.to == 400, "%s %" PRIu64, w.comm, w.from);
	CHECK(w.thread->from == 100 && w.thread->to == 300, "life");
	CHECK(machine_next_name(m, w.thread, 99) == 100 && machine_next_name(m, w.thread, 100) == 200, "next name");
	CHECK(machine_next_name(m, w.thread, 200) == UINT64_MAX, "no name any more");
	CHECK(machine_next_name(m, machine_context(c, 77, 78, 5)->thread, 5) == UINT64_MAX, "never named");
	/* It still runs a little after its EXIT was written. */
	CHECK(str_eq(machine_context(c, 11, 11, 350)->comm, "ls"), "after exit");
	/* The next life has a parent without a name. */
	CHECK(str_eq(machine_context(c, 11, 11, 450)->comm, ":11"), "second life");
	CHECK(machine_context(c, 11, 11, 450)->thread != w.thread, "two lives");
	CHECK(machine_nr_inconsistent(m) == 0, "odd");
	context_cache_free(c);
	machine_free(m);
}

static void test_dsos(void)
{
	static const struct { const char *filename, *path, *name; enum dso_kind kind; } rows[] = {
		{ "/usr/bin/ls", "/usr/bin/ls", "ls", DSO_USER },
		{ "/tmp/x (deleted)", "/tmp/x (deleted)", "x (deleted)", DSO_USER },
		{ "[vdso]", "[vdso]", "[vdso]", DSO_VDSO },
		{ "//anon", "/tmp/perf-7.map", "[JIT] tid 7", DSO_ANON },
		{ "[vsyscall]", "[vsyscall]", "[vsyscall]", DSO_UNKNOWN },
		{ "/memfd:x (deleted)", "/memfd:x (deleted)", "memfd:x (deleted)", DSO_ANON },
		{ "anon_inode:[x]", "anon_inode:[x]", "anon_inode:[x]", DSO_ANON },
	};
	struct machine *m = machine_new(NULL);
	struct context_cache *c;
	const struct map *map;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		apply(m, 0, mmap_record(7, (i + 1) << 20, 4096, 4096, rows[i].filename));
	apply(m, 0, mmap_record(UINT32_MAX, 0xffffffff81000000, 0x1000000, 0xffffffff81000000,
				"[kernel.kallsyms]_text"));
	apply(m, 0, mmap_record(UINT32_MAX, 0xffffffffc0000000, 0x5000, 0, "/lib/modules/6.1/kernel/net/nf-nat.ko.xz"));
	apply(m, 0, mmap_record(UINT32_MAX, 0xffffffffd0000000, 0x5000, 0, "[guest.kernel.kallsyms]"));
	apply(m, 0, mmap_record(7, UINT64_MAX - 4095, 4096, 0, "/bin/end"));
	apply(m, 0, mmap_record(7, 0x1000, 0, 0, "/bin/none"));
	machine_seal(m);
	c = context_cache_new(m);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		map = machine_map(m, machine_context(c, 7, 7, 1)->user_space, ((i + 1) << 20) + 5);
		CHECK(map && str_eq(map->dso->path, rows[i].path) && str_eq(map->dso->name, rows[i].name) &&
		      map->dso->kind == rows[i].kind, "'%s'", rows[i].filename);
	}
	map = machine_map(m, 0, 0xffffffff81000005);
	CHECK(map && str_eq(map->dso->name, "[kernel.kallsyms]") && map->dso->reference_addr == 0xffffffff81000000 &&
	      str_eq(map->dso->reference, "_text"), "kernel");
	map = machine_map(m, 0, 0xffffffffc0000005);
	CHECK(map && str_eq(map->dso->name, "[nf_nat]") && map->dso->kind == DSO_MODULE, "module");
	CHECK(!machine_map(m, 0, 0xffffffffd0000005), "guest");
	CHECK(!machine_map(m, SPACE_NONE, 0x1000), "no space");
	CHECK(machine_nr_inconsistent(m) == 1, "%" PRIu64 " odd records", machine_nr_inconsistent(m));
	context_cache_free(c);
	machine_free(m);
}

static void test_build_ids(void)
{
	struct machine *m = machine_new(NULL);
	struct build_id one = { 20, { 1 } }, two = { 20, { 2 } };
	struct record rec = mmap_record(7, 0x1000, 0x1000, 0, "/bin/a");
	struct context_cache *c;
	const struct map *a, *b;

	machine_add_build_id(m, "/bin/early", &two, PERF_RECORD_MISC_USER);
	apply(m, 0, mmap_record(7, 0x5000, 0x1000, 0, "/bin/early"));
	rec.mmap.build_id_size = 20;
	rec.mmap.build_id[0] = 1;
	apply(m, 10, rec);
	rec.mmap.addr = 0x2000;
	rec.mmap.build_id[0] = 2;
	apply(m, 20, rec);
	apply(m, 30, mmap_record(7, 0x3000, 0x1000, 0, "/bin/a"));
	apply(m, 30, mmap_record(7, 0x4000, 0x1000, 0, "/bin/late"));
	machine_add_build_id(m, "/bin/late", &one, PERF_RECORD_MISC_USER);
	machine_seal(m);
	c = context_cache_new(m);
	a = machine_map(m, machine_context(c, 7, 7, 50)->user_space, 0x1000);
	b = machine_map(m, machine_context(c, 7, 7, 50)->user_space, 0x2000);
	CHECK(a && b && a->dso != b->dso && build_id_equal(&a->dso->build_id, &one) &&
	      build_id_equal(&b->dso->build_id, &two), "two files of one name");
	a = machine_map(m, machine_context(c, 7, 7, 50)->user_space, 0x3000);
	CHECK(a && b && a->dso == b->dso, "who does not say means the latest");
	a = machine_map(m, machine_context(c, 7, 7, 50)->user_space, 0x4000);
	CHECK(a && build_id_equal(&a->dso->build_id, &one), "told late");
	a = machine_map(m, machine_context(c, 7, 7, 50)->user_space, 0x5000);
	CHECK(a && build_id_equal(&a->dso->build_id, &two), "told early");
	context_cache_free(c);
	machine_free(m);
}

/* A process image whose addresses keep their meaning is one space, also over a fork. */
static void test_spaces(void)
{
	struct machine *m = machine_new(NULL);
	struct context_cache *c;
	uint32_t before, after;

	apply(m, 0, mmap_record(5, 0x10000, 0x4000, 0, "/bin/a"));
	apply(m, 10, mmap_record(5, 0x20000, 0x4000, 0, "/bin/b"));
	apply(m, 20, mmap_record(5, 0x11000, 0x1000, 0x1000, "/bin/a"));
	apply(m, 30, task_record(PERF_RECORD_FORK, 6, 6, 5, 5));
	apply(m, 40, mmap_record(5, 0x12000, 0x1000, 0, "/bin/c"));
	machine_seal(m);
	c = context_cache_new(m);
	before = machine_context(c, 5, 5, 1)->user_space;
	after = machine_context(c, 5, 5, 41)->user_space;
	CHECK(machine_context(c, 5, 5, 39)->user_space == before, "nothing changed");
	CHECK(machine_context(c, 6, 6, 50)->user_space == before, "the child is where its parent was");
	CHECK(after != before, "a map over another");
	CHECK(str_eq(path_at(m, before, 0x12000), "/bin/a") && str_eq(path_at(m, after, 0x12000), "/bin/c") &&
	      str_eq(path_at(m, after, 0x13000), "/bin/a") && str_eq(path_at(m, after, 0x11fff), "/bin/a"), "overlay");
	CHECK(machine_nr_spaces(m) == 3, "%u spaces", machine_nr_spaces(m));
	context_cache_free(c);
	machine_free(m);
}

/* A daemon that becomes its own child again and again still runs what it began with. */
static void test_generations(void)
{
	struct machine *m = machine_new(NULL);
	struct context_cache *c;
	uint32_t pid;

	apply(m, 0, mmap_record(1, 0x10000, 0x4000, 0, "/bin/a"));
	for (pid = 2; pid < 5000; pid++)
		apply(m, pid * 10, task_record(PERF_RECORD_FORK, pid, pid, pid - 1, pid - 1));
	machine_seal(m);
	c = context_cache_new(m);
	CHECK(str_eq(path_at(m, machine_context(c, 4999, 4999, 100000)->user_space, 0x10000), "/bin/a"), "generation 4999");
	CHECK(machine_nr_spaces(m) == 2, "%u spaces", machine_nr_spaces(m));
	context_cache_free(c);
	machine_free(m);
}

/* ---- size ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Each history has 400,000 records; what is not about linear takes minutes. */
static void test_scale(void)
{
	const unsigned nr = 400000;

	for (unsigned kind = 0; kind < 4; kind++) {
		struct machine *m = machine_new(NULL);
		struct context_cache *c;
		double start = now();
		unsigned found = 0;

		for (unsigned i = 0; i < nr; i++) {
			if (kind == 0)		/* a JIT that writes over its own code */
				apply(m, i, mmap_record(9, 0x1000 + any(1000) * 4096, 4096, any(100) * 4096, "/x"));
			else if (kind == 1)	/* one large map after many small ones, again and again */
				apply(m, i, i % 50 ? mmap_record(9, (i * 7919ull % nr) << 12, 4096, 1 << 12, "/x") :
				      mmap_record(9, 0, (uint64_t)nr << 12, 0, "/y"));
			else if (kind == 2)	/* generations of processes that each map a little */
				apply(m, i, i % 2 ? mmap_record(i / 2, 0x1000 + any(1000) * 4096, 4096, 0, "/x") :
				      task_record(PERF_RECORD_FORK, i / 2, i / 2, i / 2 - 1, i / 2 - 1));
			else			/* maps side by side, in no order */
				apply(m, i, mmap_record(9, (i * 7919ull % nr) << 12, 4096, 0, "/x"));
		}
		machine_seal(m);
		c = context_cache_new(m);
		for (unsigned i = 0; i < nr; i += 10) {
			uint32_t pid = kind == 2 ? i / 2 : 9;

			found += machine_map(m, machine_context(c, pid, pid, i)->user_space, 0x1000 + any(1000) * 4096) != 0;
		}
		CHECK(found > nr / 100, "kind %u: %u found", kind, found);
		CHECK(now() - start < 30, "kind %u took %.1f s", kind, now() - start);
		printf("kind %u: %u spaces, %.2f s\n", kind, machine_nr_spaces(m), now() - start);
		context_cache_free(c);
		machine_free(m);
	}
}

int main(void)
{
	test_names();
	test_dsos();
	test_build_ids();
	test_spaces();
	test_generations();
	for (unsigned i = 1; i <= 1500 && !nr_failed; i++) {
		seed = i;
		one_history(i);
		if (nr_failed)
			printf("in history %u\n", i);
	}
	test_scale();
	return checks_done();
}
