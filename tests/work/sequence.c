/*
 * Touches one new page after the other, each a page fault whose address tells its number, and does at given numbers what triggers
 * are to be seen for. First it prints the address of page 0.
 *
 * sequence PAGES [DO AT]...: before page AT (1: the first) it does DO:
 *	fire	calls fire()
 *	slow	calls work() for 500 ms; before other pages for no time
 *	wait	sleeps 500 ms
 *	ask	prints AT, and goes on when there is a line on standard input
 *	spin	runs for 100 ms of CPU time
 *	thread	fire(), in a new thread
 *	fork	fire(), in a new process
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096

static __attribute__((noinline, noclone)) void fire(void)
{
	__asm__ volatile("" ::: "memory");
}

static void run_for(clockid_t clock, long ms)
{
	struct timespec from, now;

	clock_gettime(clock, &from);
	do
		clock_gettime(clock, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static __attribute__((noinline, noclone)) void work(long ms)
{
	__asm__ volatile("" ::: "memory");
	if (ms)
		run_for(CLOCK_MONOTONIC, ms);
}

static __attribute__((noinline, noclone)) void touch(volatile char *page)
{
	*page = 1;
}

static void *fire_in_thread(void *arg)
{
	fire();
	return arg;
}

static void ask(const char *what)
{
	char line[64];

	puts(what);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static void act(const char *what, const char *at)
{
	pthread_t thread;
	pid_t child;

	if (!strcmp(what, "fire"))
		fire();
	if (!strcmp(what, "wait"))
		nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	if (!strcmp(what, "ask"))
		ask(at);
	if (!strcmp(what, "spin"))
		run_for(CLOCK_PROCESS_CPUTIME_ID, 100);
	if (!strcmp(what, "thread") && !pthread_create(&thread, NULL, fire_in_thread, NULL))
		pthread_join(thread, NULL);
	if (strcmp(what, "fork"))
		return;
	child = fork();
	if (!child) {
		fire();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	long nr = argc > 1 ? atol(argv[1]) : 0;
	char *pages = mmap(NULL, (size_t)nr * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (nr <= 0 || pages == MAP_FAILED || madvise(pages, (size_t)nr * PAGE, MADV_NOHUGEPAGE))
		return 1;
	printf("%lx\n", (unsigned long)pages);
	fflush(stdout);
	for (long i = 1; i <= nr; i++) {
		long ms = 0;

		for (int k = 2; k + 1 < argc; k += 2) {
			if (atol(argv[k + 1]) != i)
				continue;
			act(argv[k], argv[k + 1]);
			ms = strcmp(argv[k], "slow") ? ms : 500;
		}
		work(ms);
		touch(pages + (i - 1) * PAGE);
	}
	return 0;
}
