/*
 * Reads one packet of an ETMv4 or ETE trace. A table lists the packet types by header byte. A row has the first version of the
 * architecture with this packet, and the function that reads the bytes after the header.
 */
#include "auxtrace/cs_etm/packet.h"

#include <errno.h>
#include <string.h>

#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/packet_input.h"
#include "auxtrace/cs_etm/v7_packet.h"
#include "core/base/util.h"

#define ASYNC_SIZE	12	/* eleven zeros and 0x80 */

const struct cs_atoms cs_atoms[256] = {
	[0xc0] = { 0xf, 4 }, { 0x1f, 5 }, { 0x3f, 6 }, { 0x7f, 7 }, { 0xff, 8 }, { 0x1ff, 9 },
	[0xc6] = { 0x3ff, 10 }, { 0x7ff, 11 }, { 0xfff, 12 }, { 0x1fff, 13 }, { 0x3fff, 14 }, { 0x7fff, 15 },
	[0xcc] = { 0xffff, 16 }, { 0x1ffff, 17 }, { 0x3ffff, 18 }, { 0x7ffff, 19 }, { 0xfffff, 20 }, { 0x1fffff, 21 },
	[0xd2] = { 0x3fffff, 22 }, { 0x7fffff, 23 }, { 0xffffff, 24 }, { 0x0, 5 }, { 0xa, 5 }, { 0x15, 5 },
	[0xd8] = { 0x0, 2 }, { 0x1, 2 }, { 0x2, 2 }, { 0x3, 2 }, { 0xe, 4 }, { 0x0, 4 },
	[0xde] = { 0xa, 4 }, { 0x5, 4 }, { 0x7, 4 }, { 0xf, 5 }, { 0x1f, 6 }, { 0x3f, 7 },
	[0xe4] = { 0x7f, 8 }, { 0xff, 9 }, { 0x1ff, 10 }, { 0x3ff, 11 }, { 0x7ff, 12 }, { 0xfff, 13 },
	[0xea] = { 0x1fff, 14 }, { 0x3fff, 15 }, { 0x7fff, 16 }, { 0xffff, 17 }, { 0x1ffff, 18 }, { 0x3ffff, 19 },
	[0xf0] = { 0x7ffff, 20 }, { 0xfffff, 21 }, { 0x1fffff, 22 }, { 0x3fffff, 23 }, { 0x7fffff, 24 }, { 0x1e, 5 },
	[0xf6] = { 0x0, 1 }, { 0x1, 1 }, { 0x0, 3 }, { 0x1, 3 }, { 0x2, 3 }, { 0x3, 3 },
	[0xfc] = { 0x4, 3 }, { 0x5, 3 }, { 0x6, 3 }, { 0x7, 3 },
};

/* Reads seven bits per byte; bit 7 says that another byte follows. Bytes after the first @max are skipped. */
static uint32_t read_continued(struct input *in, unsigned max)
{
	uint32_t v = 0;
	uint8_t b;
	unsigned i = 0;

	do {
		b = byte(in);
		if (i < max)
			v |= (uint32_t)(b & 0x7f) << 7 * i;
		i++;
	} while (b & 0x80);
	return v;
}

static void read_extension(struct cs_packet *pkt, struct input *in)
{
	const uint8_t *start = in->p - 1;
	uint8_t b = byte(in);

	if (b == 3)
		pkt->type = CS_DISCARD;
	else if (b == 5)
		pkt->type = CS_OVERFLOW;
	else if (b)
		pkt->type = CS_BAD;
	if (b || in->cut)
		return;
	while (!b && in->p - start < ASYNC_SIZE && !in->cut)
		b = byte(in);
	if (in->p - start != ASYNC_SIZE || b != 0x80)
		pkt->type = CS_BAD;
}

static void read_trace_info(struct cs_packet *pkt, struct input *in)
{
	uint8_t sections = byte(in), b = sections;

	while (b & 0x80)
		b = byte(in);
	if (sections & 1)
		pkt->info = read_continued(in, 5);
	if (sections & 2)
		read_continued(in, 5);		/* the next P0 key: data trace only */
	if (sections & 4)
		pkt->count = read_continued(in, 5);
	if (sections & 8)
		pkt->threshold = read_continued(in, 5);
	if (sections & 16)
		read_continued(in, 5);		/* the commit window: not used by any ETE so far */
}

static void read_timestamp(struct cs_packet *pkt, struct input *in)
{
	unsigned shift = 0;
	uint8_t b;

	do {
		b = byte(in);
		pkt->time |= (uint64_t)(shift < 56 ? b & 0x7f : b) << shift;
		shift += 7;
	} while (b & 0x80 && shift < 63);
	pkt->time_bits = shift < 63 ? (uint8_t)shift : 64;
	if (pkt->header & 1) {
		pkt->has_cycles = true;
		pkt->cycles = read_continued(in, 3) & in->c->cc_mask;
	}
}

static void read_exception(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = byte(in), b2 = 0;
	unsigned number = b >> 1 & 0x1f;
	bool reset = in->c->version >= 0x50 && (number == 0 || number == 0x18);

	if (b & 0x80 || reset)
		b2 = byte(in);
	if (b & 0x80)
		number |= (b2 & 0x1fu) << 5;
	pkt->exception = (uint16_t)number;
	pkt->returns = (uint8_t)((b >> 5 & 2) | (b & 1));
	if (reset && !(number >> 5))
		pkt->type = number ? CS_TRANS_FAIL : CS_PE_RESET;
}

static void read_cycles_1(struct cs_packet *pkt, struct input *in)
{
	if (!in->c->commopt) {
		pkt->has_commit = true;
		pkt->commit = read_continued(in, 5);
	}
	if (!(pkt->header & 1)) {
		pkt->has_cycles = true;
		pkt->cycles = read_continued(in, 3);
	}
}

static void read_cycles_2(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = byte(in);

	/* With F set (bit 0 of the header) the field is relative to max_spec. */
	pkt->has_commit = true;
	pkt->commit = (b >> 4) + (pkt->header & 1 ? in->c->max_spec - 15 : 1);
	pkt->has_cycles = true;
	pkt->cycles = b & 15;
}

static void read_cycles_3(struct cs_packet *pkt, struct input *in)
{
	if (!in->c->commopt) {
		pkt->has_commit = true;
		pkt->commit = (pkt->header >> 2 & 3) + 1u;
	}
	pkt->has_cycles = true;
	pkt->cycles = pkt->header & 3;
}

static void read_atoms(struct cs_packet *pkt, struct input *in)
{
	pkt->atoms = cs_atoms[pkt->header].atoms;
	pkt->taken = cs_atoms[pkt->header].taken;
}

static void read_commit(struct cs_packet *pkt, struct input *in)
{
	pkt->has_commit = true;
	pkt->commit = read_continued(in, 5);
}

static void read_cancel_1(struct cs_packet *pkt, struct input *in)
{
	pkt->cancel = read_continued(in, 5);
}

/* Reads the atoms that come with a mispredict packet; CANCEL_2 has them in the same bits. */
static void read_mispredict(struct cs_packet *pkt, struct input *in)
{
	static const struct cs_atoms atoms[4] = { { 0, 0 }, { 1, 1 }, { 3, 2 }, { 0, 1 } };

	pkt->atoms = atoms[pkt->header & 3].atoms;
	pkt->taken = atoms[pkt->header & 3].taken;
}

static void read_cancel_2(struct cs_packet *pkt, struct input *in)
{
	pkt->cancel = 1;
	read_mispredict(pkt, in);
}

static void read_cancel_3(struct cs_packet *pkt, struct input *in)
{
	pkt->atoms = pkt->taken = pkt->header & 1;
	pkt->cancel = (pkt->header >> 1 & 3) + 2u;
}

static void context_info(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = byte(in);

	pkt->context_updated = true;
	pkt->el = b & 3;
	pkt->nse = b & 8 && in->c->version >= 0x50;
	pkt->sf = b & 0x10;
	pkt->ns = b & 0x20;
	if (b & 0x40 && in->c->vmid_bytes) {
		pkt->has_vmid = true;
		pkt->vmid = (uint32_t)fixed(in, in->c->vmid_bytes);
	}
	if (b & 0x80 && in->c->cid_bytes) {
		pkt->has_cid = true;
		pkt->cid = (uint32_t)fixed(in, in->c->cid_bytes);
	}
}

static void read_context(struct cs_packet *pkt, struct input *in)
{
	pkt->has_context = true;
	if (pkt->header & 1)
		context_info(pkt, in);
}

static void read_match(struct cs_packet *pkt, struct input *in)
{
	pkt->has_address = true;
	pkt->match = pkt->header & 3;
}

static void read_short(struct cs_packet *pkt, struct input *in)
{
	unsigned shift = pkt->is ? 1 : 2;
	uint8_t b = byte(in);

	pkt->has_address = true;
	pkt->address = (uint64_t)(b & 0x7f) << shift;
	pkt->address_bits = (uint8_t)(7 + shift);
	if (b & 0x80) {
		pkt->address |= (uint64_t)byte(in) << (7 + shift);
		pkt->address_bits += 8;
	}
}

/* A context follows the addresses with the headers 0x82 to 0x86. */
static void long_address(struct cs_packet *pkt, struct input *in, unsigned nr)
{
	uint64_t v = fixed(in, nr);

	/* Bit 7 of the first byte is not used, and without .is bit 7 of the second byte is not, either. */
	pkt->has_address = true;
	pkt->address_bits = (uint8_t)(8 * nr);
	if (pkt->is)
		pkt->address = (v & 0x7f) << 1 | (v & ~0xffull);
	else
		pkt->address = (v & 0x7f) << 2 | (v >> 8 & 0x7f) << 9 | (v & ~0xffffull);
	pkt->has_context = pkt->header <= 0x86;
	if (pkt->has_context)
		context_info(pkt, in);
}

static void read_long_4(struct cs_packet *pkt, struct input *in)
{
	long_address(pkt, in, 4);
}

static void read_long_8(struct cs_packet *pkt, struct input *in)
{
	long_address(pkt, in, 8);
}

static void read_q(struct cs_packet *pkt, struct input *in)
{
	unsigned type = pkt->header & 15;

	pkt->is = type == 6 || type == 11;
	if (type < 3) {
		pkt->has_address = true;
		pkt->match = (uint8_t)type;
	} else if (type == 5 || type == 6) {
		read_short(pkt, in);
	} else if (type == 10 || type == 11) {
		long_address(pkt, in, 4);
	}
	if (type != 15) {
		pkt->has_count = true;
		pkt->count = read_continued(in, 5);
	}
}

static void read_instrumentation(struct cs_packet *pkt, struct input *in)
{
	pkt->el = byte(in) & 3;
	pkt->time = fixed(in, 8);
}

/* Skips a packet about conditional instructions: only its size matters. */
static void skip_byte(struct cs_packet *pkt, struct input *in)
{
	byte(in);
}

static void skip_field(struct cs_packet *pkt, struct input *in)
{
	read_continued(in, 5);
}

static void skip_result(struct cs_packet *pkt, struct input *in)
{
	read_continued(in, 5);
	if ((pkt->header & 0xfc) != 0x6c)
		read_continued(in, 5);
}

enum needs { ALWAYS, DATA_TRACE, CONDITIONAL, Q_ELEMENTS, NO_ETE };

struct header {
	uint8_t first, last, type;
	void (*read)(struct cs_packet *pkt, struct input *in);	/* reads the bytes after the header; NULL: the packet ends there */
	uint8_t version;	/* the first version of trace units (cs_config.version) that has this header */
	uint8_t needs;		/* enum needs */
};

static const struct header headers[] = {
	{ 0x00, 0x00, CS_ASYNC, read_extension, 0, 0 },
	{ 0x01, 0x01, CS_TRACE_INFO, read_trace_info, 0, 0 },
	{ 0x02, 0x03, CS_TIMESTAMP, read_timestamp, 0, 0 },
	{ 0x04, 0x04, CS_TRACE_ON, NULL, 0, 0 },
	{ 0x06, 0x06, CS_EXCEPTION, read_exception, 0, 0 },
	{ 0x07, 0x07, CS_EXCEPTION_RETURN, NULL, 0, NO_ETE },
	{ 0x09, 0x09, CS_INSTRUMENTATION, read_instrumentation, 0x53, 0 },
	{ 0x0a, 0x0a, CS_TRANS_START, NULL, 0x50, 0 },
	{ 0x0b, 0x0b, CS_TRANS_COMMIT, NULL, 0x50, 0 },
	{ 0x0c, 0x0d, CS_CYCLES_2, read_cycles_2, 0, 0 },
	{ 0x0e, 0x0f, CS_CYCLES_1, read_cycles_1, 0, 0 },
	{ 0x10, 0x1f, CS_CYCLES_3, read_cycles_3, 0, 0 },
	{ 0x20, 0x27, CS_DATA_SYNC, NULL, 0, DATA_TRACE },
	{ 0x28, 0x2c, CS_DATA_SYNC_UNNUMBERED, NULL, 0, DATA_TRACE },
	{ 0x2d, 0x2d, CS_COMMIT, read_commit, 0, 0 },
	{ 0x2e, 0x2e, CS_CANCEL_1, read_cancel_1, 0, 0 },
	{ 0x2f, 0x2f, CS_CANCEL_1_MISPREDICT, read_cancel_1, 0, 0 },
	{ 0x30, 0x33, CS_MISPREDICT, read_mispredict, 0, 0 },
	{ 0x34, 0x37, CS_CANCEL_2, read_cancel_2, 0, 0 },
	{ 0x38, 0x3f, CS_CANCEL_3, read_cancel_3, 0, 0 },
	{ 0x40, 0x42, CS_COND_INSN_2, NULL, 0, CONDITIONAL },
	{ 0x43, 0x43, CS_COND_FLUSH, NULL, 0, CONDITIONAL },
	{ 0x44, 0x46, CS_COND_RESULT_4, NULL, 0, CONDITIONAL },
	{ 0x48, 0x4a, CS_COND_RESULT_2, NULL, 0, CONDITIONAL },
	{ 0x4c, 0x4e, CS_COND_RESULT_2, NULL, 0, CONDITIONAL },
	{ 0x50, 0x5f, CS_COND_RESULT_3, skip_byte, 0, CONDITIONAL },
	{ 0x68, 0x6b, CS_COND_RESULT_1, skip_result, 0, CONDITIONAL },
	{ 0x6c, 0x6c, CS_COND_INSN_1, skip_field, 0, CONDITIONAL },
	{ 0x6d, 0x6d, CS_COND_INSN_3, skip_byte, 0, CONDITIONAL },
	{ 0x6e, 0x6f, CS_COND_RESULT_1, skip_result, 0, CONDITIONAL },
	{ 0x70, 0x70, CS_IGNORE, NULL, 0x43, 0 },
	{ 0x71, 0x7f, CS_EVENT, NULL, 0, 0 },
	{ 0x80, 0x81, CS_CONTEXT, read_context, 0, 0 },
	{ 0x82, 0x83, CS_ADDRESS, read_long_4, 0, 0 },
	{ 0x85, 0x86, CS_ADDRESS, read_long_8, 0, 0 },
	{ 0x88, 0x88, CS_TIMESTAMP_MARKER, NULL, 0x46, 0 },
	{ 0x90, 0x92, CS_ADDRESS_MATCH, read_match, 0, 0 },
	{ 0x95, 0x96, CS_ADDRESS, read_short, 0, 0 },
	{ 0x9a, 0x9b, CS_ADDRESS, read_long_4, 0, 0 },
	{ 0x9d, 0x9e, CS_ADDRESS, read_long_8, 0, 0 },
	{ 0xa0, 0xa2, CS_Q, read_q, 0, Q_ELEMENTS },
	{ 0xa5, 0xa6, CS_Q, read_q, 0, Q_ELEMENTS },
	{ 0xaa, 0xac, CS_Q, read_q, 0, Q_ELEMENTS },
	{ 0xaf, 0xaf, CS_Q, read_q, 0, Q_ELEMENTS },
	{ 0xb0, 0xb2, CS_SOURCE_MATCH, read_match, 0x50, 0 },
	{ 0xb4, 0xb5, CS_SOURCE, read_short, 0x50, 0 },
	{ 0xb6, 0xb7, CS_SOURCE, read_long_4, 0x50, 0 },
	{ 0xb8, 0xb9, CS_SOURCE, read_long_8, 0x50, 0 },
	{ 0xc0, 0xff, CS_ATOM, read_atoms, 0, 0 },
};

/* Returns the row of header @b, or NULL. The rows are in ascending order. */
static const struct header *header_of(uint8_t b)
{
	const struct header *h = &headers[bisect(i, 1, ARRAY_SIZE(headers), headers[i].first <= b) - 1];

	return b <= h->last ? h : NULL;
}

enum cs_packet_type cs_packet_type_of(uint8_t header)
{
	const struct header *h = header_of(header);

	return h ? h->type : CS_RESERVED;
}

static bool has_feature(enum needs needs, const struct cs_config *c)
{
	switch (needs) {
	case DATA_TRACE:
		return c->data;
	case CONDITIONAL:
		return c->conditional;
	case Q_ELEMENTS:
		return c->q;
	case NO_ETE:
		return c->version < 0x50;
	default:
		return true;
	}
}

int cs_packet_read(struct cs_packet *out, const uint8_t *p, size_t n, const struct cs_config *c)
{
	struct input in = { .p = p + 1, .end = p + n, .c = c };
	const struct header *h;

	if (c->v7)
		return v7_packet_read(out, p, n, c);
	if (!n)
		return -ENODATA;
	h = header_of(*p);
	*out = (struct cs_packet){ .type = CS_RESERVED, .header = *p, .size = 1 };
	if (!h || c->version < h->version)
		return -EINVAL;
	if (!has_feature(h->needs, c)) {
		out->type = h->needs == Q_ELEMENTS ? CS_RESERVED : CS_RESERVED_CONFIG;
		return -EINVAL;
	}
	out->type = h->type;
	/* Each kind of address has two headers; the second is for T32 code. */
	out->is = h->last == h->first + 1 && *p == h->last;
	if (h->read)
		h->read(out, &in);
	if (in.cut)
		return -ENODATA;
	if (in.p - p > UINT8_MAX) {
		out->type = CS_BAD;
		return -EINVAL;
	}
	out->size = (uint8_t)(in.p - p);
	return out->type == CS_BAD ? -EINVAL : out->size;
}

size_t cs_packet_sync(const uint8_t *p, size_t from, size_t n, const struct cs_config *c)
{
	static const uint8_t sync[ASYNC_SIZE] = { [ASYNC_SIZE - 1] = 0x80 };
	const uint8_t *at;

	if (c->v7)
		return v7_packet_sync(p, from, n);
	at = from < n ? memmem(p + from, n - from, sync, sizeof(sync)) : NULL;
	return at ? (size_t)(at - p) : n;
}
