/*
 * places [N]: calls step() N times, and each writes the 8 bytes of `counter` once and reads them once. Linked to be
 * loaded anywhere. Prints the counts:
 *	step 100
 *	counter 100
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

volatile uint64_t counter;
volatile uint64_t other;

uint64_t step(uint64_t i);

__attribute__((noinline, noclone)) uint64_t step(uint64_t i)
{
	counter = i;
	return other + 1;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 100, i = 0;

	while (i < nr)
		i = step(i) + i;
	printf("step %lu\ncounter %lu\n", nr, nr);
	return 0;
}
