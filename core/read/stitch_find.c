/*
 * Finds, in earlier samples of the same thread, the outer calls that the LBR buffer of a sample has lost. item_reader.c adds
 * these calls to the sample's call chain, as perf's --stitch-lbr does.
 */
#include "core/read/stitch.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/read/item_reader.h"
#include "core/read/keys.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/perfdata/feature.h"

#define ROOM_MAX	512	/* branches; processors record up to 32 (Intel), 16 (AMD), 64 (Arm) */
#define LENGTH_MAX	4096	/* links that are added to a chain */

struct call { uint64_t from, to, flags; };

struct stitch_thread {		/* the last sample of a thread */
	uint32_t tid;
	uint32_t link;		/* the first of the calls that were added to the sample */
	uint64_t last;		/* the index of the sample's innermost call in the processor's branch buffer */
	VEC(struct call) calls;	/* innermost first */
};

struct stitcher {
	struct stitches *out;
	uint64_t room;		/* number of entries of the processor's branch buffer */
	VEC(struct stitch_thread) threads;
	struct index by_tid;
	VEC(struct call) calls;	/* the calls of the present sample */
};

/* The size of the processor's branch buffer, from the PMU's capabilities; 0: unknown. */
static uint64_t room_of(const struct features *f)
{
	unsigned long long most = 0, n;

	vec_for(c, &f->pmu_caps)
		for (size_t i = 0; i < c->names.nr && i < c->values.nr; i++) {
			n = str_eq(c->names.v[i], "branches") ? strtoull(c->values.v[i], NULL, 10) : 0;
			most = MAX(most, n);
		}
	return most <= ROOM_MAX ? most : 0;
}

static struct stitch_thread *thread_of(struct stitcher *st, uint32_t tid)
{
	uint64_t hash = hash_u64(tid);

	index_for(at, &st->by_tid, hash)
		if (st->threads.v[at].tid == tid)
			return &st->threads.v[at];
	index_add(&st->by_tid, hash, (uint32_t)st->threads.nr);
	vec_push(&st->threads, (struct stitch_thread){ .tid = tid });
	return &st->threads.v[st->threads.nr - 1];
}

/* ---- two samples ---- */

/*
 * The index of the call of @before at the same place of the buffer as the outermost of @nr calls, whose innermost is at @last;
 * before->nr if there is none. Invalid numbers from files wrap around, and are out of range.
 */
static uint64_t same_place(const struct stitcher *st, const struct stitch_thread *before, uint64_t nr, uint64_t last)
{
	uint64_t outermost = st->room - nr + last + 1, at;

	at = before->last > outermost ? before->last - outermost : st->room + before->last - outermost;
	return MIN(at, before->calls.nr);
}

/* Makes a list of the calls outside call number @at of @before, and the calls added to @before. Returns its first link. */
static uint32_t outer_calls(struct stitcher *st, const struct stitch_thread *before, uint64_t at)
{
	uint32_t link = before->link;

	for (uint64_t i = before->calls.nr; i-- > at + 1;) {
		uint32_t length = 1 + st->out->links.v[link].length;

		if (length > LENGTH_MAX)
			break;
		vec_push(&st->out->links, (struct stitch_link){ before->calls.v[i].from, link, length });
		link = (uint32_t)st->out->links.nr - 1;
	}
	return link;
}

/* ---- samples ---- */

static void add_calls(struct stitcher *st, const struct sample *s)
{
	st->calls.nr = 0;
	for (uint64_t i = 0; i < s->branch_nr; i++)
		vec_push(&st->calls, ((struct call){ words_at(&s->branches, 3 * i), words_at(&s->branches, 3 * i + 1),
						     words_at(&s->branches, 3 * i + 2) }));
}

static void remember(struct stitcher *st, struct stitch_thread *t, const struct sample *s, uint32_t link)
{
	t->link = link;
	t->last = s->branch_hw_idx;
	t->calls.nr = 0;
	vec_for(c, &st->calls)
		vec_push(&t->calls, *c);
}

static void on_sample(struct stitcher *st, const struct sample *s, uint64_t position)
{
	struct stitch_thread *t = thread_of(st, sample_owner(s));
	uint32_t link = 0;
	uint64_t at;

	add_calls(st, s);
	at = same_place(st, t, st->calls.nr, s->branch_hw_idx);
	/* If the outermost call is still in its place, the calls outside of it have not returned. */
	if (at < t->calls.nr && st->calls.nr && !memcmp(&t->calls.v[at], &st->calls.v[st->calls.nr - 1], sizeof(struct call)))
		link = outer_calls(st, t, at);
	if (link)
		vec_push(&st->out->samples, (struct stitched_sample){ position, link });
	remember(st, t, s, link);
}

/* True if the item is a sample with recorded calls and their index in the branch buffer. */
static bool is_of_calls(const struct item *item, uint64_t room)
{
	const uint64_t wanted = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_HW_INDEX;
	const struct sample_layout *l = item && item->sample ? &item->event->layout : NULL;

	return l && l->type & PERF_SAMPLE_BRANCH_STACK && (l->branch_type & wanted) == wanted &&
	       item->sample->branch_nr <= room && chain_user_part(&item->sample->chain) < item->sample->chain.nr;
}

static bool is_sample(void *ctx, const struct record_header *h)
{
	return h->type == PERF_RECORD_SAMPLE;
}

static void walk(struct stitcher *st, struct session *s)
{
	const struct ordered_pass pass = { .wants = is_sample };
	const struct chunk_list *chunks = &s->scan.chunks;
	struct key_list keys = {0};
	struct item_reader reader;
	const struct item *item;

	item_reader_init(&reader, s, 0);
	keys_gather(&keys, s, &pass, NULL, NULL, 0);
	for (size_t i = 0; i < keys.nr; i++) {
		item = item_read(&reader, 0, chunk_record(chunks, keys.keys[i].position), keys.keys[i].position);
		if (is_of_calls(item, st->room))
			on_sample(st, item->sample, item->position);
	}
	free(keys.keys);
	item_reader_release(&reader);
}

static void release(struct stitcher *st)
{
	vec_for(t, &st->threads)
		vec_free(&t->calls);
	vec_free(&st->threads);
	vec_free(&st->calls);
	index_release(&st->by_tid);
}

static struct stitches *find_all(struct session *s)
{
	struct stitcher st = { .room = room_of(session_features(s)) };

	if (!st.room)
		return NULL;
	st.out = stitches_new();
	walk(&st, s);
	release(&st);
	stitches_finish(st.out);
	return st.out;
}

bool session_stitch_calls(struct session *s)
{
	if (!s->stitches && !s->live)
		s->stitches = find_all(s);
	return s->stitches;
}
