/*
 * numbered FROM TO [US]: calls getpgid(2) with each number from FROM to TO - 1 and sleeps US (200) after each. Ten in a row are
 * called by the program itself, by a child, by a child that executes this program again, and beside a library that was loaded.
 * Prints: numbered FROM TO
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define ROW	10

static KEEP void ask(unsigned long from, unsigned long to, useconds_t us)
{
	for (; from < to; from++) {
		syscall(SYS_getpgid, from);
		usleep(us);
	}
}

static KEEP void in_child(unsigned long from, unsigned long to, char **argv)
{
	useconds_t us = (useconds_t)atoi(argv[3]);
	char words[2][24];
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (from / ROW % 2)
		ask(from, to, us);
	snprintf(words[0], sizeof(words[0]), "%lu", from);
	snprintf(words[1], sizeof(words[1]), "%lu", to);
	if (from / ROW % 2 == 0)
		execl("/proc/self/exe", argv[0], words[0], words[1], argv[3], (char *)NULL);
	_exit(0);
}

static KEEP void by_library(unsigned long from, unsigned long to, useconds_t us)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);

	ask(from, to, us);
	if (library)
		dlclose(library);
}

int main(int argc, char **argv)
{
	char often[] = "200";
	char *args[] = { argv[0], argv[1], argv[2], argc > 3 ? argv[3] : often, NULL };
	unsigned long from = argc > 2 ? strtoul(argv[1], NULL, 0) : 0, to = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	useconds_t us = (useconds_t)atoi(args[3]);

	if (to - from <= ROW) {
		ask(from, to, us);
		return 0;
	}
	for (unsigned long at = from, end; at < to; at = end) {
		end = to - at < ROW ? to : at + ROW;
		if (at / ROW % 4 < 2)
			in_child(at, end, args);
		else if (at / ROW % 4 == 2)
			by_library(at, end, us);
		else
			ask(at, end, us);
	}
	printf("numbered %lu %lu\n", from, to);
	return 0;
}
