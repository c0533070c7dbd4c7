/* Interned bytes. Layer: base */
#include "core/base/byte_table.h"

const char *byte_table_get(const struct byte_table *b, uint32_t number, size_t *n)
{
	size_t from = number ? b->ends.v[number - 1] : 0;

	*n = b->ends.v[number] - from;
	return b->bytes.data + from;
}

uint32_t byte_table_add(struct byte_table *b, const void *bytes, size_t n)
{
	uint64_t h = hash_bytes(bytes, n);
	uint32_t pos;
	size_t size;

	index_for(at, &b->by_hash, h) {
		const char *old = byte_table_get(b, at, &size);

		if (size == n && (!n || !memcmp(old, bytes, n)))
			return at;
	}
	pos = (uint32_t)b->ends.nr;
	buf_put(&b->bytes, bytes, n);
	vec_push(&b->ends, b->bytes.len);
	index_add(&b->by_hash, h, pos);
	return pos;
}

void byte_table_release(struct byte_table *b)
{
	buf_release(&b->bytes);
	vec_free(&b->ends);
	index_release(&b->by_hash);
}
