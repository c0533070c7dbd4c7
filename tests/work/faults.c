/*
 * faults [PAGES]: touches PAGES fresh pages in touch_pages(), each one page fault: small pages only, private and
 * anonymous, so that nothing maps neighbours along. Prints: touch_pages PAGES
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static __attribute__((noinline)) void touch_pages(volatile char *p, size_t pages, size_t size)
{
	for (size_t i = 0; i < pages; i++)
		p[i * size] = 1;
}

int main(int argc, char **argv)
{
	size_t pages = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000, size = (size_t)sysconf(_SC_PAGESIZE);
	char *p;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	p = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	madvise(p, pages * size, MADV_NOHUGEPAGE);
	touch_pages(p, pages, size);
	printf("touch_pages %zu\n", pages);
	return 0;
}
