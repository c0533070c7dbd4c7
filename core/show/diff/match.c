/*
 * Matches the functions of recordings A and B by name. A function also matches if its library was renamed, if the compiler cloned
 * it (f.part.0), or if it was inlined in only one of the two builds. rename.c matches functions whose names changed.
 */
#include "core/show/diff/match.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/printable.h"
#include "core/show/diff/match_impl.h"

#define COMM_LENGTH	15u	/* the kernel keeps so much of a program's name */

/* ---- units ---- */

/* A unit is all functions of one name in one file. Merging sets .to of one of two units that are the same function. */

static uint32_t add_unit(struct match *m, const char *name, const char *dso)
{
	uint64_t h = hash_pair((uintptr_t)name, (uintptr_t)dso);
	uint32_t pos;

	index_for(at, &m->by_name, h)
		if (m->units.v[at].name == name && m->units.v[at].dso == dso)
			return at;
	pos = (uint32_t)m->units.nr;
	index_add(&m->by_name, h, pos);
	vec_push(&m->units, (struct unit){ .name = name, .dso = dso, .to = pos });
	return pos;
}

/* The name of the file for both sides: that of A if B's file was renamed. Interned. */
static const char *file_of(const struct match *m, enum diff_side side, const char *dso)
{
	vec_for(r, &m->renamed)
		if (side == SIDE_B && r->in_b == dso)
			return r->in_a;
	return dso;
}

static void add_functions(struct match *m, size_t run)
{
	const struct profile *p = m->runs[run].profile;
	const struct profile_data *d = profile_data(p);
	struct buf text = {0};

	for (uint32_t i = 0; i < d->functions.nr; i++) {
		const struct profile_function *f = &d->functions.v[i];
		const char *dso = f->dso == PROFILE_NONE ? "" : profile_string(p, d->dsos.v[f->dso].name);
		struct unit *u;

		text.len = 0;
		profile_put_function(p, i, &text);
		dso = file_of(m, m->runs[run].side, intern(m->strings, dso));
		m->unit_of[run][i] = add_unit(m, intern(m->strings, buf_str(&text)), dso);
		u = &m->units.v[m->unit_of[run][i]];
		u->inlined[m->runs[run].side] |= f->inlined;
		u->size[m->runs[run].side] = MAX(u->size[m->runs[run].side], f->size);
		u->unnamed |= !f->name;
	}
	buf_release(&text);
}

static uint32_t unit_of_node(const struct match *m, size_t run, uint32_t node)
{
	const struct profile_data *d = profile_data(m->runs[run].profile);

	return m->unit_of[run][d->frames.v[d->stacks.v[node].frame].function];
}

static bool is_inlined(const struct match *m, size_t run, uint32_t node)
{
	const struct profile_data *d = profile_data(m->runs[run].profile);

	return d->functions.v[d->frames.v[d->stacks.v[node].frame].function].inlined;
}

/* Returns the unit of the function around inlined ones. Renamed files and functions are found by the samples of these. */
static uint32_t symbol_of(const struct match *m, size_t run, uint32_t node)
{
	const struct profile_data *d = profile_data(m->runs[run].profile);

	while (node != PROFILE_ROOT && is_inlined(m, run, node) && d->stacks.v[node].parent != PROFILE_ROOT)
		node = d->stacks.v[node].parent;
	return node == PROFILE_ROOT ? UINT32_MAX : unit_of_node(m, run, node);
}

static void add_periods(struct match *m, size_t run)
{
	const struct profile_data *d = profile_data(m->runs[run].profile);
	double all = (double)MAX(d->events.v[m->runs[run].event].period, 1);

	vec_for(w, &d->weights) {
		uint32_t unit = w->event == m->runs[run].event ? symbol_of(m, run, w->stack) : UINT32_MAX;

		if (unit != UINT32_MAX)
			m->units.v[unit].share[m->runs[run].side] += (double)w->period / all;
	}
}

static void make_units(struct match *m)
{
	m->units.nr = 0;
	index_release(&m->by_name);
	for (size_t run = 0; run < m->nr_runs; run++)
		add_functions(m, run);
	for (size_t run = 0; run < m->nr_runs; run++)
		add_periods(m, run);
}

/* ---- files ---- */

struct file { const char *name; double share[NR_SIDES]; };
struct files { struct file *v; size_t nr, cap; };

static struct file *file_named(struct files *files, const char *name)
{
	vec_for(f, files)
		if (f->name == name)
			return f;
	vec_push(files, (struct file){ .name = name });
	return &files->v[files->nr - 1];
}

static double in_common(const struct match *m, const char *a, const char *b)
{
	double common = 0;

	vec_for(u, &m->units) {
		uint64_t h = hash_pair((uintptr_t)u->name, (uintptr_t)b);

		if (u->dso != a || u->unnamed)
			continue;
		index_for(pos, &m->by_name, h)
			if (m->units.v[pos].name == u->name && m->units.v[pos].dso == b)
				common += MIN(u->share[SIDE_A], m->units.v[pos].share[SIDE_B]);
	}
	return common;
}

/* Among the files that only the other side has, finds the one that has most in common with @f. */
static const struct file *best_file(const struct match *m, const struct files *files, const struct file *f, enum diff_side side)
{
	const struct file *best = NULL;
	double most = 0;

	vec_for(other, files) {
		double common;

		if (other->share[side] > 0 || !(other->share[!side] > 0))
			continue;
		common = side == SIDE_A ? in_common(m, f->name, other->name) : in_common(m, other->name, f->name);
		if (common > most) {
			most = common;
			best = other;
		}
	}
	return best;
}

static void find_renamed_files(struct match *m)
{
	struct files files = {0};

	vec_for(u, &m->units)
		for (int side = 0; side < NR_SIDES; side++)
			file_named(&files, u->dso)->share[side] += u->share[side];
	vec_for(f, &files) {
		const struct file *b = f->share[SIDE_A] > 0 && !(f->share[SIDE_B] > 0) ? best_file(m, &files, f, SIDE_A) : NULL;

		if (b && best_file(m, &files, b, SIDE_B) == f)
			vec_push(&m->renamed, (struct renamed){ f->name, b->name });
	}
	vec_free(&files);
}

/* ---- builds ---- */

struct build { const char *dso; struct build_id id; bool ran[NR_SIDES], differs; };
struct builds { struct build *v; size_t nr, cap; };

static struct build *build_of(const struct builds *builds, const char *dso)
{
	vec_for(b, builds)
		if (b->dso == dso)
			return b;
	return NULL;
}

static void add_builds(const struct match *m, size_t run, struct builds *builds)
{
	const struct profile *p = m->runs[run].profile;

	vec_for(dso, &profile_data(p)->dsos) {
		const char *name = file_of(m, m->runs[run].side, intern(m->strings, profile_string(p, dso->name)));
		struct build *b = build_of(builds, name);

		if (!b) {
			vec_push(builds, (struct build){ .dso = name, .id = dso->build_id });
			b = &builds->v[builds->nr - 1];
		}
		b->ran[m->runs[run].side] = true;
		b->differs |= !build_id_equal(&b->id, &dso->build_id);
	}
}

/* Marks files with the same build id on both sides. In them nothing was renamed, or inlined or cloned on one side only. */
static void mark_builds(struct match *m)
{
	struct builds builds = {0};

	for (size_t run = 0; run < m->nr_runs; run++)
		add_builds(m, run, &builds);
	vec_for(u, &m->units) {
		const struct build *b = build_of(&builds, u->dso);

		u->one_build = b && b->id.size && b->ran[SIDE_A] && b->ran[SIDE_B] && !b->differs;
	}
	vec_free(&builds);
}

/* ---- clones ---- */

/* Returns the length of @name without the suffix of a compiler's clone such as ".cold". */
static size_t clone_base(const char *name)
{
	static const char *const suffixes[] = { ".cold", ".part.", ".constprop.", ".isra.", ".lto_priv.", ".localalias", ".llvm.",
						" [clone " };
	size_t n = strlen(name);

	for (size_t i = 1; i < n; i++)
		for (size_t s = 0; (name[i] == '.' || name[i] == ' ') && s < ARRAY_SIZE(suffixes); s++)
			if (str_starts(name + i, suffixes[s]))
				return i;
	return n;
}

static const char *base_name(struct match *m, const struct unit *u)
{
	return u->unnamed ? u->name : intern_n(m->strings, u->name, clone_base(u->name));
}

static bool seen(const struct unit *u, enum diff_side side)
{
	return u->share[side] > 0;
}

/* Merges the clones of a function into the function, if one side lacks a clone that the other side has. */
static void lead_clones(struct match *m)
{
	size_t nr = m->units.nr;

	for (uint32_t i = 0; i < nr; i++) {
		const char *base = base_name(m, &m->units.v[i]);
		uint32_t to;

		if (base == m->units.v[i].name || m->units.v[i].one_build)
			continue;
		to = add_unit(m, base, m->units.v[i].dso);
		m->units.v[i].base = to + 1;
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct unit *u = &m->units.v[i];

		if (u->base && seen(u, SIDE_A) != seen(u, SIDE_B))
			m->units.v[u->base - 1].cloned[seen(u, SIDE_A) ? SIDE_A : SIDE_B] = true;
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct unit *u = &m->units.v[i], *base = u->base ? &m->units.v[u->base - 1] : NULL;

		if (base && (base->cloned[SIDE_A] || base->cloned[SIDE_B]))
			u->to = u->base - 1;
	}
}

/* ---- inlined functions ---- */

struct inlining { const char *dso; bool on[NR_SIDES]; };

/* Sets .lines of all units. A file that has inlined functions has line information. */
static void find_lines(struct match *m)
{
	VEC(struct inlining) files = {0};

	vec_for(u, &m->units) {
		struct inlining *file = files.v, *end = files.v + files.nr;

		if (!u->inlined[SIDE_A] && !u->inlined[SIDE_B])
			continue;
		while (file < end && file->dso != u->dso)
			file++;
		if (file == end) {
			vec_push(&files, ((struct inlining){ .dso = u->dso }));
			file = &files.v[files.nr - 1];
		}
		for (int side = 0; side < NR_SIDES; side++)
			file->on[side] |= u->inlined[side];
	}
	vec_for(u, &m->units)
		vec_for(file, &files)
			if (file->dso == u->dso)
				memcpy(u->lines, file->on, sizeof(u->lines));
	vec_free(&files);
}

/*
 * Decides where samples in inlined code count: for the inlined function, as everywhere in prec, unless the other side cannot show
 * it. There it is neither inlined nor a symbol, and its file has no line information. Then the samples count for the function
 * around it.
 */
static void find_apart(struct match *m)
{
	find_lines(m);
	vec_for(u, &m->units)
		for (int side = 0; side < NR_SIDES; side++) {
			const struct unit *to = &m->units.v[match_final(m, (uint32_t)(u - m->units.v))];

			u->apart[side] = u->inlined[side] && (u->one_build || u->lines[!side] || seen(u, !side) || seen(to, !side));
		}
}

/* True if the function is inlined on @side, and is a symbol on the other side. */
static bool is_moved(const struct match *m, const struct unit *u, int side)
{
	const struct unit *to = &m->units.v[match_final(m, (uint32_t)(u - m->units.v))];

	return u->inlined[side] && !u->inlined[!side] && !u->one_build && (seen(u, !side) || seen(to, !side));
}

uint32_t match_of_stack(const struct match *m, size_t run, uint32_t stack)
{
	const struct profile_data *d = profile_data(m->runs[run].profile);

	for (; stack != PROFILE_ROOT; stack = d->stacks.v[stack].parent) {
		uint32_t unit = unit_of_node(m, run, stack);

		if (!is_inlined(m, run, stack) || m->units.v[unit].apart[m->runs[run].side] ||
		    d->stacks.v[stack].parent == PROFILE_ROOT)
			return match_final(m, unit);
	}
	return UINT32_MAX;
}

/* ---- what others ask ---- */

const char *match_name(const struct match *m, uint32_t function)
{
	return m->units.v[function].name;
}

const char *match_dso(const struct match *m, uint32_t function)
{
	return m->units.v[function].dso;
}

bool match_is_unnamed(const struct match *m, uint32_t function)
{
	return m->units.v[function].unnamed;
}

static void put_other_name(struct buf *out, size_t from, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = buf_str(out) + from; *at; at += strcspn(at, "\n") + 1)
		if (strcspn(at, "\n") == n && !strncmp(at, name, n))
			return;
	buf_printf(out, "%s\n", name);
}

void match_put_names(const struct match *m, bool file, const char *name, struct buf *out)
{
	size_t from = out->len;

	buf_printf(out, "%s\n", name);
	for (size_t i = 0; file && i < m->renamed.nr; i++)
		if (str_eq(m->renamed.v[i].in_a, name))
			put_other_name(out, from, m->renamed.v[i].in_b);
	for (uint32_t i = 0; !file && i < m->units.nr; i++)
		if (m->units.v[i].to != i && str_eq(m->units.v[match_final(m, i)].name, name))
			put_other_name(out, from, m->units.v[i].name);
}

const char *match_comm(const struct match *m, enum diff_side side, const char *comm)
{
	vec_for(r, &m->renamed)
		if (side == SIDE_B && strlen(comm) == MIN(strlen(r->in_b), COMM_LENGTH) && str_starts(r->in_b, comm))
			return intern_n(m->strings, r->in_a, MIN(strlen(r->in_a), COMM_LENGTH));
	return comm;
}

static void put_comma(struct buf *out, size_t from)
{
	if (out->len > from)
		buf_puts(out, ", ");
}

void match_put_note(const struct match *m, uint32_t function, struct buf *out)
{
	size_t from = out->len;

	for (uint32_t i = 0; m->units.v[function].noted && i < m->units.nr; i++) {
		const struct unit *u = &m->units.v[i];

		if (match_final(m, i) != function)
			continue;
		for (int side = 0; side < NR_SIDES; side++)
			if (is_moved(m, u, side)) {
				put_comma(out, from);
				buf_printf(out, "inlined in %c", "AB"[side]);
			}
		if (u->apart[SIDE_A] && u->apart[SIDE_B]) {
			put_comma(out, from);
			buf_puts(out, "inlined");
		}
		if (i == function || seen(u, SIDE_A) == seen(u, SIDE_B))
			continue;
		put_comma(out, from);
		buf_printf(out, "%s%s in %c", u->base ? "" : "renamed ", u->name, "AB"[seen(u, SIDE_B)]);
	}
}

void match_put_files(const struct match *m, const char *before, struct buf *out)
{
	vec_for(r, &m->renamed) {
		buf_printf(out, "%s'", before);
		buf_put_printable(out, r->in_b);
		buf_puts(out, "' of B is compared with '");
		buf_put_printable(out, r->in_a);
		buf_puts(out, "' of A: they have functions in common\n");
	}
}

/* Marks the few functions that may have a note. */
static void mark_noted(struct match *m)
{
	for (uint32_t i = 0; i < m->units.nr; i++) {
		const struct unit *u = &m->units.v[i];

		if (u->to != i || u->apart[SIDE_A] || u->apart[SIDE_B])
			m->units.v[match_final(m, i)].noted = true;
	}
}

struct match *match_new(const struct diff_run *runs, size_t nr)
{
	struct match *m = xcalloc(1, sizeof(*m));

	m->strings = strtab_new();
	m->nr_runs = nr;
	m->runs = xcalloc(MAX(nr, 1), sizeof(*m->runs));
	m->unit_of = xcalloc(MAX(nr, 1), sizeof(*m->unit_of));
	for (size_t i = 0; i < nr; i++) {
		m->runs[i] = runs[i];
		m->unit_of[i] = xcalloc(MAX(profile_data(runs[i].profile)->functions.nr, 1), sizeof(*m->unit_of[i]));
	}
	make_units(m);
	find_renamed_files(m);
	if (m->renamed.nr)
		make_units(m);
	mark_builds(m);
	lead_clones(m);
	find_apart(m);
	match_renamed(m);
	mark_noted(m);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr_runs; i++)
		free(m->unit_of[i]);
	free(m->unit_of);
	free(m->runs);
	vec_free(&m->units);
	vec_free(&m->renamed);
	index_release(&m->by_name);
	strtab_free(m->strings);
	free(m);
}
