/* Which functions are the hottest, and what they are made of. Layer: profile */
#include "core/profile/session_code.h"

#include <stdlib.h>
#include <string.h>

#include "core/flow/session.h"
#include "core/profile/listing.h"

/*
 * Of a function with more instructions than MAX_INSNS those stay that are no farther than NEAR from a sampled one: what a symbol
 * says of its size may be anything.
 */
#define MAX_INSNS	5000u
#define NEAR		40u
#define MAX_BETWEEN	400u	/* lines of source that may stand between two that instructions are of */
#define MAX_LINE	400u	/* bytes of a line */

struct hot {
	uint32_t function, first, end;		/* its samples in the list */
	double share;				/* 0 to 1 */
	struct addr_location location;
	uint32_t space;
};

struct choice {
	struct profile_builder *builder;
	struct session *session;
	struct sampled_codes *codes;
	VEC(struct hot) hot;
	VEC(uint64_t) totals;			/* by event */
};

/* ---- the hottest functions ---- */

static int by_function(const void *pa, const void *pb)
{
	const struct sampled_code *a = pa, *b = pb;

	if (a->function != b->function)
		return compare_numbers(a->function, b->function);
	if (a->event != b->event)
		return compare_numbers(a->event, b->event);
	return a->space != b->space ? compare_numbers(a->space, b->space) : compare_numbers(a->ip, b->ip);
}

static void sum_events(struct choice *c)
{
	size_t nr = session_events(c->session)->events.nr;

	c->totals.v = xcalloc(MAX(nr, 1), sizeof(*c->totals.v));
	c->totals.nr = c->totals.cap = nr;
	vec_for(code, &c->codes->list)
		add_saturated(&c->totals.v[code->event], code->period);
}

/* The largest share that one of the events has in the function. */
static double share_of(const struct choice *c, uint32_t first, uint32_t end)
{
	const struct sampled_code *v = c->codes->list.v;
	double share = 0;

	for (uint32_t i = first; i < end;) {
		uint64_t sum = 0, total = c->totals.v[v[i].event];
		uint32_t event = v[i].event;

		for (; i < end && v[i].event == event; i++)
			add_saturated(&sum, v[i].period);
		if (total)
			share = MAX(share, (double)sum / (double)total);
	}
	return share;
}

static void find_functions(struct choice *c)
{
	const struct sampled_code *v = c->codes->list.v;
	uint32_t nr = (uint32_t)c->codes->list.nr;

	for (uint32_t i = 0, first; i < nr; ) {
		for (first = i; i < nr && v[i].function == v[first].function; i++)
			;
		if (v[first].function != PROFILE_NONE)
			vec_push(&c->hot, ((struct hot){ .function = v[first].function, .first = first, .end = i,
							 .share = share_of(c, first, i) }));
	}
}

/* Where it is: as seen in the lowest space, at the lowest address, so that no thread's luck decides. */
static void locate(const struct choice *c, struct hot *hot)
{
	const struct sampled_code *v = c->codes->list.v, *lowest = &v[hot->first];

	for (uint32_t i = hot->first; i < hot->end; i++)
		if (v[i].space < lowest->space || (v[i].space == lowest->space && v[i].ip < lowest->ip))
			lowest = &v[i];
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

/* Only of those with a chance it is looked up where they are. */
static void choose(struct choice *c, uint32_t wanted)
{
	size_t nr = 0;

	if (!c->hot.nr)
		return;
	qsort(c->hot.v, c->hot.nr, sizeof(*c->hot.v), by_share);
	while (nr < c->hot.nr && (nr < wanted || c->hot.v[nr].share == c->hot.v[wanted - 1].share))
		locate(c, &c->hot.v[nr++]);
	qsort(c->hot.v, nr, sizeof(*c->hot.v), by_share);
	c->hot.nr = MIN(nr, wanted);
}

/* ---- their code ---- */

static int by_address(const void *pa, const void *pb)
{
	const struct address_weight *a = pa, *b = pb;

	return compare_numbers(a->addr, b->addr);
}

static void put_weights(const struct choice *c, const struct hot *hot, struct annotated_function *f)
{
	for (uint32_t i = hot->first; i < hot->end; i++) {
		const struct sampled_code *code = &c->codes->list.v[i];

		vec_push(&f->weights, ((struct address_weight){ .addr = code->addr, .period = code->period, .nr = code->nr }));
	}
	qsort(f->weights.v, f->weights.nr, sizeof(*f->weights.v), by_address);
}

/* How many instructions it is from the nearest sampled one, for all of @l; owned. */
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

/* Lines that instructions are of, each once for each of them. The file by the builder's number, and by its path. */
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

static int by_line(const void *pa, const void *pb)
{
	const struct used_line *a = pa, *b = pb;

	if (a->file != b->file)
		return compare_numbers(a->file, b->file);
	return a->line != b->line ? compare_numbers(a->line, b->line) : b->own - a->own;
}

static void add_line(struct choice *c, struct listing *l, const struct used_line *of, uint32_t line)
{
	const char *text;
	size_t len;

	if (listing_source(l, of->path, line, &text, &len) && len)
		profile_add_source(c->builder, &(struct profile_source){
			.file = of->file, .line = line, .text = profile_add_string_n(c->builder, text, MIN(len, MAX_LINE)),
		});
}

/* Of the function's own lines those between, too: they make a text that can be read. */
static void add_lines(struct choice *c, struct listing *l, struct used_lines *used)
{
	const struct used_line *last = NULL;

	if (used->list.nr)
		qsort(used->list.v, used->list.nr, sizeof(*used->list.v), by_line);
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

void add_session_code(struct profile_builder *b, struct session *s, struct sampled_codes *codes, uint32_t nr)
{
	struct choice c = { .builder = b, .session = s, .codes = codes };
	const struct annotation none = {0};

	if (!nr || !codes->list.nr)
		return;
	sum_events(&c);
	qsort(codes->list.v, codes->list.nr, sizeof(*codes->list.v), by_function);
	find_functions(&c);
	choose(&c, nr);
	vec_for(hot, &c.hot)
		if (hot->location.symbol)
			add_function(&c, &none, hot);
	vec_free(&c.hot);
	vec_free(&c.totals);
}
