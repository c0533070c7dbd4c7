/* Caches numbers for the raw data of tracepoint samples, by a hash of the data (raw_memo.h). Layer: read */
#include "core/read/raw_memo.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"
#include "core/read/item.h"
#include "core/model/machine.h"

#define SLOT_BITS	10
#define MOST_BYTES	104	/* of raw data: a system call with six arguments has 72 */

struct raw_slot {
	uint32_t event, space;		/* number + 1, 0: free; of the kernel's names */
	uint64_t size;
	uint32_t number;
	uint8_t bytes[MOST_BYTES];
};

static uint32_t slot_of(const struct item *item, const uint8_t *raw, size_t size)
{
	uint64_t h = (uint64_t)item->event->number << 32 | size, v;

	for (; size >= sizeof(v); raw += sizeof(v), size -= sizeof(v)) {
		memcpy(&v, raw, sizeof(v));
		h = (h ^ v) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	v = 0;
	memcpy(&v, raw, size);
	return (uint32_t)((h ^ v) * 0x9e3779b97f4a7c15 >> (64 - SLOT_BITS));
}

bool raw_memo_find(struct raw_memo *m, const struct item *item, uint32_t **number)
{
	const uint8_t *raw = item->sample->raw;
	size_t size = item->sample->raw_size;
	uint32_t space = item->context->kernel_space;
	struct raw_slot *s;

	*number = NULL;
	if (size > MOST_BYTES || !size)
		return false;
	if (!m->slots)
		m->slots = xcalloc(1 << SLOT_BITS, sizeof(*m->slots));
	s = &m->slots[slot_of(item, raw, size)];
	*number = &s->number;
	if (s->event == item->event->number + 1 && s->size == size && s->space == space && !memcmp(s->bytes, raw, size))
		return true;
	s->event = item->event->number + 1;
	s->space = space;
	s->size = size;
	memcpy(s->bytes, raw, size);
	return false;
}

void raw_memo_release(struct raw_memo *m)
{
	free(m->slots);
	*m = (struct raw_memo){0};
}
