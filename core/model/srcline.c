/*
 * Finds the source lines and inlined functions of an address in DWARF with libdw, unless the recording's archive (archive.h), a
 * cache of earlier runs (line_cache.h) or a jitdump (jitdump.h) has them.
 */
#include "core/model/srcline.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/perfdata/archive.h"
#include "core/binary/demangle.h"
#include "core/binary/dwarf_file.h"
#include "core/model/jitdump.h"
#include "core/model/line_cache.h"

#define GNU_DISCRIMINATOR 0x2136		/* DW_AT_GNU_discriminator, which elfutils 0.188 does not name */
#define NONE		UINT32_MAX
#define DEPTH_MAX	200		/* nesting of DIEs; compilers need a few tens */
#define RANGES_MAX	1000000		/* address ranges of one DIE */

/*
 * A function, or an inlined copy of one. When an address in a compilation unit is first looked up, the unit's DIE tree is walked
 * once, and each address range of a scope becomes a row of cu.ranges. The rows are searched as symbols are (core/binary/symbol.c).
 */
struct scope {
	Dwarf_Off die;
	const char *name, *linkage;	/* scope_name() sets these and .first_line */
	uint32_t parent;	/* the scope that contains this inlined copy; NONE: it is a function */
	uint32_t call_file, call_line, call_discriminator, first_line;
	bool named;
};

struct scope_range { uint64_t start, end; uint32_t scope, depth, outer; };

struct source_path { const char *given, *path; };	/* .given: as libdw gives it; .path: from the root. Borrowed */

struct cu {
	Dwarf_Die die;		/* has the line table */
	Dwarf_Die tree;		/* has the functions: the same unit, or the split one, which is found when it is scanned */
	bool is_skeleton, scanned;
	VEC(struct scope) scopes;
	VEC(struct scope_range) ranges;
	VEC(struct source_path) paths;
};

struct cu_range { uint64_t start, end; uint32_t cu; };

struct lines {
	struct dwarf_file debug;
	struct line_cache *cache;	/* owned; NULL: nothing is known from an earlier run */
	bool opened;			/* open_debug_file() has tried to open .debug */
	bool is_split;			/* some of the units are skeletons */
	VEC(struct cu) cus;
	VEC(struct cu_range) ranges;		/* sorted, to find the unit of an address */
	VEC(struct known_frames) answers;
	struct index by_addr;
	VEC(char *) text;	/* demangled names; owned */
};

/* ---- the table of units ---- */

/* Call fn for each address range of @die. */
typedef void range_fn(void *ctx, uint64_t start, uint64_t end);

static void each_range(Dwarf_Die *die, range_fn *fn, void *ctx)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	for (unsigned i = 0; i < RANGES_MAX; i++) {
		ptrdiff_t next = dwarf_ranges(die, offset, &base, &start, &end);

		if (next <= offset)
			return;
		if (start < end)
			fn(ctx, start, end);
		offset = next;
	}
}

static void add_cu_range(void *ctx, uint64_t start, uint64_t end)
{
	struct lines *l = ctx;

	vec_push(&l->ranges, (struct cu_range){ start, end, (uint32_t)l->cus.nr - 1 });
}

ORDER(compare_cu_range, struct cu_range, compare_numbers(a->start, b->start) ?: compare_numbers(a->cu, b->cu))

static void add_cu(struct lines *l, const Dwarf_Die *die, bool is_skeleton)
{
	Dwarf_Die copy = *die;

	vec_push(&l->cus, (struct cu){ .die = *die, .tree = *die, .is_skeleton = is_skeleton });
	l->is_split |= is_skeleton;
	each_range(&copy, add_cu_range, l);
}

static void read_cus(struct lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;

	while (!dwarf_get_units(l->debug.dwarf, cu, &cu, &version, &type, &die, NULL)) {
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		if (dwarf_tag(&die) == DW_TAG_partial_unit)
			continue;
		add_cu(l, &die, type == DW_UT_skeleton);
	}
	vec_sort(&l->ranges, compare_cu_range);
}

/* The ranges of units do not overlap in a valid file. For an invalid one any answer is good enough. */
static struct cu *find_cu(struct lines *l, uint64_t addr)
{
	size_t nr = bisect(i, 0, l->ranges.nr, l->ranges.v[i].start <= addr);

	return nr && addr < l->ranges.v[nr - 1].end ? &l->cus.v[l->ranges.v[nr - 1].cu] : NULL;
}

/* ---- the scopes of a unit ---- */

struct scope_scan {
	struct cu *cu;
	Dwarf_Off last;		/* offsets must grow, so that a damaged tree cannot cause a loop */
	uint32_t depth;		/* nesting of the DIE that is being walked */
};

static void add_scope_range(void *ctx, uint64_t start, uint64_t end)
{
	struct scope_scan *w = ctx;

	vec_push(&w->cu->ranges, (struct scope_range){ start, end, (uint32_t)w->cu->scopes.nr - 1, w->depth, 0 });
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Adds @die's scope, if it is one. Returns the scope of its children. */
static uint32_t add_scope(struct scope_scan *w, Dwarf_Die *die, uint32_t parent)
{
	int tag = dwarf_tag(die);

	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return parent;
	vec_push(&w->cu->scopes, (struct scope){
		.die = dwarf_dieoffset(die), .parent = tag == DW_TAG_subprogram ? NONE : parent,
		.call_file = number_of(die, DW_AT_call_file), .call_line = number_of(die, DW_AT_call_line),
		.call_discriminator = number_of(die, GNU_DISCRIMINATOR),
	});
	each_range(die, add_scope_range, w);
	return (uint32_t)w->cu->scopes.nr - 1;
}

static void scan_children(struct scope_scan *w, Dwarf_Die *parent, uint32_t scope)
{
	Dwarf_Die die;

	if (w->depth >= DEPTH_MAX || dwarf_child(parent, &die))
		return;
	w->depth++;
	do {
		Dwarf_Off at = dwarf_dieoffset(&die);

		if (at == (Dwarf_Off)-1 || at <= w->last)
			break;
		w->last = at;
		if (dwarf_haschildren(&die) > 0 || dwarf_tag(&die) == DW_TAG_inlined_subroutine ||
		    dwarf_tag(&die) == DW_TAG_subprogram)
			scan_children(w, &die, add_scope(w, &die, scope));
	} while (!dwarf_siblingof(&die, &die));
	w->depth--;
}

ORDER(compare_scope_range, struct scope_range,
	compare_numbers(a->start, b->start) ?: compare_numbers(a->depth, b->depth) ?: compare_numbers(a->scope, b->scope))

static void scan_cu(struct lines *l, struct cu *u)
{
	struct scope_scan w = { .cu = u };
	Dwarf_Die split;

	u->scanned = true;
	split = u->is_skeleton ? dwarf_file_split(&l->debug, &u->die) : (Dwarf_Die){0};
	if (split.addr)
		u->tree = split;
	scan_children(&w, &u->tree, NONE);
	vec_sort(&u->ranges, compare_scope_range);
	for (size_t i = 0; i < u->ranges.nr; i++) {
		uint32_t outer = (uint32_t)i;

		while (outer && u->ranges.v[outer - 1].end <= u->ranges.v[i].end)
			outer = u->ranges.v[outer - 1].outer;
		u->ranges.v[i].outer = outer;
	}
}

/* The innermost scope around @addr; NONE: there is none. */
static uint32_t find_scope(const struct cu *u, uint64_t addr)
{
	size_t nr = bisect(i, 0, u->ranges.nr, u->ranges.v[i].start <= addr);

	while (nr && u->ranges.v[nr - 1].end <= addr)
		nr = u->ranges.v[nr - 1].outer;
	return nr ? u->ranges.v[nr - 1].scope : NONE;
}

/* ---- names ---- */

/* Returns @s (borrowed), or, if it has control characters, a copy without them. NULL stays NULL. */
static const char *printable(struct lines *l, const char *s)
{
	if (!s || is_plain_text(s, strlen(s)))
		return s;
	vec_push(&l->text, printable_text(xstrdup(s)));
	return l->text.v[l->text.nr - 1];
}

static const char *compile_dir(struct cu *u)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(&u->die, DW_AT_comp_dir, &attr));
}

/* libdw does not resolve paths in relative directories of the line table: they are relative to the compiler's directory. */
static const char *source_path(struct lines *l, struct cu *u, const char *given)
{
	const char *dir;
	char *path;

	if (!given || *given == '/')
		return printable(l, given);
	vec_for(p, &u->paths)
		if (p->given == given)
			return p->path;
	dir = compile_dir(u);
	path = printable_text(dir && *dir == '/' ? xasprintf("%s/%s", dir, given) : xstrdup(given));
	vec_push(&l->text, path);
	vec_push(&u->paths, (struct source_path){ given, path });
	return path;
}

static const char *linkage_name(Dwarf_Die *die)
{
	static const unsigned attrs[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attr;

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++)
		if (dwarf_attr_integrate(die, attrs[i], &attr))
			return dwarf_formstring(&attr);
	return NULL;
}

static const char *scope_name(struct lines *l, struct cu *u, struct scope *scope)
{
	Dwarf_Attribute line;
	Dwarf_Word first;
	const char *mangled;
	Dwarf_Die die;
	char *plain;

	if (scope->named)
		return scope->name;
	scope->named = true;
	/* A split unit's offsets are those of its own file. */
	if (!dwarf_offdie(dwarf_cu_getdwarf(u->tree.cu), scope->die, &die))
		return NULL;
	if (dwarf_attr_integrate(&die, DW_AT_decl_line, &line) && !dwarf_formudata(&line, &first) && first <= UINT32_MAX)
		scope->first_line = (uint32_t)first;
	mangled = linkage_name(&die);
	scope->name = mangled ? mangled : dwarf_diename(&die);
	scope->linkage = printable(l, scope->name);
	plain = scope->name ? demangle(scope->name) : NULL;
	if (plain) {
		vec_push(&l->text, plain);
		scope->name = plain;
	}
	scope->name = printable(l, scope->name);
	return scope->name;
}

static const char *file_name(struct lines *l, struct cu *u, uint32_t number)
{
	Dwarf_Files *files;
	size_t nr;

	if (dwarf_getsrcfiles(&u->die, &files, &nr) || number >= nr)
		return NULL;
	return source_path(l, u, dwarf_filesrc(files, number, NULL, NULL));
}

/* ---- answers ---- */

struct found { VEC(struct frame) list; };

static void find_frames(struct lines *l, struct cu *u, uint64_t addr, struct found *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->die, addr);
	struct frame frame = {0};
	unsigned discriminator;
	uint32_t number;
	int n;

	if (line && !dwarf_lineno(line, &n) && n > 0)
		frame.line = (uint32_t)n;
	if (line && !dwarf_linediscriminator(line, &discriminator))
		frame.discriminator = discriminator;
	if (line)
		frame.file = source_path(l, u, dwarf_linesrc(line, NULL, NULL));
	if (!u->scanned)
		scan_cu(l, u);
	for (number = find_scope(u, addr); number != NONE; ) {
		struct scope *scope = &u->scopes.v[number];

		frame.function = scope_name(l, u, scope);
		frame.linkage = scope->linkage;
		frame.first_line = scope->first_line;
		vec_push(&out->list, frame);
		number = scope->parent;
		frame = (struct frame){ .file = file_name(l, u, scope->call_file), .line = scope->call_line,
					.discriminator = scope->call_discriminator };
	}
	if (!out->list.nr && (frame.file || frame.line))
		vec_push(&out->list, frame);
}

static void keep_answer(void *ctx, uint64_t addr, const struct frames *frames)
{
	struct lines *l = ctx;

	index_add(&l->by_addr, hash_u64(addr), (uint32_t)l->answers.nr);
	vec_push(&l->answers, (struct known_frames){ addr, *frames });
}

static void keep_archived(struct lines *l, const struct archive *a, const struct archive_dso *dso)
{
	vec_for(place, &dso->places) {
		struct frame *v = place->nr ? xcalloc(place->nr, sizeof(*v)) : NULL;

		for (uint32_t i = 0; i < place->nr; i++) {
			const struct archive_frame *f = &dso->frames.v[place->first + i];

			v[i] = (struct frame){ archive_text(a, f->function), archive_text(a, f->file), f->line };
		}
		keep_answer(l, place->addr, &(struct frames){ v, place->nr });
	}
}

ORDER(compare_answers, struct known_frames, compare_numbers(a->addr, b->addr))

/* The answers by address: they are stored in order of requests, which varies. Owned by the caller; NULL: none. */
static struct known_frames *sorted_answers(const struct lines *l)
{
	struct known_frames *v = l->answers.nr ? xmalloc(l->answers.nr * sizeof(*v)) : NULL;

	if (v) {
		memcpy(v, l->answers.v, l->answers.nr * sizeof(*v));
		qsort(v, l->answers.nr, sizeof(*v), compare_answers);
	}
	return v;
}

void srcline_each(const struct dso *dso, void (*fn)(void *ctx, uint64_t addr, const struct frames *frames), void *ctx)
{
	const struct lines *l = dso->lines;
	struct known_frames *v = l ? sorted_answers(l) : NULL;

	for (size_t i = 0; v && i < l->answers.nr; i++)
		fn(ctx, v[i].addr, &v[i].frames);
	free(v);
}

static struct lines *open_lines(const struct dso *dso)
{
	struct lines *l = xcalloc(1, sizeof(*l));

	if (dso->archived)
		keep_archived(l, dso->archive, dso->archived);
	l->cache = line_cache_read(dso);
	return l;
}

static void open_debug_file(struct lines *l, const struct dso *dso)
{
	if (l->opened || !dso->dwarf_file)
		return;
	l->opened = true;
	dwarf_file_open(&l->debug, dso->dwarf_file, dso->path);
	if (l->debug.dwarf)
		read_cus(l);
	debug(1, "'%s': %zu units in '%s'", dso->path, l->cus.nr, dso->dwarf_file);
}

static void find_in_units(struct lines *l, const struct dso *dso, uint64_t addr, struct found *out)
{
	struct cu *u;

	open_debug_file(l, dso);
	u = find_cu(l, addr);
	if (u)
		find_frames(l, u, addr, out);
}

static void find_in_jit(const struct dso *dso, uint64_t addr, struct found *out)
{
	const struct jit_line *line = jitdump_line(dso->jitdump, &dso->symbols, addr);
	const struct jit_place *place = jitdump_place(dso->jitdump, addr);
	const struct symbol *symbol = place ? symbols_find(&dso->symbols, addr) : NULL;

	for (uint32_t i = 0; symbol && i < place->nr; i++)
		vec_push(&out->list, (struct frame){ .function = dso->jitdump->inlined.v[place->first + i] });
	if (symbol)
		vec_push(&out->list, (struct frame){ .function = symbol->name });
	else if (line)
		vec_push(&out->list, (struct frame){ .file = line->file, .line = line->line });
}

static struct frames answer(struct lines *l, const struct dso *dso, uint64_t addr)
{
	uint64_t h = hash_u64(addr);
	struct found found = {0};
	struct frames known;

	index_for(pos, &l->by_addr, h)
		if (l->answers.v[pos].addr == addr)
			return l->answers.v[pos].frames;
	if (line_cache_find(l->cache, addr, &known)) {
		keep_answer(l, addr, &known);
		return known;
	}
	find_in_units(l, dso, addr, &found);
	if (dso->jitdump)
		find_in_jit(dso, addr, &found);
	keep_answer(l, addr, &(struct frames){ found.list.v, (uint32_t)found.list.nr });
	return l->answers.v[l->answers.nr - 1].frames;
}

struct frames dso_frames(struct dso *dso, uint64_t addr)
{
	struct frames frames;

	if (!dso->dwarf_file && !dso->archived && !dso->jitdump)
		return (struct frames){0};
	pthread_mutex_lock(&dso->lock);
	if (!dso->lines)
		dso->lines = open_lines(dso);
	frames = answer(dso->lines, dso, addr);
	pthread_mutex_unlock(&dso->lock);
	return frames;
}

struct frames addr_location_frames(const struct addr_location *p)
{
	return p->map ? dso_frames(p->map->dso, p->addr) : (struct frames){0};
}

/* ---- all lines and functions ---- */

struct source_report {
	struct lines *lines;
	void (*row)(void *ctx, const struct line_row *row);
	void (*function)(void *ctx, const struct source_function *function);
	void *ctx;
};

/* The row that begins at @line; @next is the one after it. */
static void report_row(const struct source_report *t, struct cu *u, Dwarf_Line *line, Dwarf_Line *next)
{
	struct line_row row = {0};
	Dwarf_Addr addr, end;
	bool last = false;
	int n;

	if (dwarf_lineendsequence(line, &last) || last || dwarf_lineno(line, &n) || n <= 0 || dwarf_lineaddr(line, &addr) ||
	    dwarf_lineaddr(next, &end) || dwarf_linebeginstatement(line, &row.statement))
		return;
	row.addr = addr;
	row.end = end;
	row.line = (uint32_t)n;
	row.file = source_path(t->lines, u, dwarf_linesrc(line, NULL, NULL));
	if (row.file && row.end >= row.addr)
		t->row(t->ctx, &row);
}

static void report_rows(const struct source_report *t, struct cu *u)
{
	Dwarf_Lines *rows;
	size_t nr;

	if (dwarf_getsrclines(&u->die, &rows, &nr))
		return;
	for (size_t i = 0; i + 1 < nr; i++)
		report_row(t, u, dwarf_onesrcline(rows, i), dwarf_onesrcline(rows, i + 1));
}

static void report_functions(const struct source_report *t, struct cu *u)
{
	if (!u->scanned)
		scan_cu(t->lines, u);
	vec_for(scope, &u->scopes) {
		struct source_function f = {0};
		Dwarf_Addr entry, end;
		Dwarf_Attribute type;
		Dwarf_Die die;

		if (scope->parent != NONE || !dwarf_offdie(dwarf_cu_getdwarf(u->tree.cu), scope->die, &die) ||
		    dwarf_entrypc(&die, &entry))
			continue;
		scope_name(t->lines, u, scope);
		f.addr = entry;
		f.end = dwarf_highpc(&die, &end) ? entry : end;
		f.returns = dwarf_attr_integrate(&die, DW_AT_type, &type) != NULL;
		f.name = scope->linkage;
		f.line = scope->first_line;
		f.file = source_path(t->lines, u, dwarf_decl_file(&die));
		if (f.name && f.file && f.line)
			t->function(t->ctx, &f);
	}
}

void dso_source(struct dso *dso, void (*row)(void *ctx, const struct line_row *row),
		void (*function)(void *ctx, const struct source_function *function), void *ctx)
{
	struct source_report t = { .row = row, .function = function, .ctx = ctx };

	pthread_mutex_lock(&dso->lock);
	if (!dso->lines)
		dso->lines = open_lines(dso);
	t.lines = dso->lines;
	open_debug_file(t.lines, dso);
	vec_for(u, &t.lines->cus) {
		report_functions(&t, u);
		report_rows(&t, u);
	}
	pthread_mutex_unlock(&dso->lock);
}

/* If a file was read, its answers are kept for the next run. */
static void keep_answers(const struct lines *l, const struct dso *dso)
{
	struct known_frames *v = l->opened && !l->is_split && !dso->archived && !dso->jitdump ? sorted_answers(l) : NULL;

	if (v)
		line_cache_write(dso, &l->debug, l->cache, v, l->answers.nr);
	free(v);
}

void srcline_release(struct dso *dso)
{
	struct lines *l = dso->lines;

	if (!l)
		return;
	keep_answers(l, dso);
	line_cache_free(l->cache);
	vec_for(u, &l->cus) {
		vec_free(&u->scopes);
		vec_free(&u->ranges);
		vec_free(&u->paths);
	}
	vec_for(a, &l->answers)
		free((void *)(uintptr_t)a->frames.v);
	vec_for(text, &l->text)
		free(*text);
	vec_free(&l->cus);
	vec_free(&l->ranges);
	vec_free(&l->answers);
	vec_free(&l->text);
	index_release(&l->by_addr);
	dwarf_file_close(&l->debug);
	free(l);
	dso->lines = NULL;
}
