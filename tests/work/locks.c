/*
 * locks [ROUNDS]: six threads that hold two mutexes, "first" and "second", for a while each, in turn and at will. Prints for each
 * mutex and thread
 *	MUTEX TID LEAST MOST
 * how long others waited for that mutex while the thread held it, in ns, as far as the program can tell: a thread that asks for a
 * mutex may be kept from going to sleep, which /proc says, and from running when it has got it. The last line is
 *	longest 0 0 NS
 * how long the longest wait for a mutex took.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define THREADS		6u
#define MUTEXES		2u
#define MAX_HOLDS	6000u

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *const mutexes[MUTEXES] = { &first, &second };
static const char *const names[MUTEXES] = { "first", "second" };
static pthread_barrier_t start;
static unsigned rounds = 100;

struct hold {			/* ns of CLOCK_MONOTONIC */
	uint64_t asked, got;
	uint64_t before, after;	/* it was released */
	uint64_t awake;		/* how long the thread ran, or was ready, from before .asked to after .got */
	pid_t tid;
	uint8_t mutex;
	bool waited;		/* it went to sleep in between */
};

static struct hold holds[THREADS][MAX_HOLDS / THREADS];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* How long this thread ran and was ready without a CPU. */
static uint64_t awake(int fd)
{
	uint64_t ran, ready;
	char text[100];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		fail("schedstat");
	text[n] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &ready) != 2)
		fail("schedstat");
	return ran + ready;
}

static long sleeps(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_THREAD, &r))
		fail("getrusage");
	return r.ru_nvcsw;
}

static void hold_once(struct hold *h, int fd, unsigned *seed)
{
	uint64_t ran = awake(fd);
	long before;

	h->tid = gettid();
	h->mutex = rand_r(seed) % 2;
	before = sleeps();
	h->asked = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_lock(mutexes[h->mutex]);
	h->got = clock_ns(CLOCK_MONOTONIC);
	h->waited = sleeps() != before;
	h->awake = awake(fd) - ran;
	usleep(300 + (unsigned)rand_r(seed) % 1200);
	h->before = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(mutexes[h->mutex]);
	h->after = clock_ns(CLOCK_MONOTONIC);
}

static void *run(void *arg)
{
	struct hold *own = arg;
	unsigned seed = (unsigned)(own - holds[0]) + 1;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("/proc/thread-self/schedstat");
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < rounds; i++) {
		hold_once(&own[i], fd, &seed);
		usleep(2000 + (unsigned)rand_r(&seed) % 3000);
	}
	close(fd);
	return NULL;
}

/* ---- what must be shown ---- */

static uint64_t overlap(uint64_t from, uint64_t to, uint64_t since, uint64_t until)
{
	from = from > since ? from : since;
	to = to < until ? to : until;
	return to > from ? to - from : 0;
}

static int by_release(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;

	return x->mutex != y->mutex ? x->mutex - y->mutex : x->before < y->before ? -1 : x->before > y->before;
}

static struct hold *all;
static size_t nr;

/*
 * A mutex that was taken without waiting, while the waiter was in its queue already, is released without waking anybody: it may
 * seem to be held by the next.
 */
static void add_wait(const struct hold *wait, const struct hold *h, uint64_t *least, uint64_t *most)
{
	bool begins = h == all || h[-1].mutex != h->mutex;
	uint64_t low = overlap(wait->asked, wait->got, begins ? 0 : h[-1].after, h->before);
	uint64_t high = overlap(wait->asked, wait->got, begins ? 0 : h[-1].before, h->after);
	bool silent = !h->waited && h->got >= wait->asked;

	if (!silent && low > wait->awake)
		*least += low - wait->awake;
	*most += high;
	for (const struct hold *s = h; s > all && s[-1].mutex == h->mutex && !s[-1].waited && s[-1].got >= wait->asked; s--)
		*most += overlap(wait->asked, wait->got, s - 1 == all || s[-2].mutex != h->mutex ? 0 : s[-2].before, s[-1].after);
}

static void say(unsigned mutex, pid_t tid)
{
	uint64_t least = 0, most = 0;

	for (size_t w = 0; w < nr; w++) {
		if (all[w].mutex != mutex || !all[w].waited || all[w].tid == tid)
			continue;
		for (size_t i = 0; i < nr; i++)
			if (all[i].mutex == mutex && all[i].tid == tid)
				add_wait(&all[w], &all[i], &least, &most);
	}
	printf("%s %d %" PRIu64 " %" PRIu64 "\n", names[mutex], (int)tid, least, most);
}

static uint64_t longest(void)
{
	uint64_t most = 0;

	for (size_t i = 0; i < nr; i++)
		most = all[i].got - all[i].asked > most ? all[i].got - all[i].asked : most;
	return most;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc > 1)
		rounds = (unsigned)atoi(argv[1]);
	if (!rounds || rounds > MAX_HOLDS / THREADS)
		return 2;
	pthread_barrier_init(&start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, holds[i]))
			fail("pthread_create");
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	nr = (size_t)rounds * THREADS;
	all = calloc(nr, sizeof(*all));
	for (unsigned i = 0; i < THREADS; i++)
		memcpy(&all[i * rounds], holds[i], rounds * sizeof(*all));
	qsort(all, nr, sizeof(*all), by_release);
	for (unsigned m = 0; m < MUTEXES; m++)
		for (unsigned i = 0; i < THREADS; i++)
			say(m, holds[i][0].tid);
	printf("longest 0 0 %" PRIu64 "\n", longest());
	return 0;
}
