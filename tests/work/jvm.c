/*
 * jvm ANSWER MS [PROGRAM]: makes code without a file as a JVM does, runs it for MS milliseconds of CPU time, and speaks HotSpot's
 * attach protocol when it is asked for the names of that code. It maps the file libjvm.so of the current directory. ANSWER:
 * names: writes /tmp/perf-PID.map, with "java_method" in it; silent: takes the request and says nothing; deaf: never listens;
 * late: as names, but reads the signal two seconds later, and prints "dumped" if the file .attach_pidPID is gone by then;
 * drips: answers by a byte each 50 ms, without end; floods: as fast as it can; old: does not know the command; deadly: does not
 * catch the signal; exec: executes PROGRAM at the end. Prints "asked" for each request of a process in the same directory
 * (others may record the whole machine), at the end "ended".
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* mov %rdi,%rax; 1: dec %rax; jnz 1b; ret */
static const uint8_t loop[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
/* 1: subs x0, x0, #1; b.ne 1b; ret */
static const uint8_t loop[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#else
static const uint8_t loop[1];
#endif

static const char *answer;
static uint8_t *code;
static char socket_path[64];

static int listen_there(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", socket_path);
	unlink(socket_path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 5))
		exit(3);
	return fd;
}

static void write_names(void)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		exit(3);
	fprintf(map, "%lx %zx java_method\n", (unsigned long)(uintptr_t)code, sizeof(loop));
	fclose(map);
}

static int is_neighbour(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	char path[32], own[256], theirs[256];
	ssize_t n, m;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)peer.pid);
	n = readlink("/proc/self/cwd", own, sizeof(own));
	m = readlink(path, theirs, sizeof(theirs));
	return n > 0 && n == m && !memcmp(own, theirs, (size_t)n);
}

/* Until nobody reads it. */
static void answer_for_ever(int fd, long pause_ns)
{
	while (send(fd, "0", 1, MSG_NOSIGNAL) == 1)
		if (pause_ns)
			nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
}

static void serve(int fd)
{
	static const char want[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char request[256];
	size_t nr = 0;
	ssize_t n;

	while (nr < sizeof(want) && (n = read(fd, request + nr, sizeof(request) - nr)) > 0)
		nr += (size_t)n;
	if (nr != sizeof(want) || memcmp(request, want, sizeof(want)))
		exit(4);
	if (is_neighbour(fd))
		puts("asked");
	fflush(stdout);
	if (!strcmp(answer, "silent"))
		return;		/* and keeps the connection */
	if (!strcmp(answer, "names") || !strcmp(answer, "late"))
		write_names();
	if (!strcmp(answer, "drips"))
		answer_for_ever(fd, 50000000);
	else if (!strcmp(answer, "floods"))
		answer_for_ever(fd, 0);
	else
		dprintf(fd, strcmp(answer, "old") ? "0\nCommand executed successfully\n" :
						    "0\njava.lang.IllegalArgumentException: Unknown diagnostic command\n");
	close(fd);
}

/* Waits for the signal as HotSpot's thread for signals does. */
static void *dispatch(void *arg)
{
	const sigset_t *quit = arg;
	char path[64];
	int signal, at = -1;

	snprintf(path, sizeof(path), "/tmp/.attach_pid%d", (int)getpid());
	while (at < 0 && !sigwait(quit, &signal)) {
		if (!strcmp(answer, "late"))
			sleep(2);
		if (access(path, F_OK))
			puts("dumped");
		else if (strcmp(answer, "deaf"))
			at = listen_there();
	}
	while (at >= 0)
		serve(accept(at, NULL, NULL));
	return NULL;
}

static void nothing(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	int fd = open("libjvm.so", O_RDONLY);
	uint64_t end;
	struct timespec t;
	pthread_t thread;
	sigset_t quit;

	if (argc < 3 || sizeof(loop) == 1 || fd < 0)
		return 2;
	answer = argv[1];
	snprintf(socket_path, sizeof(socket_path), "/tmp/.java_pid%d", (int)getpid());
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	if (strcmp(answer, "deadly")) {
		signal(SIGQUIT, nothing);	/* it counts as caught */
		pthread_sigmask(SIG_BLOCK, &quit, NULL);
		pthread_create(&thread, NULL, dispatch, &quit);
	}
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 2;
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 2;
	memcpy(code, loop, sizeof(loop));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(loop));
	end = (uint64_t)atoi(argv[2]) * 1000000;
	do {
		((void (*)(uint64_t))(uintptr_t)code)(1000000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec < end);
	unlink(socket_path);
	if (!strcmp(answer, "exec"))
		execl(argv[3], argv[3], NULL);
	puts("ended");
	return 0;
}
