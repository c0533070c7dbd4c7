/*
 * Reads and prints the packets of Intel Processor Trace. flow.h follows the traced program by these packets.
 * Source: Intel SDM vol. 3, "Intel Processor Trace", section "Packet Definitions"; for TRIG packets, Intel's ISE reference.
 */
#ifndef AUXTRACE_INTEL_PT_PACKET_H
#define AUXTRACE_INTEL_PT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum pt_type {
	PT_PAD,
	PT_TNT,		/* value: the bits, oldest in bit 63; count */
	PT_TIP,		/* value, count: see pt_ip_update(); the four kinds alike */
	PT_TIP_PGE,
	PT_TIP_PGD,
	PT_FUP,
	PT_MODE_EXEC,	/* count: 16, 32, 64; flag: interrupts are enabled */
	PT_MODE_TSX,	/* value: bit 0 InTX, bit 1 TXAbort */
	PT_PIP,		/* value: CR3 >> 5; flag: NR (VMX non-root) */
	PT_VMCS,	/* value: base >> 12 */
	PT_TSC,		/* value: the low 56 bits */
	PT_MTC,		/* value: 8 bits of CTC */
	PT_TMA,		/* value: CTC; count: FC */
	PT_CYC,		/* value: core cycles since the last CYC */
	PT_CBR,		/* value: core to bus ratio */
	PT_OVF,
	PT_STOP,
	PT_PSB,
	PT_PSBEND,
	PT_MNT,		/* value */
	PT_PTW,		/* value; count: its bytes, 4 or 8; flag: a FUP with the ip follows */
	PT_MWAIT,	/* value: bits 0-7 hints, 32-33 extensions */
	PT_PWRE,	/* value: bit 7 HW, 8-11 sub C-state, 12-15 C-state */
	PT_EXSTOP,	/* flag: a FUP follows */
	PT_PWRX,	/* value: bits 0-3 deepest, 4-7 last core C-state, 8-11 wake reason */
	PT_BBP,		/* count: bytes of the items, 4 or 8; value: type; flag: no block is open, set by the reader's caller */
	PT_BIP,		/* count: id; value */
	PT_BEP,		/* flag: a FUP follows */
	PT_CFE,		/* count: type; value: vector; flag: a FUP follows */
	PT_EVD,		/* count: type; value */
	PT_TRIG,	/* value: bits 0-7 TRBV, 16-31 ICNT, 32 ICNT is valid, 33 MULT; flag: a FUP follows */
	PT_NR_TYPES,
};

struct pt_packet {
	uint8_t type;		/* enum pt_type */
	uint8_t size;		/* bytes */
	bool flag;
	uint16_t count;
	uint64_t value;
};

#define PT_PSB_SIZE 16

/*
 * Reads the packet at @p, without state from earlier packets; @n bytes are available. But the type of some bytes depends on earlier
 * packets: in a block (from a BBP to a BEP packet) they begin a BIP packet, elsewhere they are a TNT packet. @item_size: the size
 * of the values in the block, 4 or 8; 0 outside of a block. Returns the packet's size; -EINVAL if the bytes are not a packet,
 * -ERANGE if the data end inside it.
 */
int pt_packet_read(struct pt_packet *out, const uint8_t *p, size_t n, unsigned item_size);

/* Returns the offset of the first PSB at or after @from in @data, or @size. The last of overlapping PSBs counts. */
size_t pt_find_psb(const uint8_t *data, size_t size, size_t from);

/* IP compression (SDM table "FUP/TIP IP Reconstruction"): count is the IPBytes field, value the payload. */
struct pt_ip {
	uint64_t last;
	bool known;		/* there was a full address since the last PSB */
};

/*
 * Decodes the address of a TIP, TIP.PGE, TIP.PGD or FUP packet. Returns 1 with @out set, 0 if the packet has
 * none, -EINVAL if it depends on an address that is not known.
 */
int pt_ip_update(struct pt_ip *ip, const struct pt_packet *p, uint64_t *out);

/* Append the packet as text: "FUP 0x582e". */
void pt_packet_print(struct buf *out, const struct pt_packet *p);

/*
 * Appends a line for each packet of @data from @at on: offset, bytes, text; invalid bytes take a line each. Stops after about
 * @enough bytes of text. Returns the offset for the next call; @size: the end.
 */
size_t pt_dump(struct buf *out, const uint8_t *data, size_t size, size_t at, size_t enough);

#endif
