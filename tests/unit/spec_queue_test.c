/* The speculation queue: order, cancelling, mispredicting, elements from before the trace, bounds. */
#include "auxtrace/cs_etm/spec_queue.h"

#include <errno.h>
#include <stdio.h>

#include "auxtrace/cs_etm/config.h"
#include "tests/unit/check.h"

static const struct cs_config config = { .max_spec = 30, .trans_p0 = true };

static int add(struct cs_spec_queue *h, uint8_t type, uint32_t taken, uint8_t nr)
{
	return cs_spec_queue_add(h, &(struct cs_packet){ .type = type, .taken = taken, .atoms = nr }, h->list.nr, &config);
}

/* The next that is taken out, as a letter. */
static char take(struct cs_spec_queue *h)
{
	const struct cs_spec_packet *p = cs_spec_queue_pop(h);

	if (!p)
		return '-';
	switch (p->pkt.type) {
	case CS_ATOM:
		return p->pkt.taken ? 'E' : 'N';
	case CS_ADDRESS:
		return 'a';
	case CS_TIMESTAMP:
		return 't';
	case CS_EXCEPTION:
		return 'x';
	default:
		return '?';
	}
}

static void check_taken(struct cs_spec_queue *h, const char *want, int line)
{
	for (const char *s = want; *s; s++) {
		char c = take(h);

		if (c != *s)
			nr_failed++, printf("line %d: %c, not %c of '%s'\n", line, c, *s, want);
	}
	cs_spec_queue_reset(h, 0);
}

int main(void)
{
	struct cs_spec_queue h = { 0 };

	add(&h, CS_ATOM, 5, 3);
	add(&h, CS_TIMESTAMP, 0, 0);
	add(&h, CS_EXCEPTION, 0, 0);
	add(&h, CS_ADDRESS, 0, 0);
	CHECK(h.nr_p0 == 4);
	check_taken(&h, "ENEtxa-", __LINE__);

	/* Two go, with their address; the time stays. */
	add(&h, CS_ATOM, 7, 3);
	add(&h, CS_ATOM, 3, 2);
	add(&h, CS_ADDRESS, 0, 0);
	add(&h, CS_TIMESTAMP, 0, 0);
	CHECK(!cs_spec_queue_cancel(&h, 2) && h.nr_p0 == 3);
	check_taken(&h, "EEEt-", __LINE__);

	/* The newest atom turns round, and where it led to is void. */
	add(&h, CS_ATOM, 1, 2);
	add(&h, CS_ADDRESS, 0, 0);
	CHECK(!cs_spec_queue_mispredict(&h));
	check_taken(&h, "EE?-", __LINE__);
	CHECK(cs_spec_queue_mispredict(&h) == -ERANGE);

	/* Elements that are missing in the trace can be cancelled, but not more. */
	cs_spec_queue_reset(&h, 2);
	add(&h, CS_ATOM, 1, 1);
	CHECK(cs_spec_queue_cancel(&h, 4) == -ERANGE);
	CHECK(!cs_spec_queue_cancel(&h, 2) && h.unseen == 1 && h.nr_p0 == 1);
	CHECK(!cs_spec_queue_mispredict(&h));
	check_taken(&h, "-", __LINE__);

	/* Long traces do not pile up, hostile ones are refused. */
	for (int i = 0; i < 300000; i++) {
		add(&h, CS_ATOM, 1, 1);
		take(&h);
	}
	CHECK(h.nr_p0 == 0 && h.list.nr < 10000);
	while (!add(&h, CS_ADDRESS, 0, 0))
		;
	CHECK(h.list.nr - h.first == 65536);
	cs_spec_queue_release(&h);
	return checks_done();
}
