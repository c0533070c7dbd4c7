/*
 * Finds the function at an address, and counts the instructions between two addresses by decoding the code. Hash tables keep the
 * results, because a hardware trace has the same addresses many times.
 */
#include "core/code/code_places.h"

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/model/code.h"
#include "core/model/machine.h"

#define MAX_STRETCH	(1u << 20)	/* bytes; longer code without a jump is not plausible */
#define READ_AHEAD	256u

struct stretch {
	uint64_t from, to, nr;
	uint32_t space;
	bool inclusive;
};

struct code_places {
	const struct machine *machine;
	VEC(struct code_place) places;
	VEC(struct code_function) functions;
	VEC(struct stretch) stretches;
	struct index by_place, by_symbol, by_stretch;
};

struct code_places *code_places_new(const struct machine *machine)
{
	struct code_places *c = xcalloc(1, sizeof(*c));

	c->machine = machine;
	return c;
}

void code_places_free(struct code_places *c)
{
	if (!c)
		return;
	vec_free(&c->places);
	vec_free(&c->functions);
	vec_free(&c->stretches);
	index_release(&c->by_place);
	index_release(&c->by_symbol);
	index_release(&c->by_stretch);
	free(c);
}

/* ---- functions ---- */

uint32_t code_function_add(struct code_places *c, const char *name)
{
	vec_push(&c->functions, (struct code_function){ .name = name });
	return (uint32_t)c->functions.nr - 1;
}

static uint32_t function_of(struct code_places *c, const struct dso *dso, const struct symbol *symbol)
{
	uint64_t h = hash_pair((uintptr_t)dso, (uintptr_t)symbol);

	index_for(pos, &c->by_symbol, h)
		if (c->functions.v[pos].dso == dso && c->functions.v[pos].symbol == symbol)
			return pos;
	index_add(&c->by_symbol, h, (uint32_t)c->functions.nr);
	vec_push(&c->functions, (struct code_function){ .name = symbol ? symbol->name : NULL, .dso = dso, .symbol = symbol });
	return (uint32_t)c->functions.nr - 1;
}

const struct code_place *code_place_at(struct code_places *c, uint32_t space, uint64_t ip)
{
	uint64_t h = hash_pair(space, ip);
	struct code_place place = { .ip = ip, .space = space };
	struct addr_location al;

	index_for(pos, &c->by_place, h)
		if (c->places.v[pos].ip == ip && c->places.v[pos].space == space)
			return &c->places.v[pos];
	index_add(&c->by_place, h, (uint32_t)c->places.nr);
	machine_resolve(c->machine, space, ip, &al);
	place.function = function_of(c, al.dso, al.symbol);
	if (al.symbol) {
		place.start = addr_location_unmap(&al, al.symbol->start);
		place.end = addr_location_unmap(&al, al.symbol->end);
	}
	vec_push(&c->places, place);
	return &c->places.v[c->places.nr - 1];
}

const struct code_function *code_function(const struct code_places *c, uint32_t n)
{
	return &c->functions.v[n];
}

void code_function_put(const struct code_places *c, uint32_t n, struct buf *out)
{
	const struct code_function *f = &c->functions.v[n];

	if (f->name)
		buf_puts(out, f->name);
	else if (f->dso && *f->dso->name == '[')
		buf_puts(out, f->dso->name);
	else
		buf_printf(out, "[%s]", f->dso ? f->dso->name : "unknown");
}

/* ---- instructions ---- */

struct code_reader {
	const struct code_places *places;
	uint32_t space;
	uint64_t at;			/* address of code[0] */
	size_t n;
	uint8_t code[READ_AHEAD];
};

#define LONGEST_INSN 15u

/* Reads the instruction at @ip. Returns false if its code is not known. */
static bool read_insn(struct code_reader *r, uint64_t ip, unsigned mode, struct insn *out)
{
	const struct arch *arch = machine_arch(r->places->machine);
	size_t into = ip - r->at;

	if (into > r->n || r->n - into < LONGEST_INSN) {
		r->at = ip;
		r->n = code_at(r->places->machine, r->space, ip, r->code, sizeof(r->code));
		into = 0;
	}
	return r->n > into && !arch->insn(out, r->code + into, r->n - into, mode) && out->size;
}

static uint64_t count_insns(const struct code_places *c, const struct stretch *s)
{
	const struct arch *arch = machine_arch(c->machine);
	struct code_reader r = { .places = c, .space = s->space, .at = s->from };
	struct addr_location al;
	struct insn insn;
	uint64_t nr = 0, ip = s->from;
	unsigned mode;

	if (!arch || !arch->insn || s->to < s->from || s->to - s->from > MAX_STRETCH)
		return 0;
	machine_resolve(c->machine, s->space, s->from, &al);
	mode = insn_mode_of(&al);
	for (; ip < s->to; ip += insn.size, nr++)
		if (!read_insn(&r, ip, mode, &insn))
			return 0;
	return ip == s->to ? nr + s->inclusive : 0;
}

uint64_t code_insns(struct code_places *c, uint32_t space, uint64_t from, uint64_t to, bool inclusive)
{
	uint64_t h = hash_pair(hash_pair(from, to), (uint64_t)space << 1 | inclusive);
	struct stretch s = { .from = from, .to = to, .space = space, .inclusive = inclusive };

	index_for(pos, &c->by_stretch, h) {
		const struct stretch *known = &c->stretches.v[pos];

		if (known->from == from && known->to == to && known->space == space && known->inclusive == inclusive)
			return known->nr;
	}
	s.nr = count_insns(c, &s);
	index_add(&c->by_stretch, h, (uint32_t)c->stretches.nr);
	vec_push(&c->stretches, s);
	return s.nr;
}
