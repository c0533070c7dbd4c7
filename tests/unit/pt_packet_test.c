/* Packets of Intel PT: bytes to fields to text, cut at every place, IP compression. */
#include "auxtrace/intel_pt/packet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"

static unsigned failures;

struct example {
	const char *bytes;	/* hexadecimal */
	const char *text;	/* as perf script -D prints it; NULL: no packet */
	unsigned item_size;
};

/* Bytes as the SDM's packet definitions draw them. */
static const struct example examples[] = {
	{ "00", "PAD", 0 },
	{ "04", "TNT N (1)", 0 },
	{ "06", "TNT T (1)", 0 },
	{ "a2", "TNT NTNNNT (6)", 0 },
	{ "02a3110080000000", "TNT NNNNNNNNNNNNNNNNNNTNNNT (23)", 0 },
	{ "02a3ff629152caf9", "TNT TTTTNNTTTNNTNTNNTNTNNTNTNNTNNNTNTTNNNTNTTTTTTTT (47)", 0 },
	{ "0d", "TIP no ip", 0 },
	{ "2d3412", "TIP 0x1234", 0 },
	{ "4d78563412", "TIP 0x12345678", 0 },
	{ "6d665544332211", "TIP 0x112233445566", 0 },
	{ "8d665544332211", "TIP 0x112233445566", 0 },
	{ "cd8877665544332211", "TIP 0x1122334455667788", 0 },
	{ "313412", "TIP.PGE 0x1234", 0 },
	{ "213412", "TIP.PGD 0x1234", 0 },
	{ "01", "TIP.PGD no ip", 0 },
	{ "3d3412", "FUP 0x1234", 0 },
	{ "9900", "MODE.Exec IF:0 16", 0 },
	{ "9901", "MODE.Exec IF:0 64", 0 },
	{ "9906", "MODE.Exec IF:1 32", 0 },
	{ "9922", "MODE.TSX TXAbort:1 InTX:0", 0 },
	{ "0243000a00000000", "PIP 0x500 (NR=0)", 0 },
	{ "0243010a00000000", "PIP 0x500 (NR=1)", 0 },
	{ "02c8dcdc0c0000", "VMCS 0xcdcdc", 0 },
	{ "1901020304050607", "TSC 0x7060504030201", 0 },
	{ "590d", "MTC 0xd", 0 },
	{ "02736118002c01", "TMA CTC 0x1861 FC 0x12c", 0 },
	{ "1b", "CYC 0x3", 0 },
	{ "9f0c", "CYC 0xd3", 0 },
	{ "ffffff02", "CYC 0xfffff", 0 },
	{ "02031400", "CBR 0x14", 0 },
	{ "02f3", "OVF", 0 },
	{ "0283", "TraceSTOP", 0 },
	{ "02820282028202820282028202820282", "PSB", 0 },
	{ "0223", "PSBEND", 0 },
	{ "02c38800a0000000000000", "MNT 0xa000", 0 },
	{ "021244332211", "PTWRITE 0x11223344 IP:0", 0 },
	{ "02b28877665544332211", "PTWRITE 0x1122334455667788 IP:1", 0 },
	{ "02c21100000003000000", "MWAIT 0x300000011 Hints 0x11 Extensions 0x3", 0 },
	{ "02228021", "PWRE 0x2180 HW:1 CState:2 Sub-CState:1", 0 },
	{ "0262", "EXSTOP IP:0", 0 },
	{ "02e2", "EXSTOP IP:1", 0 },
	{ "02a22101000000", "PWRX 0x121 Last CState:2 Deepest CState:1 Wake Reason 0x1", 0 },
	{ "026304", "BBP SZ 8-byte Type 0x4", 0 },
	{ "026381", "BBP SZ 4-byte Type 0x1", 0 },
	{ "1444332211", "BIP ID 0x02 Value 0x11223344", 4 },
	{ "0c8877665544332211", "BIP ID 0x01 Value 0x1122334455667788", 8 },
	{ "0c", "TNT TN (2)", 0 },
	{ "0233", "BEP IP:0", 0 },
	{ "02b3", "BEP IP:1", 0 },
	{ "0213810e", "CFE IP:1 Type 0x01 Vector 0xe", 0 },
	{ "025300aa0bf00000000000", "EVD Type 0x00 Payload 0xf00baa", 0 },
	{ "d9c0a10200", "TRIG IP:1 TRBV 0xa1 ICNT 2", 0 },
	{ "d960a10200", "TRIG IP:0 TRBV 0xa1 ICNT 2 MULT", 0 },
	{ "d980a1", "TRIG IP:1 TRBV 0xa1", 0 },
	{ "d92003", "TRIG IP:0 TRBV 0x3 MULT", 0 },
	{ "05", NULL, 0 },			/* no such header */
	{ "ad0000", NULL, 0 },			/* reserved IPBytes 5 */
	{ "9903", NULL, 0 },			/* CS.L and CS.D */
	{ "9940", NULL, 0 },			/* reserved MODE leaf */
	{ "0244", NULL, 0 },
	{ "02c387", NULL, 0 },
	{ "0282028303", NULL, 0 },		/* not quite a PSB */
	{ "02a3000000000000", NULL, 0 },	/* no stop bit */
};

static size_t from_hex(uint8_t *out, const char *hex)
{
	size_t n = 0;
	unsigned byte;

	for (; *hex; hex += 2) {
		while (*hex == ' ')
			hex++;
		sscanf(hex, "%2x", &byte);
		out[n++] = byte;
	}
	return n;
}

static void check(bool ok, const char *what, const char *detail)
{
	if (ok)
		return;
	failures++;
	printf("failed: %s: %s\n", what, detail);
}

static void check_good(const struct example *e)
{
	uint8_t bytes[32];
	size_t n = from_hex(bytes, e->bytes);
	struct pt_packet p;
	struct buf text = { 0 };
	int got = pt_packet_read(&p, bytes, n, e->item_size);

	check(got == (int)n && p.size == n, e->bytes, "size");
	if (got > 0) {
		pt_packet_print(&text, &p);
		check(str_eq(buf_str(&text), e->text), e->bytes, buf_str(&text));
	}
	for (size_t cut = 0; cut < n; cut++)
		check(pt_packet_read(&p, bytes, cut, e->item_size) == -ERANGE, e->bytes, "cut, but not -ERANGE");
	buf_release(&text);
}

static void check_bad(const struct example *e)
{
	uint8_t bytes[32] = { 0 };
	struct pt_packet p;

	from_hex(bytes, e->bytes);
	check(pt_packet_read(&p, bytes, sizeof(bytes), 0) == -EINVAL, e->bytes, "not refused");
}

/* SDM, table of FUP/TIP IP reconstruction. */
static void check_ip(unsigned count, uint64_t value, uint64_t last, uint64_t want)
{
	struct pt_ip ip = { last, true };
	struct pt_packet p = { .type = PT_TIP, .count = count, .value = value };
	uint64_t out = 0;
	char name[32];

	snprintf(name, sizeof(name), "IPBytes %u", count);
	check(pt_ip_update(&ip, &p, &out) == 1 && out == want && ip.last == want, "ip", name);
}

static void check_ips(void)
{
	const uint64_t last = 0x1122334455667788;
	struct pt_ip unknown = { 0 };
	struct pt_packet p = { .type = PT_FUP, .count = 1 };
	uint64_t out;

	check_ip(1, 0xaaaa, last, 0x112233445566aaaa);
	check_ip(2, 0xaaaabbbb, last, 0x11223344aaaabbbb);
	check_ip(3, 0x7fff00001111, last, 0x7fff00001111);
	check_ip(3, 0x800000001111, last, 0xffff800000001111);
	check_ip(4, 0x800000001111, last, 0x1122800000001111);
	check_ip(6, 0xaaaabbbbccccdddd, last, 0xaaaabbbbccccdddd);
	check(pt_ip_update(&unknown, &p, &out) == -EINVAL, "ip", "part of an unknown one");
	p.count = 0;
	check(pt_ip_update(&unknown, &p, &out) == 0, "ip", "none");
}

static void check_psb_search(void)
{
	uint8_t data[64] = { 0 };

	for (int i = 0; i < PT_PSB_SIZE; i += 2) {
		data[20 + i] = 0x02;
		data[21 + i] = 0x82;
	}
	check(pt_find_psb(data, sizeof(data), 0) == 20, "psb", "found");
	check(pt_find_psb(data, sizeof(data), 21) == sizeof(data), "psb", "none behind it");
	check(pt_find_psb(data, 35, 0) == 35, "psb", "cut");
	check(pt_find_psb(data, sizeof(data), 100) == sizeof(data), "psb", "from behind the end");
}

/* Padding is shown with the packet before it; what is no packet byte by byte. */
static void check_dump(void)
{
	static const uint8_t data[] = { 0x59, 0x0d, 0, 0, 0x05, 0x06 };
	struct buf text = { 0 };
	char want[512];

	snprintf(want, sizeof(want), ".  00000000:  %-48sMTC 0xd\n.  00000004:  %-48sBad packet!\n.  00000005:  %-48sTNT T (1)\n",
		 "59 0d 00 00", "05", "06");
	pt_dump(&text, data, sizeof(data), 0, SIZE_MAX);
	check(str_eq(buf_str(&text), want), "dump", buf_str(&text));
	buf_release(&text);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		if (examples[i].text)
			check_good(&examples[i]);
		else
			check_bad(&examples[i]);
	}
	check_ips();
	check_psb_search();
	check_dump();
	return failures ? 1 : 0;
}
