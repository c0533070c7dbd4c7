/*
 * Reconstructs kernel code as it was at a given time, from the code in a file and the TEXT_POKE records, which have the old and
 * the new bytes of each change.
 */
#include "core/model/poke.h"

#include "core/perfdata/record.h"

#define WINDOW	256	/* maximum number of bytes that pokes_apply() changes */

void pokes_add(struct pokes *p, const struct record_text_poke *poke, uint64_t time)
{
	vec_push(&p->list, (struct poke){
		.addr = poke->addr, .time = time, .number = (uint32_t)p->list.nr, .old_size = poke->old_len,
		.new_size = poke->new_len, .bytes = p->bytes.len,
	});
	buf_put(&p->bytes, poke->bytes, (size_t)poke->old_len + poke->new_len);
	p->longest = MAX(p->longest, MAX(poke->old_len, poke->new_len));
}

ORDER(by_address, struct poke, compare_numbers(a->addr, b->addr) ?: compare_numbers(a->number, b->number))

ORDER(by_number, struct poke *, compare_numbers((*a)->number, (*b)->number))

void pokes_seal(struct pokes *p)
{
	vec_sort(&p->list, by_address);
}

void pokes_release(struct pokes *p)
{
	vec_free(&p->list);
	buf_release(&p->bytes);
}

/* The index of the first change that may reach beyond @addr. */
static size_t first_near(const struct pokes *p, uint64_t addr)
{
	uint64_t from = addr > p->longest ? addr - p->longest : 0;

	return bisect(i, 0, p->list.nr, p->list.v[i].addr < from);
}

struct window { uint64_t addr; uint8_t *bytes; size_t n; bool known[WINDOW]; };

static void put(struct window *w, uint64_t addr, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint64_t at = addr + i - w->addr;

		if (at >= w->n)
			continue;
		w->bytes[at] = (uint8_t)bytes[i];
		w->known[at] = true;
	}
}

size_t pokes_apply(const struct pokes *p, uint64_t time, uint64_t addr, uint8_t *out, size_t known, size_t n)
{
	struct window w = { .addr = addr, .bytes = out, .n = MIN(n, WINDOW) };
	VEC(const struct poke *) near = {0};

	for (size_t i = first_near(p, addr); i < p->list.nr && (p->list.v[i].addr < addr || p->list.v[i].addr - addr < w.n); i++)
		vec_push(&near, &p->list.v[i]);
	if (!near.nr)
		return known;
	vec_sort(&near, by_number);
	for (size_t i = 0; i < MIN(known, w.n); i++)
		w.known[i] = true;
	for (size_t i = near.nr; i-- > 0 && near.v[i]->time > time; )
		put(&w, near.v[i]->addr, p->bytes.data + near.v[i]->bytes, near.v[i]->old_size);
	for (size_t i = 0; i < near.nr && near.v[i]->time <= time; i++)
		put(&w, near.v[i]->addr, p->bytes.data + near.v[i]->bytes + near.v[i]->old_size, near.v[i]->new_size);
	vec_free(&near);
	for (known = 0; known < w.n && w.known[known]; )
		known++;
	return known;
}
