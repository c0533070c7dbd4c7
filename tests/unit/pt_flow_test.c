/*
 * The flow on small programs: code and packets by hand, and what must come out: addresses of instructions,
 * (from>to) for asynchronous branches, +begin and -end of tracing, !gaps (with how many before may be wrong), {events}.
 */
#include "auxtrace/intel_pt/flow.h"

#include <stdio.h>
#include <string.h>

#include "auxtrace/block.h"
#include "core/arch.h"
#include "core/base/buf.h"

#define BASE 0x1000
#define SPACE 7
/* PSB+ with 64 bit mode and the address BASE; BASE is 00 10. */
#define PSB	"02820282028202820282028202820282"
#define START	PSB "9901 7d001000000000 0223 "
/* A PSB+ at BASE + 4, and an interrupt after a byte there, which ends tracing. */
#define LATER	PSB "9901 7d041000000000 0223 3d0510 01"
/* The same at BASE + 3, with a conditional there that is not taken. */
#define LATER_3	PSB "9901 7d031000000000 0223 06 3d0510 01"
#define NINE(packet)	packet packet packet packet packet packet packet packet packet

/* A conditional and an indirect branch, a nop and an indirect branch 0x105 behind the first. */
#define LATER_CODE	"7500 ffe0 " NINE(NINE("90")) NINE(NINE("90")) NINE(NINE("90")) NINE("90") "9090909090 90 ffe0"

static unsigned failures;

struct flow_case {
	const char *what;
	const char *code;	/* at BASE */
	const char *trace;
	const char *want;
	unsigned errata;
};

static const struct flow_case cases[] = {
	{ "nothing runs that no packet asks for", "9090 eb00", START, "", 0 },
	{ "conditionals: taken, not taken", "7501 f4 7401 90 c3", START "0c 3d0610 01",	/* TN, FUP 1006, PGD */
	  "1000 1003 1005 (1006>0)- ", 0 },
	{ "direct jump and call on the way", "eb01 f4 e801000000 f4 90 ffe0", START "2d0010",
	  "1000 1003 1009 100a ", 0 },
	{ "deferred TIP: bits of branches behind it come first", "7500 ffe0 f4 7500 90", START "0e 2d0510 3d0710 01",
	  "1000 1002 1005 (1007>0)- ", 0 },
	{ "compressed return", "e802000000 eb01 c3 7500", START "06 06 3d0a10 01",
	  "1000 1007 1005 1008 (100a>0)- ", 0 },
	{ "return by TIP takes the call off", "e803000000 9090 f4 e801000000 90 90 c3", START "2d0510 3d0610 01",
	  "1000 1008 100e 100f 1005 (1006>0)- ", 0 },
	{ "call of the next instruction pushes nothing", "e801000000 f4 e800000000 58 c3", START "06 3d0510 01",
	  "1000 1006 100b 100c (1005>0)- ", 0 },
	{ "compressed return without a call", "c3", START "06", "1000 !compressed return without a call(1) ", 0 },
	{ "compressed return that is not taken", "e801000000 f4 c3", START "04",
	  "1000 1006 !compressed return without a call(2) ", 0 },
	{ "a PSB forgets calls", "e801000000 f4 9090 c3", START PSB "9901 7d071000000000 0223 06",
	  "1000 1006 1007 1008 !compressed return without a call(2) ", 0 },
	{ "the packets before a PSB look like its beginning", "7500 7500 7500 7500 7500 7500 90 90",
	  START "2702 82" PSB "9901 7d0c1000000000 0223 3d0d10 01", "1000 1002 1004 1006 1008 100a 100c (100d>0)- ", 0 },
	{ "interrupt", "90909090 cf", START "3d0210 2d0410 3d0410 01", "1000 1001 (1002>1004) (1004>0)- ", 0 },
	{ "system call ends tracing, begins again", "0f05 90 90", START "01 310210 3d0310 01",
	  "1000 -0 +1002 1002 (1003>0)- ", 0 },
	{ "a jump out of the filter ends tracing", "90 eb01 90 90", START "210410", "1000 1001 -1004 ", 0 },
	{ "a conditional out of the filter", "90 7501 90 90", START "210410", "1000 1001 -1004 ", 0 },
	{ "without an address direct jumps are passed", "eb00 0f05", START "01", "1000 1002 -0 ", 0 },
	{ "overflow, then FUP", "90 90 7500 90", START "02f3 3d0210 06 3d0410 01",
	  "!trace buffer overflow in hardware +1002 1002 (1004>0)- ", 0 },
	{ "overflow, then TIP.PGE", "90 90 7500 90", START "02f3 310210 06 3d0410 01",
	  "!trace buffer overflow in hardware +1002 1002 (1004>0)- ", 0 },
	{ "a branch where the code has none", "90 90 7500 f4", START "2d0410",
	  "1000 1001 1002 !trace does not fit the code(3) ", 0 },
	{ "after that a TIP goes on, unverified", "7500 90 7500", START "2d0310 06 3d0510 01" LATER_3,
	  "1000 !trace does not fit the code(1) 1003 (1005>0)- !trace does not fit the code(1) 1003 (1005>0)- ", 0 },
	{ "bits while tracing is off", "90 0f05 7500 90", START "01 06 310310 06 3d0510 01" LATER_3,
	  "1000 1001 -0 !packet out of place(2) 1003 (1005>0)- ", 0 },
	{ "a branch while tracing is off", "90 0f05 7500 90", START "01 2d0310 310310 06 3d0510 01" LATER_3,
	  "1000 1001 -0 !packet out of place(2) 1003 (1005>0)- ", 0 },
	{ "FUP while tracing is off", "90 0f05 7500 90", START "01 3d0010 310310 06 3d0510 01" LATER_3,
	  "1000 1001 -0 !packet out of place(2) 1003 (1005>0)- ", 0 },
	{ "tracing begins where it is on", "7500 7500 90 90", START "06 310410 3d0510 01" LATER,
	  "1000 !packet out of place(1) 1004 (1005>0)- ", 0 },
	{ "bits in a PSB+", "90 90 90 7500 90", PSB "9901 06 7d001000000000 0223 06 3d0310 01" LATER_3,
	  "!packet out of place 1003 (1005>0)- ", 0 },
	{ "a PSB+ without its end", "90 90 90 7500 90", PSB "9901 7d001000000000 06 3d0310 01" LATER_3,
	  "!packet out of place 1003 (1005>0)- ", 0 },
	{ "what follows a PSB+ at another address may be wrong until the next one agrees", "90 7500 7500 90 90 7500 90",
	  START "06" PSB "9901 7d051000000000 0223 3d0610 2d0710" PSB "9901 7d071000000000 0223 06 3d0910 01",
	  "1000 1001 !trace does not fit the code(2) 1005 (1006>1007) !trace does not fit the code(1) 1007 (1009>0)- ", 0 },
	{ "the same, and there is no more", "90 7500 90 90 7500 90",
	  START "06" PSB "9901 7d001000000000 0223 06",
	  "1000 1001 !trace does not fit the code(2) 1000 1001 !trace does not fit the code(2) ", 0 },
	{ "the same before a gap, which tells it, too", "90 7500 90 90 7500 90",
	  START "06" PSB "9901 7d001000000000 0223 06 02f3 3d0710 3d0710 01",
	  "1000 1001 !trace does not fit the code(2) 1000 1001 !trace buffer overflow in hardware(2) +1007 (1007>0)- ", 0 },
	{ "a return for which there was no call may be due to what was any time ago", "ffe0 c3",
	  START NINE("2d0010") "2d0210 06",
	  "1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1002 !compressed return without a call(11) ", 0 },
	{ "where a return leads may be wrong since the call", "e802000000 ffe0 ffe0 c3", START NINE("2d0710") "2d0910 06 3d0710",
	  "1000 1007 1007 1007 1007 1007 1007 1007 1007 1007 1007 1009 !trace does not fit the code(12) ", 0 },
	{ "a direct branch to where no program is", "e900e0ffff", START "06", "1000 !no code at this address(1) ", 0 },
	{ "a TIP to where no program is: it may be another one", "7500 ffe0 90 90", START "06 cd0000000000000200 06" LATER,
	  "1000 1002 !no code at this address(2) 1004 (1005>0)- ", 0 },
	{ "the same, and the next packet tells the place", "7500 ffe0 90 90",
	  START "06 cd0000000000000200 7d051000000000 2d0410" LATER,
	  "1000 1002 !no code at this address(2) (1005>1004) 1004 (1005>0)- ", 0 },
	{ "no near branch leads to the kernel's half", "7500 ffe0 90 90", START "06 cd000000000080ffff 06" LATER,
	  "1000 1002 !no code at this address(2) 1004 (1005>0)- ", 0 },
	{ "but to what it has there for programs", "7500 ffe0 90 90", START "06 cd000060ffffffffff 06" LATER,
	  "1000 1002 !no code at this address 1004 (1005>0)- ", 0 },
	{ "nor is code that is missing elsewhere a sign of anything", "7500 ffe0 90 90", START "06 cd0000000000700000 06" LATER,
	  "1000 1002 !no code at this address 1004 (1005>0)- ", 0 },
	{ "where no program is nothing need run: a jump to there is an exception", "7500 ffe0 90 90",
	  START "06 cd000000000080ffff 3d0000 01", "1000 1002 (ffff800000000000>0)- ", 0 },
	{ "the address of a PSB+ does not fit what was before it, nor what follows",
	  "7500 90909090 7500", START "06" PSB "9901 7d001000000000 0223 3d0310 2d0310 3d0410 01" LATER,
	  "1000 !trace does not fit the code(1) 1000 !trace does not fit the code(1) (1003>1003) 1003 (1004>0)- "
	  "!trace does not fit the code(1) 1004 (1005>0)- ", 0 },
	{ "the address of a PSB+ may have two wrong bytes: what follows may be wrong, and is told", LATER_CODE,
	  START "06" PSB "9901 7d051100000000 0223 2d0210 3d0210 01",
	  "1000 !trace does not fit the code(1) 1105 1106 (1002>0)- !trace does not fit the code(2) ", 0 },
	{ "a FUP, and a PSB before its TIP", "90 90 7500 90", START "3d0210" PSB "9901 7d021000000000 0223 06 3d0410 01",
	  "1000 1001 !packet out of place(2) 1002 (1004>0)- ", 0 },
	{ "PSBEND without a PSB", "7500 7500 90", START "06 0223 06", "1000 !packet out of place(1) ", 0 },
	{ "FUP without the TIP that completes it", "7500 7500 90", START "3d0010 06", "!packet out of place ", 0 },
	{ "unknown bytes in the first PSB+", "7500 7500 90 90 7500 90",
	  PSB "05 9901 7d001000000000 0223 06 06 06 3d0810 2d0810 3d0810 01" LATER, "!unknown packet 1004 (1005>0)- ", 0 },
	{ "behind unknown bytes, on at the next PSB", "7500 7500 90 90 7500 90",
	  START "06 05 2d0410 06 3d0810 2d0810 3d0810 01" LATER, "1000 !unknown packet(1) 1004 (1005>0)- ", 0 },
	{ "an address where nothing is mapped is damaged", "ffe0 90 90 90 ffe0", START "2d0040 2d0410 3d0510 01" LATER,
	  "1000 !no code at this address(1) 1004 (1005>0)- ", 0 },
	{ "one that is mapped may have code that cannot be read", "ffe0 90 90 90 ffe0",
	  START "2d0018 2d0410 3d0510 2d0510 3d0510 01",
	  "1000 !no code at this address 1004 (1005>1005) (1005>0)- ", 0 },
	{ "but not at one that it does not lead to", "7500 7500 90 90 7500 90", START "06 05 2d0410 3d0010 01",
	  "1000 !unknown packet(1) ", 0 },
	{ "no path leads to a FUP, which gives the place", "7500 90 90 7500 90", START "06 3d0010 01",
	  "1000 !trace does not fit the code(1) (1000>0)- ", 0 },
	{ "code is missing", "90 eb7d", START "06", "1000 1001 !no code at this address(2) ", 0 },
	{ "code is no instruction", "90 06", START "06", "1000 !no instruction at this address(1) ", 0 },
	{ "endless loop", "90 ebfd", START "06", "1000 1001 !endless loop in the code(2) ", 0 },
	{ "interrupt in an endless loop", "ebfe 90", START "3d0010 2d0210 3d0310 01", "(1000>1002) 1002 (1003>0)- ", 0 },
	{ "unknown bytes: on at the next PSB", "7500 90", START "06 05 06 06" START "06",
	  "1000 !unknown packet(1) 1000 ", 0 },
	{ "the end cuts a packet", "7500 90", START "06 1900", "1000 !trace ends inside a packet(1) ", 0 },
	{ "PTWRITE, at the instruction and with its address", "90 f30faee0 f30faee0 90",
	  START "021278563412 029218000000 3d0510 3d0910 01",
	  "1000 1001 {PTWRITE 0x12345678 IP:0 at 1001} {PTWRITE 0x18 IP:1 at 1005} 1005 (1009>0)- ", 0 },
	{ "transaction: begin, abort", "90 90 90 90 7500", START "9921 3d0110 9922 3d0210 2d0310 06",
	  "1000 {MODE.TSX TXAbort:0 InTX:1 at 1001} 1001 {MODE.TSX TXAbort:1 InTX:0 at 1002} (1002>1003) 1003 1004 ", 0 },
	{ "events in front of a FUP", "90 90 90", START "02e2 3d0110 0213810e 3d0210 2d0010",
	  "1000 {EXSTOP IP:1 at 1001} 1001 {CFE IP:1 Type 0x01 Vector 0xe at 1002} (1002>1000) ", 0 },
	{ "MWAIT, and the state it leads to, are at the FUP behind them", "90 90 ffe0", START
	  "02c25000000001000000 02220060 02e2 3d0110 02a26601000000 2d0010",
	  "1000 {MWAIT 0x100000050 Hints 0x50 Extensions 0x1 at 1001} {PWRE 0x6000 HW:0 CState:6 Sub-CState:0 at 1001} "
	  "{EXSTOP IP:1 at 1001} {PWRX 0x166 Last CState:6 Deepest CState:6 Wake Reason 0x1 at 1001} 1001 1002 ", 0 },
	{ "an overflow in place of the FUP", "90 90", START "02c25000000000000000 02b28877665544332211 02f3 3d0110",
	  "{MWAIT 0x50 Hints 0x50 Extensions 0x0 at 0} {PTWRITE 0x1122334455667788 IP:1 at 0} "
	  "!trace buffer overflow in hardware +1001 ", 0 },
	{ "a block's end with a FUP: what ran before it is told, though an overflow follows", "90 90 90 7500 90", START
	  "026304 02b3 3d0210 02f3 3d0310",
	  "{BBP SZ 8-byte Type 0x4 at 1000} 1000 1001 {BEP IP:1 at 1002} !trace buffer overflow in hardware +1003 ", 0 },
	{ "without one nothing tells it", "90 90 90 7500 90", START
	  "026304 0233 02f3 3d0310",
	  "{BBP SZ 8-byte Type 0x4 at 1000} {BEP IP:0 at 1000} !trace buffer overflow in hardware +1003 ", 0 },
	{ "32 bit code", "40 48 7500", PSB "9902 7d001000000000 0223 06", "1000 1001 1002 ", 0 },
	{ "mode changes with a far transfer", "ff28 40 48 7500", START "9902 2d0210 06", "1000 1002 1003 1004 ", 0 },
	{ "BDM64: what led to an abort may be missing", "ffd0 90 90", START "9922 3d0210 2d0310 3d0410 01",
	  "{MODE.TSX TXAbort:1 InTX:0 at 1002} (1002>1003) 1003 (1004>0)- ", PT_BDM64 },
	{ "MOV CR3 to what is not traced", "90 0f22d8 90 90 0f05", START "0243200000000000 01",
	  "{PIP 0x10 (NR=0) at 1000} 1000 1001 -0 ", 0 },
	{ "MOV CR3, and what is traced goes on", "90 0f22d8 90 0f05", START "0243200000000000 3d0510 01",
	  "{PIP 0x10 (NR=0) at 1000} 1000 1001 1004 (1005>0)- ", 0 },
	{ "MOV CR3 to what is not traced, without a PIP", "90 0f22d8", START "01", "1000 1001 -0 ", 0 },
	{ "MOV CR3 on the way out of a kernel", "90 0f22d8 90 48cf", START "0243200000000000 01",
	  "{PIP 0x10 (NR=0) at 1000} 1000 1001 1004 1005 -0 ", 0 },
	{ "MOV CR3 long ago", "0f22d8 7500 0f05", START "0243200000000000 06 01",
	  "{PIP 0x10 (NR=0) at 1000} 1000 1003 1005 -0 ", 0 },
	{ "SKD022: VM entry with a FUP", "0f01c2 90", START "3d0010 01", "1000 -0 ", PT_SKD022 },
	{ "BDM70: a PSB+ has a FUP, though tracing begins behind it only", "9090 7500", START "310210 06",
	  "+1002 1002 ", PT_BDM70 },
	{ "BDM70 where tracing ended before", "0f05 7500", START "01" PSB "9901 7d001000000000 0223 310210 06",
	  "1000 -0 +1002 1002 ", PT_BDM70 },
	{ "BDM70, a mode and a transaction on the way", "9090 7500", START "9921 9902 310210 06",
	  "{MODE.TSX TXAbort:0 InTX:1 at 1002} +1002 1002 ", PT_BDM70 },
	{ "the same address does no harm without the erratum", "7500", START "310010 06", "+1000 1000 ", 0 },
	{ "another one is out of place", "9090 7500", START "310210 06", "!packet out of place ", 0 },
	{ "BDM70 is not where the program went on", "7500 7500", START "06 310210 06", "1000 !packet out of place(1) ", PT_BDM70 },
	{ "APL12: a FUP after an overflow, though nothing is traced", "9090 7500", START "02f3 3d0110 310210 06",
	  "!trace buffer overflow in hardware +1001 +1002 1002 ", PT_APL12 },
	{ "APL12 before a PSB+", "9090 7500", START "02f3 3d0110" PSB "9901 0223 71021000000000 06",
	  "!trace buffer overflow in hardware +1001 +1002 1002 ", PT_APL12 },
	{ "APL11: a TIP.PGD after an overflow", "9090 7500", START "02f3 01 310210 06",
	  "!trace buffer overflow in hardware +1002 1002 ", 0 },
	{ "SKZ84: a TMA is wrong, a byte follows", "7500", START "02733412ff0000 07 06", "1000 ", PT_SKZ84 },
	{ "NLIP: the FUP of a software interrupt is behind it", "90 cd80 90 90", START "3d0310 2d0410 3d0510 01",
	  "1000 1001 (1001>1004) 1004 (1005>0)- ", PT_NLIP },
	{ "NLIP: an address that the way leads to is the place", "90 eb02 cd80 90 90", START "3d0510 2d0510 3d0610 01",
	  "1000 1001 (1005>1005) 1005 (1006>0)- ", PT_NLIP },
	{ "without the erratum no way leads there", "90 cd80 90 90 7500", START "3d0310 2d0410 3d0510 01",
	  "1000 1001 !trace does not fit the code(2) (1003>1004) 1004 (1005>0)- !trace does not fit the code(1) ", 0 },
	{ "SKD007: CYC took the OVF's first byte", "90 90 7500", START "07 02f3 3d0110 06",
	  "!trace buffer overflow in hardware +1001 1001 1002 ", PT_SKD007 },
};

struct run_of_case {
	struct buf text;
	uint8_t code[512];
	size_t nr_code;
	uint64_t nr;		/* instructions reported */
};

static size_t from_hex(uint8_t *out, const char *hex)
{
	size_t n = 0;
	unsigned byte;

	for (;;) {
		while (*hex == ' ')
			hex++;
		if (!*hex)
			return n;
		sscanf(hex, "%2x", &byte);
		out[n++] = byte;
		hex += 2;
	}
}

/* The program runs in this space; all others have no code. */
static uint32_t on_space(void *ctx, const struct pt_state *s)
{
	(void)ctx;
	(void)s;
	return SPACE;
}

static size_t read_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	struct run_of_case *r = ctx;

	if (space != SPACE || ip < BASE || ip - BASE >= r->nr_code)
		return 0;
	n = MIN(n, r->nr_code - (ip - BASE));
	memcpy(buf, r->code + (ip - BASE), n);
	return n;
}

/* All but a page. */
static bool on_mapped(void *ctx, const struct pt_state *s, uint64_t ip)
{
	(void)ctx;
	(void)s;
	return ip >> 12 != 4;
}

static void on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to)
{
	struct run_of_case *r = ctx;

	(void)s;
	for (; from < to; from++, r->nr++)
		buf_printf(&r->text, "%lx ", (long)block_insn_ip(b, from));
}

static void on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b)
{
	struct run_of_case *r = ctx;

	(void)s;
	if (b->async)
		buf_printf(&r->text, "(%lx>%lx)%s ", (long)b->from, (long)b->to, b->end ? "-" : "");
	else if (b->begin)
		buf_printf(&r->text, "+%lx ", (long)b->to);
	else if (b->end)
		buf_printf(&r->text, "-%lx ", (long)b->to);
}

static void on_event(void *ctx, const struct pt_state *s, const struct pt_event *e)
{
	struct run_of_case *r = ctx;

	(void)s;
	if (e->packet.type == PT_PSBEND || e->packet.type == PT_MODE_EXEC)
		return;
	buf_putc(&r->text, '{');
	pt_packet_print(&r->text, &e->packet);
	buf_printf(&r->text, " at %lx} ", (long)e->ip);
}

static void on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g)
{
	struct run_of_case *r = ctx;

	(void)s;
	buf_printf(&r->text, g->unsure ? "!%s(%u) " : "!%s ", pt_gap_text(g->reason), (unsigned)g->unsure);
}

static void decode(const struct flow_case *c, struct run_of_case *r, const struct pt_sink *sink, uint64_t period)
{
	struct pt_flow_config config = { .sink = sink, .ctx = r, .errata = c->errata, .period = period };
	uint8_t trace[512];
	size_t size = from_hex(trace, c->trace);
	struct pt_flow *f;

	r->nr_code = from_hex(r->code, c->code);
	config.cache = block_cache_new(&arch_x86_64, read_code, r);
	f = pt_flow_new(&config);
	pt_flow_decode(f, trace, size, 0, size, 0);
	if (!sink->block)
		r->nr = pt_flow_state(f)->insns;
	pt_flow_free(f);
	block_cache_free(config.cache);
}

static void on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr)
{
	struct run_of_case *r = ctx;

	(void)s;
	buf_printf(&r->text, "%lx ", (long)block_insn_ip(b, nr));
}

/* The fast way must see what the detailed way sees: the same count, and with period 1 the same addresses. */
static void check_fast(const struct flow_case *c, const struct run_of_case *detailed)
{
	static const struct pt_sink only_samples = { .sample = on_sample, .space = on_space, .mapped = on_mapped };
	static const struct pt_sink only_ips = { .block = on_block, .space = on_space, .mapped = on_mapped };
	struct run_of_case fast = { 0 }, ips = { 0 };

	decode(c, &fast, &only_samples, 1);
	decode(c, &ips, &only_ips, 0);
	if (!str_eq(buf_str(&fast.text), buf_str(&ips.text)) || fast.nr != detailed->nr) {
		failures++;
		printf("%s, by samples:\n  want %s\n  got  %s\n", c->what, buf_str(&ips.text), buf_str(&fast.text));
	}
	buf_release(&fast.text);
	buf_release(&ips.text);
}

static void check_case(const struct flow_case *c)
{
	static const struct pt_sink all = { .block = on_block, .branch = on_branch, .event = on_event, .gap = on_gap,
					    .space = on_space, .mapped = on_mapped };
	struct run_of_case r = { 0 };

	decode(c, &r, &all, 0);
	if (!str_eq(buf_str(&r.text), c->want)) {
		failures++;
		printf("%s:\n  want %s\n  got  %s\n", c->what, c->want, buf_str(&r.text));
	}
	check_fast(c, &r);
	buf_release(&r.text);
}

static void check_errata(const char *cpuid, unsigned want)
{
	if (pt_errata_find(cpuid) == want)
		return;
	failures++;
	printf("errata of %s: want %x, got %x\n", cpuid ? cpuid : "nobody", want, pt_errata_find(cpuid));
}

/* As libipt and perf have them, model by model. */
static void check_models(void)
{
	static const struct {
		unsigned errata;
		uint8_t models[16];
	} classes[] = {
		{ PT_BDM70 | PT_BDM64, { 0x3d, 0x47, 0x4f, 0x56 } },
		{ PT_BDM70 | PT_SKD007 | PT_SKD022, { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },
		{ PT_BDM70 | PT_SKD022 | PT_SKZ84, { 0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae } },
		{ PT_BDM70 | PT_SKD022, { 0x66, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0xa8 } },
		{ PT_BDM70 | PT_SKD022, { 0x97, 0x9a, 0xba, 0xb7, 0xbf, 0xc5, 0xc6, 0xb5, 0xaa, 0xac, 0xbd, 0xcc, 0xd5 } },
		{ PT_APL12 | PT_NLIP, { 0x5c } },
		{ PT_APL12, { 0x5f } },
		{ 0, { 0x7a, 0x86, 0x96, 0x9c, 0xb6, 0xaf, 0xdd, 0x2a } },
	};
	char cpuid[64];

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		for (size_t j = 0; j < ARRAY_SIZE(classes[i].models) && classes[i].models[j]; j++) {
			snprintf(cpuid, sizeof(cpuid), "GenuineIntel,6,%u,3", classes[i].models[j]);
			check_errata(cpuid, classes[i].errata);
		}
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_case(&cases[i]);
	check_models();
	check_errata("GenuineIntel,18,1,0", PT_SKD022 | PT_BDM70);
	check_errata("GenuineIntel,18,3,0", PT_SKD022 | PT_BDM70);
	check_errata("GenuineIntel,19,1,0", PT_SKD022 | PT_BDM70 | PT_SKZ84);
	check_errata("GenuineIntel,18,2,0", 0);
	check_errata("GenuineIntel,6,42,7", 0);
	check_errata("AuthenticAMD,6,61,4", 0);
	check_errata("", 0);
	check_errata(NULL, 0);
	return failures ? 1 : 0;
}
