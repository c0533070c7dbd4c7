/*
 * Writes the text sample profile that clang reads with -fprofile-sample-use, for prec export --format autofdo.
 * core/code/code_counts.h has the counts of instructions and branches.
 *
 * The profile lists functions. Below each function are its source lines, relative to the line of the function's name, with their
 * numbers of samples and the functions that they call. Inlined functions are nested in their callers.
 * Source: LLVM's "Sample Profile Formats" in clang/docs/UsersManual.rst.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/show/export/writers.h"
#include "core/binary/symbol.h"
#include "core/model/dso.h"
#include "core/model/srcline.h"

#define NO_NODE UINT32_MAX

/* .offset: lines after the line of the function's name; .discriminator: number of a block of the line. */
struct spot { uint32_t offset, discriminator; };

struct target { const char *name; uint64_t nr; };

struct line {
	struct spot spot;
	uint64_t nr;
	VEC(struct target) targets;
};

struct node {			/* a function, or one inlined at a spot of its parent */
	const char *name;
	uint32_t parent;	/* NO_NODE: a function that is not inlined */
	struct spot spot;	/* where it was inlined */
	uint64_t total, head;
	VEC(struct line) lines;
	VEC(uint32_t) inlined;
};

struct autofdo {
	const struct code_counts *counts;
	VEC(struct node) nodes;
	struct index by_key;
	VEC(char *) names;	/* owned */
	struct index by_name;
	struct buf *out;
};

/* ---- what a discriminator holds (LLVM's llvm/include/llvm/IR/DebugInfoMetadata.h, "DILocation::encodeDiscriminator") ---- */

/* Decodes a component of up to 12 bits from a prefix code, in which 0 has one bit and small numbers have seven. */
static uint32_t component(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t after_component(uint32_t d)
{
	if (d & 1)
		return d >> 1;
	return d >> (d & 0x40 ? 14 : 7);
}

static struct spot spot_of(const struct frame *f)
{
	return (struct spot){ (f->line - f->first_line) & 0xffff, component(f->discriminator) };
}

/* Returns the number of copies that unrolling and vectorizing made. Each copy runs that many times less often. */
static uint64_t copies(const struct frame *f)
{
	uint32_t factor = component(after_component(f->discriminator));

	return factor ? factor : 1;
}

/* ---- names ---- */

/* The name without suffixes that compiler passes append. */
static size_t plain_length(const char *name)
{
	static const char *const marks[] = { ".llvm.", ".part.", ".__uniq.", ".cold", ".isra.", ".constprop." };
	size_t n = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *mark = strstr(name, marks[i]);

		if (mark && mark != name)
			n = MIN(n, (size_t)(mark - name));
	}
	return n;
}

static const char *keep_name(struct autofdo *a, const char *name)
{
	size_t n = plain_length(name);
	uint64_t h = hash_bytes(name, n);
	char *copy;

	index_for(pos, &a->by_name, h)
		if (!strncmp(a->names.v[pos], name, n) && !a->names.v[pos][n])
			return a->names.v[pos];
	index_add(&a->by_name, h, (uint32_t)a->names.nr);
	copy = xmalloc(n + 1);
	memcpy(copy, name, n);
	copy[n] = '\0';
	vec_push(&a->names, copy);
	return copy;
}

/* True if the name cannot be misread, because it has no colon or blank, which would end it. */
static bool is_writable(const char *name)
{
	return name && *name && !strpbrk(name, " :\n\t");
}

/* ---- the tree ---- */

static uint32_t node_of(struct autofdo *a, uint32_t parent, struct spot spot, const char *linkage)
{
	const char *name = keep_name(a, linkage);
	uint64_t h = hash_pair(hash_pair((uintptr_t)name, parent), (uint64_t)spot.offset << 32 | spot.discriminator);
	uint32_t pos;

	index_for(at, &a->by_key, h) {
		const struct node *n = &a->nodes.v[at];

		if (n->name == name && n->parent == parent && n->spot.offset == spot.offset &&
		    n->spot.discriminator == spot.discriminator)
			return at;
	}
	pos = (uint32_t)a->nodes.nr;
	index_add(&a->by_key, h, pos);
	vec_push(&a->nodes, (struct node){ .name = name, .parent = parent, .spot = spot });
	if (parent != NO_NODE)
		vec_push(&a->nodes.v[parent].inlined, pos);
	return pos;
}

/* The node of the innermost frame of @f. Adds @nr instructions to all its parents. NO_NODE: debug information is incomplete. */
static uint32_t leaf_of(struct autofdo *a, const struct frames *f, uint64_t nr)
{
	uint32_t node = NO_NODE;
	struct spot spot = {0};

	for (uint32_t i = 0; i < f->nr; i++)
		if (!is_writable(f->v[i].linkage) || !f->v[i].line || !f->v[i].first_line)
			return NO_NODE;
	for (uint32_t i = f->nr; i-- > 0;) {
		node = node_of(a, node, spot, f->v[i].linkage);
		a->nodes.v[node].total += nr;
		spot = spot_of(&f->v[i]);
	}
	return node;
}

static struct line *line_of(struct node *n, struct spot spot)
{
	vec_for(line, &n->lines)
		if (line->spot.offset == spot.offset && line->spot.discriminator == spot.discriminator)
			return line;
	vec_push(&n->lines, (struct line){ .spot = spot });
	return &n->lines.v[n->lines.nr - 1];
}

/* The count of a line is that of its most frequent instruction. */
static void add_insn(struct autofdo *a, struct dso *dso, const struct code_insn *insn)
{
	struct frames f = dso_frames(dso, insn->addr);
	uint32_t node = leaf_of(a, &f, insn->nr);
	struct line *line;

	if (node == NO_NODE)
		return;
	line = line_of(&a->nodes.v[node], spot_of(&f.v[0]));
	line->nr = MAX(line->nr, insn->nr * copies(&f.v[0]));
}

static void add_target(struct line *line, const char *name, uint64_t nr)
{
	vec_for(t, &line->targets)
		if (t->name == name) {
			t->nr += nr;
			return;
		}
	vec_push(&line->targets, (struct target){ name, nr });
}

/* The function that begins at the target of a branch; NULL: none begins there. */
static const char *callee_of(const struct code_counts *c, const struct code_branch *b, struct frames *frames)
{
	const struct code_file *to = b->to_file == CODE_NOWHERE ? NULL : &c->files.v[b->to_file];
	const struct symbol *s = to ? code_symbol(to, b->to) : NULL, *from;

	if (!s || s->start != b->to)
		return NULL;
	from = b->from_file == b->to_file ? code_symbol(to, b->from) : NULL;
	if (from == s && b->kind != INSN_CALL && b->kind != INSN_CALL_INDIRECT)
		return NULL;
	*frames = dso_frames(to->dso, b->to);
	return frames->nr && frames->v[frames->nr - 1].linkage ? frames->v[frames->nr - 1].linkage : s->name;
}

static void add_call(struct autofdo *a, const struct code_branch *b)
{
	struct frames callee = {0}, f;
	const char *name = callee_of(a->counts, b, &callee);
	uint32_t node;

	if (!is_writable(name))
		return;
	if (callee.nr)
		a->nodes.v[node_of(a, NO_NODE, (struct spot){0}, name)].head += b->nr;
	if (b->from_file == CODE_NOWHERE || b->kind == INSN_RET)
		return;
	f = dso_frames(a->counts->files.v[b->from_file].dso, b->from);
	node = leaf_of(a, &f, 0);
	if (node != NO_NODE)
		add_target(line_of(&a->nodes.v[node], spot_of(&f.v[0])), keep_name(a, name), b->nr);
}

/* ---- writing ---- */

ORDER(compare_spots, struct spot,
	compare_numbers(a->offset, b->offset) ?: compare_numbers(a->discriminator, b->discriminator))

ORDER(compare_lines, struct line, compare_spots(&a->spot, &b->spot))

ORDER(compare_targets, struct target, compare_numbers(b->nr, a->nr) ?: strcmp(a->name, b->name))

static int compare_nodes(const void *pa, const void *pb, void *ctx)
{
	const struct autofdo *a = ctx;
	const struct node *x = &a->nodes.v[*(const uint32_t *)pa], *y = &a->nodes.v[*(const uint32_t *)pb];

	return compare_spots(&x->spot, &y->spot) ?: compare_numbers(y->total, x->total) ?: strcmp(x->name, y->name);
}

static void put_spot(struct buf *out, unsigned depth, const struct spot *s)
{
	buf_fill(out, ' ', depth);
	buf_printf(out, "%u", s->offset);
	if (s->discriminator)
		buf_printf(out, ".%u", s->discriminator);
	buf_puts(out, ": ");
}

static void put_line(struct buf *out, unsigned depth, struct line *line)
{
	put_spot(out, depth, &line->spot);
	buf_printf(out, "%" PRIu64, line->nr);
	vec_sort(&line->targets, compare_targets);
	vec_for(t, &line->targets)
		buf_printf(out, " %s:%" PRIu64, t->name, t->nr);
	buf_putc(out, '\n');
}

/* The depth of recursion is bounded, because srcline.c cuts deeper inlining. */
static void put_node(struct autofdo *a, uint32_t number, unsigned depth)
{
	struct node *n = &a->nodes.v[number];

	if (depth)
		buf_printf(a->out, "%s:%" PRIu64 "\n", n->name, n->total);
	else
		buf_printf(a->out, "%s:%" PRIu64 ":%" PRIu64 "\n", n->name, n->total, n->head);
	vec_sort(&n->lines, compare_lines);
	vec_for(line, &n->lines)
		put_line(a->out, depth + 1, line);
	if (n->inlined.nr)
		qsort_r(n->inlined.v, n->inlined.nr, sizeof(*n->inlined.v), compare_nodes, a);
	vec_for(child, &n->inlined) {
		put_spot(a->out, depth + 1, &a->nodes.v[*child].spot);
		put_node(a, *child, depth + 1);
	}
}

/* Without branches, calls are not known. Uses the count of the line of a function's name, to which its entry belongs. */
static void estimate_heads(struct autofdo *a)
{
	vec_for(n, &a->nodes)
		vec_for(line, &n->lines)
			if (n->parent == NO_NODE && !line->spot.offset)
				n->head = MAX(n->head, line->nr);
}

static void put_all(struct autofdo *a, struct outfile *out)
{
	VEC(uint32_t) order = {0};

	if (a->counts->from_samples)
		estimate_heads(a);

	for (uint32_t i = 0; i < a->nodes.nr; i++)
		if (a->nodes.v[i].parent == NO_NODE && a->nodes.v[i].total)
			vec_push(&order, i);
	if (order.nr)
		qsort_r(order.v, order.nr, sizeof(*order.v), compare_nodes, a);
	vec_for(number, &order) {
		put_node(a, *number, 0);
		outfile_maybe_flush(out);
	}
	vec_free(&order);
}

static void autofdo_release(struct autofdo *a)
{
	vec_for(n, &a->nodes) {
		vec_for(line, &n->lines)
			vec_free(&line->targets);
		vec_free(&n->lines);
		vec_free(&n->inlined);
	}
	vec_for(name, &a->names)
		free(*name);
	vec_free(&a->nodes);
	vec_free(&a->names);
	index_release(&a->by_key);
	index_release(&a->by_name);
}

static int write_code(struct export *x, const struct code_counts *c)
{
	struct autofdo a = { .counts = c, .out = &x->out->buf };
	int err = 0;

	vec_for(f, &c->files)
		vec_for(insn, &f->insns)
			add_insn(&a, f->dso, insn);
	vec_for(b, &c->branches)
		add_call(&a, b);
	if (!c->nr_branches && !c->from_samples)
		err = error("neither branches nor samples of code were recorded: there is nothing to count");
	else if (!a.nodes.nr)
		err = error("of none of the code that ran are the lines known: build it with -g1 -fdebug-info-for-profiling");
	else
		put_all(&a, x->out);
	if (!err && c->from_samples)
		info("counts are samples, an estimate: a trace, or branch stacks (record -b), say how often code ran");
	autofdo_release(&a);
	return err;
}

const struct profile_writer autofdo_writer = {
	.name = "autofdo", .suffixes = ".afdo .prof", .description = "clang -fprofile-sample-use",
	.flags = WRITER_LINKAGE_NAMES | WRITER_SAMPLES_DO, .code = write_code,
};
