/*
 * Turns of a reader, with a drain that is played: without data it waits, but when it is to look at once it empties all, and then
 * waits again.
 */
#include "core/record/loop/readers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/perfdata/data_writer.h"
#include "core/record/loop/drain.h"
#include "tests/unit/check.h"

#define LONG_NS 60000000000u

static struct { unsigned some, all; } calls;

static int64_t drain(struct drain *d, struct data_writer *w, enum drain_how how)
{
	(void)d;
	(void)w;
	calls.some += how == DRAIN_SOME;
	calls.all += how == DRAIN_WRITE;
	return 0;
}

static bool handle(void *ctx, const struct epoll_event *e)
{
	(void)ctx;
	(void)e;
	return true;
}

int main(void)
{
	struct drain area = { .drain = drain };
	struct reader r = { .epoll = epoll_create1(EPOLL_CLOEXEC), .drains = &area, .next_flush_ns = now_ns() + LONG_NS };
	char path[] = "part.XXXXXX";
	uint64_t one = 1;
	int pipes[2], part = mkstemp(path);

	pthread_mutex_init(&r.lock, NULL);
	CHECK(part >= 0 && !close(part) && !unlink(path) && !data_writer_open_part(&r.writer, path, 0));
	CHECK(r.epoll >= 0 && !pipe(pipes) && !reader_watch(&r, pipes[0], EPOLLIN, 0));
	/* Events are enabled, and nothing wakes the reader. */
	reader_flush_now(&r);
	CHECK(!reader_turn(&r, handle, NULL) && calls.all == 1 && calls.some == 0);
	/* From then on it waits for data. */
	CHECK(r.next_flush_ns > now_ns());
	r.next_flush_ns = now_ns() + LONG_NS;
	CHECK(write(pipes[1], &one, sizeof(one)) == sizeof(one));
	CHECK(!reader_turn(&r, handle, NULL) && calls.all == 1 && calls.some == 1);
	data_writer_close(r.writer);
	unlink(path);
	return nr_failed != 0;
}
