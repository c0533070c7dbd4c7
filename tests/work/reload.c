/*
 * reload ROUNDS LIBRARY...: each library, whose function calls(body) calls body, is loaded, called for 3 ms of CPU time, and
 * unloaded, so that the next takes its place; every fourth round by a child that then goes on as a new program.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/work/clock.h"

#define KEEP __attribute__((noinline, noclone))

void burn(void);
void loads(const char *path);

KEEP void burn(void)
{
	uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 3000000;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (unsigned i = 0; i < 10000; i++)
			__asm__ volatile("");
}

KEEP void loads(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*calls)(void (*)(void));

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&calls = dlsym(library, "calls");
	calls(burn);
	dlclose(library);
}

static void in_child(char **argv, const char *path)
{
	pid_t pid = fork();

	if (!pid) {
		loads(path);
		execl("/proc/self/exe", argv[0], "1", path, (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[1], NULL, 0) : 0;

	for (unsigned long i = 0; i < rounds; i++)
		for (int k = 2; k < argc; k++) {
			if (i % 4 == 3)
				in_child(argv, argv[k]);
			else
				loads(argv[k]);
		}
	return 0;
}
