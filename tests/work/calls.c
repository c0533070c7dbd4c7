/*
 * calls [A [B]]: main calls a() A times and b() B times; a calls c once, b calls c three times. Linked at a fixed
 * address, so that `nm` tells where the functions will be. Prints who calls whom how often, then the sums:
 *	main>a 100
 *	c 700
 */
#include <stdio.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))

void a(void), b(void), c(void);

KEEP void c(void)
{
	__asm__ volatile("" ::: "memory");
}

KEEP void a(void)
{
	c();
	__asm__ volatile("" ::: "memory");
}

KEEP void b(void)
{
	c();
	c();
	c();
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	unsigned long nr_a = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	unsigned long nr_b = argc > 2 ? strtoul(argv[2], NULL, 0) : 200;

	for (unsigned long i = 0; i < nr_a; i++)
		a();
	for (unsigned long i = 0; i < nr_b; i++)
		b();
	printf("main>a %lu\nmain>b %lu\na>c %lu\nb>c %lu\n", nr_a, nr_b, nr_a, 3 * nr_b);
	printf("a %lu\nb %lu\nc %lu\n", nr_a, nr_b, nr_a + 3 * nr_b);
	return 0;
}
