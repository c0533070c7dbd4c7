/*
 * Opens a kcore, an ELF file with a kernel's memory, if that kernel was at the recorded address. Also finds whether the kcore has
 * the code of a given kernel module or BPF program. load_kcore.c chooses the directory.
 */
#include "core/model/kcore.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/binary/elf.h"
#include "core/model/dso.h"
#include "core/model/map.h"

/* ---- one directory ---- */

static char *file_in(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* A line of /proc/modules: "NAME SIZE USERS BY STATE ADDRESS [TAINTS]". */
static void read_modules(struct kcore *k)
{
	char *path = file_in(k->dir, "modules"), *line, *next;
	struct buf text = {0};

	if (read_file(path, &text))
		text.len = 0;
	free(path);
	buf_str(&text);
	k->text = text.data;
	for (line = k->text; line && *line; line = next) {
		unsigned long long start;

		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (sscanf(line, "%*s %*u %*s %*s %*s %llx", &start) != 1)
			continue;
		line[strcspn(line, " ")] = '\0';
		vec_push(&k->modules, (struct kcore_module){ line, start });
	}
}

static int open_core(struct kcore *k)
{
	char *path = file_in(k->dir, "kcore");
	struct elf_segments segments = {0};
	struct elf_file *e;
	int err = elf_file_open(&e, path);

	if (!err) {
		elf_file_segments(e, &segments);
		elf_file_close(e);
		err = code_image_open(&k->image, path);
	}
	if (err)
		debug(1, "no code from '%s': %s", path, strerror(-err));
	if (!err)
		vec_for(s, &segments.list)
			code_image_add(&k->image, s->vaddr, s->size, s->offset);
	code_image_finish(&k->image);
	vec_free(&segments.list);
	free(path);
	return err;
}

void kcore_release(struct kcore *k)
{
	code_image_release(&k->image);
	kallsyms_release(&k->names);
	vec_free(&k->modules);
	free(k->text);
	free(k->dir);
	*k = (struct kcore){0};
}

/* True if the kernel of @k is at the recorded address of @kernel. If no address was recorded, trusts the directory. */
static bool fits(const struct kcore *k, const struct dso *kernel)
{
	uint64_t value;

	if (k->names.hidden)
		return false;
	if (!kernel || !kernel->reference)
		return true;
	return !kallsyms_value(&k->names, kernel->reference, &value) && value == kernel->reference_addr;
}

bool kcore_open(struct kcore *k, char *dir, const struct dso *kernel)
{
	char *names = file_in(dir, "kallsyms"), *core = file_in(dir, "kcore");
	bool there = !access(core, R_OK) && !kallsyms_read(&k->names, names);

	free(names);
	free(core);
	k->dir = dir;
	if (there && !fits(k, kernel)) {
		debug(1, "'%s' has another kernel, or the same elsewhere", dir);
		there = false;
	}
	if (there && !open_core(k)) {
		read_modules(k);
		debug(1, "code of the kernel from '%s/kcore'", dir);
		return true;
	}
	kcore_release(k);
	return false;
}

/* ---- whose code ---- */

/* @name is "[ext4]"; lists have "ext4". */
static bool has_module(const struct kcore *k, const char *name, uint64_t start)
{
	size_t n = strlen(name);

	vec_for(module, &k->modules)
		if (module->start == start && n == strlen(module->name) + 2 && !strncmp(name + 1, module->name, n - 2))
			return true;
	return false;
}

static bool has_symbol(const struct kcore *k, const char *name, uint64_t start)
{
	vec_for(line, &k->names.lines)
		if (line->addr == start && str_eq(line->name, name))
			return true;
	return false;
}

bool kcore_has(const struct kcore *k, const struct map *map)
{
	switch (map->dso->kind) {
	case DSO_KERNEL:
		return true;
	case DSO_MODULE:
		return has_module(k, map->dso->name, map->start);
	case DSO_BPF:
		return has_symbol(k, map->dso->name, map->start);
	default:
		return false;
	}
}
