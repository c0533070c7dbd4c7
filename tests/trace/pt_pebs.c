/* See pt_pebs.h. Types and numbers: Intel SDM vol. 3, "PEBS Output to Intel Processor Trace". */
#include "tests/trace/pt_pebs.h"

#include <inttypes.h>

#include "tests/trace/pt_encode.h"

enum { REGS = 0x01, BASIC = 0x04, MEMORY = 0x05, LBR = 0x08, XMM = 0x10 };

static void block(struct pt_encoder *e, unsigned type, unsigned size)
{
	pt_encode_bytes(e, 0x6302, 2), pt_encode_bytes(e, type | (size == 4 ? 0x80 : 0), 1);
}

static void item(struct pt_encoder *e, unsigned id, uint64_t v, unsigned size)
{
	pt_encode_bytes(e, id << 3 | 4, 1), pt_encode_bytes(e, v, size);
}

static uint64_t random_word(struct pt_encoder *e, unsigned size)
{
	uint64_t high = pt_encode_random(e, 0x7fffffff), low = pt_encode_random(e, 0x7fffffff);

	return size == 4 ? low << 1 : high << 33 ^ low;
}

static bool one_in(struct pt_encoder *e, uint32_t n)
{
	return !pt_encode_random(e, n);
}

/* ---- groups ---- */

/* Counters 0, 1 and 33; now and then two of them. */
static uint64_t counters(struct pt_encoder *e)
{
	static const uint64_t sets[] = { 1, 1, 2, 2, 1ull << 33, 3, 1 | 1ull << 33 };

	return sets[pt_encode_random(e, sizeof(sets) / sizeof(sets[0]))];
}

struct basic { uint64_t ip, counters, tsc; };

static struct basic write_basic(struct pt_encoder *e)
{
	struct basic b = {0};

	if (one_in(e, 12))
		return b;
	b = (struct basic){ random_word(e, 8) >> 20, counters(e), e->tsc };
	block(e, BASIC, 8);
	if (one_in(e, 5))
		b.ip = 0;
	else
		item(e, 0, b.ip, 8);
	item(e, 1, b.counters, 8);
	item(e, 2, b.tsc, 8);
	return b;
}

struct memory { uint64_t addr, cycles, insn_cycles; };

static struct memory write_memory(struct pt_encoder *e, unsigned size, bool must)
{
	struct memory m = {0};
	uint64_t tsx;

	if (one_in(e, 3) && !must)
		return m;
	block(e, MEMORY, size);
	m.addr = random_word(e, size);
	m.cycles = one_in(e, 4) ? 0 : pt_encode_random(e, 5000);
	tsx = pt_encode_random(e, 5000);
	item(e, 0, m.addr, size);
	item(e, 1, random_word(e, size), size);
	if (size == 8 && m.cycles && one_in(e, 2)) {
		m.insn_cycles = m.cycles / 3;
		item(e, 2, m.cycles << 32 | m.insn_cycles, size);
	} else {
		item(e, 2, m.cycles, size);
	}
	item(e, 3, (uint64_t)0x12 << 32 | tsx, size);
	if (!m.cycles)
		m.cycles = tsx;
	return m;
}

/* In script's order; NULL: PEBS has none. */
static const struct { const char *name; int id; } reg_names[] = {
	{ "AX", 2 }, { "BX", 5 }, { "CX", 3 }, { "DX", 4 }, { "SI", 8 }, { "DI", 9 }, { "BP", 7 }, { "SP", 6 }, { "IP", 1 },
	{ "FLAGS", 0 }, { "R8", 10 }, { "R9", 11 }, { "R10", 12 }, { "R11", 13 }, { "R12", 14 }, { "R13", 15 }, { "R14", 16 },
	{ "R15", 17 },
};

/* Returns the ip of them, 0 where there are none. */
static uint64_t write_regs(struct pt_encoder *e, struct buf *text, unsigned size)
{
	uint64_t values[32] = {0};
	bool regs = !one_in(e, 3), xmm = one_in(e, 4);

	if (regs)
		block(e, REGS, size);
	for (unsigned i = 0; regs && i < 18; i++) {
		values[i] = i == 1 ? random_word(e, size) >> 20 : random_word(e, size);
		item(e, i, values[i], size);
	}
	if (regs || xmm)
		buf_printf(text, "ABI:%d", regs && size == 4 ? 1 : 2);
	else
		buf_putc(text, '-');
	for (unsigned i = 0; regs && i < sizeof(reg_names) / sizeof(reg_names[0]); i++)
		buf_printf(text, " %s:0x%" PRIx64, reg_names[i].name, values[reg_names[i].id]);
	if (xmm)
		block(e, XMM, 8);
	for (unsigned i = 0; xmm && i < 32; i++) {
		uint64_t v = random_word(e, 8);

		item(e, i, v, 8);
		buf_printf(text, " XMM%u:0x%" PRIx64, i / 2, v);
	}
	return values[1];
}

static void write_branches(struct pt_encoder *e, struct buf *text)
{
	unsigned nr = one_in(e, 2) ? 0 : 1 + pt_encode_random(e, 30);

	if (!nr)
		buf_putc(text, '-');
	for (unsigned i = 0; i < nr; i++) {
		uint64_t from = random_word(e, 8) >> 20, to = random_word(e, 8) >> 20, cycles = pt_encode_random(e, 0x10000);
		bool missed = one_in(e, 4), tx = one_in(e, 5), abort = one_in(e, 7);

		if (i % 10 == 0)
			block(e, LBR + i / 10, 8);
		item(e, i % 10 * 3, from, 8);
		item(e, i % 10 * 3 + 1, to, 8);
		item(e, i % 10 * 3 + 2, (uint64_t)missed << 63 | (uint64_t)tx << 62 | (uint64_t)abort << 61 | cycles, 8);
		buf_printf(text, "%s0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%" PRIu64, i ? " " : "", from, to, missed ? 'M' : 'P',
			   tx ? 'X' : '-', abort ? 'A' : '-', cycles);
	}
}

/* ---- records ---- */

void pt_pebs_write(struct pt_encoder *e, struct buf *truth, uint64_t ip)
{
	struct buf regs = {0}, branches = {0};
	unsigned size = one_in(e, 3) ? 4 : 8;
	struct basic b = write_basic(e);
	struct memory m = write_memory(e, size, !b.tsc);
	uint64_t reg_ip = write_regs(e, &regs, size);

	write_branches(e, &branches);
	if (!(b.ip || reg_ip) || one_in(e, 2))
		pt_encode_bytes(e, 0xb302, 2), pt_encode_fup(e, ip);
	else
		pt_encode_bytes(e, 0x3302, 2);
	buf_printf(truth, "%" PRIu64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", b.tsc,
		   b.counters, b.ip ? b.ip : reg_ip ? reg_ip : ip, m.addr, m.cycles, m.insn_cycles, buf_str(&regs),
		   buf_str(&branches));
	buf_release(&regs);
	buf_release(&branches);
}

void pt_pebs_begin(struct pt_encoder *e, struct buf *truth)
{
	block(e, BASIC, 8);
	item(e, 0, 0x123, 8);
	item(e, 1, 1, 8);
	buf_puts(truth, "cut\n");
}
