/*
 * Finds the files that lack symbols among those of a program or process, and for each of them the package with its symbols, for
 * prec doctor. The symbols are loaded through core/model/machine.h, as in prec report.
 */
#include "cmd/doctor_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/record.h"
#include "core/record/host/proc_maps.h"
#include "core/model/machine.h"
#include "core/model/symbol_errors.h"

#define MAPS_TIMEOUT_MS	1000
#define MAP_BYTES	(1ull << 20)	/* size of the map that stands for a file; only its start is looked up */
#define LEAST_ADDRESS	(1ull << 32)

struct symbol_check {
	struct machine *machine;
	uint32_t pid;
	VEC(uint64_t) addresses;	/* one in each map */
};

/* Captures a program's standard output; "" if it is missing or fails. */
static void capture(struct buf *out, const char *const *words)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0;
	pid_t pid;
	bool ran;

	out->len = 0;
	if (pipe2(ends, O_CLOEXEC))
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	ran = !posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	for (ssize_t n = 1; ran && n > 0;) {
		char text[4096];

		n = read(ends[0], text, sizeof(text));
		if (n > 0)
			buf_put(out, text, (size_t)n);
	}
	close(ends[0]);
	if (ran)
		waitpid(pid, &status, 0);
	if (!ran || status)
		out->len = 0;
}

/* The package that installed @path, by dpkg or rpm; NULL: none is known. Owned by the caller. */
static char *package_of(const char *path)
{
	const char *merged = str_starts(path, "/usr/") ? path + strlen("/usr") : path;
	const char *const tries[][6] = {
		{ "dpkg-query", "-S", path, NULL }, { "dpkg-query", "-S", merged, NULL },
		{ "rpm", "-qf", "--qf", "%{NAME}:", path, NULL },
	};
	struct buf text = {0};
	char *package = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(tries) && !package; i++) {
		size_t n;

		capture(&text, tries[i]);
		n = strcspn(buf_str(&text), ":, \n");
		if (n && buf_str(&text)[n])
			package = xasprintf("%.*s", (int)n, buf_str(&text));
	}
	buf_release(&text);
	return package;
}

/* The package with the debug symbols of @path; NULL: it is in no package. Owned by the caller. */
static char *debug_package_of(const char *path)
{
	char *real = realpath(path, NULL), *package = package_of(real ? real : path), *debug = NULL;

	if (package && !access("/var/lib/dpkg/status", R_OK))
		debug = xasprintf("%s-%s", package, str_eq(package, "libc6") ? "dbg" : "dbgsym");
	else if (package)
		debug = xasprintf("%s-debuginfo", package);
	free(package);
	free(real);
	return debug;
}

/* As by the MMAP2 record that prec record would write, so that symbols are loaded as in prec report. */
static void add_map(struct symbol_check *c, uint64_t from, uint64_t len, uint64_t pgoff, const char *path)
{
	struct record r = { .header = { .type = PERF_RECORD_MMAP2 } };
	struct build_id id = {0};

	r.mmap = (struct record_mmap){ .pid = c->pid, .tid = c->pid, .addr = from, .len = len, .pgoff = pgoff,
				       .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE, .filename = *path ? path : "//anon" };
	if (*path == '/' && !build_id_of_file(&id, path)) {
		r.mmap.build_id_size = id.size;
		memcpy(r.mmap.build_id, id.data, id.size);
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	}
	machine_apply(c->machine, &r, 0);
	vec_push(&c->addresses, from);
}

static void add_file(struct symbol_check *c, const char *path)
{
	add_map(c, LEAST_ADDRESS + c->addresses.nr * 2 * MAP_BYTES, MAP_BYTES, 0, path);
}

static void check_dso(struct program_symbols *out, const struct symbol_check *c, const struct dso *dso)
{
	struct file_symbols file = { .path = xstrdup(dso->path), .any = dso->state == DSO_LOADED };
	struct symbol_error missing;
	char *package;

	if (dso->state != DSO_LOADED || dso->is_stripped) {
		symbol_error_find(&missing, c->machine, dso, UNMAPPED_HERE);
		package = dso->kind == DSO_USER && (dso->is_stripped || dso->state == DSO_NO_SYMBOLS) ?
			  debug_package_of(dso->path) : NULL;
		file.why = xstrdup(missing.why);
		file.help = package ? xasprintf("install %s, or ask --debuginfod=URL", package) : xstrdup(missing.help);
		free(package);
		symbol_error_release(&missing);
	}
	vec_push(&out->list, file);
}

static void check_maps(struct program_symbols *out, struct symbol_check *c)
{
	VEC(const struct dso *) seen = {0};
	struct context_cache *cache;
	uint32_t space;

	machine_seal(c->machine);
	cache = context_cache_new(c->machine);
	space = machine_context(cache, c->pid, c->pid, 0)->user_space;
	vec_for(address, &c->addresses) {
		struct addr_location at;
		bool again = false;

		machine_resolve(c->machine, space, *address, &at);
		vec_for(dso, &seen)
			again |= *dso == at.dso;
		if (!at.dso || again || (at.dso->kind != DSO_USER && at.dso->kind != DSO_ANON))
			continue;
		vec_push(&seen, at.dso);
		check_dso(out, c, at.dso);
	}
	vec_free(&seen);
	context_cache_free(cache);
	machine_free(c->machine);
	vec_free(&c->addresses);
}

static struct symbol_check symbol_check_of(uint32_t pid)
{
	return (struct symbol_check){ .machine = machine_new(&(struct machine_opts){ .this_host = true }), .pid = pid };
}

/* Finds a program as a shell does. The result is owned by the caller; NULL if there is no such program. */
static char *find_program(const char *name)
{
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : realpath(name, NULL);
	errno = ENOENT;
	return program_in_path(name);
}

/* Finds the interpreter of a script ("#!/usr/bin/env python3 -u"). Owned by the caller; NULL if @path is no script. */
static char *interpreter_of(const char *path)
{
	char head[PATH_MAX + 3] = "", *word, *rest;
	int fd = open_regular(path);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 2 || !str_starts(head, "#!"))
		return NULL;
	head[strcspn(head, "\n")] = '\0';
	word = strtok_r(head + 2, " \t", &rest);
	if (word && str_eq(strrchr(word, '/') ? strrchr(word, '/') + 1 : word, "env"))
		word = strtok_r(NULL, " \t", &rest);
	return word ? find_program(word) : NULL;
}

/* Parses lines of ldd: "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007...)", "\t/lib64/ld-linux-x86-64.so.2 (0x...)". */
static void add_libraries(struct symbol_check *c, struct program_symbols *out, const char *program)
{
	const char *const words[] = { "ldd", program, NULL };
	struct buf text = {0};
	char *line, *rest;

	capture(&text, words);
	buf_putc(&text, '\0');
	for (line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *path = strchr(line, '/'), *end = path ? strstr(path, " (0x") : NULL, *missing = strstr(line, " => not found");

		if (end) {
			*end = '\0';
			add_file(c, path);
		} else if (missing) {
			*missing = '\0';
			vec_push(&out->list, (struct file_symbols){
				.path = xstrdup(line + strspn(line, "\t ")), .why = xstrdup("not found"),
				.help = xstrdup("the program does not start without it") });
		}
	}
	buf_release(&text);
}

int symbols_of_program(struct program_symbols *out, const char *program)
{
	struct symbol_check c = symbol_check_of(1);
	char *path = find_program(program), *interpreter = path ? interpreter_of(path) : NULL;

	if (!path) {
		error("cannot look at '%s': %s", program, strerror(errno));
		machine_free(c.machine);
		return -1;
	}
	if (interpreter) {
		free(path);
		path = interpreter;
	}
	add_file(&c, path);
	add_libraries(&c, out, path);
	check_maps(out, &c);
	free(path);
	return 0;
}

int symbols_of_process(struct program_symbols *out, uint32_t pid)
{
	struct symbol_check c = symbol_check_of(pid);
	struct proc_maps maps = {0};
	int err = proc_maps_read(&maps, pid, false, MAPS_TIMEOUT_MS);

	vec_for(map, &maps.list)
		add_map(&c, map->from, map->to - map->from, map->pgoff, proc_map_path(&maps, map));
	proc_maps_release(&maps);
	check_maps(out, &c);
	return err ? error("cannot look at process %u: %s", pid, strerror(-err)) : 0;
}

void program_symbols_release(struct program_symbols *p)
{
	vec_for(f, &p->list) {
		free(f->path);
		free(f->why);
		free(f->help);
	}
	vec_free(&p->list);
}
