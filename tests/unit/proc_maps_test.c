/* The maps of a process are the same, one by one from the kernel and out of the text. */
#include "core/record/host/proc_maps.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"

#define NOT_LONG	60000	/* ms */

static bool same(const struct proc_maps *a, const struct proc_map *x, const struct proc_maps *b, const struct proc_map *y)
{
	return x->from == y->from && x->to == y->to && x->pgoff == y->pgoff && x->ino == y->ino && x->maj == y->maj &&
	       x->min == y->min && x->prot == y->prot && x->flags == y->flags &&
	       str_eq(proc_map_path(a, x), proc_map_path(b, y));
}

static const struct proc_map *find(const struct proc_maps *m, const void *addr)
{
	vec_for(map, &m->list)
		if (map->from == (uintptr_t)addr)
			return map;
	return NULL;
}

/* Compares the maps of a stopped process. */
static void compare(pid_t pid, bool all)
{
	struct proc_maps asked = {0}, text = { .as_text = true };

	CHECK(!proc_maps_read(&asked, (uint32_t)pid, all, NOT_LONG));
	CHECK(!proc_maps_read(&text, (uint32_t)pid, all, NOT_LONG));
	CHECK(!asked.cut && !text.cut);
	CHECK(asked.list.nr == text.list.nr, "%zu, as text %zu", asked.list.nr, text.list.nr);
	for (size_t i = 0; i < MIN(asked.list.nr, text.list.nr); i++)
		CHECK(same(&asked, &asked.list.v[i], &text, &text.list.v[i]), "map %zu: %s, %s", i,
		      proc_map_path(&asked, &asked.list.v[i]), proc_map_path(&text, &text.list.v[i]));
	proc_maps_release(&asked);
	proc_maps_release(&text);
}

static void check_known(pid_t pid, bool as_text, const void *code, const void *shared)
{
	struct proc_maps m = { .as_text = as_text };
	const struct proc_map *map;

	CHECK(!proc_maps_read(&m, (uint32_t)pid, false, NOT_LONG));
	map = find(&m, code);
	CHECK(map && map->to == map->from + 8192 && map->prot == (PROT_READ | PROT_EXEC) && map->flags == MAP_PRIVATE &&
	      !*proc_map_path(&m, map));
	CHECK(!find(&m, shared));
	CHECK(!proc_maps_read(&m, (uint32_t)pid, true, NOT_LONG));
	map = find(&m, shared);
	CHECK(map && map->prot == (PROT_READ | PROT_WRITE) && map->flags == MAP_SHARED && map->ino);
	/* Without time, except for one: the cut is reported. */
	CHECK(!proc_maps_read(&m, (uint32_t)pid, true, 0));
	CHECK(m.list.nr >= 1);
	proc_maps_release(&m);
}

int main(void)
{
	void *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct proc_maps m = {0};
	pid_t pid = fork();
	int status;

	if (!pid)
		for (;;)
			pause();
	for (int all = 0; all < 2; all++)
		compare(pid, all);
	check_known(pid, false, code, shared);
	check_known(pid, true, code, shared);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	CHECK(proc_maps_read(&m, (uint32_t)pid, true, NOT_LONG) < 0);
	m.as_text = true;
	CHECK(proc_maps_read(&m, (uint32_t)pid, true, NOT_LONG) < 0);
	proc_maps_release(&m);
	return checks_done();
}
