/* Merges the text output of several threads by the time of each line. */
#include "core/read/merge.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/vec.h"

struct line { uint64_t time; size_t end; };

struct text_block {
	struct buf text;
	VEC(struct line) lines;		/* unused with one stream */
	size_t growing;			/* bytes of its text that are counted in merge.unwritten */
	size_t line, at;		/* .line: number of lines written so far; .at: number of bytes written so far */
	bool done;
};

#define MOST_UNWRITTEN	(64u << 20)	/* bytes that may wait during a write */

struct head { uint64_t time; uint32_t stream; };	/* the next line of a stream */

struct stream { size_t block; };	/* the first of its blocks that is not wholly written; merge.nr: none is left */

struct merge {
	const struct merge_work *work;
	size_t nr, max_ahead;
	uint64_t most;
	int fd;
	struct text_block *blocks;	/* owned; one for each piece */
	size_t *next_of_stream;		/* for each piece: the number of the next piece of its stream */
	struct stream *streams;
	uint32_t nr_streams;
	VEC(struct head) heads;		/* while lines are chosen */
	pthread_mutex_t lock;		/* protects all members below, and blocks that are done */
	pthread_cond_t moved;
	size_t first_missing, first_unwritten;	/* the first piece that is not done; the first that is not wholly written */
	uint64_t unwritten;		/* bytes of text that are known here and not yet written */
	VEC(struct buf) spare;		/* emptied texts, for the next ones */
	bool writing;
	int err;
};

static void link_streams(struct merge *m)
{
	for (uint32_t s = 0; s < m->nr_streams; s++)
		m->streams[s].block = m->nr;
	for (size_t i = m->nr; i-- > 0;) {
		m->next_of_stream[i] = m->streams[m->work[i].stream].block;
		m->streams[m->work[i].stream].block = i;
	}
}

struct merge *merge_new(const struct merge_work *work, size_t nr, uint32_t nr_streams, size_t ahead, uint64_t most, int fd)
{
	struct merge *m = xcalloc(1, sizeof(*m));

	*m = (struct merge){ .work = work, .nr = nr, .max_ahead = ahead, .most = most, .fd = fd, .nr_streams = nr_streams };
	m->blocks = xcalloc(MAX(nr, 1), sizeof(*m->blocks));
	m->next_of_stream = xcalloc(MAX(nr, 1), sizeof(*m->next_of_stream));
	m->streams = xcalloc(nr_streams, sizeof(*m->streams));
	link_streams(m);
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->moved, NULL);
	return m;
}

int merge_free(struct merge *m)
{
	int err = m->err;

	for (size_t i = 0; i < m->nr; i++) {
		buf_release(&m->blocks[i].text);
		vec_free(&m->blocks[i].lines);
	}
	vec_for(b, &m->spare)
		buf_release(b);
	vec_free(&m->spare);
	vec_free(&m->heads);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->moved);
	free(m->blocks);
	free(m->next_of_stream);
	free(m->streams);
	free(m);
	return err;
}

bool merge_begin(struct merge *m, size_t number)
{
	bool go;

	pthread_mutex_lock(&m->lock);
	/* Only waits for a write in another thread; otherwise a stream that lags may need this thread. */
	while (!m->err && (number >= m->first_missing + m->max_ahead ||
			   (m->writing && m->unwritten > MIN(m->most, MOST_UNWRITTEN))))
		pthread_cond_wait(&m->moved, &m->lock);
	go = !m->err;
	pthread_mutex_unlock(&m->lock);
	return go;
}

void merge_line(struct merge *m, size_t number, uint64_t time, const struct buf *text)
{
	struct text_block *b = &m->blocks[number];
	uint64_t last = b->lines.nr ? b->lines.v[b->lines.nr - 1].time : 0;

	vec_push(&b->lines, (struct line){ MAX(time, last), text->len });
}

/* ---- choosing what is next ---- */

struct text_slice { const char *data; size_t size; };

typedef VEC(struct text_slice) span_vec;

static void add_span(span_vec *out, const char *data, size_t size)
{
	struct text_slice *last = out->nr ? &out->v[out->nr - 1] : NULL;

	if (!size)
		return;
	if (last && last->data + last->size == data)
		last->size += size;
	else
		vec_push(out, (struct text_slice){ data, size });
}

/* The stream's next line, after skipping finished blocks; NULL: unknown yet. */
static const struct line *next_line(struct merge *m, uint32_t stream)
{
	size_t *at = &m->streams[stream].block;

	while (*at < m->nr && m->blocks[*at].done) {
		const struct text_block *b = &m->blocks[*at];

		if (b->line < b->lines.nr)
			return &b->lines.v[b->line];
		*at = m->next_of_stream[*at];
	}
	return NULL;
}

static bool comes_first(const struct head *a, const struct head *b)
{
	return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

/* Restores the heap .heads after head @i may have got a later line. */
static void sink_head(struct merge *m, size_t i)
{
	struct head *v = m->heads.v;

	for (;;) {
		size_t child = 2 * i + 1;
		struct head moved = v[i];

		if (child >= m->heads.nr)
			return;
		if (child + 1 < m->heads.nr && comes_first(&v[child + 1], &v[child]))
			child++;
		if (!comes_first(&v[child], &moved))
			return;
		v[i] = v[child];
		v[child] = moved;
		i = child;
	}
}

/* The streams whose next line is older than @before. */
static void list_heads(struct merge *m, uint64_t before)
{
	m->heads.nr = 0;
	for (uint32_t s = 0; s < m->nr_streams; s++) {
		const struct line *line = next_line(m, s);

		if (line && line->time < before)
			vec_push(&m->heads, (struct head){ line->time, s });
	}
	for (size_t i = m->heads.nr / 2; i-- > 0;)
		sink_head(m, i);
}

static void choose_lines(struct merge *m, span_vec *out)
{
	bool all = m->first_missing == m->nr;
	uint64_t before = all ? UINT64_MAX : m->work[m->first_missing].time;

	for (list_heads(m, before); m->heads.nr; sink_head(m, 0)) {
		struct head *first = m->heads.v;
		struct text_block *b = &m->blocks[m->streams[first->stream].block];
		size_t end = b->lines.v[b->line++].end;
		const struct line *next = next_line(m, first->stream);

		if (end > b->at)
			add_span(out, b->text.data + b->at, end - b->at);
		b->at = end;
		if (next && next->time < before)
			first->time = next->time;
		else
			*first = m->heads.v[--m->heads.nr];
	}
}

/* Chooses the next texts if there is only one stream, which needs no splitting into lines. */
static void choose_blocks(struct merge *m, span_vec *out)
{
	size_t *at = &m->streams[0].block;

	for (; *at < m->first_missing; ++*at) {
		struct text_block *b = &m->blocks[*at];

		add_span(out, b->text.data, b->text.len);
		b->at = b->text.len;
	}
}

/* Returns 0 or -errno; *done: the bytes written. */
static int write_spans(int fd, const span_vec *spans, uint64_t *done)
{
	int err = 0;

	for (size_t i = 0; i < spans->nr && !err; i++) {
		err = write_all(fd, spans->v[i].data, spans->v[i].size);
		*done += spans->v[i].size;
	}
	return err;
}

/* Keeps the buffers of wholly written texts for new texts. */
static void recycle(struct merge *m)
{
	for (; m->first_unwritten < m->first_missing; m->first_unwritten++) {
		struct text_block *b = &m->blocks[m->first_unwritten];

		if (b->at < b->text.len)
			break;
		b->text.len = b->at = 0;
		b->line = b->lines.nr = 0;
		vec_push(&m->spare, b->text);
		b->text = (struct buf){0};
		vec_free(&b->lines);
	}
}

/* Call it with the lock held; it releases the lock while it writes. Only one thread writes at a time, until no text is ready. */
static void write_what_is_ready(struct merge *m)
{
	span_vec spans = {0};
	bool one = m->nr_streams == 1;

	if (m->writing)
		return;
	m->writing = true;
	while (!m->err) {
		uint64_t done = 0;
		int err;

		spans.nr = 0;
		one ? choose_blocks(m, &spans) : choose_lines(m, &spans);
		if (!spans.nr)
			break;
		pthread_mutex_unlock(&m->lock);
		err = write_spans(m->fd, &spans, &done);
		pthread_mutex_lock(&m->lock);
		m->err = err;
		m->unwritten -= done;
		recycle(m);
	}
	m->writing = false;
	pthread_cond_broadcast(&m->moved);
	vec_free(&spans);
}

/* Call it with the lock held. */
static void note_text(struct merge *m, struct text_block *b, size_t len)
{
	m->unwritten += len - b->growing;
	b->growing = len;
}

/* True if there is one stream, all pieces before @number are written, and no other thread is writing. */
static bool is_its_turn(const struct merge *m, size_t number)
{
	return m->streams[0].block == number && !m->writing;
}

void merge_maybe_flush(struct merge *m, size_t number, struct buf *text)
{
	bool writes;
	int err;

	if (m->nr_streams != 1)
		return;
	pthread_mutex_lock(&m->lock);
	note_text(m, &m->blocks[number], text->len);
	while (!m->err && !is_its_turn(m, number) && m->unwritten > m->most)
		pthread_cond_wait(&m->moved, &m->lock);
	err = m->err;
	writes = !err && is_its_turn(m, number);
	m->writing |= writes;
	pthread_mutex_unlock(&m->lock);
	if (!err && !writes)
		return;
	err = err ? err : write_all(m->fd, text->data, text->len);
	text->len = 0;
	pthread_mutex_lock(&m->lock);
	note_text(m, &m->blocks[number], 0);
	m->err = m->err ? m->err : err;
	m->writing &= !writes;
	pthread_cond_broadcast(&m->moved);
	pthread_mutex_unlock(&m->lock);
}

void merge_end(struct merge *m, size_t number, struct buf *text)
{
	struct text_block *b = &m->blocks[number];

	pthread_mutex_lock(&m->lock);
	note_text(m, b, text->len);
	b->text = *text;
	b->done = true;
	*text = m->spare.nr ? m->spare.v[--m->spare.nr] : (struct buf){0};
	while (m->first_missing < m->nr && m->blocks[m->first_missing].done)
		m->first_missing++;
	pthread_cond_broadcast(&m->moved);
	write_what_is_ready(m);
	pthread_mutex_unlock(&m->lock);
}
