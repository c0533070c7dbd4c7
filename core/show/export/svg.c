/*
 * Writes a flame graph as an SVG image, for prec export --format svg. In a web browser, a script in the image (svg.js) zooms and
 * searches. html/html.h writes a whole page with more views.
 */
#include "core/show/export/writers.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/ui/fit.h"

#define WIDTH		1200	/* pixels of the picture without a script, its margins included */
#define MARGIN		10
#define TOP		56
#define ROW		18
#define NARROWEST	0.3	/* narrower boxes are left out */
#define FONT		"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
#define CHARACTER	6.65	/* maximum width of a character of size 11, in pixels */

/* The titles, links and the background follow the reader's choice of light or dark; boxes look alike in both. */
#define STYLE	".link { fill: #1a5fb4 } "								\
	"@media (prefers-color-scheme: dark) { .paper { fill: #16181d } svg > text { fill: #d5d9e0 } .link { fill: #7fb2f0 } }"

extern const char svg_script[];		/* the script for shortening names, then svg.js; ends with NUL */

__asm__(".pushsection .rodata\n"
	".global svg_script\n"
	"svg_script:\n"
	".incbin \"core/show/export/html/names.js\"\n"
	".incbin \"core/show/export/svg.js\"\n"
	".byte 0\n"
	".popsection\n");

struct svg {
	const struct profile *profile;
	struct buf *out;
	const struct profile_sum *total;	/* sums by stack; [0]: of all stacks */
	bool samples;
	unsigned *rank;				/* of a dso by the weight of its own code; owned */
	double scale;				/* pixels for each unit of the sums */
	uint32_t deepest;
};

struct box { uint32_t stack; uint64_t from; };	/* .from: the sum of all boxes to its left */

typedef VEC(struct box) boxes;

static uint64_t value(const struct svg *s, uint32_t stack)
{
	return s->samples ? s->total[stack].nr : s->total[stack].period;
}

static bool is_drawn(const struct svg *s, uint32_t stack)
{
	return (double)value(s, stack) * s->scale >= NARROWEST;
}

/* ---- text ---- */

/* True if XML 1.0 allows the character. @length 0: it is not valid UTF-8. */
static bool is_of_xml(const char *s, size_t length)
{
	uint8_t c = (uint8_t)s[0];
	bool is_noncharacter = length == 3 && c == 0xef && (uint8_t)s[1] == 0xbf && (uint8_t)s[2] >= 0xbe;	/* U+FFFE, U+FFFF */

	return length && (c >= 0x20 || c == '\t') && c != 0x7f && !is_noncharacter;
}

/* Writes a text for XML: markup is escaped, and characters that XML 1.0 forbids are replaced. At most @max characters; 0: all. */
static void put_text(struct buf *out, const char *s, size_t max)
{
	size_t n = strlen(s), nr = 0;

	for (size_t i = 0, step; i < n; i += step) {
		uint8_t c = (uint8_t)s[i];

		step = utf8_length(s + i, n - i);
		if (max && nr++ == max) {
			buf_puts(out, "...");
			return;
		}
		if (!is_of_xml(s + i, step))
			buf_puts(out, "\xef\xbf\xbd");	/* U+FFFD */
		else if (strchr("<>&\"'", c))
			buf_printf(out, "&#%u;", c);
		else
			buf_put(out, s + i, step);
		step = MAX(step, 1);
	}
}

static const char *dso_name(const struct profile *p, const struct profile_function *f)
{
	return f->dso == PROFILE_NONE ? "[unknown]" : profile_string(p, profile_data(p)->dsos.v[f->dso].name);
}

static void put_name(const struct svg *s, const struct profile_function *f, size_t width)
{
	struct buf name = {0}, fitted = {0};

	if (f->name)
		buf_puts(&name, profile_string(s->profile, f->name));
	else
		buf_printf(&name, "0x%" PRIx64, f->address);
	fit_name(name.data, name.len, width, &fitted);
	put_text(s->out, buf_str(&fitted), 0);
	buf_release(&name);
	buf_release(&fitted);
}

static void put_value(const struct svg *s, enum profile_unit unit, uint64_t v)
{
	if (s->samples)
		buf_printf(s->out, "%" PRIu64 " samples", v);
	else if (unit == PROFILE_NS)
		buf_printf(s->out, "%.6f s", (double)v / 1e9);
	else
		buf_printf(s->out, "%" PRIu64 "%s", v, unit == PROFILE_BYTES ? " bytes" : "");
}

/* ---- boxes ---- */

struct colour { unsigned hue, saturation; };

/* Returns the same colour as Colours.library() in core/show/export/html/flame.js. */
static struct colour colour_of(const struct svg *s, const struct profile_function *f)
{
	static const struct colour palette[] = {
		{ 206, 62 }, { 145, 42 }, { 278, 45 }, { 350, 55 }, { 178, 48 }, { 95, 40 }, { 320, 40 }, { 240, 45 },
	};
	unsigned rank = f->dso == PROFILE_NONE ? UINT_MAX : s->rank[f->dso];

	if (f->level == 'k' || f->level == 'g')
		return (struct colour){ 32, 62 };
	if (f->level == 'p')
		return (struct colour){ 60, 90 };
	if (f->level == 'j')
		return (struct colour){ 120, 80 };
	return rank < ARRAY_SIZE(palette) ? palette[rank] : (struct colour){ 220, 6 };
}

static bool has_own_colour(const struct profile_function *f)
{
	return f->level == 'k' || f->level == 'g' || f->level == 'p' || f->level == 'j' || f->dso == PROFILE_NONE;
}

struct weight { uint64_t value; uint32_t dso; bool shown; };

ORDER(compare_weights, struct weight,
	compare_numbers(b->value, a->value) ?: compare_numbers(b->shown, a->shown) ?: compare_numbers(a->dso, b->dso))

static void rank_dsos(struct svg *s, const struct profile_sum *self)
{
	const struct profile_data *d = profile_data(s->profile);
	struct weight *weights = xcalloc(d->dsos.nr, sizeof(*weights));

	s->rank = xcalloc(d->dsos.nr, sizeof(*s->rank));
	for (uint32_t i = 0; i < d->dsos.nr; i++)
		weights[i].dso = i;
	for (uint32_t i = 1; i < d->stacks.nr; i++) {
		const struct profile_function *f = &d->functions.v[d->frames.v[d->stacks.v[i].frame].function];

		if (has_own_colour(f))
			continue;
		weights[f->dso].value += s->samples ? self[i].nr : self[i].period;
		weights[f->dso].shown |= value(s, i) > 0;
	}
	qsort(weights, d->dsos.nr, sizeof(*weights), compare_weights);
	for (uint32_t i = 0; i < d->dsos.nr; i++)
		s->rank[weights[i].dso] = i;
	free(weights);
}

static void put_colour(const struct svg *s, const struct profile_function *f)
{
	struct colour c = colour_of(s, f);

	buf_printf(s->out, "hsl(%u,%u%%,%u%%)", c.hue, c.saturation, 76 + (f->name + f->inlined * 5) % 9);
}

/* A web browser shows the full text in <title> when the pointer is on the box. */
static void put_box(struct svg *s, const struct box *box, enum profile_unit unit)
{
	const struct profile_data *d = profile_data(s->profile);
	const struct profile_stack *stack = &d->stacks.v[box->stack];
	const struct profile_function *f = &d->functions.v[d->frames.v[stack->frame].function];
	double x = MARGIN + (double)box->from * s->scale, width = (double)value(s, box->stack) * s->scale;
	unsigned y = TOP + (stack->depth - 1) * ROW;

	buf_printf(s->out, "<g data-at=\"%" PRIu64 " %" PRIu64 "\"><title>", box->from, value(s, box->stack));
	buf_printf(s->out, "%.2f %%, ", 100.0 * (double)value(s, box->stack) / (double)value(s, PROFILE_ROOT));
	put_value(s, unit, value(s, box->stack));
	buf_puts(s->out, ": ");
	put_name(s, f, SIZE_MAX);
	buf_puts(s->out, f->inlined ? " (inlined), " : ", ");
	put_text(s->out, dso_name(s->profile, f), 0);
	buf_printf(s->out, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" fill=\"", x, y,
		   MAX(width - 0.5, NARROWEST), ROW - 1);
	put_colour(s, f);
	buf_puts(s->out, "\"/>");
	if (width > 3 * CHARACTER) {
		buf_printf(s->out, "<text x=\"%.2f\" y=\"%u\">", x + 3, y + ROW - 5);
		put_name(s, f, (size_t)((width - 6) / CHARACTER));
		buf_puts(s->out, "</text>");
	}
	buf_puts(s->out, "</g>\n");
}

static int compare_boxes(const void *pa, const void *pb, void *arg)
{
	const struct box *a = pa, *b = pb;
	const struct svg *s = arg;

	return compare_numbers(value(s, b->stack), value(s, a->stack)) ?: compare_numbers(a->stack, b->stack);
}

/* Places the children of @parent that are wide enough: below it, side by side from its left edge, the widest first. */
static void place_children(struct svg *s, const struct box *parent, boxes *waiting)
{
	const struct profile_stack *p = &profile_data(s->profile)->stacks.v[parent->stack];
	uint64_t from = parent->from;
	size_t first = waiting->nr;

	for (uint32_t i = 0; i < p->nr_children; i++)
		if (is_drawn(s, p->first_child + i))
			vec_push(waiting, ((struct box){ p->first_child + i, 0 }));
	if (waiting->nr == first)
		return;
	qsort_r(waiting->v + first, waiting->nr - first, sizeof(*waiting->v), compare_boxes, s);
	for (size_t i = first; i < waiting->nr; i++) {
		waiting->v[i].from = from;
		from += value(s, waiting->v[i].stack);
	}
}

static void put_boxes(struct svg *s, struct outfile *out, enum profile_unit unit)
{
	struct box box = { PROFILE_ROOT, 0 };
	boxes waiting = {0};

	place_children(s, &box, &waiting);
	while (waiting.nr) {
		box = waiting.v[--waiting.nr];
		put_box(s, &box, unit);
		outfile_maybe_flush(out);
		place_children(s, &box, &waiting);
	}
	vec_free(&waiting);
}

/* ---- the picture ---- */

static uint32_t deepest_drawn(const struct svg *s)
{
	const struct profile_data *d = profile_data(s->profile);
	uint32_t deepest = 0;

	for (uint32_t i = 1; i < d->stacks.nr; i++)
		if (is_drawn(s, i))
			deepest = MAX(deepest, d->stacks.v[i].depth);
	return deepest;
}

static void put_head(const struct svg *s, const struct profile_event *e)
{
	const struct profile_info *info = &profile_data(s->profile)->info;
	unsigned height = TOP + (deepest_drawn(s) + 1) * ROW;

	buf_printf(s->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
		   "data-total=\"%" PRIu64 "\" width=\"%d\" height=\"%u\" "
		   "viewBox=\"0 0 %d %u\" font-family=\"" FONT "\" font-size=\"11\" fill=\"#16181d\">\n"
		   "<style>" STYLE "</style>\n"
		   "<rect class=\"paper\" width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
		   "<text x=\"%d\" y=\"22\" font-family=\"sans-serif\" font-size=\"15\">",
		   value(s, PROFILE_ROOT), WIDTH, height, WIDTH, height, MARGIN);
	put_text(s->out, info->command ? profile_string(s->profile, info->command) : "profile", 140);
	buf_printf(s->out, "</text>\n<text x=\"%d\" y=\"42\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#5a606b\">",
		   MARGIN);
	put_text(s->out, profile_string(s->profile, e->name), 0);
	buf_puts(s->out, ": ");
	put_value(s, e->unit, value(s, PROFILE_ROOT));
	buf_printf(s->out, "; what is narrower than %.2f %% is left out</text>\n", 100 * NARROWEST / (WIDTH - 2 * MARGIN));
}

static void tree(struct export *x, uint32_t event)
{
	const struct profile_data *d = profile_data(x->profile);
	struct profile_sum *total = xcalloc(d->stacks.nr, sizeof(*total)), *self = xcalloc(d->stacks.nr, sizeof(*self));
	struct svg s = { .profile = x->profile, .out = &x->out->buf, .total = total, .samples = x->opts->samples };

	profile_sum_stacks(x->profile, event, total, self);
	rank_dsos(&s, self);
	free(self);
	if (value(&s, PROFILE_ROOT))
		s.scale = (WIDTH - 2 * MARGIN) / (double)value(&s, PROFILE_ROOT);
	put_head(&s, &d->events.v[event]);
	put_boxes(&s, x->out, d->events.v[event].unit);
	buf_puts(s.out, "<script><![CDATA[\n");
	buf_puts(s.out, svg_script);
	buf_puts(s.out, "]]></script>\n</svg>\n");
	free(total);
	free(s.rank);
}

const struct profile_writer svg_writer = {
	.name = "svg", .suffixes = ".svg", .description = "a flame graph as a picture that zooms",
	.flags = WRITER_ONE_EVENT, .tree = tree,
};
