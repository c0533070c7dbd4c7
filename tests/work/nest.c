/*
 * nest [DEPTH [MS]]: for MS milliseconds of CPU time main calls down() DEPTH times in itself, which then calls a(), that
 * b(), c() and burn(), where nearly all the time goes. Built without frame pointers, so that only unwind tables tell who
 * called. Nobody's call is the last thing that a function does.
 */
#include <stdlib.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

/* Not static: compilers may give what is known to be called here only other names. */
void burn(unsigned long rounds);
void c(void);
void b(void);
void a(void);
void down(unsigned depth);

KEEP void burn(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		__asm__ volatile("" : "+r"(i));
}

KEEP void c(void)
{
	burn(1000000);
	AFTER_CALL();
}

KEEP void b(void)
{
	c();
	AFTER_CALL();
}

KEEP void a(void)
{
	b();
	AFTER_CALL();
}

KEEP void down(unsigned depth)
{
	volatile unsigned kept = depth;	/* a frame of its own size */

	if (depth > 1)
		down(depth - 1);
	else
		a();
	kept--;
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	uint64_t ns = (argc > 2 ? strtoull(argv[2], NULL, 0) : 100) * 1000000;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns)
		down(depth);
	return 0;
}
