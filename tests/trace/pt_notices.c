/* See pt_notices.h. Source: Intel SDM vol. 3, "Intel Processor Trace", section "Packet Definitions". */
#include "tests/trace/pt_notices.h"

#include <inttypes.h>

#include "tests/trace/pt_encode.h"

static void ptwrite4(struct pt_encoder *e, uint64_t ip)
{
	pt_encode_bytes(e, 0x9202, 2);
	pt_encode_bytes(e, pt_encode_random(e, 0x7fffffff), 4);
	pt_encode_fup(e, ip);
}

static void ptwrite8(struct pt_encoder *e, uint64_t ip)
{
	pt_encode_bytes(e, 0xb202, 2);
	pt_encode_bytes(e, (uint64_t)pt_encode_random(e, 0x7fffffff) << 33 | pt_encode_random(e, 0x7fffffff), 8);
	pt_encode_fup(e, ip);
}

/* MWAIT, the state that it led to, its end at @ip, and what woke the processor. */
static void power(struct pt_encoder *e, uint64_t ip)
{
	pt_encode_bytes(e, 0xc202, 2), pt_encode_bytes(e, 0x50 | 1ull << 32, 8);
	pt_encode_bytes(e, 0x2202, 2), pt_encode_bytes(e, 0x6000 | pt_encode_random(e, 2) << 7, 2);
	pt_encode_bytes(e, 0xe202, 2), pt_encode_fup(e, ip);
	pt_encode_bytes(e, 0xa202, 2), pt_encode_bytes(e, 0x166, 5);
}

/* A state that the hardware chose. */
static void stopped(struct pt_encoder *e, uint64_t ip)
{
	(void)ip;
	pt_encode_bytes(e, 0x2202, 2), pt_encode_bytes(e, 0x2080, 2);
	pt_encode_bytes(e, 0x6202, 2);
	pt_encode_bytes(e, 0xa202, 2), pt_encode_bytes(e, 0x444, 5);
}

static void frequency(struct pt_encoder *e, uint64_t ip)
{
	(void)ip;
	pt_encode_bytes(e, 0x0302, 2), pt_encode_bytes(e, 10 + pt_encode_random(e, 30), 1), pt_encode_bytes(e, 0, 1);
}

/* A transaction begins, or ends, or is aborted (to where it was). */
static void transaction(struct pt_encoder *e, uint64_t ip)
{
	bool abort = e->in_tx && !pt_encode_random(e, 2);

	e->in_tx = !e->in_tx;
	pt_encode_bytes(e, 0x99, 1), pt_encode_bytes(e, 0x20 | (abort ? 2 : 0) | e->in_tx, 1);
	pt_encode_fup(e, ip);
	if (abort)
		pt_encode_indirect(e, ip);
}

void pt_notices_interrupt(struct pt_encoder *e, struct buf *truth, uint64_t ip)
{
	unsigned vector = 0x20 + pt_encode_random(e, 200);
	bool data = !pt_encode_random(e, 2);

	pt_encode_cyc(e);
	if (data)
		pt_encode_bytes(e, 0x5302, 2), pt_encode_bytes(e, 0, 1), pt_encode_bytes(e, 0x1234500000 + ip, 8);
	pt_encode_bytes(e, 0x1302, 2), pt_encode_bytes(e, 0x81, 1), pt_encode_bytes(e, vector, 1);
	buf_printf(truth, "cfe: INTR IP: 1 vector: %u", vector);
	if (data)
		buf_printf(truth, " PFA: %#" PRIx64, 0x1234500000 + ip);
	buf_printf(truth, " %" PRIx64 "\n", ip);
	pt_encode_interrupt(e, ip);
	e->interrupts = pt_encode_random(e, 2);
	pt_encode_enter(e, ip);
}

/* As STI and CLI do; */
static void interrupt_flag(struct pt_encoder *e, uint64_t ip)
{
	e->interrupts = !e->interrupts;
	pt_encode_mode(e);
	pt_encode_fup(e, ip);
}

void pt_notices_write(struct pt_encoder *e, uint64_t ip)
{
	static void (*const kinds[])(struct pt_encoder *, uint64_t) = {
		ptwrite4, ptwrite8, power, stopped, frequency, transaction, transaction, interrupt_flag,
	};

	kinds[pt_encode_random(e, sizeof(kinds) / sizeof(kinds[0]))](e, ip);
}
