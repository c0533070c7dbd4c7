/*
 * maps [N]: maps N executable pages, each apart from the next, prints "ready" and waits until it is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000, page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * nr * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < nr; i++)
		if (mprotect(p + 2 * i * page, page, PROT_READ | PROT_EXEC))
			return 1;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
