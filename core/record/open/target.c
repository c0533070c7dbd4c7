/*
 * Finds the (pid, cpu) pairs that events are opened for, from options such as -a, -p and -u. It also lists threads and processes
 * from /proc.
 */
#include "core/record/open/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/log.h"

static bool attached(const struct target *t)
{
	return t->pids.list.nr || t->tids.list.nr;
}

bool target_system_wide(const struct target *t)
{
	if (attached(t))
		return false;
	return t->all_cpus || (t->has_cpus && !t->per_thread);
}

bool target_is_workload(const struct target *t)
{
	return t->workload && !attached(t) && !target_system_wide(t);
}

int target_check(struct target *t)
{
	if (attached(t) && t->all_cpus) {
		warning("-p and -t name what is watched: -a is ignored");
		t->all_cpus = false;
	}
	if (t->per_thread && t->all_cpus) {
		warning("-a watches CPUs: --per-thread is ignored");
		t->per_thread = false;
	}
	if (t->per_thread && !t->workload && !attached(t))
		return error("--per-thread needs threads: a command, -p or -t");
	if (!t->workload && !attached(t) && !target_system_wide(t)) {
		t->all_cpus = true;
		info("no command, process or CPU is named: all CPUs are recorded, until ^C");
	}
	return 0;
}

int target_check_cpus(struct target *t, const struct cpus *online)
{
	size_t nr = 0;

	if (!t->has_cpus)
		return 0;
	vec_for(cpu, &t->cpus.list) {
		if (cpus_has(online, *cpu))
			t->cpus.list.v[nr++] = *cpu;
		else
			warning("CPU %d is not online: left out", *cpu);
	}
	t->cpus.list.nr = nr;
	return nr ? 0 : error("nothing to record: none of the CPUs of -C is online");
}

void target_release(struct target *t)
{
	cpus_release(&t->cpus);
	vec_free(&t->pids.list);
	vec_free(&t->tids.list);
}

static void add_place(struct places *out, pid_t pid, int cpu, bool sampling)
{
	struct target_place p = { .pid = pid, .cpu = cpu };

	vec_push(&out->side_band, p);
	if (sampling)
		vec_push(&out->sampling, p);
}

void places_plan(struct places *out, const struct target *t, const struct cpus *online,
		 const pid_t *threads, size_t nr_threads)
{
	static const pid_t everyone = -1;
	bool system_wide = target_system_wide(t);

	*out = (struct places){ .on_exec = target_is_workload(t) };
	out->inherit = !system_wide && !t->per_thread && !t->tids.list.nr && !t->no_inherit;
	if (system_wide) {
		threads = &everyone;
		nr_threads = 1;
	}
	vec_for(cpu, &online->list)
		vec_push(&out->on_all_cpus, (struct target_place){ .pid = everyone, .cpu = *cpu });
	for (size_t i = 0; i < nr_threads; i++) {
		if (t->per_thread && !t->has_cpus) {
			add_place(out, threads[i], -1, true);
			continue;
		}
		vec_for(cpu, &online->list)
			add_place(out, threads[i], *cpu, !t->has_cpus || cpus_has(&t->cpus, *cpu));
	}
}

void places_release(struct places *p)
{
	vec_free(&p->sampling);
	vec_free(&p->side_band);
	vec_free(&p->on_all_cpus);
}

int pids_in(struct pid_list *out, const char *folder)
{
	struct dirent *d;
	DIR *dir = opendir(folder);

	if (!dir)
		return -errno;
	while ((d = readdir(dir)))
		if (isdigit((unsigned char)d->d_name[0]))
			vec_push(&out->list, (pid_t)atoi(d->d_name));
	closedir(dir);
	return 0;
}

/* Appends the threads of a process. Returns 0 or -errno. */
static int add_threads_of(struct pid_list *out, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return pids_in(out, path);
}

static bool is_there(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)tid);
	return !access(path, F_OK);
}

static bool has_pid(const struct pid_list *list, const struct index *by_pid, pid_t pid)
{
	uint64_t h = hash_u64((uint64_t)pid);

	index_for(pos, by_pid, h)
		if (list->list.v[pos] == pid)
			return true;
	return false;
}

int target_threads(struct pid_list *out, const struct target *t)
{
	*out = (struct pid_list){0};
	vec_for(pid, &t->pids.list) {
		int err = add_threads_of(out, *pid);

		if (err)
			warning("cannot watch process %d: %s", (int)*pid,
				err == -ENOENT ? "it does not exist" : strerror(-err));
	}
	vec_for(tid, &t->tids.list) {
		if (is_there(*tid))
			vec_push(&out->list, *tid);
		else
			warning("cannot watch thread %d: it does not exist", (int)*tid);
	}
	if (!out->list.nr)
		return error("nothing to record: none of the processes exists");
	return 0;
}

void target_processes_threads(struct pid_list *out, const struct target *t)
{
	*out = (struct pid_list){0};
	vec_for(pid, &t->pids.list)
		add_threads_of(out, *pid);
}

void pids_without(struct pid_list *out, const struct pid_list *some, const struct pid_list *others)
{
	struct index by_pid = {0};

	for (size_t i = 0; i < others->list.nr; i++)
		index_add(&by_pid, hash_u64((uint64_t)others->list.v[i]), (uint32_t)i);
	vec_for(pid, &some->list)
		if (!has_pid(others, &by_pid, *pid))
			vec_push(&out->list, *pid);
	index_release(&by_pid);
}

int pids_parse(struct pid_list *out, const char *option, const char *text)
{
	const char *s = text;

	for (;;) {
		char *end;
		long v = isdigit((unsigned char)*s) ? strtol(s, &end, 10) : 0;

		if (v <= 0 || v > INT_MAX || (*end && *end != ','))
			return error("option '%s' needs a list of process numbers, not '%s'", option, text);
		vec_push(&out->list, (pid_t)v);
		if (!*end)
			return 0;
		s = end + 1;
	}
}

static bool user_number(const char *user, uid_t *uid)
{
	struct passwd *known = getpwnam(user);
	char *end;
	unsigned long v;

	if (known) {
		*uid = known->pw_uid;
		return true;
	}
	v = isdigit((unsigned char)*user) ? strtoul(user, &end, 10) : ULONG_MAX;
	if (v >= UINT32_MAX || *end)
		return false;
	*uid = (uid_t)v;
	return true;
}

int user_parse(uid_t *out, const char *user)
{
	return user_number(user, out) ? 0 : error("there is no user '%s'", user);
}

int pids_of_user(struct pid_list *out, uid_t uid)
{
	size_t before = out->list.nr;
	struct pid_list all = {0};

	pids_in(&all, "/proc");
	vec_for(pid, &all.list)
		if (*pid != getpid() && owner_of_process((uint32_t)*pid) == uid)
			vec_push(&out->list, *pid);
	vec_free(&all.list);
	return out->list.nr > before ? 0 : error("user %u has no processes", (unsigned)uid);
}

/* ---- children ---- */

struct family { pid_t pid, parent; bool in; };

struct families { VEC(struct family) list; };

/* The parent comes after the name, which may contain any character (proc_pid_stat(5)). */
pid_t parent_of_process(pid_t pid)
{
	char path[40], *line;
	const char *end;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	line = read_line_of(path);
	end = line ? strrchr(line, ')') : NULL;
	if (!end || sscanf(end, ") %*c %d", &parent) != 1)
		parent = -1;
	free(line);
	return parent;
}

static void read_families(struct families *out, const struct pid_list *roots)
{
	struct pid_list all = {0};

	pids_in(&all, "/proc");
	vec_for(pid, &all.list) {
		struct family f = { .pid = *pid };

		if (*pid == getpid())
			continue;
		f.parent = parent_of_process(*pid);
		vec_for(root, &roots->list)
			f.in |= *root == *pid;
		vec_push(&out->list, f);
	}
	vec_free(&all.list);
}

static int compare_pids(const void *a, const void *b)
{
	return compare_numbers((uint64_t)((const struct family *)a)->pid, (uint64_t)((const struct family *)b)->pid);
}

/* True if @pid is one of the roots or their known descendants. @all is sorted by pid. */
static bool is_in(const struct families *all, pid_t pid)
{
	const struct family *f = bsearch(&(struct family){ .pid = pid }, all->list.v, all->list.nr, sizeof(*f), compare_pids);

	return f && f->in;
}

void pids_of_children(struct pid_list *out, const struct pid_list *of)
{
	struct families all = {0};
	bool more = true;

	read_families(&all, of);
	vec_sort(&all.list, compare_pids);
	while (more && all.list.nr) {
		more = false;
		vec_for(f, &all.list) {
			if (f->in || f->parent <= 1 || !is_in(&all, f->parent))
				continue;
			f->in = more = true;
			vec_push(&out->list, f->pid);
		}
	}
	vec_free(&all.list);
}
