/* Timing packets to TSC ticks, checked against times worked out by hand. */
#include "auxtrace/intel_pt/time.h"

#include <stdio.h>

#include "auxtrace/intel_pt/packet.h"

static unsigned failures;

static void check_at(struct pt_time *t, uint64_t want, int line)
{
	if (t->tsc == want)
		return;
	failures++;
	printf("line %d: want TSC %lu, got %lu\n", line, (long)want, (long)t->tsc);
}

#define check(t, want) check_at(t, want, __LINE__)

static void packet(struct pt_time *t, enum pt_type type, uint64_t value, unsigned count)
{
	struct pt_packet p = { .type = type, .value = value, .count = count };

	pt_time_packet(t, &p);
}

/* 10 TSC ticks a CTC tick, an MTC each 8 of these, 20 TSC ticks to 40 cycles of the core at ratio 40. */
static struct pt_time start(void)
{
	static const struct pt_time_config config = {
		.tsc_ctc_num = 10, .tsc_ctc_den = 1, .mtc_shift = 3, .max_nonturbo_ratio = 20,
	};
	struct pt_time t;

	pt_time_init(&t, &config);
	return t;
}

static void check_mtc(void)
{
	struct pt_time t = start();

	packet(&t, PT_MTC, 5, 0);
	check(&t, 0);			/* nothing is known */
	packet(&t, PT_TSC, 100000, 0);
	check(&t, 100000);
	packet(&t, PT_MTC, 5, 0);
	check(&t, 100000);			/* no TMA yet */
	packet(&t, PT_TMA, 0x1013, 7);	/* CTC tick 0x1013 was 7 ticks ago, 0x1010 30 before that */
	packet(&t, PT_MTC, 0x03, 0);		/* CTC 0x1018 */
	check(&t, 100000 - 7 - 30 + 80);
	packet(&t, PT_MTC, 0x05, 0);		/* one was lost: 0x1028 */
	check(&t, 100000 - 7 - 30 + 240);
	packet(&t, PT_MTC, 0x01, 0);		/* round the 8 bits */
	check(&t, 100000 - 7 - 30 + 240 + 252 * 80);
}

static void check_cyc(void)
{
	struct pt_time t = start();

	packet(&t, PT_CBR, 40, 0);
	packet(&t, PT_TSC, 5000, 0);
	packet(&t, PT_CYC, 100, 0);
	check(&t, 5050);
	packet(&t, PT_CYC, 10, 0);
	check(&t, 5055);
	packet(&t, PT_TSC, 5040, 0);		/* never back */
	check(&t, 5055);
	if (t.cycles != 110) {
		failures++;
		printf("want 110 cycles, got %lu\n", (long)t.cycles);
	}
}

/* The rate between two MTC packets is used after them, unless tracing was off between. */
static void check_rate(void)
{
	struct pt_time t = start();

	packet(&t, PT_CBR, 40, 0);
	packet(&t, PT_TSC, 8000, 0);
	packet(&t, PT_TMA, 0, 0);
	packet(&t, PT_CYC, 128, 0);
	packet(&t, PT_MTC, 1, 0);		/* 8080: 80 ticks in 128 cycles, 5/8 */
	check(&t, 8080);
	packet(&t, PT_CYC, 64, 0);
	check(&t, 8120);
	pt_time_pause(&t);
	packet(&t, PT_CYC, 64, 0);
	packet(&t, PT_MTC, 11, 0);
	check(&t, 8880);
	packet(&t, PT_CYC, 64, 0);
	check(&t, 8920);
}

static void check_loss(void)
{
	struct pt_time t = start();

	packet(&t, PT_TSC, 8000, 0);
	packet(&t, PT_TMA, 0, 0);
	pt_time_overflow(&t);
	packet(&t, PT_MTC, 1, 0);
	check(&t, 8000);			/* unknown how many MTC were lost */
	packet(&t, PT_TSC, 9000, 0);
	check(&t, 9000);
	pt_time_resync(&t);
	packet(&t, PT_TSC, 8999, 0);
	check(&t, 8999);			/* a piece is by itself */
	packet(&t, PT_TSC, (1ull << 56) - 1, 0);
	packet(&t, PT_TSC, 5, 0);
	check(&t, (1ull << 56) + 5);		/* round the 56 bits */
}

/* No configuration: no MTC, no rate, no division by zero. */
static void check_bare(void)
{
	struct pt_time_config none = { 0 };
	struct pt_time t;

	pt_time_init(&t, &none);
	packet(&t, PT_CBR, 0, 0);
	packet(&t, PT_TSC, 77, 0);
	packet(&t, PT_TMA, 1, 1);
	packet(&t, PT_MTC, 9, 0);
	packet(&t, PT_CYC, 9, 0);
	check(&t, 77);
}

int main(void)
{
	check_mtc();
	check_cyc();
	check_rate();
	check_loss();
	check_bare();
	return failures ? 1 : 0;
}
