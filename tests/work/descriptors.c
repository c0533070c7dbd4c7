/*
 * descriptors DIR: threads wait for descriptors of all kinds. For each wait it prints "fd N WHAT", as prec is to name it. The last
 * is closed before the parent, the recorder, can see it: that is stopped until then.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAIT_MS		600	/* the recorder looks some 50 times a second */
#define NR_READERS	5

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

struct waiter {
	pthread_t thread;
	int fd;
	bool accepts;
	atomic_int tid;			/* once it is about to wait */
};

static void *wait_once(void *arg)
{
	struct waiter *w = arg;
	char c;

	w->tid = gettid();
	if (w->accepts)
		return accept(w->fd, NULL, NULL) >= 0 ? w : NULL;
	return read(w->fd, &c, 1) == 1 ? w : NULL;
}

static char state_of(pid_t pid)
{
	char path[64], text[512], *end;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : '?';
}

/* Returns when it waits. */
static void begin(struct waiter *w)
{
	w->tid = 0;
	if (pthread_create(&w->thread, NULL, wait_once, w))
		die("pthread_create");
	while (!w->tid || state_of(w->tid) != 'S')
		sched_yield();
}

static void end(const struct waiter *w)
{
	void *result;

	if (pthread_join(w->thread, &result) || !result)
		die("a wait");
}

static void say_pipe(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		die("fstat");
	printf("fd %d pipe:[%lu]\n", fd, (unsigned long)st.st_ino);
}

/* Listening; the address becomes what it got. */
static int listen_on(struct sockaddr *a, socklen_t size)
{
	int fd = socket(a->sa_family, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, a, size) || listen(fd, 4) || getsockname(fd, a, &size))
		die("listen");
	return fd;
}

static int connect_to(const struct sockaddr *a, socklen_t size)
{
	int fd = socket(a->sa_family, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, a, size))
		die("connect");
	return fd;
}

/* The same number for one pipe after the other. */
static void reuse(void)
{
	struct waiter w = { .fd = -1 };

	for (int i = 0; i < 2; i++) {
		int ends[2];

		if (pipe(ends))
			die("pipe");
		if (w.fd < 0)
			w.fd = fcntl(ends[0], F_DUPFD, 100);
		else
			dup2(ends[0], w.fd);
		close(ends[0]);
		say_pipe(w.fd);
		begin(&w);
		pause_ms(WAIT_MS);
		if (write(ends[1], "x", 1) != 1)
			die("write");
		end(&w);
		close(ends[1]);
	}
}

static void close_unseen(void)
{
	struct waiter w = {0};
	int ends[2];

	if (pipe(ends))
		die("pipe");
	w.fd = fcntl(ends[0], F_DUPFD, 200);
	kill(getppid(), SIGSTOP);
	while (state_of(getppid()) != 'T')
		;
	begin(&w);
	if (write(ends[1], "x", 1) != 1)
		die("write");
	end(&w);
	close(w.fd);
	kill(getppid(), SIGCONT);
	printf("fd %d\n", w.fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct waiter w[NR_READERS] = {0};
	int writes[NR_READERS], ends[2], internet, local;

	if (argc != 2 || chdir(argv[1]) || mkfifo("fifo", 0600))
		die("DIR");
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/unix", argv[1]);
	if (pipe(ends))
		die("pipe");
	w[0].fd = ends[0], writes[0] = ends[1];
	say_pipe(ends[0]);
	w[1].fd = writes[1] = open("fifo", O_RDWR);
	printf("fd %d %s/fifo\n", w[1].fd, argv[1]);
	internet = listen_on((struct sockaddr *)&in, sizeof(in));
	local = listen_on((struct sockaddr *)&un, sizeof(un));
	w[2].fd = connect_to((struct sockaddr *)&in, sizeof(in));
	writes[2] = accept(internet, NULL, NULL);
	printf("fd %d tcp 127.0.0.1:%u\n", w[2].fd, ntohs(in.sin_port));
	w[3].fd = connect_to((struct sockaddr *)&un, sizeof(un));
	writes[3] = accept(local, NULL, NULL);
	printf("fd %d unix %s\n", w[3].fd, un.sun_path);
	w[4].fd = internet;
	w[4].accepts = true;
	printf("fd %d tcp listening 127.0.0.1:%u\n", internet, ntohs(in.sin_port));
	for (int i = 0; i < NR_READERS; i++)
		begin(&w[i]);
	pause_ms(WAIT_MS);
	writes[4] = connect_to((struct sockaddr *)&in, sizeof(in));
	for (int i = 0; i < 4; i++)
		if (write(writes[i], "x", 1) != 1)
			die("write");
	for (int i = 0; i < NR_READERS; i++)
		end(&w[i]);
	reuse();
	close_unseen();
	return 0;
}
