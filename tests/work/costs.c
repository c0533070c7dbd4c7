/*
 * Twelve functions of known cost: costs COUNT NAME=PERCENT...
 *
 * Each is called a few times, and loops COUNT times (in thousands) a call, or by PERCENT more or less where that is given. When it
 * ends it prints what each has taken by the thread's clock, which is read when a call begins and when it ends: "NAME NS".
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 4

static volatile uint64_t sink;

/* One after the other, whatever the compiler thinks: each step waits for the one before it. */
#define COST(name, number)							\
static __attribute__((noinline, noclone)) void name(uint64_t count)		\
{										\
	uint64_t x = (number);							\
										\
	for (uint64_t i = 0; i < count; i++)					\
		x = x * 6364136223846793005u + (number);			\
	sink = x;								\
}

#define FUNCTIONS(F) F(f, 1) F(g, 2) F(same_a, 3) F(same_b, 4) F(same_c, 5) F(same_d, 6) F(same_e, 7) F(same_h, 8) F(same_i, 9) \
	F(same_j, 10) F(same_k, 11) F(same_l, 12)
FUNCTIONS(COST)

#define ROW(name, number) { #name, name, 0, 0 },
static struct cost { const char *name; void (*run)(uint64_t count); int64_t percent; uint64_t ns; } costs[] = { FUNCTIONS(ROW) };
#define NR (sizeof(costs) / sizeof(costs[0]))

static uint64_t thread_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void set(const char *word)
{
	const char *value = strchr(word, '=');

	for (size_t i = 0; value && i < NR; i++)
		if (strlen(costs[i].name) == (size_t)(value - word) && !strncmp(costs[i].name, word, (size_t)(value - word)))
			costs[i].percent = atoi(value + 1);
}

int main(int argc, char **argv)
{
	int64_t count = argc > 1 ? atoi(argv[1]) : 1000;

	for (int i = 2; i < argc; i++)
		set(argv[i]);
	for (int call = 0; call < CALLS; call++)
		for (size_t i = 0; i < NR; i++) {
			uint64_t from = thread_time();

			costs[i].run((uint64_t)(count * 10 * (100 + costs[i].percent)));
			costs[i].ns += thread_time() - from;
		}
	for (size_t i = 0; i < NR; i++)
		printf("%s %" PRIu64 "\n", costs[i].name, costs[i].ns);
	return 0;
}
