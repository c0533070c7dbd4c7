/*
 * Finds the symbols of guest kernels (KVM) whose samples are in a recording. As in perf, the options --guestkallsyms,
 * --guestmodules, --guestvmlinux and --guestmount name the files (Linux 6.1, tools/perf/Documentation/perf-kvm.txt).
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/model/load.h"
#include "core/model/machine_state.h"
#include "core/perfdata/record.h"

#define KERNEL "[guest.kernel.kallsyms"
#define PROT_CODE 5u		/* PROT_READ | PROT_EXEC */

static struct guest *guest_of_pid(const struct machine *m, uint32_t pid)
{
	struct guest *other = NULL;

	vec_for(g, &m->guests) {
		if ((*g)->pid == pid)
			return *g;
		if (!(*g)->pid)
			other = *g;
	}
	return other;
}

uint32_t guest_image(const struct machine *m, uint32_t pid)
{
	const struct guest *g = m->guests.nr ? guest_of_pid(m, pid) : NULL;

	return g ? g->image : IMAGE_NONE;
}

/* ---- what there is ---- */

static struct dso *add_dso(struct machine *m, const struct guest *g, const char *name)
{
	struct dso *dso = dsos_add_guest(&m->dsos, name);

	dso->guest = g;
	return dso;
}

/* @name: "ext4" or "[ext4]". */
static struct dso *module_of(struct machine *m, struct guest *g, const char *name)
{
	const char *key;
	char text[128];
	uint64_t h;

	snprintf(text, sizeof(text), *name == '[' ? "%s" : "[%s]", name);
	key = intern_printable(m->strings, text);
	h = hash_u64((uintptr_t)key);
	index_for(pos, &g->by_name, h)
		if (g->modules.v[pos]->name == key)
			return g->modules.v[pos];
	index_add(&g->by_name, h, (uint32_t)g->modules.nr);
	vec_push(&g->modules, add_dso(m, g, key));
	return g->modules.v[g->modules.nr - 1];
}

static void add_map(struct machine *m, const struct guest *g, struct dso *dso, uint64_t start, uint64_t end)
{
	struct map map = { .start = start, .end = end, .pgoff = start, .prot = PROT_CODE, .dso = dso };

	if (end > start)
		spaces_add_map(&m->spaces, g->image, &map);
}

/* Lines of /proc/modules: "NAME SIZE REFERENCES USERS STATE ADDRESS". */
static void add_modules(struct machine *m, struct guest *g, const char *path)
{
	struct buf text = {0};
	char *save = NULL;

	if (read_regular(path, &text, UINT32_MAX))
		debug(1, "no modules of a guest from '%s'", path);
	buf_str(&text);
	for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long long size, start;
		char name[64];

		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &start) == 3 && start && size < UINT64_MAX - start)
			add_map(m, g, module_of(m, g, name), start, start + size);
	}
	buf_release(&text);
}

/* The guest's kernel has all addresses that are not a module's. */
static void add_guest(struct machine *m, uint32_t pid, const char *kallsyms, const char *modules)
{
	struct guest *g = xcalloc(1, sizeof(*g));
	char name[64];

	snprintf(name, sizeof(name), pid ? KERNEL ".%u]" : KERNEL "]", pid);
	g->pid = pid;
	g->image = spaces_add_image(&m->spaces, IMAGE_NONE, UINT32_MAX, 0);
	g->kernel = add_dso(m, g, name);
	vec_push(&m->guests, g);
	add_map(m, g, g->kernel, 0, UINT64_MAX);
	if (kallsyms && !kallsyms_read(&g->names, kallsyms) && !g->names.hidden)
		g->kallsyms = xstrdup(kallsyms);
	if (modules)
		add_modules(m, g, modules);
}

static void add_mounted(struct machine *m, const char *mount)
{
	struct dirent *entry;
	DIR *dir = opendir(mount);

	while (dir && (entry = readdir(dir))) {
		char *end, *kallsyms, *modules;
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (*end || !pid || pid >= UINT32_MAX || guest_image(m, (uint32_t)pid) != IMAGE_NONE)
			continue;
		kallsyms = xasprintf("%s/%lu/proc/kallsyms", mount, pid);
		modules = xasprintf("%s/%lu/proc/modules", mount, pid);
		add_guest(m, (uint32_t)pid, kallsyms, modules);
		free(kallsyms);
		free(modules);
	}
	if (dir)
		closedir(dir);
}

void guests_init(struct machine *m)
{
	const struct guest_opts *o = &m->opts.guest;

	if (o->mount)
		add_mounted(m, o->mount);
	if (o->kallsyms || o->modules || o->vmlinux)
		add_guest(m, 0, o->kallsyms, o->modules);
}

void guest_map(struct machine *m, const struct record *rec, const struct map *map)
{
	struct guest *g = guest_of_pid(m, rec->mmap.pid);

	if (!g || (rec->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_GUEST_KERNEL)
		return;
	if (str_starts(rec->mmap.filename, KERNEL)) {
		dsos_set_reference(&m->dsos, g->kernel, rec->mmap.filename, rec->mmap.pgoff);
	} else if (map->start) {
		const char *slash = strrchr(rec->mmap.filename, '/');

		add_map(m, g, module_of(m, g, slash ? slash + 1 : rec->mmap.filename), map->start, map->end);
	}
}

void guests_release(struct machine *m)
{
	vec_for(it, &m->guests) {
		struct guest *g = *it;

		kallsyms_release(&g->names);
		vec_free(&g->modules);
		index_release(&g->by_name);
		free(g->kallsyms);
		free(g);
	}
	vec_free(&m->guests);
}

/* ---- names ---- */

/* Returns how far the guest's kernel was moved since its names were copied: each start of a guest moves it. */
static uint64_t shift_of(const struct guest *g)
{
	uint64_t value;

	if (!g->kernel->reference || kallsyms_value(&g->names, g->kernel->reference, &value))
		return 0;
	return g->kernel->reference_addr - value;
}

static bool load_guest_vmlinux(struct machine *m, const struct guest *g, struct dso *dso)
{
	if (g->pid || !m->opts.guest.vmlinux || dso != g->kernel)
		return false;
	m->unusable_guest_vmlinux = load_vmlinux_of(m, dso, m->opts.guest.vmlinux);
	return !m->unusable_guest_vmlinux;
}

void load_guest(struct machine *m, struct dso *dso)
{
	const struct guest *g = dso->guest;
	const char *module = dso == g->kernel ? NULL : dso->name;
	uint64_t shift = shift_of(g);

	if (load_guest_vmlinux(m, g, dso) || !g->kallsyms || (module && shift) ||
	    !kallsyms_symbols(&g->names, module, shift, &dso->symbols))
		return;
	dso->state = DSO_LOADED;
	dso->symbols_from = xstrdup(g->kallsyms);
	dso->elf_class = 64;
}
