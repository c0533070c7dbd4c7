/*
 * ETMv4 and ETE packets: bytes and what they say (as OpenCSD 1.3 words it), packets that are cut or none, what
 * leans on earlier packets, and frames.
 */
#include "auxtrace/cs_etm/packet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet_text.h"
#include "core/base/buf.h"
#include "tests/unit/check.h"

/* Two configurations: an ETMv4.6 that counts cycles and has Q, and ETE 1.3. */
static const struct cs_registers etm = { .traceidr = 0x10, .configr = 0x10, .idr0 = 0x08018ea1, .idr1 = 0x4100f463,
	.idr2 = 0x1088, .idr8 = 20 };
static const struct cs_registers ete = { .traceidr = 0x10, .idr0 = 0x2801cea1, .idr1 = 0x4100fff0, .idr2 = 0xd0001088,
	.devarch = 0x47735a13 };

static const struct row {
	const struct cs_registers *regs;
	const char *bytes, *text;
} rows[] = {
	/* One stream: addresses and times lean on the rows before. */
	{ &etm, "00 00 00 00 00 00 00 00 00 00 00 80", "I_ASYNC : Alignment Synchronisation." },
	{ &etm, "01 09 01 04", "I_TRACE_INFO : Trace Info.; INFO=0x1 { CC.1 }; CC_THRESHOLD=0x4" },
	{ &etm, "04", "I_TRACE_ON : Trace On." },
	{ &etm, "85 10 20 40 00 00 00 34 12 f0 07 00 00 00 92 10 00 00", "I_ADDR_CTXT_L_64IS0 : Address & Context, Long, 64 bit, "
	  "IS0.; Addr=0x1234000000404040; Ctxt: AArch64,EL0, NS; CID=0x00001092; VMID=0x0007; " },
	{ &etm, "95 05", "I_ADDR_S_IS0 : Address, Short, IS0.; Addr=0x1234000000404014 ~[0x14]" },
	{ &etm, "95 85 11", "I_ADDR_S_IS0 : Address, Short, IS0.; Addr=0x1234000000402214 ~[0x2214]" },
	{ &etm, "9a 01 02 03 04", "I_ADDR_L_32IS0 : Address, Long, 32 bit, IS0.; Addr=0x1234000004030404; " },
	{ &etm, "91", "I_ADDR_MATCH : Exact Address Match., [1]; Addr=0x1234000000402214; " },
	{ &etm, "92", "I_ADDR_MATCH : Exact Address Match., [2]; Addr=0x1234000000402214; " },
	{ &etm, "9d 01 02 03 04 05 06 07 08", "I_ADDR_L_64IS0 : Address, Long, 64 bit, IS0.; Addr=0x0807060504030404; " },
	{ &etm, "81 10", "I_CTXT : Context Packet.; Ctxt: AArch64,EL0, S; " },
	{ &etm, "80", "I_CTXT : Context Packet.; Ctxt: Same" },
	{ &etm, "81 22", "I_CTXT : Context Packet.; Ctxt: AArch32, EL2, NS; " },
	{ &etm, "9b 01 02 03 04", "I_ADDR_L_32IS1 : Address, Long, 32 bit, IS1.; Addr=0x0000000004030202; " },
	{ &etm, "96 7f", "I_ADDR_S_IS1 : Address, Short, IS1.; Addr=0x00000000040302FE ~[0xFE]" },
	{ &etm, "03 81 82 03 90 4e", "I_TIMESTAMP : Timestamp.; Updated val = 0xc101; CC=0x710" },
	{ &etm, "02 05", "I_TIMESTAMP : Timestamp.; Updated val = 0xc105" },
	{ &etm, "02 ff ff ff ff ff ff ff ff ff", "I_TIMESTAMP : Timestamp.; Updated val = 0xffffffffffffffff" },
	{ &etm, "0e 03 90 4e", "I_CCNT_F1 : Cycle Count format 1.; Count=0x2714" },
	{ &etm, "0f 03", "I_CCNT_F1 : Cycle Count format 1.; Count=0x0" },
	{ &etm, "0c 23", "I_CCNT_F2 : Cycle Count format 2.; Count=0x7" },
	{ &etm, "16", "I_CCNT_F3 : Cycle Count format 3.; Count=0x6" },
	{ &etm, "f7", "I_ATOM_F1 : Atom format 1.; E" },
	{ &etm, "da", "I_ATOM_F2 : Atom format 2.; NE" },
	{ &etm, "f9", "I_ATOM_F3 : Atom format 3.; ENN" },
	{ &etm, "dc", "I_ATOM_F4 : Atom format 4.; NEEE" },
	{ &etm, "df", "I_ATOM_F4 : Atom format 4.; ENEN" },
	{ &etm, "d6", "I_ATOM_F5 : Atom format 5.; NENEN" },
	{ &etm, "f5", "I_ATOM_F5 : Atom format 5.; NEEEE" },
	{ &etm, "c0", "I_ATOM_F6 : Atom format 6.; EEEE" },
	{ &etm, "f4", "I_ATOM_F6 : Atom format 6.; EEEEEEEEEEEEEEEEEEEEEEEN" },
	{ &etm, "06 05", "I_EXCEPT : Exception.;  Call; Ret Addr Follows;" },
	{ &etm, "06 5c", "I_EXCEPT : Exception.;  IRQ; Ret Addr Follows, Match Prev;" },
	{ &etm, "06 81 01", "I_EXCEPT : Exception.;  Reserved; Ret Addr Follows;" },
	{ &etm, "07", "I_EXCEPT_RTN : Exception Return." },
	{ &etm, "2d 83 01", "I_COMMIT : Commit; Commit(131)" },
	{ &etm, "2e 04", "I_CANCEL_F1 : Cancel Format 1.; Cancel(4)" },
	{ &etm, "2f 04", "I_CANCEL_F1_MISPRED : Cancel Format 1 + Mispredict.; Cancel(4), Mispredict" },
	{ &etm, "30", "I_MISPREDICT : Mispredict.; Mispredict" },
	{ &etm, "32", "I_MISPREDICT : Mispredict.; Atom: EE, Mispredict" },
	{ &etm, "37", "I_CANCEL_F2 : Cancel Format 2.; Atom: N, Cancel(1), Mispredict" },
	{ &etm, "3d", "I_CANCEL_F3 : Cancel Format 3.; Atom: E, Cancel(4), Mispredict" },
	{ &etm, "75", "I_EVENT : Trace Event." },
	{ &etm, "70", "I_IGNORE : Ignore." },
	{ &etm, "88", "I_TS_MARKER : Timestamp Marker" },
	{ &etm, "ac 85 01", "I_Q : Q Packet.; Count(133)" },
	{ &etm, "af", "I_Q : Q Packet.; Count(Unknown)" },
	{ &etm, "a5 05 07", "I_Q : Q Packet.; Count(7); Addr=0x0000000004030214 ~[0x14]" },
	{ &etm, "00 03", "I_DISCARD : Discard." },
	{ &etm, "00 05", "I_OVERFLOW : Overflow." },
	{ &ete, "01 01 40", "I_TRACE_INFO : Trace Info.; INFO=0x40 { CC.0, TSTATE.1 }" },
	{ &ete, "82 10 20 40 00 39", "I_ADDR_CTXT_L_32IS0 : Address & Context, Long, 32 bit, IS0.; Addr=0x0000000000404040; "
	  "Ctxt: AArch64,EL1, Realm; " },
	{ &ete, "b4 05", "I_SRC_ADDR_S_IS0 : Source Address, Short, IS0.; Addr=0x0000000000404014 ~[0x14]" },
	{ &ete, "b1", "I_SRC_ADDR_MATCH : Exact Source Address Match., [1]; Addr=0x0000000000404040; " },
	{ &ete, "b8 01 02 03 04 05 06 07 08", "I_SRC_ADDR_L_64IS0 : Source Address, Long, 64 bit, IS0.; "
	  "Addr=0x0807060504030404; " },
	{ &ete, "0a", "I_TRANS_ST : Transaction Start." },
	{ &ete, "0b", "I_TRANS_COMMIT : Transaction Commit." },
	{ &ete, "06 31 00", "I_TRANS_FAIL : Transaction Fail." },
	{ &ete, "06 01 00", "I_PE_RESET : PE Reset." },
	{ &ete, "09 01 88 77 66 55 44 33 22 11", "I_ITE : Instrumentation; EL1; Value=0x1122334455667788" },
};

static size_t bytes_of(uint8_t *to, const char *hex)
{
	size_t n = 0;
	unsigned b;
	int used;

	while (sscanf(hex, "%x%n", &b, &used) == 1) {
		to[n++] = (uint8_t)b;
		hex += used;
	}
	return n;
}

static void check_rows(void)
{
	const struct cs_registers *regs = NULL;
	struct cs_history h = { 0 };
	struct cs_packet pkt;
	struct cs_config c;
	struct buf text = { 0 };
	uint8_t bytes[64];

	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++) {
		size_t n = bytes_of(bytes, r->bytes);

		if (r->regs != regs)
			h = (struct cs_history){ 0 };
		regs = r->regs;
		cs_config_init(&c, regs);
		/* One byte less is a packet that is cut. */
		for (size_t cut = 0; cut < n; cut++)
			CHECK(cs_packet_read(&pkt, bytes, cut, &c) == -ENODATA);
		CHECK(cs_packet_read(&pkt, bytes, sizeof(bytes), &c) == (int)n && pkt.size == n);
		cs_history_add(&h, &pkt);
		text.len = 0;
		cs_packet_text(&text, &pkt, &h, &c);
		if (str_eq(buf_str(&text), r->text))
			continue;
		nr_failed++;
		printf("%s\n is  %s\n not %s\n", r->bytes, buf_str(&text), r->text);
	}
	buf_release(&text);
}

static void check_refused(void)
{
	static const struct { const struct cs_registers *regs; const char *bytes; uint8_t type, size; } bad[] = {
		{ &etm, "05", CS_RESERVED, 1 },
		{ &etm, "0a", CS_RESERVED, 1 },
		{ &etm, "b0", CS_RESERVED, 1 },
		{ &etm, "a3", CS_RESERVED, 1 },
		{ &etm, "20", CS_RESERVED_CONFIG, 1 },
		{ &etm, "40", CS_RESERVED_CONFIG, 1 },
		{ &etm, "00 07", CS_BAD, 2 },
		{ &etm, "00 00 00 80", CS_BAD, 4 },
		{ &etm, "00 00 00 00 00 00 00 00 00 00 00 00 80", CS_BAD, 12 },
		{ &ete, "07", CS_RESERVED_CONFIG, 1 },
	};
	struct cs_packet pkt;
	struct cs_config c;
	uint8_t bytes[64] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t n = bytes_of(bytes, bad[i].bytes);

		cs_config_init(&c, bad[i].regs);
		if (cs_packet_read(&pkt, bytes, n, &c) == -EINVAL && pkt.type == bad[i].type && pkt.size == bad[i].size)
			continue;
		nr_failed++;
		printf("%s: type %d size %d\n", bad[i].bytes, pkt.type, pkt.size);
	}
}

/* Frames by hand: IDs that hold at once and late, half syncs, a reset. */
static void check_frames(void)
{
	static const uint8_t frames[] = {
		0x21, 0xa1, 0xa2, 0xa3, 0x25, 0xa4, 0xb0, 0xb1, 0x21, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0x04,
		/* only data of 0x10; bit 0 of the third and the last even byte is set */
		0xac, 0xad, 0xff, 0x7f, 0xae, 0xaf, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0x82,
		0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0x21, 0x00,
		0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0x00,
	};
	static const uint8_t a[] = { 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa,
		0xac, 0xad, 0xaf, 0xaf, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xbb,
		0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde };
	static const uint8_t b[] = { 0xb0, 0xb1 };
	struct cs_streams s = { 0 };
	const struct cs_stream *first, *second;

	cs_streams_unpack(&s, frames, sizeof(frames), 1000);
	first = cs_streams_find(&s, 0x10);
	second = cs_streams_find(&s, 0x12);
	CHECK(s.list.nr == 2 && first && second && !cs_streams_find(&s, 0x11));
	if (first && second) {
		CHECK(first->len == sizeof(a) && !memcmp(first->data, a, sizeof(a)));
		CHECK(second->len == sizeof(b) && !memcmp(second->data, b, sizeof(b)));
		CHECK(first->breaks.nr == 1 && first->breaks.v[0] == 25);
		CHECK(cs_stream_offset(first, 0) == 1000 && cs_stream_offset(first, 10) == 1016);
		CHECK(cs_stream_offset(first, 24) == 1030 && cs_stream_offset(first, 25) == 1066);
		CHECK(cs_stream_offset(second, 1) == 1005);
	}
	cs_streams_release(&s);
	s = (struct cs_streams){ 0 };
	cs_streams_unpack(&s, frames, 40, 0);
	CHECK(s.nr_bad == 1);
	cs_streams_release(&s);
	s = (struct cs_streams){ 0 };
	cs_streams_raw(&s, 5, frames, 16, 7);
	CHECK(s.list.nr == 1 && cs_streams_find(&s, 5)->len == 16 && cs_stream_offset(&s.list.v[0], 9) == 16);
	cs_streams_release(&s);
}

int main(void)
{
	check_rows();
	check_refused();
	check_frames();
	return checks_done();
}
