/*
 * Gives the unwinder the maps, code and unwind tables of running processes during recording (memory_ops.h). For finished
 * recordings, tables.c gives them instead.
 */
#include "core/unwind/live_memory.h"

#include <sys/uio.h>

#include "core/arch.h"
#include "core/base/file.h"
#include "core/model/dso.h"
#include "core/model/live_maps.h"
#include "core/native.h"
#include "core/unwind/jvm_code.h"
#include "core/unwind/tables.h"

static const struct live_memory *live_of(const struct memory_ops *m)
{
	return (const struct live_memory *)m;
}

static const struct arch *memory_arch(const struct memory_ops *m)
{
	return live_of(m)->arch;
}

/* Knows only the maps of the current space. */
static const struct map *memory_map(const struct memory_ops *m, uint32_t space, uint64_t ip, struct ip_span *span)
{
	const struct live_space *s = live_of(m)->space;

	if (s && s->number == space)
		return live_space_map(s, ip, span);
	*span = (struct ip_span){ 0, 0 };
	return NULL;
}

/* Reads code that is in no file from the process. This is the code of the sample, as a function that runs is not replaced. */
static size_t process_code(const struct live_memory *w, uint64_t ip, void *out, size_t n)
{
	struct iovec here = { out, n }, there = { (void *)(uintptr_t)ip, n };
	ssize_t got = w->pid ? process_vm_readv((pid_t)w->pid, &here, 1, &there, 1, 0) : 0;

	return (size_t)MAX(got, 0);
}

static size_t memory_code(const struct memory_ops *m, uint32_t space, uint64_t ip, void *out, size_t n)
{
	struct ip_span span;
	const struct map *map = memory_map(m, space, ip, &span);

	if (!map)
		return 0;
	if (map->dso->kind == DSO_ANON)
		return process_code(live_of(m), ip, out, MIN(n, map->end - ip));
	return live_map_code(map, ip, out, n);
}

static const struct file_tables *memory_tables(const struct memory_ops *m, const struct map *map)
{
	return unwind_tables_of(live_of(m)->tables, map->dso);
}

/* True if both addresses are in one file, or in unknown ones. Symbols are not used while recording. */
static bool memory_same_function(const struct memory_ops *m, uint32_t space, uint64_t a, uint64_t b)
{
	struct ip_span span;
	const struct map *here = memory_map(m, space, a, &span), *there = memory_map(m, space, b, &span);

	return !here || !there || here->dso == there->dso;
}

static const struct map *find_jvm(const struct live_memory *w)
{
	vec_for(m, &w->space->maps)
		if (m->dso->kind == DSO_USER && str_eq(m->dso->name, "libjvm.so"))
			return m;
	return NULL;
}

static void memory_jvm(const struct memory_ops *m, uint32_t space, uint64_t pc, bool interrupted, struct jvm_frame *out)
{
	struct live_memory *w = (struct live_memory *)(uintptr_t)m;
	struct jvm_place place = { .pid = w->pid, .pc = pc, .time = w->time, .interrupted = interrupted };

	if (!w->space || w->space->number != space || !w->pid || w->arch != &arch_x86_64)
		return;
	if (w->jvm_space != space)
		w->jvm = find_jvm(w);
	w->jvm_space = space;
	if (!w->jvm || !unwind_tables_of(w->tables, w->jvm->dso) || !w->jvm->dso->file)
		return;
	place.file = w->jvm->dso->file;
	place.bias = w->jvm->start - elf_segments_addr(&w->jvm->dso->segments, w->jvm->pgoff);
	jvm_code_find(w->jvms, &place, out);
}

static bool memory_jvm_holds(const struct memory_ops *m, uint32_t code)
{
	return jvm_code_holds(live_of(m)->jvms, code, live_of(m)->time);
}

static uint64_t memory_jvm_method(const struct memory_ops *m, uint32_t code, uint64_t method, uint64_t at)
{
	return jvm_code_method(live_of(m)->jvms, code, method, at);
}

static void load_dso(void *maps, struct dso *dso)
{
	live_dso_load(maps, dso);
}

static void unload_dso(void *maps, struct dso *dso)
{
	live_dso_unload(dso);
}

#define TABLES_BYTES_MAX	(256u << 20)
#define FILES_LEAST		4	/* at least so many open files, for the program and libraries of one stack */
#define FILES_MAX		4096
#define FILES_SHARE		4	/* one part in this many of the files that this process may still open is for code */

struct unwind_tables *live_tables_new(struct live_maps *l)
{
	struct unwind_tables *t = unwind_tables_new(load_dso, l);

	unwind_tables_bound(t, unload_dso, MAX(MIN(files_left() / FILES_SHARE, FILES_MAX), FILES_LEAST), TABLES_BYTES_MAX);
	return t;
}

void live_memory_init(struct live_memory *w, struct unwind_tables *tables, struct jvm_table *java)
{
	*w = (struct live_memory){
		.memory = { .arch = memory_arch, .map = memory_map, .code = memory_code, .tables = memory_tables,
			   .same_function = memory_same_function, .jvm = memory_jvm, .jvm_holds = memory_jvm_holds,
			   .jvm_method = memory_jvm_method },
		.tables = tables, .arch = native.arch, .jvms = jvm_code_new(java),
	};
}

void live_memory_begin(struct live_memory *w)
{
	jvm_code_begin(w->jvms);
}

void live_memory_release(struct live_memory *w)
{
	jvm_code_free(w->jvms);
}
