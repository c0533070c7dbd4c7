/*
 * manycalls ROUNDS: three processes read, write and ask, some of it in vain; three threads wait for futexes that nobody wakes; two
 * processes wake each other.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int words[4], rounds;
static void *waits(void *arg)
{
	struct timespec t = { 0, 1000 };

	for (int i = 0; i < rounds; i++)
		syscall(SYS_futex, &words[i % 4], i % 3 ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT, i & 1, &t, NULL, 0);
	return arg;
}
int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY), there[2], back[2];
	char b[64];
	pthread_t t[3];

	rounds = argc > 1 ? atoi(argv[1]) : 100;

	for (int k = 0; k < 3; k++)
		if (!fork()) {
			for (int i = 0; i < rounds; i++) {
				syscall(SYS_getppid);
				(void)!read(i % 7 ? zero : -1, b, i % 64);
				(void)!write(i % 5 ? null : -1, b, i % 32);
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, waits, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	(void)!pipe(there);
	(void)!pipe(back);
	if (!fork()) {
		for (int i = 0; i < rounds; i++)
			(void)!(read(there[0], b, 1) && write(back[1], b, 1));
		_exit(0);
	}
	for (int i = 0; i < rounds; i++)
		(void)!(write(there[1], b, 1) && read(back[0], b, 1));
	return 0;
}
