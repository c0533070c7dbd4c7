/*
 * Reads one Intel PT packet, whose type is in its first byte or its first two bytes. flow.c reads the packets of a trace with it,
 * and packet_print.c prints them.
 */
#include "auxtrace/intel_pt/packet.h"

#include <errno.h>
#include <string.h>

static const uint8_t psb[PT_PSB_SIZE] = { 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82 };

/* Returns the number in @n bytes (at most 8), the lowest first. */
static uint64_t number(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Reads the TNT bits below the stop bit, and moves the oldest to bit 63. */
static int tnt(struct pt_packet *out, uint64_t bits, int size)
{
	unsigned stop;

	if (!bits)
		return -EINVAL;
	stop = 63 - __builtin_clzll(bits);
	out->type = PT_TNT;
	out->count = stop;
	out->value = stop ? bits << (64 - stop) : 0;
	return size;
}

static int tip(struct pt_packet *out, enum pt_type type, const uint8_t *p, size_t n)
{
	static const uint8_t sizes[8] = { 0, 2, 4, 6, 6, 0xff, 8, 0xff };
	unsigned size = sizes[p[0] >> 5];

	if (size == 0xff)
		return -EINVAL;
	if (n < 1 + size)
		return -ERANGE;
	out->type = type;
	out->count = p[0] >> 5;
	out->value = number(p + 1, size);
	return 1 + size;
}

/* Reads a CYC: five bits in the first byte; if a byte's continuation bit is set, a byte with seven more bits follows. */
static int cyc(struct pt_packet *out, const uint8_t *p, size_t n)
{
	unsigned shift = 5, at = 1;
	bool more = p[0] & 4;

	out->type = PT_CYC;
	for (out->value = p[0] >> 3; more; shift += 7) {
		if (at == n)
			return -ERANGE;
		if (shift >= 64)
			return -EINVAL;
		more = p[at] & 1;
		out->value |= (uint64_t)(p[at++] >> 1) << shift;
	}
	return at;
}

static int mode(struct pt_packet *out, uint8_t payload)
{
	static const uint8_t bits[4] = { 16, 64, 32, 0 };	/* by CS.L and CS.D */

	switch (payload >> 5) {
	case 0:
		out->type = PT_MODE_EXEC;
		out->count = bits[payload & 3];
		out->flag = payload & 4;
		return out->count ? 2 : -EINVAL;
	case 1:
		out->type = PT_MODE_TSX;
		out->value = payload & 3;
		return 2;
	}
	return -EINVAL;
}

static int read_psb(struct pt_packet *out, const uint8_t *p, size_t n)
{
	if (memcmp(p, psb, n < PT_PSB_SIZE ? n : PT_PSB_SIZE))
		return -EINVAL;
	out->type = PT_PSB;
	return n < PT_PSB_SIZE ? -ERANGE : PT_PSB_SIZE;
}

/* Packets that begin with 02: type and size by the second byte. With the size, one check for the end of the data is enough. */
static const struct extended {
	uint8_t type, size, payload;	/* payload: bytes of value from the third byte on */
	bool flag;
} extended[256] = {
	[0x03] = { PT_CBR, 4, 1, false }, [0x43] = { PT_PIP, 8, 6, false }, [0xc8] = { PT_VMCS, 7, 5, false },
	[0x73] = { PT_TMA, 7, 2, false }, [0xf3] = { PT_OVF, 2, 0, false }, [0x83] = { PT_STOP, 2, 0, false },
	[0x23] = { PT_PSBEND, 2, 0, false }, [0xa3] = { PT_TNT, 8, 6, false }, [0x82] = { PT_PSB, 2, 0, false },
	[0xc3] = { PT_MNT, 11, 0, false }, [0xc2] = { PT_MWAIT, 10, 8, false }, [0x22] = { PT_PWRE, 4, 2, false },
	[0xa2] = { PT_PWRX, 7, 5, false }, [0x62] = { PT_EXSTOP, 2, 0, false }, [0xe2] = { PT_EXSTOP, 2, 0, true },
	[0x12] = { PT_PTW, 6, 4, false }, [0x32] = { PT_PTW, 10, 8, false }, [0x92] = { PT_PTW, 6, 4, true },
	[0xb2] = { PT_PTW, 10, 8, true }, [0x63] = { PT_BBP, 3, 1, false }, [0x33] = { PT_BEP, 2, 0, false },
	[0xb3] = { PT_BEP, 2, 0, true }, [0x13] = { PT_CFE, 4, 2, false }, [0x53] = { PT_EVD, 11, 0, false },
};

static int read_extended(struct pt_packet *out, const uint8_t *p, size_t n)
{
	const struct extended *e;

	if (n < 2)
		return -ERANGE;
	e = &extended[p[1]];
	if (!e->size)
		return -EINVAL;
	if (n < e->size)
		return p[1] == 0xc3 && n > 2 && p[2] != 0x88 ? -EINVAL : -ERANGE;
	out->type = e->type;
	out->flag = e->flag;
	out->value = number(p + 2, e->payload);
	switch (e->type) {
	case PT_PSB:
		return read_psb(out, p, n);
	case PT_TNT:
		return tnt(out, out->value, e->size);
	case PT_PIP:
		out->flag = out->value & 1;
		out->value >>= 1;
		break;
	case PT_TMA:
		out->count = number(p + 5, 2) & 0x1ff;
		break;
	case PT_MNT:
		if (p[2] != 0x88)
			return -EINVAL;
		out->value = number(p + 3, 8);
		break;
	case PT_PTW:
		out->count = e->payload;
		break;
	case PT_BBP:
		out->count = out->value & 0x80 ? 4 : 8;
		out->value &= 0x1f;
		break;
	case PT_CFE:
		out->flag = out->value & 0x80;
		out->count = out->value & 0x1f;
		out->value >>= 8;
		break;
	case PT_EVD:
		out->count = p[2] & 0x3f;
		out->value = number(p + 3, 8);
		break;
	}
	return e->size;
}

static int fixed(struct pt_packet *out, enum pt_type type, const uint8_t *p, size_t n, unsigned payload)
{
	if (n < 1 + payload)
		return -ERANGE;
	out->type = type;
	out->value = number(p + 1, payload);
	return 1 + payload;
}

/* Byte 1: bit 7 is IP, bit 6 ICNTV (ICNT is present), bit 5 MULT. Byte 2: TRBV. With ICNTV, bytes 3 and 4: ICNT. */
static int trig(struct pt_packet *out, const uint8_t *p, size_t n)
{
	bool counts = n >= 2 && p[1] & 0x40;
	int size = counts ? 5 : 3;

	if (n < (size_t)size)
		return -ERANGE;
	out->type = PT_TRIG;
	out->flag = p[1] & 0x80;
	out->value = p[2] | (uint64_t)(p[1] >> 5 & 1) << 33;
	if (counts)
		out->value |= (uint64_t)number(p + 3, 2) << 16 | 1ull << 32;
	return size;
}

static int bip(struct pt_packet *out, const uint8_t *p, size_t n, unsigned item_size)
{
	int size = fixed(out, PT_BIP, p, n, item_size);

	out->count = p[0] >> 3;
	return size;
}

/* The first byte gives the packet's type. If it is 02, the second byte gives the type. */
static int read_packet(struct pt_packet *out, const uint8_t *p, size_t n, unsigned item_size)
{
	uint8_t b = p[0];

	if (item_size && (b & 7) == 4)
		return bip(out, p, n, item_size);
	if (!b)
		return 1;
	if (b == 2)
		return read_extended(out, p, n);
	if (!(b & 1))
		return tnt(out, b >> 1, 1);
	if ((b & 3) == 3)
		return cyc(out, p, n);
	switch (b & 0x1f) {
	case 0x0d: return tip(out, PT_TIP, p, n);
	case 0x11: return tip(out, PT_TIP_PGE, p, n);
	case 0x01: return tip(out, PT_TIP_PGD, p, n);
	case 0x1d: return tip(out, PT_FUP, p, n);
	}
	switch (b) {
	case 0x19: return fixed(out, PT_TSC, p, n, 7);
	case 0x59: return fixed(out, PT_MTC, p, n, 1);
	case 0x99: return n < 2 ? -ERANGE : mode(out, p[1]);
	case 0xd9: return trig(out, p, n);
	}
	return -EINVAL;
}

int pt_packet_read(struct pt_packet *out, const uint8_t *p, size_t n, unsigned item_size)
{
	int size;

	if (!n)
		return -ERANGE;
	*out = (struct pt_packet){ .type = PT_PAD };
	size = read_packet(out, p, n, item_size);
	if (size > 0)
		out->size = size;
	return size;
}

size_t pt_find_psb(const uint8_t *data, size_t size, size_t from)
{
	const uint8_t *p;

	if (from >= size)
		return size;
	p = memmem(data + from, size - from, psb, PT_PSB_SIZE);
	if (!p)
		return size;
	/* The bytes before one may look like its beginning. */
	while (data + size - p >= PT_PSB_SIZE + 2 && !memcmp(p + 2, psb, PT_PSB_SIZE))
		p += 2;
	return (size_t)(p - data);
}

int pt_ip_update(struct pt_ip *ip, const struct pt_packet *p, uint64_t *out)
{
	static const uint8_t kept_bits[8] = { 0, 16, 32, 0, 48, 0, 0, 0 };
	unsigned bits = kept_bits[p->count & 7];

	if (!p->count)
		return 0;
	if (bits && !ip->known)
		return -EINVAL;
	if (p->count == 3)	/* sign-extended from bit 47 */
		ip->last = (uint64_t)((int64_t)(p->value << 16) >> 16);
	else
		ip->last = bits ? ip->last >> bits << bits | p->value : p->value;
	ip->known = true;
	*out = ip->last;
	return 1;
}
