/*
 * Reads a recording's table of Java methods, and adds their compiled code to the maps of the processes. java.h describes the
 * table's format. core/unwind/jvm_table.c makes the table while prec record runs.
 */
#include "core/model/java.h"

#include <stdio.h>

#include "core/base/buf.h"
#include "core/base/intern.h"
#include "core/base/log.h"
#include "core/base/util.h"
#include "core/base/wire.h"
#include "core/perfdata/feature.h"
#include "core/compression/unpack.h"
#include "core/model/dsos.h"
#include "core/model/jitdump.h"
#include "core/model/machine_state.h"
#include "core/model/python.h"

#define TABLE_MAX	(128u << 20)	/* bytes */
#define INLINED_MAX	200u		/* methods inlined at one place */

struct table {				/* being read */
	struct machine *m;
	struct wire w;
	VEC(const char *) names;	/* interned */
};

static bool read_names(struct table *t)
{
	uint32_t nr;

	wire_u32(&t->w, &nr);
	for (uint32_t i = 0; i < nr && wire_left(&t->w); i++) {
		const char *name = (const char *)t->w.pos;
		size_t n = strnlen(name, wire_left(&t->w));

		if (n == wire_left(&t->w) || n < JAVA_NAME_LEAST)
			return false;
		vec_push(&t->names, intern_printable(t->m->strings, name));
		t->w.pos += n + 1;
	}
	return !t->w.bad && t->names.nr == nr;
}

/* Makes a symbol of each name, as it may be the name of an interpreted method. */
static void map_methods(struct table *t)
{
	struct dso *dso = dsos_find(&t->m->dsos, DSO_JIT, JAVA_METHODS, NULL);
	uint64_t at = 0;

	vec_for(name, &t->names) {
		at += 2;
		symbols_add(&dso->symbols, &(struct symbol){
			.start = at, .end = at + 2, .name = symbols_keep(&dso->symbols, *name, strlen(*name)),
			.binding = SYMBOL_GLOBAL, .function = true,
		});
	}
	dso->jitdump = xcalloc(1, sizeof(*dso->jitdump));
	dso->jitdump->dso = dso;
	t->m->java = (struct map){ .start = JAVA_BASE, .end = PYTHON_BASE + PYTHON_SIZE, .prot = 5, .dso = dso };
}

/* The code of process @pid. machine_apply_jit() sets the number of the process. */
static struct jitdump *codes_of(struct machine *m, uint32_t pid)
{
	struct jitdump *j;
	char name[32];

	vec_for(known, &m->jitdumps)
		if ((*known)->pid == pid)
			return *known;
	snprintf(name, sizeof(name), JAVA_NAME, pid);
	j = xcalloc(1, sizeof(*j));
	j->dso = dsos_find(&m->dsos, DSO_JIT, name, NULL);
	j->dso->jitdump = j;
	j->dso->pid = pid;
	j->dso->symbols_from = xstrdup(name);
	j->pid = pid;
	j->has_times = true;
	j->end = 1;		/* offset 0 stands for no code (struct jit_change) */
	vec_push(&m->jitdumps, j);
	return j;
}

/* Returns false if the rest cannot be read. */
static bool read_place(struct table *t, struct jitdump *j, uint64_t base, uint32_t code_size)
{
	struct jit_place place = { .first = j->inlined.nr };
	uint32_t offset, size, nr, name;

	wire_u32(&t->w, &offset);
	wire_u32(&t->w, &size);
	wire_u32(&t->w, &nr);
	if (t->w.bad || nr > INLINED_MAX || nr > wire_left(&t->w) / sizeof(name) || offset > code_size || size > code_size - offset)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		wire_u32(&t->w, &name);
		if (name >= t->names.nr)
			return false;
		vec_push(&j->inlined, t->names.v[name]);
	}
	place.at = base + offset;
	place.size = size;
	place.nr = nr;
	/* Places are sorted, or else the table is damaged. */
	if (j->places.nr && place.at < j->places.v[j->places.nr - 1].at)
		return false;
	vec_push(&j->places, place);
	return true;
}

static bool read_code(struct table *t)
{
	uint64_t time, addr;
	uint32_t pid, size, name, nr;
	struct symbols *symbols;
	struct jitdump *j;

	wire_u64(&t->w, &time);
	wire_u64(&t->w, &addr);
	wire_u32(&t->w, &pid);
	wire_u32(&t->w, &size);
	wire_u32(&t->w, &name);
	wire_u32(&t->w, &nr);
	if (t->w.bad || !pid || !size || addr + size < addr || name >= t->names.nr || nr > wire_left(&t->w) / JAVA_PLACE_SIZE)
		return false;
	j = codes_of(t->m, pid);
	symbols = &j->dso->symbols;
	vec_push(&j->changes, (struct jit_change){ time, addr, size, j->end });
	symbols_add(symbols, &(struct symbol){
		.start = j->end, .end = j->end + size, .name = symbols_keep(symbols, t->names.v[name], strlen(t->names.v[name])),
		.binding = SYMBOL_GLOBAL, .function = true,
	});
	for (uint32_t i = 0; i < nr; i++)
		if (!read_place(t, j, j->end, size))
			return false;
	j->end += size;
	return true;
}

static void read_table(struct table *t)
{
	uint32_t version, nr;

	wire_u32(&t->w, &version);
	if (version != JAVA_TABLE_VERSION || !read_names(t))
		return;
	map_methods(t);
	wire_u32(&t->w, &nr);
	debug(1, "Java: %u pieces of code", nr);
	for (uint32_t i = 0; i < nr && read_code(t); i++)
		;
}

void machine_read_java(struct machine *m, const void *bytes, size_t n)
{
	struct table t = { .m = m, .w = wire_reader(bytes, n) };

	read_table(&t);
	vec_free(&t.names);
}

void machine_set_java(struct machine *m, const struct feature_packed *java)
{
	struct buf bytes = {0};

	if (m->java.dso || java->size > TABLE_MAX)
		return;
	unpack(java->packed, java->packed_size, java->size, &bytes);
	machine_read_java(m, bytes.data, bytes.len);
	buf_release(&bytes);
}
