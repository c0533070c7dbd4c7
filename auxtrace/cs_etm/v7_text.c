/* Prints the name and the fields of ETMv3 and PTM packets for prec script -D. The wording is that of OpenCSD's packet lister. */
#include "auxtrace/cs_etm/packet_text.h"

#include <inttypes.h>

#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"
#include "auxtrace/cs_etm/v7_packet.h"
#include "core/base/buf.h"

struct words { const char *ptm, *v3; };

static const struct words names[] = {
	[CS_ASYNC] = { "ASYNC : Alignment Synchronisation Packet", "A_SYNC : Alignment Synchronisation." },
	[CS_ATOM] = { "ATOM : Atom packet", "P_HDR : Atom P-header." },
	[CS_TIMESTAMP] = { "TIMESTAMP : Timestamp packet", "TIMESTAMP : Timestamp Value." },
	[CS_IGNORE] = { "IGNORE : Ignore packet", "IGNORE : Packet ignored." },
	[CS_EXCEPTION_RETURN] = { "ERET : Exception return packet", "EXCEPTION_EXIT : Exception return." },
	[CS_RESERVED] = { "RESERVED : Reserved Packet Header", "I_RESERVED : Reserved Packet Header" },
	[CS_BAD] = { "BAD_SEQUENCE : Invalid sequence in packet", "BAD_SEQUENCE : Invalid sequence for packet type." },
	[V7_ISYNC] = { "ISYNC : Instruction Synchronisation packet", "I_SYNC : Instruction Packet synchronisation." },
	[V7_BRANCH] = { "BRANCH_ADDRESS : Branch address packet", "BRANCH_ADDRESS : Branch address." },
	[V7_WAYPOINT] = { "WP_UPDATE : Waypoint update packet", "" },
	[V7_CYCLES] = { "", "CYCLE_COUNT : Cycle Count." },
	[V7_TRIGGER] = { "TRIGGER : Trigger Event packet", "TRIGGER : Trace Trigger Event." },
	[V7_VMID] = { "VMID : VM ID packet", "VMID : VMID change." },
	[V7_CONTEXT_ID] = { "CTXTID : Context ID packet", "CONTEXT_ID : Context ID change." },
	[V7_EXCEPTION_ENTRY] = { "", "EXCEPTION_ENTRY : Exception entry data marker." },
};

static const char *const isas[] = {
	[V7_SAME_ISA] = "Unknown", [V7_ARM] = "ARM(32)", [V7_THUMB] = "Thumb2", [V7_THUMBEE] = "ThumbEE", [V7_JAZELLE] = "Jazelle",
};

static const char *const exceptions[16] = {
	"No Exception", "Debug Halt", "SMC", "Hyp", "Async Data Abort", "Jazelle", "Reserved", "Reserved", "PE Reset",
	"Undefined Instr", "SVC", "Prefetch Abort", "Data Fault", "Generic", "IRQ", "FIQ",
};

static const char *const reasons[] = {
	[V7_PERIODIC] = "Periodic", [V7_TRACE_ENABLED] = "Trace Enable", [V7_RESTARTED] = "Restart Overflow",
	[V7_DEBUG_EXIT] = "Debug Exit",
};

/* Writes the low @known of @total bits, and again the low @given bits that the packet has. */
static void value(struct buf *out, uint64_t v, unsigned total, unsigned known, unsigned given)
{
	unsigned digits = (known + 3) / 4;

	buf_puts(out, "0x");
	for (unsigned i = digits; i < total / 4; i++)
		buf_putc(out, '?');
	buf_printf(out, "%0*" PRIX64, (int)digits, v);
	if (known < total)
		buf_printf(out, " (%u:0)", known - 1);
	buf_printf(out, " ~[0x%" PRIX64 "]", given < 64 ? v & ((UINT64_C(1) << given) - 1) : v);
}

static void cycles(struct buf *out, const struct cs_packet *pkt)
{
	if (pkt->has_cycles)
		buf_printf(out, "Cycles=%u; ", pkt->cycles);
}

static void level(struct buf *out, const struct cs_history *h, const char *other)
{
	buf_puts(out, h->ns ? "NS; " : "S; ");
	buf_puts(out, h->el ? "Hyp; " : other);
}

static void branch(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, bool ptm)
{
	buf_puts(out, "Addr=");
	value(out, h->address[0].value, 32, h->address_bits, pkt->address_bits);
	buf_puts(out, "; ");
	if (h->isa != h->last_isa)
		buf_printf(out, "ISA=%s; ", isas[h->isa]);
	if (pkt->context_updated)
		level(out, h, "");
	if (pkt->has_exception && ptm)
		buf_printf(out, "Excep=%s [%02x]; ", pkt->exception < 16 ? exceptions[pkt->exception] : "Unknown", pkt->exception);
	else if (pkt->has_exception)
		buf_printf(out, "Exception=%s; %s", exceptions[pkt->exception & 15], pkt->cancels ? "; Cancel prev instr" : "");
	if (ptm)
		cycles(out, pkt);
}

static void isync(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, bool ptm)
{
	buf_printf(out, "(%s); Addr=0x%08" PRIx64 "; ", reasons[pkt->reason], pkt->address);
	level(out, h, " ");
	if (pkt->has_cid)
		buf_printf(out, ptm ? "CtxtID=%08x; " : "CtxtID=%x; ", pkt->cid);
	buf_printf(out, "ISA=%s; ", isas[h->isa]);
	cycles(out, pkt);
}

static void put_atoms(struct buf *out, const struct cs_packet *pkt, const char *before)
{
	for (unsigned i = 0; i < pkt->atoms; i++)
		buf_printf(out, "%s%c", before, pkt->taken >> i & 1 ? 'E' : 'N');
}

/* Appends the atoms; "W" is a cycle. */
static void v3_atoms(struct buf *out, const struct cs_packet *pkt)
{
	unsigned form = pkt->header & 0xa3;

	if (!pkt->cycles) {
		put_atoms(out, pkt, "");
		return;
	}
	for (unsigned i = 0; form != 0x80 && i < pkt->cycles; i++)
		buf_putc(out, 'W');
	put_atoms(out, pkt, form == 0x80 ? "W" : "");
	buf_printf(out, "; Cycles=%u", pkt->cycles);
}

static void put_time(struct buf *out, const struct cs_packet *pkt, bool ptm)
{
	if (ptm) {
		buf_puts(out, "TS=");
		value(out, pkt->time, 64, 64, pkt->time_bits);
		buf_printf(out, "(%" PRIu64 "); ", pkt->time);
		cycles(out, pkt);
	} else {
		buf_printf(out, "TS=0x%" PRIx64 " (%" PRIu64 ") ", pkt->time, pkt->time);
	}
}

static void fields(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, bool ptm)
{
	switch (pkt->type) {
	case CS_ATOM:
		if (!ptm) {
			v3_atoms(out, pkt);
			break;
		}
		put_atoms(out, pkt, "");
		buf_puts(out, "; ");
		cycles(out, pkt);
		break;
	case V7_ISYNC:
		isync(out, pkt, h, ptm);
		break;
	case V7_BRANCH:
	case V7_WAYPOINT:
		branch(out, pkt, h, ptm);
		break;
	case CS_TIMESTAMP:
		put_time(out, pkt, ptm);
		break;
	case V7_CYCLES:
		buf_printf(out, "Cycles=%u", pkt->cycles);
		break;
	case V7_CONTEXT_ID:
		buf_printf(out, ptm ? "CtxtID=0x%08x; " : "CtxtID=0x%x", pkt->cid);
		break;
	case V7_VMID:
		buf_printf(out, ptm ? "VMID=0x%02x; " : "VMID=0x%x", pkt->vmid);
		break;
	}
}

static bool has_fields(uint8_t type)
{
	switch (type) {
	case CS_ATOM: case CS_TIMESTAMP: case V7_ISYNC: case V7_BRANCH: case V7_WAYPOINT: case V7_CYCLES: case V7_VMID:
	case V7_CONTEXT_ID:
		return true;
	default:
		return false;
	}
}

void v7_packet_text(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, const struct cs_config *c)
{
	bool ptm = c->v7 == CS_PTM, more = has_fields(pkt->type);

	if (pkt->type == V7_ISYNC && pkt->header == 0x70)
		buf_puts(out, "I_SYNC_CYCLE : Instruction Packet synchronisation with cycle count.");
	else
		buf_puts(out, ptm ? names[pkt->type].ptm : names[pkt->type].v3);
	if (ptm || more)
		buf_puts(out, "; ");
	if (more)
		fields(out, pkt, h, ptm);
}
