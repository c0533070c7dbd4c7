/*
 * spawn [MOST]: makes threads one after another, MOST at most, until SIGUSR1 comes; then each calls getppid(2) once.
 * Prints "ready" when there are some, and the thread numbers of all at the end.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct thread {
	pthread_t id;
	long tid;
	sem_t *go;
};

static void *wait_and_ask(void *arg)
{
	struct thread *t = arg;

	t->tid = syscall(SYS_gettid);
	while (sem_wait(t->go))
		;
	syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t most = argc > 1 ? strtoul(argv[1], NULL, 0) : 5000, nr = 0;
	struct timespec pause = { .tv_nsec = 20000 };
	struct thread *all = calloc(most, sizeof(*all));
	pthread_attr_t attr;
	sigset_t set;
	sem_t go;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sem_init(&go, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (sigtimedwait(&set, NULL, &pause) != SIGUSR1) {
		if (nr == most)
			continue;
		all[nr].go = &go;
		if (pthread_create(&all[nr].id, &attr, wait_and_ask, &all[nr]))
			return 1;
		if (++nr == 20) {
			puts("ready");
			fflush(stdout);
		}
	}
	for (size_t i = 0; i < nr; i++)
		sem_post(&go);
	for (size_t i = 0; i < nr; i++) {
		pthread_join(all[i].id, NULL);
		printf("%ld\n", all[i].tid);
	}
	free(all);
	return 0;
}
