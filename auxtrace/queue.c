/* Joins the hardware trace in AUXTRACE records, or in AUX samples, into one continuous stream for each CPU or thread. */
#include "auxtrace/queue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/ui/finding.h"
#include "core/read/session.h"

/* An access to a page maps all pages of its folio (Linux 6.18). So pages around an access are released, too, up to this size. */
#define LARGE_FOLIO	(4ull << 20)

#define LEAST_REPEATED 64	/* bytes that two snapshots must have in common; fewer may be equal by chance */
#define PAGE 4096	/* the smallest size of a page */
#define PADDING 8	/* the trace in an AUXTRACE record is padded to a multiple of this; offsets do not count the padding */

/* ---- repetitions: the failure function of Knuth, Morris and Pratt ---- */

/* Returns fail: fail[i] is the length of the longest proper prefix of the first i + 1 bytes that is also their suffix. */
static uint32_t *failures(const uint8_t *p, size_t n)
{
	uint32_t *fail = xcalloc(n, sizeof(*fail));
	uint32_t k = 0;

	for (size_t i = 1; i < n; i++) {
		while (k && p[i] != p[k])
			k = fail[k - 1];
		k += p[i] == p[k];
		fail[i] = k;
	}
	return fail;
}

size_t aux_overlap(const uint8_t *before, size_t nr_before, const uint8_t *next, size_t nr_next)
{
	size_t most = MIN(nr_before, nr_next), k = 0;
	uint32_t *fail;

	if (!most)
		return 0;
	fail = failures(next, most);
	for (size_t i = nr_before - most; i < nr_before; i++) {
		while (k && (k == most || before[i] != next[k]))
			k = fail[k - 1];
		k += before[i] == next[k];
	}
	free(fail);
	return k;
}

/* ---- gathering ---- */

static struct aux_queue *find_queue(struct aux_queues *q, uint32_t cpu, uint32_t tid)
{
	uint64_t hash = hash_pair(cpu, tid);

	index_for(pos, &q->by_place, hash)
		if (q->list.v[pos].cpu == cpu && q->list.v[pos].tid == tid)
			return &q->list.v[pos];
	return NULL;
}

static struct aux_queue *get_queue(struct aux_queues *q, uint32_t cpu, uint32_t tid)
{
	struct aux_queue *queue = find_queue(q, cpu, tid);
	uint32_t number = (uint32_t)q->list.nr;

	if (queue)
		return queue;
	index_add(&q->by_place, hash_pair(cpu, tid), number);
	vec_push(&q->list, (struct aux_queue){ .number = number, .cpu = cpu, .tid = tid });
	return &q->list.v[q->list.nr - 1];
}

/* Sets the number of bytes of the file before and after @buffer; both stay 0 if it is not in the mapped file. */
static void find_in_file(struct aux_buffer *buffer, const struct session *s)
{
	const struct data_file *f = session_file(s);

	vec_for(part, &f->parts) {
		if (!part->data || buffer->data < part->data || buffer->data >= part->data + part->size)
			continue;
		buffer->before = (uint64_t)(buffer->data - part->data);
		buffer->after = part->size - buffer->before - MIN(buffer->size, part->size - buffer->before);
		return;
	}
}

/* Releases the pages of positions [from, to) of @b, and those in front of them. At the end of @b, also those after it. */
static void release_pages(const struct aux_buffer *b, uint64_t from, uint64_t to)
{
	uint64_t more = MIN(b->before + (from - b->at), LARGE_FOLIO);

	if (!b->before)
		return;
	if (to == b->at + b->size)
		to += MIN(b->after, LARGE_FOLIO);
	pages_release(b->data + (from - b->at) - more, to - from + more);
}

static void release_payload(const struct session *s, const struct trace_record *record)
{
	struct aux_buffer b = { .data = record->payload, .size = record->payload_size };

	find_in_file(&b, s);
	release_pages(&b, 0, b.size);
}

static void add_buffer(struct aux_queues *q, const struct session *s, const struct trace_record *record)
{
	struct aux_queue *queue;
	struct record rec;

	if (session_read_trace_record(s, record, &rec) || rec.auxtrace.size > record->payload_size) {
		q->damaged++;
		return;
	}
	if (!rec.auxtrace.size)
		return;
	queue = get_queue(q, rec.auxtrace.cpu, rec.auxtrace.cpu == AUX_NONE ? rec.auxtrace.tid : AUX_NONE);
	vec_push(&queue->buffers, (struct aux_buffer){ .offset = rec.auxtrace.offset, .size = rec.auxtrace.size,
						       .data = record->payload });
	find_in_file(&queue->buffers.v[queue->buffers.nr - 1], s);
	release_payload(s, record);
}

/* Returns the queue of an AUX record, found by the id of its event, or by the thread and CPU that wrote the record. */
static struct aux_queue *queue_of_aux(struct aux_queues *q, const struct session *s, const struct sample_id *id)
{
	const struct event_id *info = id->has_id ? event_id_info(session_events(s), id->id) : NULL;
	struct aux_queue *queue = NULL;

	if (info && info->cpu >= 0)
		queue = find_queue(q, (uint32_t)info->cpu, AUX_NONE);
	else if (info && info->tid >= 0)
		queue = find_queue(q, AUX_NONE, (uint32_t)info->tid);
	if (!queue && id->has_cpu)
		queue = find_queue(q, id->cpu, AUX_NONE);
	if (!queue && id->has_tid)
		queue = find_queue(q, AUX_NONE, id->tid);
	return queue ? queue : q->list.nr == 1 ? q->list.v : NULL;
}

/*
 * Adds the trace in a sample: a buffer, and its range as an AUX record of the sampled thread. Only the bytes that the queue's last
 * sample did not have are added.
 */
static void add_sample(struct aux_queues *q, const struct session *s, const struct trace_record *record)
{
	const struct event_id *info;
	struct aux_queue *queue;
	struct record rec;
	size_t old = 0;

	if (session_read_trace_record(s, record, &rec)) {
		q->damaged++;
		return;
	}
	info = event_id_info(session_events(s), rec.sample.id);
	if (info && info->cpu >= 0)
		queue = get_queue(q, (uint32_t)info->cpu, AUX_NONE);
	else if (info && info->tid >= 0)
		queue = get_queue(q, AUX_NONE, (uint32_t)info->tid);
	else
		queue = get_queue(q, rec.sample.cpu, AUX_NONE);
	if (queue->newest)
		old = aux_overlap(queue->newest, queue->nr_newest, record->payload, record->payload_size);
	queue->newest = record->payload;
	queue->nr_newest = record->payload_size;
	if (old == record->payload_size)
		return;
	vec_push(&queue->buffers, (struct aux_buffer){ .offset = old, .size = record->payload_size - old,
						       .data = record->payload + old });
	find_in_file(&queue->buffers.v[queue->buffers.nr - 1], s);
	vec_push(&queue->aux_records, (struct aux_record){ .time = record->time, .pid = rec.sample.pid, .tid = rec.sample.tid,
						   .id = rec.sample.id });
}

/* Adds an AUX record, whose .from and .to are offsets in the device's stream until place_aux_records() makes them positions. */
static void add_aux_record(struct aux_queues *q, const struct session *s, const struct trace_record *record)
{
	struct aux_queue *queue;
	struct record rec;

	if (session_read_trace_record(s, record, &rec) || rec.aux.size > UINT64_MAX - rec.aux.offset) {
		q->damaged++;
		return;
	}
	q->truncated += !!(rec.aux.flags & PERF_AUX_FLAG_TRUNCATED);
	queue = queue_of_aux(q, s, &rec.id);
	if (!queue)
		q->absent += rec.aux.size;
	if (!queue || !rec.aux.size)
		return;
	vec_push(&queue->aux_records, (struct aux_record){
		.from = rec.aux.offset, .to = rec.aux.offset + rec.aux.size, .time = record->time, .flags = rec.aux.flags,
		.pid = rec.id.has_tid ? rec.id.pid : AUX_NONE, .tid = rec.id.has_tid ? rec.id.tid : AUX_NONE,
		.id = rec.id.has_id ? rec.id.id : 0 });
}

/* Returns the offset of the end of the device's output, according to the AUX records. */
static uint64_t last_offset(const struct aux_queue *queue)
{
	uint64_t last = 0;

	vec_for(aux_record, &queue->aux_records)
		last = MAX(last, aux_record->to);
	return last;
}

static void trim_padding(struct aux_buffer *b, uint64_t end)
{
	if (end > b->offset && end - b->offset < b->size && b->size - (end - b->offset) < PADDING)
		b->size = end - b->offset;
}

ORDER(by_offset, struct aux_buffer, compare_numbers(a->offset, b->offset))

/* Sorts records that are not in the order in which the device wrote them. If offsets restart, the order is unknown. */
static void order_buffers(struct aux_queue *queue)
{
	size_t nr = queue->buffers.nr;
	struct aux_buffer *sorted = xcalloc(MAX(nr, 1), sizeof(*sorted));
	bool apart = true;

	if (nr) {
		memcpy(sorted, queue->buffers.v, nr * sizeof(*sorted));
		qsort(sorted, nr, sizeof(*sorted), by_offset);
	}
	for (size_t i = 1; i < nr; i++)
		apart &= sorted[i].offset - sorted[i - 1].offset >= sorted[i - 1].size - MIN(PADDING - 1, sorted[i - 1].size);
	if (nr && apart)
		memcpy(queue->buffers.v, sorted, nr * sizeof(*sorted));
	free(sorted);
}

static void place_buffers(struct aux_queue *queue)
{
	uint64_t at = 0;

	order_buffers(queue);

	for (size_t i = 0; i < queue->buffers.nr; i++) {
		struct aux_buffer *b = &queue->buffers.v[i], *before = i ? b - 1 : NULL;
		struct aux_segment *last;

		trim_padding(b, i + 1 < queue->buffers.nr ? b[1].offset : last_offset(queue));
		if (!before || before->offset + before->size != b->offset)
			vec_push(&queue->segments, (struct aux_segment){ .from = at, .lost = i });
		b->at = at;
		at += b->size;
		last = &queue->segments.v[queue->segments.nr - 1];
		last->to = at;
	}
}

/*
 * Returns the number of bytes at the start of snapshot @next that are in @before already. Fewer than LEAST_REPEATED bytes, or a run
 * of one byte value, may be there by chance, and do not count. @before may end with zeros that pad its record. They are removed
 * if @next continues it.
 */
static uint64_t repeated(struct aux_buffer *before, const struct aux_buffer *next)
{
	for (unsigned cut = 0; cut < PADDING && cut < before->size; cut++) {
		size_t old = aux_overlap(before->data, before->size - cut, next->data, next->size);

		if (old >= LEAST_REPEATED && memcmp(next->data, next->data + 1, old - 1)) {
			before->size -= cut;
			return old;
		}
		if (before->data[before->size - cut - 1])
			break;
	}
	return 0;
}

/*
 * True if the snapshot @b begins at the end of @before. If @b is as large as an area, a power of two of pages, the device may have
 * wrapped around since @before.
 */
static bool continues(const struct aux_buffer *before, const struct aux_buffer *b)
{
	uint64_t n = b->offset - before->offset;

	return b->offset > before->offset && n <= before->size && before->size - n < PADDING &&
	       (b->size < PAGE || (b->size & (b->size - 1)));
}

/*
 * Removes the last @n bytes of the first @nr buffers, which end at position @at. Returns the new end. The last of the buffers may
 * be empty, because its bytes are in earlier ones. So more than one buffer may be shortened.
 */
static uint64_t trim(struct aux_queue *queue, size_t nr, uint64_t at, uint64_t n)
{
	uint64_t end = at - MIN(n, at);

	while (nr-- && at > end) {
		struct aux_buffer *b = &queue->buffers.v[nr];
		uint64_t some = MIN(at - end, b->size);

		b->size -= some;
		at -= some;
		b->at = MIN(b->at, end);
	}
	return end;
}

/* Places the buffers of snapshots. If the device wrote little since the last snapshot, the next one repeats and continues it. */
static void place_snapshots(struct aux_queue *queue)
{
	struct aux_buffer before = {0};		/* as it was recorded */
	uint64_t at = 0;

	for (size_t i = 0; i < queue->buffers.nr; i++) {
		struct aux_buffer *b = &queue->buffers.v[i], whole = *b;
		bool next = continues(&before, b);
		uint64_t size = before.size, old = next ? 0 : repeated(&before, b);

		if (next)
			before.size = b->offset - before.offset;
		if (next || old)	/* removes the padding of the buffer before */
			at = trim(queue, i, at, size - before.size);
		else
			vec_push(&queue->segments, (struct aux_segment){ .from = at });
		before = whole;
		b->data += old;
		b->size -= old;
		b->at = at;
		at += b->size;
		queue->segments.v[queue->segments.nr - 1].to = at;
	}
}

/*
 * Returns the position in the queue of @offset of the device's stream; UINT64_MAX: not in the file. @end: @offset is the end of a
 * range. The buffers are sorted by offset, because offsets only grow.
 */
static uint64_t position_of(const struct aux_queue *queue, uint64_t offset, bool end)
{
	uint64_t byte = offset - end;
	size_t after = bisect(i, 0, queue->buffers.nr, queue->buffers.v[i].offset <= byte);
	const struct aux_buffer *b = after ? &queue->buffers.v[after - 1] : NULL;

	return b && byte - b->offset < b->size ? b->at + (byte - b->offset) + end : UINT64_MAX;
}

ORDER(by_position, struct aux_record, compare_numbers(a->from, b->from) ?: compare_numbers(a->time, b->time))

/* Finds the positions of the bytes of @r that are in the file. Returns false if none are. */
static bool clip(const struct aux_queue *queue, const struct aux_record *r, uint64_t *from, uint64_t *to)
{
	*from = UINT64_MAX;
	*to = 0;
	vec_for(b, &queue->buffers) {
		uint64_t first = MAX(b->offset, r->from), end = MIN(b->offset + b->size, r->to);

		if (first >= end)
			continue;
		*from = MIN(*from, b->at + (first - b->offset));
		*to = MAX(*to, b->at + (end - b->offset));
	}
	return *from < *to;
}

/* Gives the AUX records their positions. Returns the number of their bytes that are not in the file. */
static uint64_t place_aux_records(struct aux_queue *queue)
{
	uint64_t absent = 0;
	size_t nr = 0;

	vec_for(aux_record, &queue->aux_records) {
		uint64_t from = position_of(queue, aux_record->from, false), to = position_of(queue, aux_record->to, true);

		if (from == UINT64_MAX || to == UINT64_MAX || to <= from) {
			absent += aux_record->to - aux_record->from;
			if (!clip(queue, aux_record, &from, &to))
				continue;
			absent -= to - from;
		}
		aux_record->from = from;
		aux_record->to = to;
		queue->aux_records.v[nr++] = *aux_record;
	}
	queue->aux_records.nr = nr;
	vec_sort(&queue->aux_records, by_position);
	return absent;
}

static void place_samples(struct aux_queue *queue)
{
	uint64_t at = 0;

	for (size_t i = 0; i < queue->buffers.nr; i++) {
		struct aux_buffer *b = &queue->buffers.v[i];

		if (!i || !b->offset)
			vec_push(&queue->segments, (struct aux_segment){ .from = at });
		b->at = queue->aux_records.v[i].from = at;
		at += b->size;
		queue->segments.v[queue->segments.nr - 1].to = queue->aux_records.v[i].to = at;
	}
}

/* The offsets of snapshots are not usable. In file order, the n-th AUX record belongs to the n-th snapshot. */
static void pair_aux_records(struct aux_queue *queue)
{
	vec_for(aux_record, &queue->aux_records) {
		size_t n = (size_t)(aux_record - queue->aux_records.v);

		if (n >= queue->buffers.nr)
			break;
		aux_record->from = queue->buffers.v[n].at;
		aux_record->to = aux_record->from + queue->buffers.v[n].size;
	}
	queue->aux_records.nr = MIN(queue->aux_records.nr, queue->buffers.nr);
}

/* Cuts segments where the buffer was full, because the trace is not continuous there. */
static void split_at_losses(struct aux_queue *queue)
{
	VEC(struct aux_segment) cut = {0};
	size_t k = 0;

	vec_for(segment, &queue->segments) {
		struct aux_segment rest = *segment;

		for (; k < queue->aux_records.nr && queue->aux_records.v[k].to < segment->to; k++) {
			const struct aux_record *aux_record = &queue->aux_records.v[k];

			if (!(aux_record->flags & PERF_AUX_FLAG_TRUNCATED) || aux_record->to <= rest.from)
				continue;
			vec_push(&cut, (struct aux_segment){ .from = rest.from, .to = aux_record->to, .lost = rest.lost });
			rest = (struct aux_segment){ .from = aux_record->to, .to = rest.to, .lost = true };
		}
		vec_push(&cut, rest);
	}
	free(queue->segments.v);
	queue->segments.v = cut.v;
	queue->segments.nr = cut.nr;
	queue->segments.cap = cut.cap;
}

static void gather_samples(struct aux_queues *q, const struct session *s)
{
	const struct trace_records *records = session_trace_records(s);

	vec_for(record, &records->list)
		if (record->type == PERF_RECORD_SAMPLE)
			add_sample(q, s, record);
	vec_for(queue, &q->list)
		place_samples(queue);
}

void aux_queues_gather(struct aux_queues *q, const struct session *s, bool snapshot)
{
	const struct trace_records *records = session_trace_records(s);

	gather_samples(q, s);
	if (q->list.nr)
		return;
	vec_for(record, &records->list)
		if (record->type == RECORD_AUXTRACE)
			add_buffer(q, s, record);
	vec_for(record, &records->list) {
		if (record->type == PERF_RECORD_AUX)
			add_aux_record(q, s, record);
		else if (record->type == RECORD_AUXTRACE)
			release_payload(s, record);
	}
	vec_for(queue, &q->list) {
		if (snapshot) {
			place_snapshots(queue);
			pair_aux_records(queue);
			continue;
		}
		place_buffers(queue);
		q->absent += place_aux_records(queue);
		split_at_losses(queue);
	}
}

void aux_queues_release(struct aux_queues *q)
{
	vec_for(queue, &q->list) {
		vec_free(&queue->buffers);
		vec_free(&queue->segments);
		vec_free(&queue->aux_records);
	}
	vec_free(&q->list);
	index_release(&q->by_place);
}

void aux_queues_findings(const struct aux_queues *q, uint64_t interrupted, struct findings *out)
{
	findings_add(out, FINDING_TRACE_BUFFER_FULL, interrupted, 0, NULL);
	findings_add(out, FINDING_TRACE_ABSENT, q->absent, 0, NULL);
	findings_add(out, FINDING_DAMAGED_TRACE, q->damaged, 0, NULL);
}

/* Returns the number of the buffer that has position @at, which must be in the queue. */
static size_t buffer_at(const struct aux_queue *q, uint64_t at)
{
	return bisect(i, 1, q->buffers.nr, q->buffers.v[i].at <= at) - 1;
}

const uint8_t *aux_queue_bytes(const struct aux_queue *q, uint64_t from, uint64_t to, struct buf *scratch)
{
	size_t n = buffer_at(q, from);
	const struct aux_buffer *b = &q->buffers.v[n];

	if (to <= b->at + b->size)
		return b->data + (from - b->at);
	scratch->len = 0;
	buf_room(scratch, to - from);
	while (from < to) {
		uint64_t end = MIN(to, b->at + b->size);

		buf_put(scratch, b->data + (from - b->at), end - from);
		from = end;
		b++;
	}
	return (const uint8_t *)scratch->data;
}

void aux_queue_release(const struct aux_queue *q, uint64_t from, uint64_t to)
{
	for (size_t n = buffer_at(q, from); n < q->buffers.nr && q->buffers.v[n].at < to; n++) {
		const struct aux_buffer *b = &q->buffers.v[n];
		uint64_t first = MAX(from, b->at), end = MIN(to, b->at + b->size);

		if (first < end)
			release_pages(b, first, end);
	}
}

const struct aux_record *aux_queue_record(const struct aux_queue *q, uint64_t at)
{
	size_t nr = q->aux_records.nr, n = bisect(i, 0, nr, q->aux_records.v[i].to <= at);

	return n < nr && q->aux_records.v[n].from <= at ? &q->aux_records.v[n] : NULL;
}
