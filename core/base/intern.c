/*
 * Stores equal strings only once: copies each new string into large blocks of memory, and finds strings that are already stored
 * through a hash index.
 */
#include "core/base/intern.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"
#include "core/base/printable.h"
#include "core/base/vec.h"

#define BLOCK_SIZE 65536

struct strtab {
	struct index by_hash;
	VEC(const char *) strings;
	VEC(char *) blocks;
	size_t room;		/* bytes left at the end of the last block */
	char *next;
};

struct strtab *strtab_new(void)
{
	return xcalloc(1, sizeof(struct strtab));
}

void strtab_free(struct strtab *t)
{
	if (!t)
		return;
	vec_for(block, &t->blocks)
		free(*block);
	vec_free(&t->blocks);
	vec_free(&t->strings);
	index_release(&t->by_hash);
	free(t);
}

static char *alloc_string(struct strtab *t, size_t n)
{
	char *p;

	if (n > t->room) {
		t->room = MAX(n, BLOCK_SIZE);
		t->next = xmalloc(t->room);
		vec_push(&t->blocks, t->next);
	}
	p = t->next;
	t->next += n;
	t->room -= n;
	return p;
}

const char *intern_n(struct strtab *t, const char *s, size_t n)
{
	uint64_t h = hash_bytes(s, n);
	char *copy;

	index_for(pos, &t->by_hash, h)
		if (!strncmp(t->strings.v[pos], s, n) && !t->strings.v[pos][n])
			return t->strings.v[pos];
	copy = alloc_string(t, n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	index_add(&t->by_hash, h, (uint32_t)t->strings.nr);
	vec_push(&t->strings, copy);
	return copy;
}

const char *intern(struct strtab *t, const char *s)
{
	return intern_n(t, s, strlen(s));
}

const char *intern_printable(struct strtab *t, const char *s)
{
	size_t n = strlen(s);
	struct buf b = {0};
	const char *kept;

	if (is_plain_text(s, n))
		return intern_n(t, s, n);
	buf_put_printable(&b, s);
	kept = intern_n(t, b.data, b.len);
	buf_release(&b);
	return kept;
}
