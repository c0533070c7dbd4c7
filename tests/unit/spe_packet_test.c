/*
 * SPE: every packet type written and read back equal, texts as perf 7.3 prints them, records with all that they
 * can hold, cut and broken ones.
 */
#include "auxtrace/arm_spe/packet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "auxtrace/arm_spe/record.h"
#include "core/base/buf.h"
#include "tests/lib/spe_write.h"
#include "tests/unit/check.h"

/* All indexes and payload sizes of all types; values with every byte set. */
static void check_round_trip(void)
{
	static const struct { uint8_t type, most_index, sized, payload; } types[] = {
		{ SPE_END, 0, 0, 0 }, { SPE_TIMESTAMP, 0, 0, 8 }, { SPE_ADDRESS, 31, 0, 8 }, { SPE_COUNTER, 31, 0, 2 },
		{ SPE_CONTEXT, 3, 0, 4 }, { SPE_OPERATION, 3, 0, 1 }, { SPE_EVENTS, 0, 1, 0 }, { SPE_SOURCE, 0, 1, 0 },
	};
	struct spe_packet in, out = { 0 };
	uint8_t bytes[10];
	unsigned done = 0;

	for (size_t t = 0; t < ARRAY_SIZE(types); t++)
		for (unsigned index = 0; index <= types[t].most_index; index++)
			for (unsigned size = 1; size <= (types[t].sized ? 8 : 1); size *= 2) {
				unsigned payload = types[t].sized ? size : types[t].payload;
				int n;

				in = (struct spe_packet){ .type = types[t].type, .index = (uint8_t)index,
					.payload = (uint8_t)payload };
				if (payload)
					in.value = 0xf1e2d3c4b5a69788ull >> (64 - 8 * payload);
				n = spe_packet_write(bytes, &in);
				in.size = (uint8_t)n;
				CHECK(n > 0 && spe_packet_read(&out, bytes, 0, (size_t)n) == n);
				CHECK(in.type == out.type && in.size == out.size && in.payload == out.payload);
				CHECK(in.index == out.index && in.value == out.value);
				CHECK(spe_packet_read(&out, bytes, 0, (size_t)n - 1) == -ENODATA);
				done++;
			}
	CHECK(done == 82);
	in = (struct spe_packet){ .type = SPE_EVENTS, .payload = 3 };
	CHECK(spe_packet_write(bytes, &in) == -EINVAL);
	in = (struct spe_packet){ .type = SPE_CONTEXT, .index = 4 };
	CHECK(spe_packet_write(bytes, &in) == -EINVAL);
}

static void check_texts(void)
{
	static const struct { uint8_t type, index; uint64_t value; const char *text; } rows[] = {
		{ SPE_PADDING, 0, 0, "PAD" },
		{ SPE_END, 0, 0, "END" },
		{ SPE_TIMESTAMP, 0, 578437695752307201, "TS 578437695752307201" },
		{ SPE_ADDRESS, SPE_PC, 0xe587060504030201, "PC 0x87060504030201 el3 ns=1" },
		{ SPE_ADDRESS, SPE_TARGET, 0x5f87060504030201, "TGT 0x87060504030201 el2 ns=0" },
		{ SPE_ADDRESS, SPE_VA, 0x5f87060504030201, "VA 0x5f87060504030201" },
		{ SPE_ADDRESS, SPE_PA, 0xe587060504030201, "PA 0x87060504030201 ns=1 ch=1 pat=5" },
		{ SPE_ADDRESS, SPE_PREVIOUS, 0x807060504030201, "PBT 0x7060504030201 el0 ns=0" },
		{ SPE_ADDRESS, 24, 0x807060504030201, "ADDR 0x807060504030201 (24)" },
		{ SPE_COUNTER, SPE_TOTAL, 62004, "LAT 62004 TOT" },
		{ SPE_COUNTER, SPE_ISSUE, 1, "LAT 1 ISSUE" },
		{ SPE_COUNTER, SPE_TRANSLATION, 0, "LAT 0 XLAT" },
		{ SPE_CONTEXT, 0, 0x84030201, "CONTEXT 0x84030201 el1" },
		{ SPE_CONTEXT, 1, 5, "CONTEXT 0x5 el2" },
		{ SPE_SOURCE, 0, 13330, "DATA-SOURCE 13330" },
		{ SPE_EVENTS, 0, 0x9022, "EV RETIRED TLB-REFILL IMPDEF:12,15" },
		{ SPE_EVENTS, 0, 0x3ff0c80, "EV MISPRED REMOTE-ACCESS ALIGNMENT TXN SVE-PARTIAL-PRED SVE-EMPTY-PRED L2D-ACCESS "
		  "L2D-MISS HITM LFB SNOOPED STREAMING-SVE SMCU" },
		{ SPE_OPERATION, SPE_OTHER, 0x00, "OTHER INSN-OTHER" },
		{ SPE_OPERATION, SPE_OTHER, 0x07, "OTHER ASE FP COND-SELECT" },
		{ SPE_OPERATION, SPE_OTHER, 0x2e, "SVE-OTHER EVLEN 128 FP PRED" },
		{ SPE_OPERATION, SPE_OTHER, 0xfe, "SME-OTHER ETS 4194304 FP" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x00, "LD GP-REG" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x05, "ST SIMD-FP" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x1e, "LD AT EXCL AR" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0xed, "ST SVE-SME-REG EVLEN 2048 PRED SG" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x14, "LD MTE-TAG" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x30, "LD NV-SYSREG" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x11, "ST UNSPEC-REG" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x20, "LD MEMCPY" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x25, "ST MEMSET" },
		{ SPE_OPERATION, SPE_LOAD_STORE, 0x44, "LD GCS COMM" },
		{ SPE_OPERATION, SPE_BRANCH, 0x00, "B" },
		{ SPE_OPERATION, SPE_BRANCH, 0x0f, "B COND IND GCS CR-BL" },
		{ SPE_OPERATION, SPE_BRANCH, 0x12, "B IND CR-RET" },
		{ SPE_OPERATION, 3, 0x7f, "OP-TYPE 0x7f (3)" },
	};
	struct buf text = { 0 };
	struct spe_packet pkt;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		text.len = 0;
		pkt = (struct spe_packet){ .type = rows[i].type, .index = rows[i].index, .value = rows[i].value };
		spe_packet_text(&text, &pkt, 0);
		if (!str_eq(buf_str(&text), rows[i].text))
			nr_failed++, printf("is '%s', not '%s'\n", buf_str(&text), rows[i].text);
	}
	buf_release(&text);
}

static void check_dump(void)
{
	static const uint8_t bytes[] = { 0x00, 0x00, 0x98, 0x34, 0x12, 0x07, 0x22, 0x00, 0x01, 0x20, 0x9a, 0x01, 0x00, 0x71,
		0x01 };
	struct buf text = { 0 };

	spe_text(&text, bytes, sizeof(bytes), 0, 0, SIZE_MAX);
	CHECK(str_eq(buf_str(&text),
		     ".  00000000:  00 00                                           PAD\n"
		     ".  00000002:  98 34 12                                        LAT 4660 TOT\n"
		     ".  00000005:  07                                              Bad packet!\n"
		     ".  00000006:  22 00                                           PAD\n"
		     ".  00000008:  01                                              END\n"
		     ".  00000009:  20 9a 01 00                                     LAT 1 XLAT\n"
		     ".  0000000d:  71                                              Bad packet!\n"
		     ".  0000000e:  01                                              END\n"));
	buf_release(&text);
}

static size_t put(uint8_t *to, uint8_t type, uint8_t index, uint8_t payload, uint64_t value)
{
	struct spe_packet pkt = { .type = type, .index = index, .payload = payload, .value = value };

	return (size_t)spe_packet_write(to, &pkt);
}

/* A record with everything; returns its size. */
static size_t full_record(uint8_t *to)
{
	size_t n = 0;

	n += put(to + n, SPE_CONTEXT, 0, 0, 4711);
	n += put(to + n, SPE_CONTEXT, 1, 0, 4712);
	n += put(to + n, SPE_ADDRESS, SPE_PC, 0, 0xa0ff800011223344);
	n += put(to + n, SPE_ADDRESS, SPE_TARGET, 0, 0xc000aaaa55556666);
	n += put(to + n, SPE_ADDRESS, SPE_PREVIOUS, 0, 0x8000aaaa77778888);
	n += put(to + n, SPE_ADDRESS, SPE_VA, 0, 0x0b00ffff12345678);
	n += put(to + n, SPE_ADDRESS, SPE_PA, 0, 0xc7000000fedcba98);
	n += put(to + n, SPE_COUNTER, SPE_TOTAL, 0, 500);
	n += put(to + n, SPE_COUNTER, SPE_ISSUE, 0, 20);
	n += put(to + n, SPE_COUNTER, SPE_TRANSLATION, 0, 3);
	n += put(to + n, SPE_OPERATION, SPE_LOAD_STORE, 0, 0x11);
	n += put(to + n, SPE_EVENTS, 0, 4, 0x12);
	n += put(to + n, SPE_SOURCE, 0, 1, 9);
	return n + put(to + n, SPE_TIMESTAMP, 0, 0, 1234567890123);
}

static void check_record(void)
{
	uint8_t bytes[512] = { 0 };
	size_t n = 3 + full_record(bytes + 3), next;
	struct spe_record r;

	next = spe_record_next(&r, bytes, 0, n);
	CHECK(next == n && r.at == 3 && r.size == n - 3 && !r.broken && r.has == 15);
	CHECK(r.pc == 0xffff800011223344 && r.target == 0xaaaa55556666 && r.prev_target == 0xaaaa77778888);
	CHECK(r.va == 0xffff12345678 && r.pa == 0xfedcba98);
	CHECK(r.total == 500 && r.context_el1 == 4711 && r.context_el2 == 4712);
	CHECK(r.class == SPE_LOAD_STORE && r.subclass == 0x11 && r.events == (1 << SPE_RETIRED | 1 << SPE_TLB_ACCESS));
	CHECK(r.source == 9 && r.time == 1234567890123);
	/* Cut anywhere: no record, and the rest is reported. */
	for (size_t cut = 4; cut < n; cut++)
		CHECK(!spe_record_next(&r, bytes, 0, cut) && r.at == 3 && r.size == cut - 3);
	CHECK(!spe_record_next(&r, bytes, 0, 3) && r.size == 0);
}

static void check_broken(void)
{
	static const uint8_t bytes[] = { 0x98, 1, 0, 0x07, 0x08, 0x98, 2, 0, 0x01 };
	struct spe_record r;
	size_t next = spe_record_next(&r, bytes, 0, sizeof(bytes));

	CHECK(next == 5 && r.broken && !r.has && r.total == 1 && r.size == 3);
	next = spe_record_next(&r, bytes, next, sizeof(bytes));
	CHECK(next == sizeof(bytes) && !r.broken && r.total == 2);
	CHECK(!spe_record_next(&r, bytes, next, sizeof(bytes)));
}

int main(void)
{
	check_round_trip();
	check_texts();
	check_dump();
	check_record();
	check_broken();
	return checks_done();
}
