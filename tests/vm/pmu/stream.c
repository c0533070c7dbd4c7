/* The test PMU's output: self-describing words, or a payload's bytes, into the pages of an area. */
#include "pmu.h"

#include <linux/debugfs.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

static LIST_HEAD(streams);
static DEFINE_MUTEX(streams_lock);
static unsigned int nr_streams;
static atomic_t nr_areas;

static struct stream *stream_new(int cpu)
{
	struct stream *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	s->cpu = cpu;
	mutex_lock(&streams_lock);
	s->nr = nr_streams++;
	list_add_tail(&s->list, &streams);
	mutex_unlock(&streams_lock);
	return s;
}

struct area *area_new(void **pages, int nr_pages, bool snapshot, int cpu)
{
	struct area *a = kzalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return NULL;
	a->stream = stream_new(cpu);
	if (!a->stream) {
		kfree(a);
		return NULL;
	}
	a->payload = payload_for(cpu);
	a->pages = pages;
	a->size = (u64)nr_pages << PAGE_SHIFT;
	a->snapshot = snapshot;
	atomic_inc(&nr_areas);
	return a;
}

void area_free(struct area *a)
{
	atomic_dec(&nr_areas);
	kfree(a);
}

bool areas_in_use(void)
{
	return atomic_read(&nr_areas) > 0;
}

/* The next bytes of the stream, and how many lie there together. */
static const u8 *next_bytes(struct area *a, u64 *n)
{
	u64 done = a->stream->bytes;

	if (a->payload->data) {
		*n = a->payload->size - done;
		return a->payload->data + done;
	}
	if (!(done & 7))
		a->word = 0x5aull << 56 | (u64)(a->stream->nr & 0xfff) << 44 | (u64)smp_processor_id() << 32 |
			  (u32)(done >> 3);
	*n = 8 - (done & 7);
	return (u8 *)&a->word + (done & 7);
}

/* The place of the next byte, and the room on that page. */
static u8 *place(struct area *a, u64 *n)
{
	u64 at = a->pos & (a->size - 1);

	*n = PAGE_SIZE - (at & ~PAGE_MASK);
	return (u8 *)a->pages[at >> PAGE_SHIFT] + (at & ~PAGE_MASK);
}

/* Whole words at once. Returns the bytes: none within a word. */
static u64 put_words(struct area *a, u8 *to, u64 n)
{
	u64 word, i;

	if (a->payload->data || a->stream->bytes & 7)
		return 0;
	word = 0x5aull << 56 | (u64)(a->stream->nr & 0xfff) << 44 | (u64)smp_processor_id() << 32;
	for (i = 0; i + 8 <= n; i += 8) {
		u64 w = word | (u32)((a->stream->bytes + i) >> 3);

		memcpy(to + i, &w, 8);
	}
	a->pos += i;
	a->stream->bytes += i;
	return i;
}

void area_put(struct area *a, u64 n)
{
	while (n) {
		u64 have, fits, part;
		u8 *to = place(a, &fits);
		u64 words = put_words(a, to, min(n, fits));
		const u8 *from;

		n -= words;
		if (words)
			continue;
		from = next_bytes(a, &have);
		part = min3(n, have, fits);
		memcpy(to, from, part);
		a->pos += part;
		a->stream->bytes += part;
		n -= part;
	}
}

void area_zero(struct area *a, u64 n)
{
	while (n) {
		u64 fits;
		u8 *to = place(a, &fits);

		fits = min(n, fits);
		memset(to, 0, fits);
		a->pos += fits;
		a->stream->skipped += fits;
		n -= fits;
	}
}

u64 area_left(const struct area *a, u64 limit)
{
	u64 end = min_t(u64, limit ? limit : U64_MAX, a->payload->data ? a->payload->size : U64_MAX);

	return end > a->stream->bytes ? end - a->stream->bytes : 0;
}

static int streams_show(struct seq_file *f, void *unused)
{
	struct stream *s;

	mutex_lock(&streams_lock);
	list_for_each_entry(s, &streams, list)
		seq_printf(f, "stream %u cpu %d bytes %llu skipped %llu records %llu truncated %llu no_room %llu starts %llu "
			   "taken %llu\n", s->nr, s->cpu, s->bytes, s->skipped, s->records, s->truncated, s->no_room,
			   s->starts, s->taken);
	mutex_unlock(&streams_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(streams);

void stream_files(struct dentry *dir)
{
	debugfs_create_file("streams", 0444, dir, NULL, &streams_fops);
}

void streams_free(void)
{
	struct stream *s, *next;

	list_for_each_entry_safe(s, next, &streams, list)
		kfree(s);
}
