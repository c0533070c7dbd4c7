/* halves MS: runs first_half() for MS ms, and then second_half() for as long. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static __attribute__((noinline, noclone)) void first_half(int64_t end)
{
	do
		for (uint64_t i = 0; i < 50000; i++)
			sink += i * i;
	while (now_ns() < end);
}

static __attribute__((noinline, noclone)) void second_half(int64_t end)
{
	do
		for (uint64_t i = 0; i < 50000; i++)
			sink ^= i + 3;
	while (now_ns() < end);
}

int main(int argc, char **argv)
{
	int64_t ns = (argc > 1 ? strtoll(argv[1], NULL, 0) : 1000) * 1000000, begin = now_ns();

	first_half(begin + ns);
	second_half(begin + 2 * ns);
	return 0;
}
