/*
 * dribble BYTES: standard input to the pipe on standard output, BYTES at a time, each only when its reader has taken all
 * before, so that it never finds more.
 */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 0) : 1, n;
	char *p = malloc(size);

	while (p && (n = fread(p, 1, size, stdin))) {
		struct pollfd gone = { .fd = STDOUT_FILENO };
		int left = 1;

		for (size_t done = 0; done < n;) {
			ssize_t some = write(STDOUT_FILENO, p + done, n - done);

			if (some < 0)
				return 1;
			done += (size_t)some;
		}
		while (!ioctl(STDOUT_FILENO, FIONREAD, &left) && left && poll(&gone, 1, 0) >= 0 && !(gone.revents & POLLERR))
			sched_yield();
	}
	return 0;
}
