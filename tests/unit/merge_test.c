/* Lines of streams, made by many threads, come out in order of time, and all of them; also where they are written piecewise. */
#include "core/read/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/pool.h"

#define MOST_WORK	200
#define MOST_LINES	40

struct job {
	struct merge *merge;
	struct merge_work work[MOST_WORK];
	uint64_t last[MOST_WORK];		/* the time of its last line, at least its own */
	size_t nr;
	uint32_t nr_streams;
};

/* Work in order of time; in a stream none begins before the one before it ended. */
static void make_work(struct job *j, unsigned seed)
{
	uint64_t time = 0, ends[8] = {0};

	srand(seed);
	j->nr = (size_t)rand() % MOST_WORK;
	j->nr_streams = 1 + (uint32_t)rand() % 5;
	for (size_t i = 0; i < j->nr; i++) {
		uint32_t s = (uint32_t)rand() % j->nr_streams;

		time += (uint64_t)rand() % 20;
		time = MAX(time, ends[s]);
		j->work[i] = (struct merge_work){ .time = time, .stream = s };
		ends[s] = j->last[i] = time + (uint64_t)rand() % 300;
	}
}

static void do_work(void *arg, unsigned worker, size_t number)
{
	struct job *j = arg;
	uint64_t time = j->work[number].time;
	struct buf text = {0};
	unsigned state = (unsigned)number;

	(void)worker;
	if (!merge_begin(j->merge, number))
		return;
	for (int i = rand_r(&state) % MOST_LINES; i > 0; i--) {
		buf_printf(&text, "%llu %u %zu\n", (unsigned long long)time, j->work[number].stream, number);
		merge_line(j->merge, number, time, &text);
		if (i % 7 == 0)
			merge_maybe_flush(j->merge, number, &text);
		time += (uint64_t)rand_r(&state) % 30;
		time = MIN(time, j->last[number]);
	}
	merge_end(j->merge, number, &text);
	buf_release(&text);
}

/* The lines are in order of (time, stream, work); returns how many there are, -1 where they are not. */
static long check(char *text)
{
	unsigned long long time, before = 0;
	unsigned stream, stream_before = 0;
	size_t work, work_before = 0;
	char *at = NULL;
	long nr = 0;

	for (char *line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at), nr++) {
		if (sscanf(line, "%llu %u %zu", &time, &stream, &work) != 3 || time < before)
			return printf("'%s' comes behind %llu\n", line, before), -1;
		if (time == before && (stream < stream_before || (stream == stream_before && work < work_before)))
			return printf("'%s' comes behind %llu %u %zu\n", line, before, stream_before, work_before), -1;
		before = time;
		stream_before = stream;
		work_before = work;
	}
	return nr;
}

static long expected(const struct job *j)
{
	long nr = 0;

	for (size_t i = 0; i < j->nr; i++) {
		unsigned state = (unsigned)i;

		nr += rand_r(&state) % MOST_LINES;
	}
	return nr;
}

int main(void)
{
	static struct job job;

	for (unsigned seed = 0; seed < 200; seed++) {
		char path[] = "/tmp/merge_test.XXXXXX";
		int fd = mkstemp(path), err;
		struct buf text = {0};
		long nr;

		make_work(&job, seed);
		job.merge = merge_new(job.work, job.nr, job.nr_streams, 1 + seed % 9, seed * 37 % 1000, fd);
		pool_run(1 + seed % 4, job.nr, do_work, &job);
		err = merge_free(job.merge);
		read_file(path, &text);
		unlink(path);
		close(fd);
		buf_str(&text);
		nr = check(text.data);
		buf_release(&text);
		if (err || nr != expected(&job)) {
			printf("seed %u: %ld lines in order, %ld expected, error %d\n", seed, nr, expected(&job), err);
			return 1;
		}
	}
	return 0;
}
