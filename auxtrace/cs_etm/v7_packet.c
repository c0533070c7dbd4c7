/* Reads one packet of an ETMv3 or PTM, the trace units of ARMv7 processors. */
#include "auxtrace/cs_etm/v7_packet.h"

#include <errno.h>
#include <string.h>

#include "auxtrace/cs_etm/config.h"
#include "auxtrace/cs_etm/packet_fields.h"
#include "auxtrace/cs_etm/packet_input.h"
#include "core/base/util.h"

#define ASYNC_SIZE	6	/* bytes of the shortest A-sync: five zeros or more, and 0x80 */
#define MOST_ZEROS	64	/* an A-sync with more zeros is damaged */

static void read_async(struct cs_packet *pkt, struct input *in)
{
	unsigned zeros = 1;
	uint8_t b;

	while (!(b = byte(in)) && !in->cut && zeros < MOST_ZEROS)
		zeros++;
	if (!in->cut && (b != 0x80 || zeros < ASYNC_SIZE - 1))
		pkt->type = CS_BAD;
}

static void read_cid(struct cs_packet *pkt, struct input *in)
{
	pkt->has_cid = true;
	pkt->cid = (uint32_t)fixed(in, in->c->cid_bytes);
}

static void read_vmid(struct cs_packet *pkt, struct input *in)
{
	pkt->has_vmid = true;
	pkt->vmid = byte(in);
}

/*
 * Reads a timestamp of up to seven bytes (.wide_time: nine). A byte has seven bits, and its bit 7 says that another byte follows.
 * The seventh byte has six bits (.wide_time: the ninth has eight).
 */
static void read_time(struct cs_packet *pkt, struct input *in)
{
	unsigned most = in->c->wide_time ? 9 : 7, last = in->c->wide_time ? 8 : 6;
	uint8_t b;

	for (unsigned i = 0; i < most; i++) {
		bool full = i + 1 < most;

		b = byte(in);
		pkt->time |= (uint64_t)(full ? b & 0x7f : b & ((1u << last) - 1)) << 7 * i;
		pkt->time_bits += full ? 7 : last;
		if (!(b & 0x80))
			break;
	}
	pkt->gray_bits = in->c->gray_time ? (in->c->wide_time ? 64 : 48) : 0;
}

/* ---- PTM ---- */

/* The first byte @b has four bits of the count, bits 5:2; if its bit 6 is set, bytes with seven bits each follow. */
static void ptm_cycles(struct cs_packet *pkt, struct input *in, uint8_t b)
{
	bool more = b & 0x40;

	pkt->has_cycles = true;
	pkt->cycles = b >> 2 & 15;
	for (unsigned shift = 4; more && shift <= 25; shift += 7) {
		b = byte(in);
		pkt->cycles |= (uint32_t)(b & 0x7f) << shift;
		more = b & 0x80;
	}
}

static void ptm_isync(struct cs_packet *pkt, struct input *in)
{
	uint32_t address = (uint32_t)fixed(in, 4);
	uint8_t info = byte(in);

	pkt->has_address = pkt->context_updated = true;
	pkt->address = address & ~1u;
	pkt->address_bits = 32;
	pkt->reason = info >> 5 & 3;
	pkt->ns = info & 8;
	pkt->hyp = info & 2;
	pkt->isa = !(address & 1) ? V7_ARM : info & 4 ? V7_THUMBEE : V7_THUMB;
	if (pkt->reason != V7_PERIODIC && in->c->cycle_counts)
		ptm_cycles(pkt, in, byte(in));
	if (in->c->cid_bytes)
		read_cid(pkt, in);
}

/*
 * Reads an address of up to five bytes, of which @b is the first. It has address bits 6:1, in its bits 6:1. The others have seven
 * bits each, but with @six, if the last byte is the second to fourth, it has six. .address is as in Thumb state. Returns the last
 * byte; if its bit 7 is set, a fifth byte follows, for fifth_byte().
 */
static uint8_t address_bytes(struct cs_packet *pkt, struct input *in, uint8_t b, bool six)
{
	unsigned bits = 7;

	pkt->has_address = true;
	pkt->address = b & 0x7e;
	for (; b & 0x80 && bits < 28; bits += 7) {
		b = byte(in);
		pkt->address |= (uint64_t)(b & (six && !(b & 0x80) ? 0x3f : 0x7f)) << bits;
	}
	pkt->address_bits = (uint8_t)(bits - (six && bits > 7 && !(b & 0x80)));
	return b;
}

/* Adds the fifth byte of an address, with three to five bits, depending on the instruction set. */
static void fifth_byte(struct cs_packet *pkt, uint8_t b, uint8_t isa)
{
	static const uint8_t bits[] = { [V7_ARM] = 3, [V7_THUMB] = 4, [V7_JAZELLE] = 5 };

	pkt->isa = isa;
	pkt->address |= (uint64_t)(b & ((1u << bits[isa]) - 1)) << 28;
	pkt->address_bits = (uint8_t)(28u + bits[isa]);
}

/* Returns the last byte, whose bit 6 says that more follows; 0: only @b. */
static uint8_t ptm_address(struct cs_packet *pkt, struct input *in, uint8_t b)
{
	b = address_bytes(pkt, in, b, true);
	if (b & 0x80) {
		b = byte(in);
		fifth_byte(pkt, b, b & 0x20 ? V7_JAZELLE : (b & 0x30) == 0x10 ? V7_THUMB : V7_ARM);
	}
	return pkt->address_bits == 7 ? 0 : b;
}

static void ptm_branch(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = ptm_address(pkt, in, pkt->header);

	if (b & 0x40) {
		b = byte(in);
		pkt->has_exception = pkt->context_updated = true;
		pkt->ns = b & 1;
		pkt->exception = b >> 1 & 15;
		if (b & 0x80) {
			b = byte(in);
			pkt->hyp = b & 0x20;
			pkt->exception |= (uint16_t)((b & 0x1f) << 4);
		}
	}
	if (in->c->cycle_counts)
		ptm_cycles(pkt, in, byte(in));
}

static void ptm_waypoint(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = ptm_address(pkt, in, byte(in));

	if (pkt->isa && b & 0x40)
		byte(in);
}

static void ptm_atoms(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = pkt->header;

	if (in->c->cycle_counts) {
		pkt->atoms = 1;
		pkt->taken = !(b & 2);
		ptm_cycles(pkt, in, b);
		return;
	}
	pkt->atoms = b >= 0xc0 ? 5 : b >= 0xa0 ? 4 : b >= 0x90 ? 3 : b & 8 ? 2 : 1;
	/* The newest atom is in bit 1. A clear bit is E. */
	for (unsigned i = 0; i < pkt->atoms; i++)
		pkt->taken |= (uint32_t)!(b >> (pkt->atoms - i) & 1) << i;
}

static void ptm_time(struct cs_packet *pkt, struct input *in)
{
	read_time(pkt, in);
	if (in->c->cycle_counts)
		ptm_cycles(pkt, in, byte(in));
}

/* ---- ETMv3 ---- */

static void v3_cycles(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = 0x80;

	pkt->has_cycles = true;
	for (unsigned i = 0; b & 0x80 && i < 5; i++) {
		b = byte(in);
		pkt->cycles |= (uint32_t)(b & (i < 4 ? 0x7f : 0x0f)) << 7 * i;
	}
}

static void v3_exception(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = byte(in);

	pkt->has_exception = pkt->context_updated = true;
	pkt->ns = b & 1;
	pkt->exception = b >> 1 & 15;
	pkt->cancels = b & 0x20;
	if (!(b & 0x80))
		return;
	b = byte(in);
	if (!(b & 0x40)) {
		pkt->hyp = b & 0x20;
		if (b & 0x80)
			b = byte(in);
	}
}

static uint8_t v3_isa_of_fifth(uint8_t b)
{
	return (b & 0xb8) == 0x08 ? V7_ARM : (b & 0xb0) == 0x10 ? V7_THUMB : (b & 0xa0) == 0x20 ? V7_JAZELLE : V7_SAME_ISA;
}

/* In the alternative encoding, any last byte but the first may announce an exception; else only the fifth. */
static void v3_address(struct cs_packet *pkt, struct input *in, uint8_t b)
{
	bool exception;
	uint8_t isa;

	b = address_bytes(pkt, in, b, in->c->alt_branch);
	exception = in->c->alt_branch && pkt->address_bits > 7 && (b & 0xc0) == 0x40;
	if (b & 0x80) {
		b = byte(in);
		exception = (b & 0xc0) == 0x40;
		isa = b & 0x80 ? V7_ARM : v3_isa_of_fifth(b);
		if (!isa) {
			pkt->type = CS_BAD;
			return;
		}
		if (b & 0x80) {		/* an old form: an exception, of Arm state */
			pkt->has_exception = true;
			pkt->exception = b >> 3 & 7;
			pkt->cancels = b & 0x40;
		}
		fifth_byte(pkt, b, isa);
	}
	if (exception)
		v3_exception(pkt, in);
}

static void v3_branch(struct cs_packet *pkt, struct input *in)
{
	v3_address(pkt, in, pkt->header);
}

static void v3_isync(struct cs_packet *pkt, struct input *in)
{
	uint32_t address;
	uint8_t info;

	if (pkt->header == 0x70)
		v3_cycles(pkt, in);
	if (in->c->cid_bytes)
		read_cid(pkt, in);
	info = byte(in);
	address = (uint32_t)fixed(in, 4);
	pkt->has_address = pkt->context_updated = true;
	pkt->address = address & ~1u;
	pkt->address_bits = 32;
	pkt->reason = info >> 5 & 3;
	pkt->ns = info & 8;
	pkt->hyp = info & 2 && in->c->virt;
	pkt->isa = info & 0x10 ? V7_JAZELLE : !(address & 1) ? V7_ARM : info & 4 && in->c->thumbee ? V7_THUMBEE : V7_THUMB;
	if (info & 0x80) {	/* inside a load or store: the address of the current instruction follows; it is skipped */
		struct cs_packet now = { .type = pkt->type };

		v3_address(&now, in, byte(in));
	}
}

static void v3_atoms_with_cycles(struct cs_packet *pkt, uint8_t b)
{
	unsigned e = b >> 2 & 7, n = b >> 6 & 1;

	pkt->has_cycles = true;
	switch (b & 0xa3) {
	case 0x80:
		pkt->atoms = (uint8_t)(e + n);
		pkt->taken = (1u << e) - 1;
		pkt->cycles = e + n;
		break;
	case 0x82:
		pkt->atoms = b & 0x10 ? 1 : 2;
		pkt->taken = b & 0x10 ? !(b & 4) : (b & 8 ? 0u : 1u) | (b & 4 ? 0u : 2u);
		pkt->cycles = !(b & 0x10);
		break;
	case 0xa0:
		pkt->atoms = (uint8_t)n;
		pkt->taken = n;
		pkt->cycles = e + 1;
		return;
	}
	if (!pkt->atoms)
		pkt->type = CS_RESERVED;
}

static void v3_atoms(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = pkt->header;
	unsigned e = b >> 2 & 15;

	if (in->c->cycle_counts) {
		v3_atoms_with_cycles(pkt, b);
	} else if (b & 2) {
		pkt->atoms = 2;
		pkt->taken = (b & 8 ? 0u : 1u) | (b & 4 ? 0u : 2u);
	} else {
		pkt->atoms = (uint8_t)(e + (b >> 6 & 1));
		pkt->taken = (1u << e) - 1;
	}
}

/* ---- headers ---- */

/* Reads any packet except branches and atoms. */
static const struct row {
	uint8_t header, type;
	void (*ptm)(struct cs_packet *pkt, struct input *in);
	void (*v3)(struct cs_packet *pkt, struct input *in);
	enum { BOTH, PTM_ONLY, V3_ONLY } of;
} rows[] = {
	{ 0x00, CS_ASYNC, read_async, read_async, BOTH },
	{ 0x04, V7_CYCLES, NULL, v3_cycles, V3_ONLY },
	{ 0x08, V7_ISYNC, ptm_isync, v3_isync, BOTH },
	{ 0x0c, V7_TRIGGER, NULL, NULL, BOTH },
	{ 0x3c, V7_VMID, read_vmid, read_vmid, BOTH },
	{ 0x42, CS_TIMESTAMP, ptm_time, read_time, BOTH },
	{ 0x46, CS_TIMESTAMP, ptm_time, read_time, BOTH },
	{ 0x66, CS_IGNORE, NULL, NULL, BOTH },
	{ 0x6e, V7_CONTEXT_ID, read_cid, read_cid, BOTH },
	{ 0x70, V7_ISYNC, NULL, v3_isync, V3_ONLY },
	{ 0x72, V7_WAYPOINT, ptm_waypoint, NULL, PTM_ONLY },
	{ 0x76, CS_EXCEPTION_RETURN, NULL, NULL, BOTH },
	{ 0x7e, V7_EXCEPTION_ENTRY, NULL, NULL, V3_ONLY },
};

static void read_packet(struct cs_packet *pkt, struct input *in)
{
	uint8_t b = pkt->header;
	bool ptm = in->c->v7 == CS_PTM;

	if (b & 1) {
		pkt->type = V7_BRANCH;
		(ptm ? ptm_branch : v3_branch)(pkt, in);
		return;
	}
	if (b & 0x80) {
		pkt->type = CS_ATOM;
		(ptm ? ptm_atoms : v3_atoms)(pkt, in);
		return;
	}
	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++) {
		if (r->header != b || r->of == (ptm ? V3_ONLY : PTM_ONLY))
			continue;
		pkt->type = r->type;
		if (ptm ? r->ptm != NULL : r->v3 != NULL)
			(ptm ? r->ptm : r->v3)(pkt, in);
	}
}

int v7_packet_read(struct cs_packet *out, const uint8_t *p, size_t n, const struct cs_config *c)
{
	struct input in = { .p = p + 1, .end = p + n, .c = c };

	if (!n)
		return -ENODATA;
	*out = (struct cs_packet){ .type = CS_RESERVED, .header = *p, .size = 1, .v7 = true };
	read_packet(out, &in);
	if (in.cut)
		return -ENODATA;
	out->size = (uint8_t)(in.p - p);
	return out->type == CS_BAD || out->type == CS_RESERVED ? -EINVAL : out->size;
}

size_t v7_packet_sync(const uint8_t *p, size_t from, size_t n)
{
	static const uint8_t sync[ASYNC_SIZE] = { [ASYNC_SIZE - 1] = 0x80 };
	const uint8_t *at = from < n ? memmem(p + from, n - from, sync, sizeof(sync)) : NULL;

	return at ? (size_t)(at - p) : n;
}
