/*
 * Divides a batch (the samples of one pass over the ring buffers) into chunks of 16 samples, which the threads of live_workers.c
 * unwind. Then appends the unwound samples to the output in the order in which they were read.
 */
#include "core/record/live/live_batch.h"

#include "core/model/live_maps.h"

#define CHUNK_JOBS	16

void live_batch_clear(struct live_batch *b)
{
	vec_for(job, &b->jobs)
		live_space_put(job->space);
	b->head.len = b->side_band.len = b->plain.len = b->raw.len = b->frames.nr = b->jobs.nr = b->nr_chunks = 0;
	b->samples = b->spilled = 0;
}

void live_batch_free(struct live_batch *b)
{
	live_batch_clear(b);
	buf_release(&b->head);
	buf_release(&b->side_band);
	buf_release(&b->plain);
	buf_release(&b->raw);
	vec_for(chunk, &b->chunks)
		buf_release(&chunk->out);
	vec_free(&b->chunks);
	vec_free(&b->frames);
	vec_free(&b->jobs);
	free(b);
}

static struct live_chunk *next_chunk(struct live_batch *b)
{
	struct live_chunk *c;

	if (b->nr_chunks == b->chunks.nr)
		vec_push(&b->chunks, (struct live_chunk){0});
	c = &b->chunks.v[b->nr_chunks++];
	c->batch = b;
	c->out.len = 0;
	return c;
}

void live_batch_cut(struct live_batch *b)
{
	for (size_t i = 0; i < b->jobs.nr; i += CHUNK_JOBS) {
		struct live_chunk *c = next_chunk(b);
		uint64_t from = b->jobs.v[i].raw_at, end;

		c->first = i;
		c->nr = MIN(b->jobs.nr - i, CHUNK_JOBS);
		end = i + c->nr < b->jobs.nr ? b->jobs.v[i + c->nr].raw_at : b->spilled + b->raw.len;
		c->bytes = end - from;
		c->in_memory = end - MIN(end, MAX(from, b->spilled));
	}
	b->nr_left = b->nr_chunks;
}

void live_batch_write(const struct live_batch *b, struct buf *out)
{
	size_t plain = 0;

	buf_put(out, b->head.data, b->head.len);
	buf_put(out, b->side_band.data, b->side_band.len);
	for (size_t i = 0; i < b->nr_chunks; i++) {
		const struct live_chunk *c = &b->chunks.v[i];
		size_t at = 0;

		for (size_t j = c->first; j < c->first + c->nr; j++) {
			const struct live_job *job = &b->jobs.v[j];

			buf_put(out, b->plain.data + plain, job->plain_at - plain);
			buf_put(out, c->out.data + at, job->size);
			plain = job->plain_at;
			at += job->size;
		}
	}
	buf_put(out, b->plain.data + plain, b->plain.len - plain);
}
