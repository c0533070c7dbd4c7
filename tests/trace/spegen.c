/*
 * Text to SPE trace: spegen <TEXT >BYTES. A line is a packet, in the Arm ARM's words; '#' begins a comment line.
 *
 *	pc|tgt|pbt ADDRESS EL NS	va ADDRESS TAG		pa ADDRESS NS CH PAT	addr INDEX VALUE
 *	lat total|issue|xlat CYCLES	lat INDEX CYCLES	ctx EL VALUE		op CLASS PAYLOAD
 *	ev SIZE BITS			src SIZE VALUE		ts VALUE		end
 *	pad N (zeros)			align N (header 0x2n 0 and what it skips, to a multiple of 2^(n+1))
 *	bytes HEX			random|accesses SEED N FROM STEP (N records, timestamps from FROM on; the second:
 *					all of them plain loads, stores and branches)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auxtrace/arm_spe/packet.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "tests/lib/spe_write.h"

#define WORDS 6

struct line { unsigned number, nr; char *words[WORDS]; };

static void put(struct buf *out, const struct spe_packet *pkt)
{
	uint8_t bytes[10];
	int n = spe_packet_write(bytes, pkt);

	if (n < 0)
		die("no such packet: type %u, index %u", pkt->type, pkt->index);
	buf_put(out, bytes, (size_t)n);
}

static void put_value(struct buf *out, unsigned type, unsigned index, unsigned payload, uint64_t value)
{
	put(out, &(struct spe_packet){ .type = (uint8_t)type, .index = (uint8_t)index, .payload = (uint8_t)payload,
				       .value = value });
}

/* ---- random records ---- */

static uint64_t next_random(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

static uint64_t state_bits(unsigned el, unsigned ns)
{
	return (uint64_t)ns << 63 | (uint64_t)el << 61;
}

/* Code at 0x400000 (EL0) or the kernel's (EL1); bits 63:56 say which. */
static uint64_t random_code(uint64_t *s)
{
	if (next_random(s, 4))
		return (0x400000 + 4 * next_random(s, 0x400)) | state_bits(0, 1);
	return (0x00ffff8000080000 + 4 * next_random(s, 0x400)) | state_bits(1, 1);
}

/* Some of each class; those of memory more often. The first PLAIN are neither vector operations nor calls. */
static void random_operation(struct buf *out, uint64_t *s, bool plain)
{
	static const struct { uint8_t class, payload; } ops[] = {
		{ 0, 0x00 }, { 0, 0x01 },
		{ 1, 0x00 }, { 1, 0x01 }, { 1, 0x00 }, { 1, 0x01 }, { 1, 0x04 }, { 1, 0x05 }, { 1, 0x0a }, { 1, 0x1f },
		{ 1, 0x10 }, { 1, 0x14 }, { 1, 0x30 }, { 1, 0x58 }, { 1, 0xdd }, { 1, 0x20 }, { 1, 0x25 }, { 1, 0x44 },
		{ 2, 0x00 }, { 2, 0x01 }, { 2, 0x02 }, { 2, 0x03 },
#define PLAIN 22
		{ 0, 0x08 }, { 0, 0x0e }, { 0, 0x88 }, { 0, 0x06 }, { 2, 0x08 }, { 2, 0x12 }, { 2, 0x1b }, { 2, 0x09 },
	};
	size_t n = next_random(s, plain ? PLAIN : ARRAY_SIZE(ops));

	put_value(out, SPE_OPERATION, ops[n].class, 0, ops[n].payload);
}

static void random_record(struct buf *out, uint64_t *s, uint64_t time, bool plain)
{
	static const uint8_t sizes[] = { 2, 4, 4, 8 };
	uint8_t size = sizes[next_random(s, 4)];
	uint64_t events = next_random(s, 1u << 16);

	if (size > 2)
		events |= next_random(s, 1u << 16) << 16;
	put_value(out, SPE_CONTEXT, (unsigned)next_random(s, 2), 0, 4242 + next_random(s, 3));
	put_value(out, SPE_ADDRESS, SPE_PC, 0, random_code(s));
	put_value(out, SPE_COUNTER, SPE_ISSUE, 0, next_random(s, 100));
	put_value(out, SPE_COUNTER, SPE_TOTAL, 0, next_random(s, 0x1000));
	if (next_random(s, 2))
		put_value(out, SPE_COUNTER, SPE_TRANSLATION, 0, next_random(s, 0x10000));
	random_operation(out, s, plain);
	if (next_random(s, 2))
		put_value(out, SPE_ADDRESS, SPE_TARGET, 0, random_code(s));
	if (next_random(s, 2))
		put_value(out, SPE_ADDRESS, SPE_PREVIOUS, 0, random_code(s));
	if (next_random(s, 4))
		put_value(out, SPE_ADDRESS, SPE_VA, 0, 0x0000ffff00000000 | next_random(s, 0x7fffffff));
	if (next_random(s, 4))
		put_value(out, SPE_ADDRESS, SPE_PA, 0, 0x8000000000000000 | next_random(s, 0x7fffffff));
	put_value(out, SPE_EVENTS, 0, size, events);
	if (next_random(s, 4))
		put_value(out, SPE_SOURCE, 0, 1u << next_random(s, 2), next_random(s, 20));
	put_value(out, SPE_TIMESTAMP, 0, 8, time);
	buf_fill(out, 0, next_random(s, 8));
}

/* ---- text ---- */

static uint64_t number(const struct line *l, unsigned i)
{
	char *end;
	uint64_t v;

	if (i >= l->nr)
		die("line %u: '%s' needs more words", l->number, l->words[0]);
	v = strtoull(l->words[i], &end, 0);
	if (*end)
		die("line %u: '%s' is no number", l->number, l->words[i]);
	return v;
}

static bool put_address(struct buf *out, const struct line *l)
{
	static const char *const names[] = { [SPE_PC] = "pc", [SPE_TARGET] = "tgt", [SPE_PREVIOUS] = "pbt", [SPE_VA] = "va",
					     [SPE_PA] = "pa" };
	uint64_t low;
	unsigned i = 0;

	while (i < ARRAY_SIZE(names) && !str_eq(l->words[0], names[i]))
		i++;
	if (i == ARRAY_SIZE(names))
		return false;
	low = number(l, 1) & 0x00ffffffffffffff;
	if (i == SPE_VA)
		low |= number(l, 2) << 56;
	else if (i == SPE_PA)
		low |= number(l, 2) << 63 | number(l, 3) << 62 | number(l, 4) << 56;
	else
		low |= state_bits((unsigned)number(l, 2), (unsigned)number(l, 3));
	put_value(out, SPE_ADDRESS, i, 0, low);
	return true;
}

static void put_latency(struct buf *out, const struct line *l)
{
	static const char *const names[] = { [SPE_TOTAL] = "total", [SPE_ISSUE] = "issue", [SPE_TRANSLATION] = "xlat" };

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (l->nr > 1 && str_eq(l->words[1], names[i])) {
			put_value(out, SPE_COUNTER, i, 0, number(l, 2));
			return;
		}
	put_value(out, SPE_COUNTER, (unsigned)number(l, 1), 0, number(l, 2));
}

static void put_alignment(struct buf *out, const struct line *l)
{
	size_t to = 2ull << number(l, 1), n = to - (out->len & (to - 1));

	buf_putc(out, (char)(0x20 | number(l, 1)));
	buf_fill(out, 0, n < 2 ? 1 : n - 1);
}

static void put_hex(struct buf *out, const struct line *l)
{
	unsigned byte;

	for (const char *s = l->nr > 1 ? l->words[1] : ""; *s; s += 2) {
		if (!s[1] || sscanf(s, "%2x", &byte) != 1)
			die("line %u: '%s' is no hexadecimal", l->number, s);
		buf_putc(out, (char)byte);
	}
}

static void put_random(struct buf *out, const struct line *l)
{
	uint64_t state = number(l, 1), nr = number(l, 2), time = number(l, 3), step = number(l, 4);

	for (uint64_t i = 0; i < nr; i++)
		random_record(out, &state, time + i * step, str_eq(l->words[0], "accesses"));
}

static void assemble(struct buf *out, const struct line *l)
{
	const char *s = l->words[0];

	if (put_address(out, l))
		return;
	if (str_eq(s, "addr"))
		put_value(out, SPE_ADDRESS, (unsigned)number(l, 1), 0, number(l, 2));
	else if (str_eq(s, "lat"))
		put_latency(out, l);
	else if (str_eq(s, "ctx"))
		put_value(out, SPE_CONTEXT, (unsigned)number(l, 1) - 1, 0, number(l, 2));
	else if (str_eq(s, "op"))
		put_value(out, SPE_OPERATION, (unsigned)number(l, 1), 0, number(l, 2));
	else if (str_eq(s, "ev"))
		put_value(out, SPE_EVENTS, 0, (unsigned)number(l, 1), number(l, 2));
	else if (str_eq(s, "src"))
		put_value(out, SPE_SOURCE, 0, (unsigned)number(l, 1), number(l, 2));
	else if (str_eq(s, "ts"))
		put_value(out, SPE_TIMESTAMP, 0, 0, number(l, 1));
	else if (str_eq(s, "end"))
		put_value(out, SPE_END, 0, 0, 0);
	else if (str_eq(s, "pad"))
		buf_fill(out, 0, number(l, 1));
	else if (str_eq(s, "align"))
		put_alignment(out, l);
	else if (str_eq(s, "bytes"))
		put_hex(out, l);
	else if (str_eq(s, "random") || str_eq(s, "accesses"))
		put_random(out, l);
	else
		die("line %u: unknown '%s'", l->number, s);
}

int main(void)
{
	struct buf out = { 0 };
	char text[4096], *save;

	for (struct line l = { .number = 1 }; fgets(text, sizeof(text), stdin); l.number++) {
		l.nr = 0;
		for (char *s = strtok_r(text, " \t\n", &save); s && l.nr < WORDS; s = strtok_r(NULL, " \t\n", &save))
			l.words[l.nr++] = s;
		if (l.nr && l.words[0][0] != '#')
			assemble(&out, &l);
	}
	if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout))
		die("cannot write");
	buf_release(&out);
	return 0;
}
