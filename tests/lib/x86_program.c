/* See x86_program.h. Direct calls and jumps lead forward only, so that no path is endless without a conditional. */
#include "tests/lib/x86_program.h"

#include <string.h>

#include "arch/x86/insn.h"
#include "core/base/util.h"

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

struct maker {
	uint8_t *p;
	uint64_t random;
	unsigned function;
};

static void put(struct maker *m, const char *bytes, unsigned n)
{
	memcpy(m->p, bytes, n);
	m->p += n;
}

/* Instructions that go on to the next one, at most 12 bytes in all. */
static void filler(struct maker *m)
{
	static const struct { const char *bytes; unsigned n; } insns[] = {
		{ "\x90", 1 }, { "\x66\x90", 2 }, { "\x48\x89\xc3", 3 }, { "\x0f\x1f\x40\x00", 4 }, { "\xb8\x01\x02\x03\x04", 5 },
	};

	for (unsigned n = 1 + random_below(&m->random, 2), i; n; n--) {
		i = random_below(&m->random, ARRAY_SIZE(insns));
		put(m, insns[i].bytes, insns[i].n);
	}
}

/* Opcode @op of a short branch over some others. */
static void over(struct maker *m, char op)
{
	uint8_t *branch = m->p;

	put(m, &op, 1);
	m->p++;
	filler(m);
	branch[1] = (uint8_t)(m->p - branch - 2);
}

static void loop(struct maker *m)
{
	uint8_t *start = m->p;

	filler(m);
	put(m, "\x75", 1);
	*m->p = (uint8_t)(start - m->p - 1);
	m->p++;
}

static void call(struct maker *m, const uint8_t *code)
{
	unsigned left = X86_PROGRAM_FUNCTIONS - 1 - m->function, to = m->function + 1 + (left ? random_below(&m->random, left) : 0);
	int32_t disp;

	if (!left)
		return;
	put(m, "\xe8", 1);
	disp = (int32_t)(code + to * X86_PROGRAM_SLOT - m->p - 4);
	memcpy(m->p, &disp, 4);
	m->p += 4;
}

static void item(struct maker *m, const uint8_t *code)
{
	switch (random_below(&m->random, 12)) {
	case 0: case 1: case 2: over(m, 0x75); break;
	case 3: case 4: loop(m); break;
	case 5: over(m, (char)0xeb); break;
	case 6: case 7: call(m, code); break;
	case 8: put(m, "\xff\xd0", 2); break;
	case 9: put(m, "\xff\xe0", 2); break;
	case 10: put(m, "\x0f\x05", 2); break;
	default: filler(m); break;
	}
}

void x86_program_make(struct x86_program *p, uint64_t seed)
{
	struct maker m = { .random = seed };

	memset(p->code, 0xcc, sizeof(p->code));
	for (; m.function < X86_PROGRAM_FUNCTIONS; m.function++) {
		m.p = p->code + m.function * X86_PROGRAM_SLOT;
		filler(&m);
		for (unsigned n = 3 + random_below(&m.random, 5); n; n--)
			item(&m, p->code);
		put(&m, "\xc3", 1);
	}
}

size_t x86_program_read(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	const struct x86_program *p = ctx;
	uint64_t at = ip - X86_PROGRAM_BASE;

	(void)space;
	if (at >= sizeof(p->code))
		return 0;
	n = MIN(n, sizeof(p->code) - at);
	memcpy(buf, p->code + at, n);
	return n;
}

uint32_t x86_walk_random(struct x86_walk *w, uint32_t n)
{
	return random_below(&w->random, n);
}

static uint64_t function(struct x86_walk *w)
{
	return X86_PROGRAM_BASE + x86_walk_random(w, X86_PROGRAM_FUNCTIONS) * X86_PROGRAM_SLOT;
}

void x86_walk_begin(struct x86_walk *w, const struct x86_program *p, uint64_t seed)
{
	*w = (struct x86_walk){ .program = p, .random = seed };
	w->ip = function(w);
}

static uint64_t go_back(struct x86_walk *w)
{
	return w->depth ? w->calls[--w->depth] : function(w);
}

/* In deep recursion the callers are forgotten: their returns go elsewhere. */
static uint64_t go_in(struct x86_walk *w, uint64_t to, uint64_t back)
{
	if (w->depth == X86_PROGRAM_DEPTH)
		w->depth = 0;
	w->calls[w->depth++] = back;
	return to;
}

void x86_walk_step(struct x86_walk *w, struct insn *insn)
{
	size_t at = w->ip - X86_PROGRAM_BASE;
	uint64_t next;

	x86_insn(insn, w->program->code + at, sizeof(w->program->code) - at, 64);
	next = w->ip + insn->size;
	switch (insn->kind) {
	case INSN_COND: w->ip = x86_walk_random(w, 2) ? w->ip + (uint64_t)insn->disp : next; break;
	case INSN_JUMP: w->ip += (uint64_t)insn->disp; break;
	case INSN_CALL: w->ip = go_in(w, w->ip + (uint64_t)insn->disp, next); break;
	case INSN_CALL_INDIRECT: w->ip = go_in(w, function(w), next); break;
	case INSN_JUMP_INDIRECT: w->ip = x86_walk_random(w, 2) ? next : function(w); break;
	case INSN_RET: w->ip = go_back(w); break;
	default: w->ip = next; break;
	}
}
