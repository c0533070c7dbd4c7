/*
 * Writes lcov tracefiles, which genhtml shows as a coverage report, for prec export --format lcov. core/code/code_counts.h has the
 * counts of instructions and branches.
 *
 * For each source file, a tracefile has the functions that were entered, how often each line ran, and how often each conditional
 * branch went either way. Lines and functions that did not run have the count 0.
 * Source: geninfo(1), "TRACEFILE FORMAT".
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
#include "core/model/source_text.h"
#include "core/model/srcline.h"

/* A line's count is that of its most frequent statement. Copies in several functions are added. */
struct covered_line {
	uint32_t line;
	uint64_t nr;			/* the sum over the copies of the line before the present one */
	uint64_t most;			/* the largest count of a statement in the present copy */
	const struct symbol *copy;	/* the function that has the present copy */
};

struct covered_branch { uint32_t line; bool reached; uint64_t taken, passed, order; };

struct covered_function { uint32_t line; const char *name; uint64_t nr; };

struct covered_file {
	const char *path;
	VEC(struct covered_line) lines;
	struct index by_line;
	VEC(struct covered_branch) branches;
	VEC(struct covered_function) functions;
};

struct entered { uint64_t addr, end; uint32_t line, last; bool returns; };	/* .last: the highest line of its code so far */

struct coverage {
	const struct code_counts *counts;
	const struct code_file *file;		/* the file of the present code */
	VEC(struct covered_file) files;
	struct index by_path;
	struct source_texts texts;
	uint32_t nr_asked;
	VEC(struct entered) entered;		/* functions of .file */
	struct index by_entry;
};

/* ---- what there is ---- */

static struct covered_file *file_of(struct coverage *c, const char *path)
{
	uint64_t h = hash_bytes(path, strlen(path));

	index_for(pos, &c->by_path, h)
		if (str_eq(c->files.v[pos].path, path))
			return &c->files.v[pos];
	index_add(&c->by_path, h, (uint32_t)c->files.nr);
	vec_push(&c->files, (struct covered_file){ .path = path });
	return &c->files.v[c->files.nr - 1];
}

static struct covered_line *line_of(struct covered_file *f, uint32_t line)
{
	uint64_t h = hash_u64(line);

	index_for(pos, &f->by_line, h)
		if (f->lines.v[pos].line == line)
			return &f->lines.v[pos];
	index_add(&f->by_line, h, (uint32_t)f->lines.nr);
	vec_push(&f->lines, (struct covered_line){ .line = line });
	return &f->lines.v[f->lines.nr - 1];
}

static uint64_t runs_of(const struct coverage *c, uint64_t addr)
{
	const struct code_insn *insn = code_insn_at(c->file, addr);

	return insn ? insn->nr : 0;
}

static uint64_t taken_at(const struct coverage *c, uint64_t addr)
{
	const struct code_counts *counts = c->counts;
	uint32_t own = (uint32_t)(c->file - counts->files.v);
	const struct code_branch *b = counts->branches.v;
	size_t at = bisect(i, 0, counts->branches.nr, b[i].from_file < own || (b[i].from_file == own && b[i].from < addr));
	uint64_t nr = 0;

	for (; at < counts->branches.nr && b[at].from_file == own && b[at].from == addr; at++)
		nr += b[at].nr;
	return nr;
}

static void add_branch(struct coverage *c, struct covered_file *f, uint32_t line, uint64_t addr)
{
	const struct code_insn *insn = code_insn_at(c->file, addr);
	uint64_t taken = taken_at(c, addr);

	vec_push(&f->branches, (struct covered_branch){ line, insn || taken, taken, insn ? insn->passed : 0, f->branches.nr });
}

#define CHUNK	256u
#define LONGEST	15u

/* The conditional branches between two addresses of one line, those that did not run, too. */
static void add_branches(struct coverage *c, struct covered_file *f, const struct line_row *row)
{
	uint8_t code[CHUNK];
	uint64_t at = row->addr, from = at;
	size_t n = 0;
	struct insn insn;

	for (; at < row->end; at += insn.size) {
		if (at == row->addr || n - (size_t)(at - from) < LONGEST) {
			from = at;
			n = code_read(c->counts, c->file, at, code, sizeof(code));
		}
		if (n <= at - from || code_decode(c->counts, &insn, code + (at - from), n - (size_t)(at - from)))
			return;
		if (insn.kind == INSN_COND)
			add_branch(c, f, row->line, at);
	}
}

static struct entered *entered_at(const struct coverage *c, uint64_t addr)
{
	uint64_t h = hash_u64(addr);

	index_for(pos, &c->by_entry, h)
		if (c->entered.v[pos].addr == addr)
			return &c->entered.v[pos];
	return NULL;
}

/* As in gcov: a function's first statement counts for the line of its name, the last brace after a value for none: 0. */
static uint32_t line_to_count(struct entered *f, const struct line_row *row)
{
	uint32_t before;

	if (!f)
		return row->line;
	if (row->addr == f->addr && row->line > f->line && !f->last) {
		f->last = row->line;
		return f->line;
	}
	before = f->last;
	f->last = MAX(f->last, row->line);
	return f->returns && row->end == f->end && before && row->line > before ? 0 : row->line;
}

/* True for functions without source that compilers add to a file, such as the one that calls its constructors. */
static bool is_added(const struct symbol *s)
{
	return s && (!strncmp(s->name, "_sub_", 5) || !strncmp(s->name, "_GLOBAL__sub_", 13));
}

static void on_row(void *ctx, const struct line_row *row)
{
	struct coverage *c = ctx;
	struct covered_file *f = file_of(c, row->file);
	const struct symbol *copy = code_symbol(c->file, row->addr);
	struct covered_line *line;
	uint32_t number;

	if (is_added(copy))
		return;
	add_branches(c, f, row);
	if (!row->statement)
		return;
	number = line_to_count(copy ? entered_at(c, copy->start) : NULL, row);
	if (!number)
		return;
	line = line_of(f, number);
	if (line->copy != copy) {
		line->nr += line->most;
		line->most = 0;
		line->copy = copy;
	}
	line->most = MAX(line->most, runs_of(c, row->addr));
}

static void on_function(void *ctx, const struct source_function *function)
{
	struct coverage *c = ctx;

	index_add(&c->by_entry, hash_u64(function->addr), (uint32_t)c->entered.nr);
	vec_push(&c->entered, (struct entered){ .addr = function->addr, .end = function->end, .line = function->line,
						.returns = function->returns });
	vec_push(&file_of(c, function->file)->functions,
		 (struct covered_function){ function->line, function->name, runs_of(c, function->addr) });
}

/* ---- writing ---- */

ORDER(compare_lines, struct covered_line, compare_numbers(a->line, b->line))

ORDER(compare_functions, struct covered_function, compare_numbers(a->line, b->line) ?: strcmp(a->name, b->name))

/* Branches of a line stay in order of address. */
ORDER(compare_branches, struct covered_branch, compare_numbers(a->line, b->line) ?: compare_numbers(a->order, b->order))

ORDER(compare_files, struct covered_file, strcmp(a->path, b->path))

static void put_text(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_putc(out, *text == '\n' ? '?' : *text);
}

/* True if a line of source holds only a label, such as "case 1:" or "out:". */
static bool is_label(const char *text, size_t n)
{
	static const char *const not[] = { "public:", "private:", "protected:" };

	while (n && (*text == ' ' || *text == '\t'))
		text++, n--;
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
		n--;
	if (n < 2 || text[n - 1] != ':' || *text == '/' || *text == '*')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(not); i++)
		if (n == strlen(not[i]) && !strncmp(text, not[i], n))
			return false;
	return !memchr(text, ';', n) && !memchr(text, '?', n) && !memchr(text, '"', n);
}

#define FAR_APART 200u		/* labels are not searched for in a gap of this many lines without code */

static bool begins_function(const struct covered_file *f, uint32_t line)
{
	vec_for(function, &f->functions)
		if (function->line == line)
			return true;
	return false;
}

/* Adds lines with a label only. They have no code, but gcov counts the first label before a statement as often as the statement. */
static void add_labels(struct coverage *c, struct covered_file *f)
{
	size_t nr = f->lines.nr, n;
	const char *text;

	for (size_t i = 0; i + 1 < nr; i++) {
		struct covered_line next = f->lines.v[i + 1];
		uint32_t from = f->lines.v[i].line + 1;

		if (next.line <= from || next.line - from > FAR_APART || begins_function(f, next.line))
			continue;
		for (uint32_t line = from; line < next.line; line++) {
			if (!source_text_next(&c->texts, c->nr_asked++, f->path, line, &text, &n) || !is_label(text, n))
				continue;
			vec_push(&f->lines, (struct covered_line){ .line = line, .nr = next.nr, .most = next.most });
			break;
		}
	}
}

/* Writes the functions of a source file. Copies of a function in several object files are added up. */
static void put_functions(struct covered_file *f, struct buf *out)
{
	size_t nr = 0, hit = 0;

	vec_sort(&f->functions, compare_functions);
	for (size_t i = 0; i < f->functions.nr; i++) {
		if (nr && !compare_functions(&f->functions.v[nr - 1], &f->functions.v[i]))
			f->functions.v[nr - 1].nr += f->functions.v[i].nr;
		else
			f->functions.v[nr++] = f->functions.v[i];
	}
	for (size_t i = 0; i < nr; i++) {
		buf_printf(out, "FN:%u,", f->functions.v[i].line);
		put_text(out, f->functions.v[i].name);
		buf_putc(out, '\n');
	}
	for (size_t i = 0; i < nr; i++) {
		buf_printf(out, "FNDA:%" PRIu64 ",", f->functions.v[i].nr);
		put_text(out, f->functions.v[i].name);
		buf_putc(out, '\n');
		hit += f->functions.v[i].nr > 0;
	}
	buf_printf(out, "FNF:%zu\nFNH:%zu\n", nr, hit);
}

static void put_branch(const struct covered_branch *b, unsigned block, unsigned way, uint64_t nr, struct buf *out)
{
	buf_printf(out, "BRDA:%u,%u,%u,", b->line, block, way);
	if (b->reached)
		buf_printf(out, "%" PRIu64 "\n", nr);
	else
		buf_puts(out, "-\n");
}

static void put_branches(struct covered_file *f, struct buf *out)
{
	size_t hit = 0;
	unsigned block = 0;

	if (!f->branches.nr)
		return;
	vec_sort(&f->branches, compare_branches);
	for (size_t i = 0; i < f->branches.nr; i++) {
		const struct covered_branch *b = &f->branches.v[i];

		block = i && b[-1].line == b->line ? block + 1 : 0;
		put_branch(b, block, 0, b->passed, out);
		put_branch(b, block, 1, b->taken, out);
		hit += (b->passed > 0) + (b->taken > 0);
	}
	buf_printf(out, "BRF:%zu\nBRH:%zu\n", 2 * f->branches.nr, hit);
}

static void put_lines(struct coverage *c, struct covered_file *f, struct buf *out)
{
	size_t hit = 0;

	vec_sort(&f->lines, compare_lines);
	add_labels(c, f);
	vec_sort(&f->lines, compare_lines);
	vec_for(line, &f->lines) {
		buf_printf(out, "DA:%u,%" PRIu64 "\n", line->line, line->nr + line->most);
		hit += line->nr + line->most > 0;
	}
	buf_printf(out, "LF:%zu\nLH:%zu\n", f->lines.nr, hit);
}

static void put_file(struct coverage *c, struct covered_file *f, struct outfile *out)
{
	buf_puts(&out->buf, "TN:\nSF:");
	put_text(&out->buf, f->path);
	buf_putc(&out->buf, '\n');
	put_functions(f, &out->buf);
	put_branches(f, &out->buf);
	put_lines(c, f, &out->buf);
	buf_puts(&out->buf, "end_of_record\n");
	outfile_maybe_flush(out);
}

static void coverage_release(struct coverage *c)
{
	vec_for(f, &c->files) {
		vec_free(&f->lines);
		vec_free(&f->branches);
		vec_free(&f->functions);
		index_release(&f->by_line);
	}
	vec_free(&c->files);
	index_release(&c->by_path);
	source_texts_release(&c->texts);
}

static int write_code(struct export *x, const struct code_counts *counts)
{
	struct coverage c = { .counts = counts };
	int err = 0;

	vec_for(f, &counts->files) {
		c.file = f;
		if (f->insns.nr)
			dso_source(f->dso, on_row, on_function, &c);
		vec_free(&c.entered);
		index_release(&c.by_entry);
	}
	vec_sort(&c.files, compare_files);
	vec_for(f, &c.files)
		if (f->lines.nr)
			put_file(&c, f, x->out);
	if (!counts->nr_branches)
		err = error("no branches were recorded: this needs a trace, or samples with branch stacks (record -b)");
	else if (!c.files.nr)
		err = error("of none of the code that ran are the lines known: build it with -g");
	coverage_release(&c);
	return err;
}

const struct profile_writer lcov_writer = {
	.name = "lcov", .suffixes = ".info", .description = "coverage, for genhtml",
	.flags = WRITER_LINKAGE_NAMES, .code = write_code,
};
