/*
 * The queue of what may yet be cancelled.
 * Layer: auxtrace
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

/* Compacts the queue now and then. */
static void tidy(struct cs_spec_queue *h)
{
	if (h->first < 4096 || h->first < h->list.nr / 2)
		return;
	h->list.nr -= h->first;
	memmove(h->list.v, h->list.v + h->first, h->list.nr * sizeof(*h->list.v));
	h->first = 0;
}

int cs_spec_queue_add(struct cs_spec_queue *h, const struct cs_packet *pkt, size_t at, const struct cs_config *c)
{
	struct cs_spec_packet one = { .pkt = *pkt, .at = at, .p0 = cs_is_p0(pkt, c) };
	unsigned nr = pkt->type == CS_ATOM ? pkt->atoms : 1;

	if (h->list.nr - h->first + nr > MOST_HELD)
		return -E2BIG;
	tidy(h);
	for (unsigned i = 0; i < nr; i++) {
		if (pkt->type == CS_ATOM) {
			one.pkt.atoms = 1;
			one.pkt.taken = pkt->taken >> i & 1;
		}
		vec_push(&h->list, one);
		h->nr_p0 += one.p0;
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

int cs_spec_queue_cancel(struct cs_spec_queue *h, uint32_t nr)
{
	size_t cut = h->list.nr, to;

	if (nr > h->nr_p0)
		return -ERANGE;
	h->nr_p0 -= nr;
	while (nr && cut > h->first)
		nr -= h->list.v[--cut].p0;
	h->unseen -= nr;
	to = cut;
	for (size_t i = cut; i < h->list.nr; i++)
		if (outlives_cancel(&h->list.v[i].pkt))
			h->list.v[to++] = h->list.v[i];
	h->list.nr = to;
	return 0;
}

int cs_spec_queue_mispredict(struct cs_spec_queue *h)
{
	size_t i = h->list.nr;

	while (i > h->first && h->list.v[i - 1].pkt.type != CS_ATOM)
		i--;
	if (i == h->first)
		return h->unseen ? 0 : -ERANGE;
	h->list.v[i - 1].pkt.taken ^= 1;
	for (size_t k = i; k < h->list.nr; k++)
		if (h->list.v[k].pkt.type == CS_ADDRESS || h->list.v[k].pkt.type == CS_ADDRESS_MATCH)
			h->list.v[k].pkt.type = CS_IGNORE;
	return 0;
}

const struct cs_spec_packet *cs_spec_queue_next(const struct cs_spec_queue *h)
{
	return h->first < h->list.nr ? &h->list.v[h->first] : NULL;
}

const struct cs_spec_packet *cs_spec_queue_take(struct cs_spec_queue *h)
{
	const struct cs_spec_packet *p;

	if (h->first == h->list.nr)
		return NULL;
	p = &h->list.v[h->first++];
	h->nr_p0 -= p->p0;
	return p;
}

void cs_spec_queue_reset(struct cs_spec_queue *h, uint32_t unseen)
{
	h->list.nr = h->first = 0;
	h->nr_p0 = h->unseen = unseen;
	h->is_upper_bound = false;
}

void cs_spec_queue_release(struct cs_spec_queue *h)
{
	vec_free(&h->list);
	h->first = 0;
}
