/*
 * Writes the text of an annotated function for prec annotate and for the terminal browser. A line looks as in perf annotate
 * --stdio: the percentages, a colon, the address or line number, and the text.
 */
#include "core/show/report/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/ui/fit.h"
#include "core/base/printable.h"
#include "core/ui/terminal.h"
#include "core/read/session.h"
#include "core/code/code_lines.h"
#include "core/code/listing.h"

static const char *const percent_types[] = {
	[PERCENT_LOCAL_PERIOD] = "local-period", [PERCENT_LOCAL_HITS] = "local-hits",
	[PERCENT_GLOBAL_PERIOD] = "global-period", [PERCENT_GLOBAL_HITS] = "global-hits",
};

int percent_type_parse(enum percent_type *out, const char *text)
{
	for (enum percent_type t = 0; t < ARRAY_SIZE(percent_types); t++)
		if (str_eq(percent_types[t], text)) {
			*out = t;
			return 0;
		}
	return -1;
}

const char *percent_type_name(enum percent_type type)
{
	return percent_types[type];
}

struct source_row {
	struct frame frame;
	bool inlined;
	struct event_weight *weights;	/* indexed as listing.events; owned */
	/* .block: the block of instructions below the line that has the most samples; .most: how many samples it has. */
	size_t block;
	uint64_t most;
};

struct source_rows { VEC(struct source_row) list; };

struct annotated_text {
	struct listing list;
	struct source_rows rows;	/* source lines with the sums of their instructions; with .source_only and .line_shares */
	const struct annotate_opts *opts;
	struct code_lines *lines;	/* borrowed; NULL: not wanted */
	VEC(size_t) insn_lines;		/* with .lines: the line of each instruction */
};

/* ---- numbers ---- */

static bool is_global(enum percent_type type)
{
	return type == PERCENT_GLOBAL_PERIOD || type == PERCENT_GLOBAL_HITS;
}

static double percent_of(const struct annotated_text *t, struct event_weight w, uint32_t event)
{
	enum percent_type type = t->opts->type;
	struct event_weight all = is_global(type) ? t->list.annotation->totals.v[event] : t->list.f->events.v[event];
	bool hits = type == PERCENT_LOCAL_HITS || type == PERCENT_GLOBAL_HITS;
	uint64_t part = hits ? w.nr : w.period, total = hits ? all.nr : all.period;

	return total ? 100.0 * (double)part / (double)total : 0;
}

static void put_cell(const struct annotated_text *t, struct event_weight w, uint32_t event, struct buf *out)
{
	double percent = percent_of(t, w, event);
	enum style style = w.nr ? style_of_share(percent) : STYLE_PLAIN;
	bool colored = t->opts->colors && style != STYLE_PLAIN;

	put_style(out, colored, style);
	if (t->opts->nr_samples)
		buf_dec(out, w.nr, 8);
	else if (t->opts->periods)
		buf_dec(out, w.period, 12);
	else
		buf_printf(out, "%8.2f", percent);
	put_style(out, colored, STYLE_PLAIN);
}

static size_t cells_width(const struct annotated_text *t)
{
	return t->list.events.nr * (t->opts->periods && !t->opts->nr_samples ? 12 : 8);
}

static struct event_weight weight_at(const struct annotated_text *t, const struct listed_insn *i, uint32_t event)
{
	struct event_weight sum = {0};

	for (uint32_t w = i->first; w < i->end; w++)
		if (t->list.f->weights.v[w].event == event) {
			add_saturated(&sum.period, t->list.f->weights.v[w].period);
			sum.nr += t->list.f->weights.v[w].nr;
		}
	return sum;
}

/* ---- lines of source ---- */

/* Functions without debug information have an empty file. */
static struct source_row *row_of(struct annotated_text *t, const struct frame *frame, bool inlined)
{
	const char *file = frame->file ? frame->file : "";
	struct source_row row = { .frame = { frame->function, file, frame->line }, .inlined = inlined, .block = SIZE_MAX };

	vec_for(r, &t->rows.list)
		if (r->frame.line == frame->line && str_eq(r->frame.file, file))
			return r;
	row.weights = xcalloc(MAX(t->list.events.nr, 1), sizeof(*row.weights));
	vec_push(&t->rows.list, row);
	return &t->rows.list.v[t->rows.list.nr - 1];
}

struct line_block { struct frame frame; size_t number; uint64_t nr; };	/* consecutive instructions of one source line */

/* True if a block begins with an instruction of @frame. Instructions without a line belong to the block before. */
static bool begins_block(struct line_block *last, const struct frame *frame)
{
	if (!frame->file || !frame->line ||
	    (last->frame.file && frame->line == last->frame.line && str_eq(frame->file, last->frame.file)))
		return false;
	*last = (struct line_block){ *frame, last->number + 1, 0 };
	return true;
}

/* A line's share is printed at its block with the most samples. */
static void end_block(struct annotated_text *t, const struct line_block *b)
{
	struct source_row *row = b->frame.file ? row_of(t, &b->frame, false) : NULL;

	if (!row || (row->block != SIZE_MAX && b->nr <= row->most))
		return;
	row->block = b->number;
	row->most = b->nr;
}

static void sum_lines(struct annotated_text *t)
{
	struct line_block block = {0};

	vec_for(i, &t->list.insns) {
		bool inlined;
		struct frame frame = listing_frame(&t->list, i, &inlined);
		struct source_row *row = row_of(t, &frame, inlined);
		struct line_block before = block;

		if (begins_block(&block, &frame))
			end_block(t, &before);
		for (size_t e = 0; e < t->list.events.nr; e++) {
			struct event_weight w = weight_at(t, i, t->list.events.v[e]);

			add_saturated(&row->weights[e].period, w.period);
			row->weights[e].nr += w.nr;
			block.nr += w.nr;
		}
	}
	end_block(t, &block);
}

/* ---- lines ---- */

/* Stores in t->lines where the line comes from that was appended last. */
static void note_line(struct annotated_text *t, const struct frame *frame, bool is_insn)
{
	char *path;

	if (!t->lines)
		return;
	path = frame && frame->file ? source_path_moved(frame->file, t->opts->prefix, t->opts->prefix_strip) : NULL;
	if (is_insn)
		vec_push(&t->insn_lines, t->lines->list.nr);
	code_lines_add(t->lines, path, path ? frame->line : 0, is_insn);
	free(path);
}

static void note_jumps(struct annotated_text *t)
{
	for (size_t i = 0; i < t->insn_lines.nr; i++) {
		uint32_t target = t->list.insns.v[i].target;

		if (target)
			t->lines->list.v[t->insn_lines.v[i]].target = t->insn_lines.v[target - 1];
	}
}

/* Appends @text after @before columns, cut to fit the line, with blanks for control characters. */
static void put_rest(const struct annotated_text *t, size_t before, const char *text, size_t len, struct buf *out)
{
	size_t room = t->opts->screen_width > before ? t->opts->screen_width - before : 0, at = out->len, columns = 0, n = 0;

	for (; n < len && (!t->opts->screen_width || columns < room); n++) {
		columns += text[n] == '\t' ? 8 - columns % 8 : text_columns(text + n, 1);
		if (text[n] == '\t' && (!t->opts->screen_width || columns < room))
			buf_fill(out, ' ', columns - text_columns(out->data + at, out->len - at));
		else
			buf_putc(out, (unsigned char)text[n] < ' ' || text[n] == 0x7f ? ' ' : text[n]);
	}
	buf_putc(out, '\n');
}

static void put_insn(struct annotated_text *t, const struct listed_insn *i, struct buf *out)
{
	struct buf text = {0};
	bool direct = i->insn.kind == INSN_JUMP || i->insn.kind == INSN_COND;

	vec_for(event, &t->list.events)
		put_cell(t, weight_at(t, i, *event), *event, out);
	buf_puts(&text, " : ");
	buf_hex(&text, i->addr, 6);
	buf_printf(&text, ":%c%c ", i->is_target ? '>' : ' ', !direct ? ' ' : i->insn.disp < 0 ? '^' : 'v');
	for (unsigned b = 0; t->opts->raw && b < i->insn.size; b++) {
		buf_hex0(&text, i->code[b], 2);
		buf_putc(&text, ' ');
	}
	if (t->opts->raw)
		buf_fill(&text, ' ', 3u * (LISTING_INSN_MAX - MIN(i->insn.size, LISTING_INSN_MAX)));
	listing_put_insn(&t->list, i, &text);
	buf_escape_from(&text, 0, "\n\t");
	put_rest(t, cells_width(t), text.data, text.len, out);
	buf_release(&text);
}

static const char *file_text(const struct annotated_text *t, const char *file)
{
	const char *name = strrchr(file, '/');

	return name && !t->opts->full_paths ? name + 1 : file;
}

/* A line of source; of an inlined function with its name. @weights: by event; NULL: blanks instead. */
static void put_line(struct annotated_text *t, const struct frame *frame, const struct event_weight *weights, bool inlined,
		     struct buf *out)
{
	const char *line = "";
	struct buf text = {0};
	size_t len = 0;

	for (size_t e = 0; weights && e < t->list.events.nr; e++)
		put_cell(t, weights[e], t->list.events.v[e], out);
	buf_fill(out, ' ', weights ? 0 : cells_width(t));
	if (!*frame->file)
		buf_puts(&text, " : (no line is known)");
	else
		buf_printf(&text, " : %s:%u ", file_text(t, frame->file), frame->line);
	buf_fill(&text, ' ', text.len < 20 ? 20 - text.len : 0);
	if (inlined && frame->function) {
		buf_putc(&text, '[');
		fit_name(frame->function, strlen(frame->function), LISTING_NAME, &text);
		buf_puts(&text, "] ");
	}
	if (listing_source(&t->list, frame->file, frame->line, &line, &len)) {
		for (; inlined && len && (*line == ' ' || *line == '\t'); line++)
			len--;		/* after a name its indent would only take room */
		buf_put(&text, line, len);
	}
	buf_escape_from(&text, 0, "\n\t");
	put_rest(t, cells_width(t), text.data, text.len, out);
	buf_release(&text);
}

/* Appends the source line of a block, with its share if it is printed there. */
static void put_source(struct annotated_text *t, const struct line_block *block, bool inlined, struct buf *out)
{
	const struct source_row *row = t->opts->line_shares ? row_of(t, &block->frame, inlined) : NULL;

	put_line(t, &block->frame, row && row->block == block->number ? row->weights : NULL, inlined, out);
}

static void put_instructions(struct annotated_text *t, struct buf *out)
{
	struct line_block block = {0};

	vec_for(i, &t->list.insns) {
		bool inlined = false;
		struct frame frame = t->opts->source ? listing_frame(&t->list, i, &inlined) : (struct frame){0};

		if (begins_block(&block, &frame)) {
			put_source(t, &block, inlined, out);
			note_line(t, &frame, false);
		}
		put_insn(t, i, out);
		note_line(t, &frame, true);
	}
	note_jumps(t);
}

/* ---- by line of source ---- */

ORDER(by_line, struct source_row, strcmp(a->frame.file, b->frame.file) ?: compare_numbers(a->frame.line, b->frame.line))

static void put_lines(struct annotated_text *t, struct buf *out)
{
	vec_sort(&t->rows.list, by_line);
	vec_for(row, &t->rows.list) {
		put_line(t, &row->frame, row->weights, false, out);
		note_line(t, &row->frame, false);
	}
}

/* ---- the function ---- */

#define TITLE_LINES 2u

static void put_titles(const struct annotated_text *t, struct buf *out)
{
	struct buf text = {0};
	const char *before = "";
	uint64_t nr = 0;

	put_style(out, t->opts->colors, STYLE_TITLE);
	for (size_t e = 0; e < t->list.events.nr; e++)
		buf_right(out, t->opts->nr_samples ? "Samples" : t->opts->periods ? "Period" : "Percent",
			  (unsigned)(cells_width(t) / t->list.events.nr));
	buf_printf(&text, " | %s of %s for ", t->list.f->location.symbol->name, t->list.f->location.dso->name);
	vec_for(event, &t->list.events) {
		buf_printf(&text, "%s%s", before, session_events(t->list.session)->events.v[*event]->name);
		nr += t->list.f->events.v[*event].nr;
		before = ", ";
	}
	buf_printf(&text, " (%" PRIu64 " samples, %.2f%% of all; percent of %s: %s)", nr, 100 * t->list.f->share,
		   str_starts(percent_types[t->opts->type], "local") ? "the function" : "all", percent_types[t->opts->type]);
	buf_escape_from(&text, 0, "\n\t");
	put_rest(t, cells_width(t), text.data, text.len, out);
	put_style(out, t->opts->colors, STYLE_PLAIN);
	buf_fill(out, '-', t->opts->screen_width ? t->opts->screen_width : cells_width(t) + text.len);
	buf_putc(out, '\n');
	buf_release(&text);
}

void annotate_print(const struct annotation *a, const struct annotated_function *f, struct session *s,
		    const struct annotate_opts *opts, struct buf *out, struct code_lines *lines)
{
	struct annotated_text l = { .opts = opts, .lines = lines };

	listing_init(&l.list, a, f, s, opts->intel ? LISTING_INTEL : 0);
	l.list.prefix = opts->prefix;
	l.list.prefix_strip = opts->prefix_strip;
	for (unsigned i = 0; opts->titles && i < TITLE_LINES; i++)
		note_line(&l, NULL, false);
	if (opts->titles)
		put_titles(&l, out);
	if (opts->source_only || opts->line_shares)
		sum_lines(&l);
	if (opts->source_only)
		put_lines(&l, out);
	else
		put_instructions(&l, out);
	buf_putc(out, '\n');
	vec_for(row, &l.rows.list)
		free(row->weights);
	vec_free(&l.rows.list);
	vec_free(&l.insn_lines);
	listing_release(&l.list);
}
