/*
 * Implements a cache of results that callers computed from the raw data of tracepoint samples, such as formatted text
 * (raw_memo.h). The cache is a hash table, in which a new entry overwrites the old one in its slot.
 */
#include "core/read/raw_memo.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"
#include "core/read/item.h"
#include "core/model/machine.h"

#define SLOT_BITS	10
#define MOST_BYTES	104	/* of raw data: a system call with six arguments has 72 */

struct raw_slot {
	uint32_t event, space;		/* .event: 1 + the number of the event, 0: free; .space: the kernel space */
	uint32_t size, number;
	uint8_t bytes[MOST_BYTES];
};

/* The products do not wait for each other, which a hash of word after word would. */
static uint32_t slot_of(const struct raw_key *key)
{
	static const uint64_t odd[] = { 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9 };
	uint64_t h = key->event * odd[3] + key->size, v;
	const uint8_t *raw = key->raw;
	size_t size = key->size;

	for (unsigned i = 0; size >= sizeof(v); raw += sizeof(v), size -= sizeof(v), i++) {
		memcpy(&v, raw, sizeof(v));
		h += (v ^ v >> 32) * (odd[i % ARRAY_SIZE(odd)] + 2 * i);
	}
	v = 0;
	memcpy(&v, raw, size);
	return (uint32_t)((h ^ v) * odd[0] >> (64 - SLOT_BITS));
}

static bool slot_has(const struct raw_slot *s, const struct raw_key *key)
{
	return s->event == key->event + 1 && s->size == key->size && s->space == key->space &&
	       !memcmp(s->bytes, key->raw, key->size);
}

bool raw_memo_get(const struct raw_memo *m, const struct raw_key *key, uint32_t *number)
{
	const struct raw_slot *s;

	if (!m->slots || key->size > MOST_BYTES || !key->size)
		return false;
	s = &m->slots[slot_of(key)];
	*number = s->number;
	return slot_has(s, key);
}

bool raw_memo_find(struct raw_memo *m, const struct item *item, uint32_t **number)
{
	struct raw_key key = {
		.event = item->event->number, .space = item->context->kernel_space,
		.size = item->sample->raw_size, .raw = item->sample->raw,
	};
	struct raw_slot *s;

	*number = NULL;
	if (key.size > MOST_BYTES || !key.size)
		return false;
	if (!m->slots)
		m->slots = xcalloc(1 << SLOT_BITS, sizeof(*m->slots));
	s = &m->slots[slot_of(&key)];
	*number = &s->number;
	if (slot_has(s, &key))
		return true;
	s->event = key.event + 1;
	s->space = key.space;
	s->size = key.size;
	memcpy(s->bytes, key.raw, key.size);
	return false;
}

void raw_memo_release(struct raw_memo *m)
{
	free(m->slots);
	*m = (struct raw_memo){0};
}
