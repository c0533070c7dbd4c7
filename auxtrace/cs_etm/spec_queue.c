/*
 * Keeps the elements of an ETMv4 trace until the trace unit commits or cancels them (spec_queue.h). A cancel removes the newest
 * elements. Timestamps, cycle counts and events stay, because they are valid even if the instructions were not executed.
 */
#include "auxtrace/cs_etm/spec_queue.h"

#include <errno.h>
#include <string.h>

#include "auxtrace/cs_etm/config.h"

#define MOST_HELD	65536	/* packets; TRCIDR8 is at most a few hundred on real machines */

bool cs_is_p0(const struct cs_packet *pkt, const struct cs_config *c)
{
	switch (pkt->type) {
	case CS_ATOM:
	case CS_EXCEPTION:
	case CS_SOURCE:
	case CS_SOURCE_MATCH:
	case CS_Q:
	case CS_PE_RESET:
		return true;
	case CS_TRANS_START:
		return c->trans_p0;
	default:
		return false;
	}
}

static void tidy(struct cs_spec_queue *q)
{
	if (q->first < 4096 || q->first < q->list.nr / 2)
		return;
	q->list.nr -= q->first;
	memmove(q->list.v, q->list.v + q->first, q->list.nr * sizeof(*q->list.v));
	q->first = 0;
}

int cs_spec_queue_add(struct cs_spec_queue *q, const struct cs_packet *pkt, size_t at, const struct cs_config *c)
{
	struct cs_spec_packet one = { .pkt = *pkt, .at = at, .p0 = cs_is_p0(pkt, c) };
	unsigned nr = pkt->type == CS_ATOM ? pkt->atoms : 1;

	if (q->list.nr - q->first + nr > MOST_HELD)
		return -E2BIG;
	tidy(q);
	for (unsigned i = 0; i < nr; i++) {
		if (pkt->type == CS_ATOM) {
			one.pkt.atoms = 1;
			one.pkt.taken = pkt->taken >> i & 1;
		}
		vec_push(&q->list, one);
		q->nr_p0 += one.p0;
	}
	return 0;
}

/* Times and events happened even if the instructions did not. */
static bool outlives_cancel(const struct cs_packet *pkt)
{
	switch (pkt->type) {
	case CS_EVENT:
	case CS_TIMESTAMP:
	case CS_CYCLES_1:
	case CS_CYCLES_2:
	case CS_CYCLES_3:
		return true;
	default:
		return false;
	}
}

int cs_spec_queue_cancel(struct cs_spec_queue *q, uint32_t nr)
{
	size_t cut = q->list.nr, to;

	if (nr > q->nr_p0)
		return -ERANGE;
	q->nr_p0 -= nr;
	while (nr && cut > q->first)
		nr -= q->list.v[--cut].p0;
	q->unseen -= nr;
	to = cut;
	for (size_t i = cut; i < q->list.nr; i++)
		if (outlives_cancel(&q->list.v[i].pkt))
			q->list.v[to++] = q->list.v[i];
	q->list.nr = to;
	return 0;
}

int cs_spec_queue_mispredict(struct cs_spec_queue *q)
{
	size_t i = q->list.nr;

	while (i > q->first && q->list.v[i - 1].pkt.type != CS_ATOM)
		i--;
	if (i == q->first)
		return q->unseen ? 0 : -ERANGE;
	q->list.v[i - 1].pkt.taken ^= 1;
	for (size_t k = i; k < q->list.nr; k++)
		if (q->list.v[k].pkt.type == CS_ADDRESS || q->list.v[k].pkt.type == CS_ADDRESS_MATCH)
			q->list.v[k].pkt.type = CS_IGNORE;
	return 0;
}

const struct cs_spec_packet *cs_spec_queue_next(const struct cs_spec_queue *q)
{
	return q->first < q->list.nr ? &q->list.v[q->first] : NULL;
}

const struct cs_spec_packet *cs_spec_queue_pop(struct cs_spec_queue *q)
{
	const struct cs_spec_packet *p;

	if (q->first == q->list.nr)
		return NULL;
	p = &q->list.v[q->first++];
	q->nr_p0 -= p->p0;
	return p;
}

void cs_spec_queue_reset(struct cs_spec_queue *q, uint32_t unseen)
{
	q->list.nr = q->first = 0;
	q->nr_p0 = q->unseen = unseen;
	q->is_upper_bound = false;
}

void cs_spec_queue_release(struct cs_spec_queue *q)
{
	vec_free(&q->list);
	q->first = 0;
}
