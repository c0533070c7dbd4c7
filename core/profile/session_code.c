/*
 * Adds the instructions (core/code/listing.h) of the hottest functions to the profile, for HTML pages. It chooses the functions
 * with the largest share of any event's samples. If a function is very long, only its instructions near samples are added.
 */
#include "core/profile/session_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/read/session.h"
#include "core/code/listing.h"

/*
 * The size in a symbol may be anything. So for a function with more than MAX_INSNS instructions, only those are kept that are at
 * most NEAR instructions from one with samples.
 */
#define MAX_INSNS	5000u
#define NEAR		40u
#define MAX_BETWEEN	400u	/* maximum number of source lines to add between two lines with instructions */
#define MAX_LINE	400u	/* maximum bytes of a line */

struct hot {
	uint32_t function, first, end;		/* .first, .end: range of choice.order with its samples */
	double share;				/* its largest share of an event, 0 to 1 */
	struct addr_location location;
	uint32_t space;
};

struct choice {
	struct profile_builder *builder;
	struct session *session;
	const struct sampled_code *codes;	/* borrowed */
	size_t nr_codes;
	uint32_t *order;			/* indices of .codes with a function, sorted by function */
	VEC(struct hot) hot;
	uint64_t *totals, *sums;		/* by event: sums of all samples, and of those in one function */
};

/* ---- the hottest functions ---- */

/* Groups .codes by function. It counts and does not sort, because there may be as many addresses as samples. */
static void group_by_function(struct choice *c)
{
	uint32_t nr_functions = 0, *end, sum = 0;

	for (size_t i = 0; i < c->nr_codes; i++)
		if (c->codes[i].function != PROFILE_NONE)
			nr_functions = MAX(nr_functions, c->codes[i].function + 1);
	end = xcalloc(MAX(nr_functions, 1), sizeof(*end));
	for (size_t i = 0; i < c->nr_codes; i++)
		if (c->codes[i].function != PROFILE_NONE)
			end[c->codes[i].function]++;
	for (uint32_t f = 0; f < nr_functions; f++) {
		if (end[f])
			vec_push(&c->hot, ((struct hot){ .function = f, .first = sum, .end = sum + end[f] }));
		sum += end[f];
		end[f] = sum - end[f];
	}
	c->order = xmalloc(MAX(sum, 1) * sizeof(*c->order));
	for (size_t i = 0; i < c->nr_codes; i++)
		if (c->codes[i].function != PROFILE_NONE)
			c->order[end[c->codes[i].function]++] = (uint32_t)i;
	free(end);
}

/* Returns the function's share of the samples of an event, for the event with the largest share. */
static double share_of(const struct choice *c, const struct hot *hot)
{
	double share = 0;

	for (uint32_t i = hot->first; i < hot->end; i++)
		add_saturated(&c->sums[c->codes[c->order[i]].event], c->codes[c->order[i]].period);
	for (uint32_t i = hot->first; i < hot->end; i++) {
		uint32_t event = c->codes[c->order[i]].event;

		if (c->sums[event])
			share = MAX(share, (double)c->sums[event] / (double)c->totals[event]);
		c->sums[event] = 0;
	}
	return share;
}

static void find_functions(struct choice *c)
{
	size_t nr_events = session_events(c->session)->events.nr;

	c->totals = xcalloc(MAX(nr_events, 1), sizeof(*c->totals));
	c->sums = xcalloc(MAX(nr_events, 1), sizeof(*c->sums));
	for (size_t i = 0; i < c->nr_codes; i++)
		add_saturated(&c->totals[c->codes[i].event], c->codes[i].period);
	group_by_function(c);
	vec_for(hot, &c->hot)
		hot->share = share_of(c, hot);
}

/* Finds the function's location by its sample with the lowest space and address, so that the order of threads has no effect. */
static void locate(const struct choice *c, struct hot *hot)
{
	const struct sampled_code *lowest = &c->codes[c->order[hot->first]];

	for (uint32_t i = hot->first; i < hot->end; i++) {
		const struct sampled_code *code = &c->codes[c->order[i]];

		if (code->space < lowest->space || (code->space == lowest->space && code->ip < lowest->ip))
			lowest = code;
	}
	hot->space = lowest->space;
	machine_resolve(session_machine(c->session), lowest->space, lowest->ip, &hot->location);
}

static int by_share(const void *pa, const void *pb)
{
	const struct hot *a = pa, *b = pb;
	int order;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (!a->location.symbol || !b->location.symbol)
		return 0;
	order = strcmp(a->location.dso->path, b->location.dso->path);
	return order ? order : compare_numbers(a->location.symbol->start, b->location.symbol->start);
}

/* Keeps the @wanted functions with the largest shares. Looks up the location only of functions that may be among them. */
static void choose(struct choice *c, uint32_t wanted)
{
	size_t nr = 0;

	if (!c->hot.nr)
		return;
	vec_sort(&c->hot, by_share);
	while (nr < c->hot.nr && (nr < wanted || c->hot.v[nr].share == c->hot.v[wanted - 1].share))
		locate(c, &c->hot.v[nr++]);
	qsort(c->hot.v, nr, sizeof(*c->hot.v), by_share);
	c->hot.nr = MIN(nr, wanted);
}

/* ---- their code ---- */

ORDER(by_address, struct address_weight, compare_numbers(a->addr, b->addr))

static void put_weights(const struct choice *c, const struct hot *hot, struct annotated_function *f)
{
	for (uint32_t i = hot->first; i < hot->end; i++) {
		const struct sampled_code *code = &c->codes[c->order[i]];

		vec_push(&f->weights, ((struct address_weight){ .addr = code->addr, .period = code->period, .nr = code->nr }));
	}
	vec_sort(&f->weights, by_address);
}

/* Returns for each instruction of @l its distance in instructions to the nearest one with samples; owned by the caller. */
static uint32_t *distances(const struct listing *l)
{
	uint32_t *far = xmalloc(MAX(l->insns.nr, 1) * sizeof(*far)), since = UINT32_MAX;

	for (size_t i = 0; i < l->insns.nr; i++) {
		since = l->insns.v[i].first < l->insns.v[i].end ? 0 : since + (since != UINT32_MAX);
		far[i] = since;
	}
	since = UINT32_MAX;
	for (size_t i = l->insns.nr; i-- > 0;) {
		since = far[i] ? since + (since != UINT32_MAX) : 0;
		far[i] = MIN(far[i], since);
	}
	return far;
}

static uint64_t jump_target(const struct listing *l, const struct listed_insn *i)
{
	uint64_t target = i->addr + (uint64_t)i->insn.disp;
	const struct symbol *symbol = l->f->location.symbol;

	if (i->insn.kind != INSN_JUMP && i->insn.kind != INSN_COND)
		return 0;
	return target >= symbol->start && target < symbol->end ? target : 0;
}

/* The source line of an instruction. .file: the builder's number of the file's name; .own: it is in no inlined function. */
struct used_line { uint32_t file, line; bool own; const char *path; };
struct used_lines { VEC(struct used_line) list; };

static void add_insn(struct choice *c, struct listing *l, const struct hot *hot, const struct listed_insn *i,
		     struct used_lines *used, struct buf *text)
{
	bool inlined;
	struct frame frame = listing_frame(l, i, &inlined);
	struct profile_insn insn = { .function = hot->function, .address = i->addr, .target = jump_target(l, i),
				     .size = i->insn.size };

	text->len = 0;
	if (i->insn.size)
		listing_put_insn(l, i, text);
	insn.text = profile_add_string_n(c->builder, text->data, text->len);
	if (frame.file && frame.line) {
		insn.file = profile_add_string(c->builder, frame.file);
		insn.line = frame.line;
		insn.inlined = inlined && frame.function ? profile_add_string(c->builder, frame.function) : 0;
		vec_push(&used->list, ((struct used_line){ insn.file, insn.line, !inlined, frame.file }));
	}
	profile_add_insn(c->builder, &insn);
}

/* ---- their lines ---- */

ORDER(by_line, struct used_line,
	compare_numbers(a->file, b->file) ?: compare_numbers(a->line, b->line) ?: b->own - a->own)

static void add_line(struct choice *c, struct listing *l, const struct used_line *of, uint32_t line)
{
	const char *text;
	size_t len;

	if (listing_source(l, of->path, line, &text, &len) && len)
		profile_add_source(c->builder, &(struct profile_source){
			.file = of->file, .line = line, .text = profile_add_string_n(c->builder, text, MIN(len, MAX_LINE)),
		});
}

/* Adds the source lines of instructions. To make the text readable, also adds the lines between the function's own lines. */
static void add_lines(struct choice *c, struct listing *l, struct used_lines *used)
{
	const struct used_line *last = NULL;

	vec_sort(&used->list, by_line);
	vec_for(line, &used->list) {
		if (last && line->file == last->file && line->line == last->line)
			continue;
		for (uint32_t between = last ? last->line + 1 : 0; last && line->own && line->file == last->file &&
		     line->line - last->line <= MAX_BETWEEN && between < line->line; between++)
			add_line(c, l, line, between);
		add_line(c, l, line, line->line);
		last = line;
	}
}

static void add_function(struct choice *c, const struct annotation *none, const struct hot *hot)
{
	struct annotated_function f = { .location = hot->location, .space = hot->space };
	struct used_lines used = {0};
	struct buf text = {0};
	struct listing l;
	uint32_t *far;

	put_weights(c, hot, &f);
	listing_init(&l, none, &f, c->session, LISTING_IF_KNOWN);
	far = distances(&l);
	for (size_t i = 0; i < l.insns.nr; i++)
		if (l.insns.nr <= MAX_INSNS || far[i] <= NEAR)
			add_insn(c, &l, hot, &l.insns.v[i], &used, &text);
	add_lines(c, &l, &used);
	free(far);
	listing_release(&l);
	vec_free(&f.weights);
	vec_free(&used.list);
	buf_release(&text);
}

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct sampled_code *codes = ctx, *x = &codes[*(const uint32_t *)a], *y = &codes[*(const uint32_t *)b];

	return compare_numbers(x->addr, y->addr) ?: compare_numbers(x->space, y->space);
}

/* Adds the code of a function: of one that a JIT compiler made several times, all of them. */
static void add_parts(struct choice *c, const struct annotation *none, const struct hot *hot)
{
	qsort_r(c->order + hot->first, hot->end - hot->first, sizeof(*c->order), by_place, (void *)(uintptr_t)c->codes);
	for (struct hot part = *hot; part.first < hot->end; part.first = part.end) {
		part.end = part.first + 1;
		locate(c, &part);
		while (part.location.symbol && part.end < hot->end &&
		       c->codes[c->order[part.end]].addr < part.location.symbol->end)
			part.end++;
		locate(c, &part);
		if (part.location.symbol)
			add_function(c, none, &part);
	}
}

void add_session_code(struct profile_builder *b, struct session *s, const struct sampled_codes *codes, uint32_t nr)
{
	struct choice c = { .builder = b, .session = s, .codes = codes->list.v, .nr_codes = codes->list.nr };
	const struct annotation none = {0};

	if (!nr || !codes->list.nr)
		return;
	find_functions(&c);
	choose(&c, nr);
	vec_for(hot, &c.hot)
		add_parts(&c, &none, hot);
	vec_free(&c.hot);
	free(c.order);
	free(c.totals);
	free(c.sums);
}
