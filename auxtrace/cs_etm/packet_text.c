/*
 * Prints CoreSight packets for prec script -D, one per line. A table has the name and the text of each ETMv4 and ETE packet, in
 * the wording of perf script -D. v7_text.c prints ETMv3 and PTM packets.
 */
#include "auxtrace/cs_etm/packet_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/history.h"
#include "auxtrace/cs_etm/packet.h"
#include "core/base/buf.h"

static const struct {
	const char *name, *text;
} names[] = {
	[CS_ASYNC] = { "I_ASYNC", "Alignment Synchronisation." },
	[CS_DISCARD] = { "I_DISCARD", "Discard." },
	[CS_OVERFLOW] = { "I_OVERFLOW", "Overflow." },
	[CS_TRACE_INFO] = { "I_TRACE_INFO", "Trace Info." },
	[CS_TRACE_ON] = { "I_TRACE_ON", "Trace On." },
	[CS_TIMESTAMP] = { "I_TIMESTAMP", "Timestamp." },
	[CS_TIMESTAMP_MARKER] = { "I_TS_MARKER", "Timestamp Marker" },
	[CS_CYCLES_1] = { "I_CCNT_F1", "Cycle Count format 1." },
	[CS_CYCLES_2] = { "I_CCNT_F2", "Cycle Count format 2." },
	[CS_CYCLES_3] = { "I_CCNT_F3", "Cycle Count format 3." },
	[CS_CONTEXT] = { "I_CTXT", "Context Packet." },
	[CS_ADDRESS_MATCH] = { "I_ADDR_MATCH", "Exact Address Match." },
	[CS_SOURCE_MATCH] = { "I_SRC_ADDR_MATCH", "Exact Source Address Match." },
	[CS_EXCEPTION] = { "I_EXCEPT", "Exception." },
	[CS_EXCEPTION_RETURN] = { "I_EXCEPT_RTN", "Exception Return." },
	[CS_PE_RESET] = { "I_PE_RESET", "PE Reset." },
	[CS_TRANS_START] = { "I_TRANS_ST", "Transaction Start." },
	[CS_TRANS_COMMIT] = { "I_TRANS_COMMIT", "Transaction Commit." },
	[CS_TRANS_FAIL] = { "I_TRANS_FAIL", "Transaction Fail." },
	[CS_COMMIT] = { "I_COMMIT", "Commit" },
	[CS_CANCEL_1] = { "I_CANCEL_F1", "Cancel Format 1." },
	[CS_CANCEL_1_MISPREDICT] = { "I_CANCEL_F1_MISPRED", "Cancel Format 1 + Mispredict." },
	[CS_CANCEL_2] = { "I_CANCEL_F2", "Cancel Format 2." },
	[CS_CANCEL_3] = { "I_CANCEL_F3", "Cancel Format 3." },
	[CS_MISPREDICT] = { "I_MISPREDICT", "Mispredict." },
	[CS_Q] = { "I_Q", "Q Packet." },
	[CS_EVENT] = { "I_EVENT", "Trace Event." },
	[CS_IGNORE] = { "I_IGNORE", "Ignore." },
	[CS_INSTRUMENTATION] = { "I_ITE", "Instrumentation" },
	[CS_DATA_SYNC] = { "I_NUM_DS_MKR", "Data Synchronisation Marker - Numbered." },
	[CS_DATA_SYNC_UNNUMBERED] = { "I_UNNUM_DS_MKR", "Data Synchronisation Marker - Unnumbered." },
	[CS_COND_INSN_1] = { "I_COND_I_F1", "Conditional Instruction, format 1." },
	[CS_COND_INSN_2] = { "I_COND_I_F2", "Conditional Instruction, format 2." },
	[CS_COND_INSN_3] = { "I_COND_I_F3", "Conditional Instruction, format 3." },
	[CS_COND_FLUSH] = { "I_COND_FLUSH", "Conditional Flush." },
	[CS_COND_RESULT_1] = { "I_COND_RES_F1", "Conditional Result, format 1." },
	[CS_COND_RESULT_2] = { "I_COND_RES_F2", "Conditional Result, format 2." },
	[CS_COND_RESULT_3] = { "I_COND_RES_F3", "Conditional Result, format 3." },
	[CS_COND_RESULT_4] = { "I_COND_RES_F4", "Conditional Result, format 4." },
	[CS_RESERVED] = { "I_RESERVED", "Reserved Packet Header" },
	[CS_RESERVED_CONFIG] = { "I_RESERVED_CFG", "Reserved header for current configuration." },
	[CS_BAD] = { "I_BAD_SEQUENCE", "Invalid Sequence in packet." },
};

/* Atom packets are named by the form of their header. */
static unsigned atom_format(uint8_t header)
{
	if (header >= 0xf8)
		return 3;
	if (header >= 0xf6)
		return 1;
	if ((header >= 0xd5 && header <= 0xd7) || header == 0xf5)
		return 5;
	if (header >= 0xd8 && header <= 0xdf)
		return header < 0xdc ? 2 : 4;
	return 6;
}

static void atoms(struct buf *out, const struct cs_packet *pkt)
{
	for (unsigned i = 0; i < pkt->atoms; i++)
		buf_putc(out, pkt->taken >> i & 1 ? 'E' : 'N');
}

/* Appends @v in hexadecimal, with capitals and at least @digits digits. */
static void put_hex(struct buf *out, uint64_t v, unsigned digits)
{
	static const char hex[] = "0123456789ABCDEF";
	unsigned nr = v ? (67 - (unsigned)__builtin_clzll(v)) / 4 : 1;
	char *to;

	nr = MAX(nr, digits);
	to = buf_room(out, nr);
	out->len += nr;
	for (unsigned i = nr; i-- > 0; v >>= 4)
		to[i] = hex[v & 15];
}

static void address_value(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h,
			  const struct cs_config *c)
{
	const struct cs_address *a = &h->address[0];

	buf_puts(out, "0x");
	put_hex(out, a->value, c->address_bits / 4);
	if (pkt->address_bits && (pkt->address_bits < 32 || pkt->type == CS_Q)) {
		buf_puts(out, " ~[0x");
		put_hex(out, a->value & ((1ull << pkt->address_bits) - 1), 1);
		buf_putc(out, ']');
	}
}

static void context(struct buf *out, const struct cs_packet *pkt)
{
	if (!pkt->context_updated) {
		buf_puts(out, "Ctxt: Same");
		return;
	}
	buf_puts(out, pkt->sf ? "Ctxt: AArch64,EL" : "Ctxt: AArch32, EL");
	buf_putc(out, (char)('0' + pkt->el));
	buf_puts(out, ", ");
	if (pkt->nse)
		buf_puts(out, pkt->ns ? "Realm; " : "Root; ");
	else
		buf_puts(out, pkt->ns ? "NS; " : "S; ");
	if (pkt->has_cid)
		buf_printf(out, "CID=0x%08x; ", pkt->cid);
	if (pkt->has_vmid)
		buf_printf(out, "VMID=0x%04x; ", pkt->vmid);
}

static void long_address(struct buf *out, const struct cs_packet *pkt, unsigned is, bool source)
{
	buf_puts(out, "L_");
	buf_dec(out, pkt->address_bits, 0);
	buf_puts(out, is ? "IS1 : " : "IS0 : ");
	buf_puts(out, source ? "Source Address" : "Address");
	buf_puts(out, pkt->has_context ? " & Context, Long, " : ", Long, ");
	buf_dec(out, pkt->address_bits, 0);
	buf_puts(out, is ? " bit, IS1." : " bit, IS0.");
}

/* "I_ADDR_CTXT_L_64IS0 : Address & Context, Long, 64 bit, IS0." */
static void address(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h,
		    const struct cs_config *c)
{
	bool source = pkt->type == CS_SOURCE, with = pkt->has_context, is_short = pkt->address_bits < 32;
	unsigned is = pkt->header == 0x83 || pkt->header == 0x86 || pkt->header == 0x96 || pkt->header == 0x9b ||
		      pkt->header == 0x9e || (source && pkt->header & 1);

	if (is_short && !source && !with) {
		buf_puts(out, is ? "I_ADDR_S_IS1 : Address, Short, IS1." : "I_ADDR_S_IS0 : Address, Short, IS0.");
	} else {
		buf_puts(out, source ? "I_SRC_ADDR_" : "I_ADDR_");
		buf_puts(out, with ? "CTXT_" : "");
		if (is_short)
			buf_printf(out, "S_IS%u : %sAddress, Short, IS%u.", is, source ? "Source " : "", is);
		else
			long_address(out, pkt, is, source);
	}
	buf_puts(out, "; Addr=");
	address_value(out, pkt, h, c);
	if (!is_short)
		buf_puts(out, "; ");
	if (with)
		context(out, pkt);
}

static void q(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, const struct cs_config *c)
{
	if (!pkt->has_count) {
		buf_puts(out, "; Count(Unknown)");
		return;
	}
	buf_printf(out, "; Count(%u)", pkt->count);
	if (!pkt->has_address)
		return;
	buf_puts(out, "; ");
	if (!pkt->address_bits)
		buf_printf(out, "[%u]; ", pkt->match);
	buf_puts(out, "Addr=");
	address_value(out, pkt, h, c);
}

static void exception(struct buf *out, const struct cs_packet *pkt)
{
	static const char *const exceptions[] = {
		"PE Reset", "Debug Halt", "Call", "Trap", "System Error", "Reserved", "Inst Debug", "Data Debug",
		"Reserved", "Reserved", "Alignment", "Inst Fault", "Data Fault", "Reserved", "IRQ", "FIQ",
	};

	buf_printf(out, "; %s%s;", " ", pkt->exception < 16 ? exceptions[pkt->exception] : "Reserved");
	if (pkt->returns == 1)
		buf_puts(out, " Ret Addr Follows;");
	else if (pkt->returns == 2)
		buf_puts(out, " Ret Addr Follows, Match Prev;");
}

static void trace_info(struct buf *out, const struct cs_packet *pkt, const struct cs_config *c)
{
	buf_printf(out, "; INFO=0x%x { CC.%u", pkt->info, pkt->info & 1);
	if (c->version >= 0x50)
		buf_printf(out, ", TSTATE.%u", pkt->info >> 6 & 1);
	buf_puts(out, " }");
	if (pkt->info & 1)
		buf_printf(out, "; CC_THRESHOLD=0x%x", pkt->threshold);
}

static void speculation(struct buf *out, const struct cs_packet *pkt)
{
	buf_puts(out, "; ");
	if (pkt->atoms) {
		buf_puts(out, "Atom: ");
		atoms(out, pkt);
		buf_puts(out, ", ");
	}
	if (pkt->type != CS_MISPREDICT)
		buf_printf(out, "Cancel(%u)%s", pkt->cancel, pkt->type == CS_CANCEL_1 ? "" : ", ");
	if (pkt->type != CS_CANCEL_1)
		buf_puts(out, "Mispredict");
}

void cs_packet_text(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h,
		    const struct cs_config *c)
{
	if (c->v7) {
		v7_packet_text(out, pkt, h, c);
		return;
	}
	if (pkt->type == CS_ATOM) {
		unsigned f = atom_format(pkt->header);

		buf_printf(out, "I_ATOM_F%u : Atom format %u.; ", f, f);
		atoms(out, pkt);
		return;
	}
	if (pkt->type == CS_ADDRESS || pkt->type == CS_SOURCE) {
		address(out, pkt, h, c);
		return;
	}
	buf_puts(out, names[pkt->type].name);
	buf_puts(out, " : ");
	buf_puts(out, names[pkt->type].text);
	switch (pkt->type) {
	case CS_TRACE_INFO:
		trace_info(out, pkt, c);
		break;
	case CS_TIMESTAMP:
		buf_puts(out, "; Updated val = 0x");
		buf_hex(out, pkt->time, 0);
		if (pkt->has_cycles)
			buf_printf(out, "; CC=0x%x", pkt->cycles);
		break;
	case CS_CYCLES_1:
	case CS_CYCLES_2:
	case CS_CYCLES_3:
		buf_puts(out, "; Count=0x");
		buf_hex(out, pkt->cycles, 0);
		break;
	case CS_CONTEXT:
		buf_puts(out, "; ");
		context(out, pkt);
		break;
	case CS_ADDRESS_MATCH:
	case CS_SOURCE_MATCH:
		buf_printf(out, ", [%u]; Addr=", pkt->match);
		address_value(out, pkt, h, c);
		buf_puts(out, "; ");
		break;
	case CS_Q:
		q(out, pkt, h, c);
		break;
	case CS_RESERVED_CONFIG:
		buf_printf(out, "[%s]", names[cs_packet_type_of(pkt->header)].name);
		break;
	case CS_BAD:
		buf_printf(out, "[%s]", pkt->size > 2 ? "I_ASYNC" : "I_EXTENSION");
		break;
	case CS_EXCEPTION:
		exception(out, pkt);
		break;
	case CS_COMMIT:
		buf_printf(out, "; Commit(%u)", pkt->commit);
		break;
	case CS_CANCEL_1:
	case CS_CANCEL_1_MISPREDICT:
	case CS_CANCEL_2:
	case CS_CANCEL_3:
	case CS_MISPREDICT:
		speculation(out, pkt);
		break;
	case CS_INSTRUMENTATION:
		buf_printf(out, "; EL%u; Value=0x%016llx", pkt->el, (unsigned long long)pkt->time);
		break;
	}
}

/* --- Whole streams --------------------------------------------------------- */

#define NR_HEADERS	256
#define TELL_EVERY	(64u << 10)	/* bytes of text between two calls of text_out.some() */
#define ATOM_ROOM	63	/* bytes of the longest text of an atom packet */

/* Most packets are atoms. Their text depends only on their one byte, so it is made once. */
struct atom_line { uint8_t len; char text[ATOM_ROOM]; };

/* The dump's position in a stream. With several streams, a line of each is ready. */
struct dump {
	const struct cs_stream *s;
	const struct cs_config *c;
	struct cs_history h;
	size_t at, to;		/* .to: the next break of the stream, or its end */
	size_t begun;		/* where the bytes of the last line begin */
	size_t nr_break, nr_place;	/* .nr_break: index of the break after .to; .nr_place: index of the place of .at */
	char id[8];		/* the stream's ID as text */
	struct atom_line *atoms;	/* by header; .len is 0 for other packets. Owned */
	bool synced, done;
	uint64_t order;		/* order_of() the last byte of .line's packet: the lowest line of all streams is next */
	struct buf line;	/* owned */
};

static void make_atom_line(struct atom_line *out, uint8_t header, const struct cs_config *c)
{
	struct buf text = { 0 };
	struct cs_packet pkt;

	if (cs_packet_read(&pkt, &header, 1, c) != 1 || pkt.type != CS_ATOM)
		return;
	if (pkt.has_cycles)
		return;		/* there may be too many of these */
	cs_packet_text(&text, &pkt, NULL, c);
	buf_putc(&text, '\n');
	out->len = (uint8_t)MIN(text.len, sizeof(out->text));
	memcpy(out->text, text.data, out->len);
	buf_release(&text);
}

static void dump_init(struct dump *d, const struct cs_stream *s, const struct cs_config *c)
{
	*d = (struct dump){ .s = s, .c = c, .synced = true };
	snprintf(d->id, sizeof(d->id), "%x", s->id);
	d->atoms = xcalloc(NR_HEADERS, sizeof(*d->atoms));
	for (unsigned header = 0; header < NR_HEADERS; header++)
		make_atom_line(&d->atoms[header], (uint8_t)header, c);
}

static void dump_release(struct dump *d)
{
	buf_release(&d->line);
	free(d->atoms);
}

/* Returns the trace offset of .at, which only moves forward. */
static uint64_t offset_here(struct dump *d)
{
	const struct cs_stream *s = d->s;

	while (d->nr_place + 1 < s->places.nr && s->places.v[d->nr_place + 1].at <= d->at)
		d->nr_place++;
	return cs_place_offset(s, d->nr_place, d->at);
}

/*
 * Returns a number that gives the order of bytes of several streams. At a change of ID, the last byte of the old ID may have the
 * same offset as the first byte of the new ID, but comes before it.
 */
static uint64_t order_of(const struct cs_stream *s, size_t at)
{
	uint64_t offset = cs_stream_offset(s, at);
	bool begins = !at || cs_stream_offset(s, at - 1) + 1 != offset;

	return 2 * offset + begins;
}

static void put_start(struct buf *out, struct dump *d)
{
	d->begun = d->at;
	buf_put(out, "\tIdx:", 5);
	buf_dec(out, offset_here(d), 0);
	buf_put(out, "; ID:", 5);
	buf_puts(out, d->id);
	buf_put(out, ";\t", 2);
}

/* Goes to the next break, after which decoding must synchronise again. Returns false at the end. */
static bool next_section(struct dump *d)
{
	const struct cs_stream *s = d->s;

	if (d->to == s->len)
		return false;
	d->at = d->to;
	d->to = d->nr_break < s->breaks.nr ? s->breaks.v[d->nr_break++] : s->len;
	d->h = (struct cs_history){ 0 };
	d->synced = false;
	return true;
}

static const char *const not_synced[] = {
	[CS_NOT_V7] = "I_NOT_SYNC : I Stream not synchronised\n", [CS_PTM] = "NOTSYNC : PTM Not Synchronised; \n",
	[CS_ETMV3] = "NOTSYNC : Trace Stream not synchronised\n",
};

/* Appends one line for the bytes before the A-sync. Returns 0 if there are no such bytes; otherwise as next_line(). */
static size_t unsynced_line(struct buf *out, struct dump *d)
{
	size_t to = cs_packet_sync(d->s->data, d->at, d->to, d->c);

	d->synced = true;
	if (d->at == to)
		return 0;
	put_start(out, d);
	buf_puts(out, not_synced[d->c->v7]);
	d->at = to;
	return 1;
}

/* Appends the line of the packet at .at. Returns the packet's size; 0: the end of the section cuts it. */
static size_t packet_line(struct buf *out, struct dump *d)
{
	const struct atom_line *atom = &d->atoms[d->s->data[d->at]];
	struct cs_packet pkt;
	int size;

	if (atom->len) {
		put_start(out, d);
		buf_put(out, atom->text, atom->len);
		d->at++;
		return 1;
	}
	size = cs_packet_read(&pkt, d->s->data + d->at, d->to - d->at, d->c);
	if (size == -ENODATA)
		return 0;
	if (size > 0)
		cs_history_add(&d->h, &pkt);
	put_start(out, d);
	cs_packet_text(out, &pkt, &d->h, d->c);
	buf_putc(out, '\n');
	d->at += pkt.size;
	return pkt.size;
}

/* Appends the next line. Returns 0 at the end; otherwise the number of bytes from .begun on whose last gives the line's order. */
static size_t next_line(struct buf *out, struct dump *d)
{
	size_t n;

	for (;;) {
		if (!d->synced && d->at < d->to && (n = unsynced_line(out, d)))
			return n;
		if (d->at < d->to && (n = packet_line(out, d)))
			return n;
		if (!next_section(d))
			return 0;
	}
}

static void prepare_line(struct dump *d)
{
	size_t n;

	d->line.len = 0;
	n = next_line(&d->line, d);
	d->done = !n;
	if (n)
		d->order = order_of(d->s, d->begun + n - 1);
}

/* The text's destination, and the callback for new text. */
struct text_out {
	struct buf *buf;
	size_t reported;		/* .buf->len when .some was called last */
	void (*some)(void *ctx);
	void *ctx;
};

static void flush_some(struct text_out *out)
{
	if (!out->some || out->buf->len - out->reported < TELL_EVERY)
		return;
	out->some(out->ctx);
	out->reported = out->buf->len;
}

/* Appends the lines of several streams, in the order in which their packets end. */
static void merge_lines(struct text_out *out, struct dump *dumps, size_t nr)
{
	struct dump *first;

	for (size_t i = 0; i < nr; i++)
		prepare_line(&dumps[i]);
	do {
		first = NULL;
		for (struct dump *d = dumps; d < dumps + nr; d++)
			if (!d->done && (!first || d->order < first->order))
				first = d;
		if (first) {
			buf_put(out->buf, first->line.data, first->line.len);
			prepare_line(first);
			flush_some(out);
		}
	} while (first);
}

void cs_streams_text(struct buf *out, const struct cs_streams *s, const struct cs_config *configs, size_t nr,
		     void (*some)(void *ctx), void *ctx)
{
	struct text_out to = { out, out->len, some, ctx };
	VEC(struct dump) dumps = { 0 };
	struct dump d;

	vec_for(stream, &s->list)
		for (size_t i = 0; i < nr; i++)
			if (configs[i].id == stream->id) {
				dump_init(&d, stream, &configs[i]);
				vec_push(&dumps, d);
				break;
			}
	if (dumps.nr == 1)
		while (next_line(out, dumps.v))
			flush_some(&to);
	else if (dumps.nr)
		merge_lines(&to, dumps.v, dumps.nr);
	vec_for(dump, &dumps)
		dump_release(dump);
	vec_free(&dumps);
}
