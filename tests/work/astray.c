/*
 * astray [MS]: a program without frame pointers, which uses that register for something else; for MS milliseconds of CPU time in
 * turn so that what a chain by frame pointers finds there is data, a function that did not call, and by luck its caller.
 * x86_64 only.
 */
#include <stdlib.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))

/* Not static: compilers may give what is known to be called here only other names. */
void spins(const void *frame);
void data(void);
void function(void);
void luck(void);

KEEP void spins(const void *frame)
{
#ifdef __x86_64__
	__asm__ volatile("mov %0, %%rbp\n\tmov $1000000, %%rcx\n1:\tdec %%rcx\n\tjnz 1b" : : "r"(frame) : "rbp", "rcx", "memory");
#else
	(void)frame;
#endif
}

KEEP void data(void)
{
	static const char text[] = "data";
	const void *frame[] = { NULL, text };

	spins(frame);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

KEEP void function(void)
{
	const void *frame[] = { NULL, (const void *)luck };

	spins(frame);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

KEEP void luck(void)
{
	const void *frame[] = { NULL, __builtin_return_address(0) };

	spins(frame);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

int main(int argc, char **argv)
{
	uint64_t ns = (argc > 1 ? strtoull(argv[1], NULL, 0) : 100) * 1000000;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns) {
		data();
		function();
		luck();
	}
	return 0;
}
