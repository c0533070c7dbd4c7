/* Prints Intel PT packets for prec script -D, in the wording and format of perf script -D. */
#include "auxtrace/intel_pt/packet.h"

#include <string.h>

#include "core/base/buf.h"

static const char *const names[PT_NR_TYPES] = {
	[PT_PAD] = "PAD", [PT_TNT] = "TNT", [PT_TIP] = "TIP", [PT_TIP_PGE] = "TIP.PGE", [PT_TIP_PGD] = "TIP.PGD",
	[PT_FUP] = "FUP", [PT_MODE_EXEC] = "MODE.Exec", [PT_MODE_TSX] = "MODE.TSX", [PT_PIP] = "PIP",
	[PT_VMCS] = "VMCS", [PT_TSC] = "TSC", [PT_MTC] = "MTC", [PT_TMA] = "TMA", [PT_CYC] = "CYC", [PT_CBR] = "CBR",
	[PT_OVF] = "OVF", [PT_STOP] = "TraceSTOP", [PT_PSB] = "PSB", [PT_PSBEND] = "PSBEND", [PT_MNT] = "MNT",
	[PT_PTW] = "PTWRITE", [PT_MWAIT] = "MWAIT", [PT_PWRE] = "PWRE", [PT_EXSTOP] = "EXSTOP", [PT_PWRX] = "PWRX",
	[PT_BBP] = "BBP", [PT_BIP] = "BIP", [PT_BEP] = "BEP", [PT_CFE] = "CFE", [PT_EVD] = "EVD", [PT_TRIG] = "TRIG",
};

static void print_tnt(struct buf *out, const struct pt_packet *p)
{
	char *text = buf_room(out, 1 + 64 + 2);

	*text++ = ' ';
	for (unsigned i = 0; i < p->count; i++)
		*text++ = p->value << i >> 63 ? 'T' : 'N';
	*text++ = ' ';
	*text++ = '(';
	out->len = (size_t)(text - out->data);
	buf_dec(out, p->count, 0);
	buf_putc(out, ')');
}

static void put_value(struct buf *out, uint64_t v)
{
	buf_put(out, " 0x", 3);
	buf_hex(out, v, 0);
}

static void print_power(struct buf *out, const struct pt_packet *p)
{
	unsigned long long v = p->value;

	switch (p->type) {
	case PT_MWAIT:
		buf_printf(out, " 0x%llx Hints 0x%llx Extensions 0x%llx", v, v & 0xff, v >> 32 & 3);
		break;
	case PT_PWRE:
		buf_printf(out, " 0x%llx HW:%llu CState:%llu Sub-CState:%llu", v, v >> 7 & 1, v >> 12 & 15, v >> 8 & 15);
		break;
	case PT_PWRX:
		buf_printf(out, " 0x%llx Last CState:%llu Deepest CState:%llu Wake Reason 0x%llx", v, v >> 4 & 15, v & 15,
			   v >> 8 & 15);
		break;
	}
}

static void print_trig(struct buf *out, const struct pt_packet *p)
{
	buf_printf(out, " IP:%d TRBV 0x%x", p->flag, (unsigned)(p->value & 0xff));
	if (p->value >> 32 & 1)
		buf_printf(out, " ICNT %u", (unsigned)(p->value >> 16 & 0xffff));
	if (p->value >> 33 & 1)
		buf_puts(out, " MULT");
}

void pt_packet_print(struct buf *out, const struct pt_packet *p)
{
	unsigned long long v = p->value;

	buf_puts(out, names[p->type]);
	switch (p->type) {
	case PT_TNT:
		print_tnt(out, p);
		break;
	case PT_TIP: case PT_TIP_PGE: case PT_TIP_PGD: case PT_FUP:
		if (!p->count)
			buf_puts(out, " no ip");
		else
			put_value(out, v);
		break;
	case PT_MODE_EXEC:
		buf_printf(out, " IF:%d %u", p->flag, p->count);
		break;
	case PT_MODE_TSX:
		buf_printf(out, " TXAbort:%d InTX:%d", (int)(v >> 1 & 1), (int)(v & 1));
		break;
	case PT_PIP:
		buf_printf(out, " 0x%llx (NR=%d)", v, p->flag);
		break;
	case PT_VMCS: case PT_TSC: case PT_MTC: case PT_CYC: case PT_CBR: case PT_MNT:
		put_value(out, v);
		break;
	case PT_TMA:
		buf_printf(out, " CTC 0x%llx FC 0x%x", v, p->count);
		break;
	case PT_PTW:
		buf_printf(out, " 0x%llx IP:%d", v, p->flag);
		break;
	case PT_EXSTOP: case PT_BEP:
		buf_printf(out, " IP:%d", p->flag);
		break;
	case PT_MWAIT: case PT_PWRE: case PT_PWRX:
		print_power(out, p);
		break;
	case PT_BBP:
		buf_printf(out, " SZ %u-byte Type 0x%llx", p->count, v);
		break;
	case PT_BIP:
		buf_printf(out, " ID 0x%02x Value 0x%llx", p->count, v);
		break;
	case PT_CFE:
		buf_printf(out, " IP:%d Type 0x%02x Vector 0x%llx", p->flag, p->count, v);
		break;
	case PT_EVD:
		buf_printf(out, " Type 0x%02x Payload 0x%llx", p->count, v);
		break;
	case PT_TRIG:
		print_trig(out, p);
		break;
	}
}

static void dump_bytes(struct buf *out, const uint8_t *p, size_t at, size_t n)
{
	static const char digits[16] = "0123456789abcdef";
	char *text;

	buf_puts(out, ".  ");
	buf_hex0(out, at, 8);
	text = buf_room(out, 2 + 3 * PT_PSB_SIZE + 1);
	memset(text, ' ', 2 + 3 * PT_PSB_SIZE + 1);
	out->len += 2 + 3 * PT_PSB_SIZE + 1;
	*text = ':';
	for (text += 3; n; n--, p++, text += 3) {
		text[0] = digits[*p >> 4];
		text[1] = digits[*p & 15];
	}
}

/* The padding after a packet is shown with it, up to 8 bytes in all. */
static size_t with_padding(const uint8_t *p, size_t left, size_t size)
{
	while (size < 8 && size < left && !p[size])
		size++;
	return size;
}

size_t pt_dump(struct buf *out, const uint8_t *data, size_t size, size_t at, size_t enough)
{
	size_t begin = out->len, n;
	struct pt_packet p;
	unsigned item_size = 0;
	int got;

	for (; at < size && (item_size || out->len - begin < enough); at += n) {
		got = pt_packet_read(&p, data + at, size - at, item_size);
		n = got > 0 ? with_padding(data + at, size - at, got) : 1;
		dump_bytes(out, data + at, at, n);
		if (got <= 0) {
			buf_puts(out, "Bad packet!\n");
			continue;
		}
		if (p.type == PT_BBP)
			item_size = p.count;
		else if (p.type == PT_BEP || p.type == PT_PSB || p.type == PT_OVF)
			item_size = 0;
		pt_packet_print(out, &p);
		buf_putc(out, '\n');
	}
	return at;
}
