/*
 * Types into a program on a pseudo terminal:
 *
 *	typist WIDTHxHEIGHT random SEED NR COMMAND...	NR random keys, with random sizes between; then Ctrl-C
 *	typist WIDTHxHEIGHT keys PATTERN KEYS COMMAND...	each of KEYS once, when PATTERN was written; then q, until it ends
 *	typist WIDTHxHEIGHT time PATTERN KEYS COMMAND...	each of KEYS once, when PATTERN was written
 *
 * The first fails where the program ends by itself, does not answer for a minute, or leaves the terminal in other modes than it
 * had. Where a key ends it, it is started again. So does the second, and where the status is not 0. The third prints for each key
 * after how many ms the first and the last output came, "open" first: until PATTERN. KEYS: \e is Esc, \r Enter, \t Tab, \u \d \l \x
 * the arrows up, down, left, right, \b Backspace.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MS 60000

struct typist {
	int master;
	pid_t pid;
	struct termios before;
	uint64_t random;
	char said[4096];		/* while it ended: the last of it */
};

static void fail(const char *what)
{
	fprintf(stderr, "typist: %s\n", what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static uint64_t below(struct typist *t, uint64_t n)
{
	t->random ^= t->random >> 12;
	t->random ^= t->random << 25;
	t->random ^= t->random >> 27;
	return t->random * 0x2545f4914f6cdd1dull % n;
}

static void resize(const struct typist *t, unsigned width, unsigned height)
{
	struct winsize size = { .ws_col = (unsigned short)width, .ws_row = (unsigned short)height };

	ioctl(t->master, TIOCSWINSZ, &size);
}

static void child(int slave, char **command)
{
	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(slave, fd);
	if (slave > 2)
		close(slave);
	execv(command[0], command);
	_exit(127);
}

static void start(struct typist *t, unsigned width, unsigned height, char **command)
{
	int slave;

	t->said[0] = '\0';
	t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->master < 0 || grantpt(t->master) || unlockpt(t->master))
		fail("there is no pseudo terminal");
	slave = open(ptsname(t->master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &t->before))
		fail("the pseudo terminal cannot be opened");
	resize(t, width, height);
	t->pid = fork();
	if (!t->pid)
		child(slave, command);
	close(slave);
	fcntl(t->master, F_SETFL, O_NONBLOCK);
}

/* Read what was written within @ms; below 0: the program has ended, 0: nothing was. @text: the last of it, a string of @size. */
static int listen(struct typist *t, int ms, char *text, size_t size)
{
	struct pollfd fd = { .fd = t->master, .events = POLLIN };
	char bytes[65536];
	ssize_t n;

	if (poll(&fd, 1, ms) <= 0)
		return 0;
	n = read(t->master, bytes, sizeof(bytes));
	if (n <= 0)
		return -1;
	if (text) {
		size_t len = strlen(text), keep = (size_t)n < size - 1 ? (size_t)n : size - 1;

		if (len + keep > size - 1) {
			size_t drop = len + keep - (size - 1);

			memmove(text, text + drop, len - drop + 1);
			len -= drop;
		}
		for (size_t i = 0; i < keep; i++)
			text[len++] = bytes[(size_t)n - keep + i] ? bytes[(size_t)n - keep + i] : ' ';
		text[len] = '\0';
	}
	return 1;
}

static void await(struct typist *t, const char *pattern)
{
	char text[65536] = "";
	double end = now_ms() + ANSWER_MS;

	while (!strstr(text, pattern))
		if (listen(t, 100, text, sizeof(text)) < 0 || now_ms() > end)
			fail("it does not show what was expected");
}

/* The status of a program that is to end. */
static int ended(struct typist *t)
{
	struct termios after;
	double end = now_ms() + ANSWER_MS;
	int status, slave = open(ptsname(t->master), O_RDWR | O_NOCTTY);

	while (!waitpid(t->pid, &status, WNOHANG)) {
		listen(t, 10, t->said, sizeof(t->said));
		if (now_ms() > end)
			fail("it does not end");
	}
	while (listen(t, 0, t->said, sizeof(t->said)) > 0)
		;
	if (slave < 0 || tcgetattr(slave, &after) || after.c_lflag != t->before.c_lflag || after.c_iflag != t->before.c_iflag ||
	    after.c_oflag != t->before.c_oflag)
		fail("the terminal is left in other modes");
	close(slave);
	close(t->master);
	return status;
}

/* ---- random keys ---- */

/* If the terminal has no room the program is behind: wait for it. */
static void type(struct typist *t, const char *key)
{
	size_t n = strlen(key);
	double end = now_ms() + ANSWER_MS;

	while (n) {
		ssize_t written = write(t->master, key, n);

		if (written > 0) {
			key += written;
			n -= (size_t)written;
		} else if (listen(t, 10, NULL, 0) < 0) {
			return;
		}
		if (now_ms() > end)
			fail("it takes no keys");
	}
}

static void type_random(struct typist *t)
{
	static const char *const special[] = {
		"\033OA", "\033OB", "\033OB", "\033OB", "\033OC", "\033OD", "\033[5~", "\033[6~", "\033OH", "\033OF",
		"\177", "\t", "\033[Z", "\r", "\r", "\033", "\xe2\x82\xac", "\f",
	};
	char letter[2] = { (char)(' ' + below(t, 95)) };

	type(t, below(t, 2) ? special[below(t, sizeof(special) / sizeof(*special))] : letter);
}

static bool has_ended(struct typist *t)
{
	siginfo_t info = { .si_pid = 0 };

	return !waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* It answers: Ctrl-L draws all of the screen again. */
static void check_alive(struct typist *t)
{
	double end = now_ms() + ANSWER_MS;

	while (listen(t, 0, NULL, 0) > 0)
		;
	type(t, "\f");
	while (!listen(t, 1000, NULL, 0))
		if (now_ms() > end)
			fail("it does not answer");
}

/* Until it has the terminal for itself, which echoes what is typed before. */
static void begin(struct typist *t, char **command)
{
	start(t, 80, 24, command);
	await(t, "\033[?1049h");
}

static unsigned type_many(struct typist *t, unsigned nr, char **command)
{
	unsigned starts = 1;

	begin(t, command);
	for (unsigned i = 0; i < nr; i++) {
		type_random(t);
		if (!below(t, 50))
			resize(t, 1 + (unsigned)below(t, 220), 1 + (unsigned)below(t, 70));
		if (i % 64 == 63)
			check_alive(t);
		listen(t, 0, NULL, 0);
		if (!has_ended(t))
			continue;
		if (ended(t))
			fail("a key ended it, and not well");
		begin(t, command);
		starts++;
	}
	return starts;
}

static int type_at_random(struct typist *t, char **argv)
{
	unsigned nr = (unsigned)strtoul(argv[1], NULL, 10), starts;
	int status;

	t->random = strtoull(argv[0], NULL, 10) * 2654435761u + 1;
	starts = type_many(t, nr, argv + 2);
	check_alive(t);
	type(t, "\003");
	status = ended(t);
	/* A q that came before it may have done so. */
	if (status && (!WIFSIGNALED(status) || WTERMSIG(status) != SIGINT)) {
		fprintf(stderr, "typist: status 0x%x after Ctrl-C, want 0 or SIGINT's: %s\n", (unsigned)status, t->said);
		return 1;
	}
	printf("%u keys, started %u times\n", nr, starts);
	return 0;
}

/* ---- times ---- */

static const char *key_of(const char **at, char single[2])
{
	static const struct { char letter; const char *key; } named[] = {
		{ 'e', "\033" }, { 'r', "\r" }, { 't', "\t" }, { 'u', "\033OA" }, { 'd', "\033OB" }, { 'l', "\033OD" },
		{ 'x', "\033OC" }, { 'b', "\177" },
	};
	char c = *(*at)++;

	for (size_t i = 0; c == '\\' && i < sizeof(named) / sizeof(*named); i++)
		if (named[i].letter == **at) {
			++*at;
			return named[i].key;
		}
	single[0] = c;
	single[1] = '\0';
	return single;
}

/* Each key is answered before the next, also those that change nothing: Ctrl-L draws all again. */
static int type_keys(struct typist *t, unsigned width, unsigned height, char **argv)
{
	char single[2];
	unsigned nr = 0;
	int status;

	start(t, width, height, argv + 2);
	await(t, argv[0]);
	for (const char *at = argv[1]; *at; nr++) {
		type(t, key_of(&at, single));
		check_alive(t);
	}
	while (!has_ended(t)) {
		type(t, "q");
		listen(t, 100, NULL, 0);
	}
	status = ended(t);
	if (status) {
		fprintf(stderr, "typist: status 0x%x after q: %s\n", (unsigned)status, t->said);
		return 1;
	}
	printf("%u keys\n", nr);
	return 0;
}

static int type_timed(struct typist *t, unsigned width, unsigned height, char **argv)
{
	double begin = now_ms();
	char single[2];

	start(t, width, height, argv + 2);
	await(t, argv[0]);
	printf("open %.1f\n", now_ms() - begin);
	for (const char *at = argv[1]; *at;) {
		const char *from = at, *key = key_of(&at, single);
		double first, last;

		while (listen(t, 200, NULL, 0) > 0)	/* all of the last key's answer */
			;
		begin = now_ms();
		type(t, key);
		if (listen(t, ANSWER_MS, NULL, 0) <= 0)
			fail("it does not answer");
		first = last = now_ms();
		while (listen(t, 30, NULL, 0) > 0)
			last = now_ms();
		printf("%.*s %.1f %.1f\n", (int)(at - from), from, first - begin, last - begin);
	}
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	struct typist t = {0};
	unsigned width, height;

	if (argc < 6 || sscanf(argv[1], "%ux%u", &width, &height) != 2)
		fail("usage: typist WIDTHxHEIGHT random SEED NR COMMAND... | keys|time PATTERN KEYS COMMAND...");
	setenv("TERM", "xterm-256color", 1);
	if (!strcmp(argv[2], "keys"))
		return type_keys(&t, width, height, argv + 3);
	return !strcmp(argv[2], "random") ? type_at_random(&t, argv + 3) : type_timed(&t, width, height, argv + 3);
}
