/*
 * shares [THREADS [MS]]: each thread spends MS of CPU time (its own clock), 70 % in a_70, 20 % in b_20, 10 % in c_10.
 * Prints what each function really got, in percent and in rounds of its loop, summed over the threads:
 *	a_70 70.01 1400123456
 * A round takes as long in each of them, four cycles; a clock would count for one of them what is stolen from a virtual
 * machine, when nothing runs and nothing is sampled.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/work/clock.h"

/*
 * Some 0.1 to 0.5 ms: reading the clock, a system call, is lost beside it. Never the same twice, lest the work
 * runs in step with who samples it.
 */
#define ROUNDS(x) (100000 + (unsigned)((x) >> 46))

/* The constants differ so that the compiler cannot make one function of them. */
#define FUNCTION(name, factor)						\
static __attribute__((noinline)) uint64_t name(uint64_t x)		\
{									\
	for (unsigned i = ROUNDS(x); i; i--) {				\
		x = x * factor + 1;					\
		__asm__ volatile("" : "+r"(x));				\
	}								\
	return x;							\
}
FUNCTION(a_70, 6364136223846793005u)
FUNCTION(b_20, 3935559000370003845u)
FUNCTION(c_10, 2862933555777941757u)

static const struct share {
	const char *name;
	uint64_t (*run)(uint64_t);
	unsigned percent;
} shares[] = { { "a_70", a_70, 70 }, { "b_20", b_20, 20 }, { "c_10", c_10, 10 } };

struct thread {
	pthread_t id;
	uint64_t total_ns, rounds[3];
	uint64_t x;		/* what the functions work on */
};

/* The function that is most behind its share. */
static unsigned next(const struct thread *t)
{
	uint64_t all = t->rounds[0] + t->rounds[1] + t->rounds[2];
	double most = -1e9;
	unsigned best = 0;

	for (unsigned i = 0; i < 3; i++) {
		double behind = (all + 1.0) * shares[i].percent / 100 - t->rounds[i];

		if (behind > most) {
			most = behind;
			best = i;
		}
	}
	return best;
}

static void *work(void *arg)
{
	struct thread *t = arg;
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start < t->total_ns) {
		unsigned i = next(t);

		t->rounds[i] += ROUNDS(t->x);
		t->x = shares[i].run(t->x);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 4;
	uint64_t ms = argc > 2 ? strtoul(argv[2], NULL, 0) : 500, sum = 0, rounds[3] = { 0 };
	struct thread *threads = calloc(nr ? nr : 1, sizeof(*threads));

	for (unsigned i = 0; i < nr; i++) {
		threads[i].total_ns = ms * 1000000;
		threads[i].x = i;
		if (i && pthread_create(&threads[i].id, NULL, work, &threads[i]))
			return 1;
	}
	/* The first thread is this one, which is all that a recording without inheritance sees. */
	if (nr)
		work(&threads[0]);
	for (unsigned i = 0; i < nr; i++) {
		if (i)
			pthread_join(threads[i].id, NULL);
		for (unsigned j = 0; j < 3; j++) {
			rounds[j] += threads[i].rounds[j];
			sum += threads[i].rounds[j];
		}
	}
	for (unsigned j = 0; j < 3; j++)
		printf("%s %.2f %llu\n", shares[j].name, 100.0 * rounds[j] / (sum ? sum : 1),
		       (unsigned long long)rounds[j]);
	free(threads);
	return 0;
}
