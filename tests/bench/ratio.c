/*
 * ratio [-n RUNS] NAME GOALS OURS THEIRS: run two commands by turns and compare their best runs.
 * A command is words separated by blanks, found in PATH; its output is thrown away. GOALS is a list such as
 * "cpu=10,wall=10,rss=1": what to print, and how many times better than theirs ours should be. cpu is user and
 * system time of the command and the children it waited for, wall is the time that passed, rss the largest memory of
 * one process.
 * One line each: name, ours, theirs, theirs / ours, goal, and "missed" where it is. "-" as a command: not there.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS 64

enum what { CPU, WALL, RSS, NR_WHAT };

static const struct {
	const char *name, *unit;
} whats[NR_WHAT] = { { "cpu", "s" }, { "wall", "s" }, { "rss", "MiB" } };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void child(char **words)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(words[0], words);
	_exit(127);
}

/* Run @words once and keep the best of each number in @best. */
static bool run(char **words, double best[NR_WHAT])
{
	double start = now(), got[NR_WHAT];
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (!pid)
		child(words);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return false;
	got[WALL] = now() - start;
	got[CPU] = u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	got[RSS] = u.ru_maxrss / 1024.0;
	for (int w = 0; w < NR_WHAT; w++)
		if (!best[w] || got[w] < best[w])
			best[w] = got[w];
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void split(char *s, char **words)
{
	unsigned n = 0;

	for (char *w = strtok(s, " "); w && n < MAX_WORDS - 1; w = strtok(NULL, " "))
		words[n++] = w;
	words[n] = NULL;
}

static void print_row(const char *name, enum what w, double ours, double theirs, double goal)
{
	char a[32] = "-", b[32] = "-", ratio[32] = "-";

	if (ours)
		snprintf(a, sizeof(a), "%.3f", ours);
	if (theirs)
		snprintf(b, sizeof(b), "%.3f", theirs);
	if (ours && theirs)
		snprintf(ratio, sizeof(ratio), "%.2f", theirs / ours);
	printf("%-34s %-4s %-4s %10s %10s %8s %6g%s\n", name, whats[w].name, whats[w].unit, a, b, ratio, goal,
	       ours && theirs && theirs / ours < goal ? "  missed" : "");
}

int main(int argc, char **argv)
{
	double best[2][NR_WHAT] = { 0 };
	char *words[2][MAX_WORDS];
	unsigned runs = 5, bad = 0;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		runs = strtoul(argv[2], NULL, 0);
		argv += 2;
		argc -= 2;
	}
	if (argc != 5) {
		fprintf(stderr, "usage: ratio [-n RUNS] NAME GOALS OURS THEIRS\n");
		return 129;
	}
	for (int i = 0; i < 2; i++)
		split(argv[3 + i], words[i]);
	for (unsigned r = 0; r < runs; r++)
		for (int i = 0; i < 2; i++)
			if (words[i][0] && strcmp(words[i][0], "-") && !run(words[i], best[i]))
				bad |= 1u << i;
	for (char *goal = strtok(argv[2], ","); goal; goal = strtok(NULL, ","))
		for (int w = 0; w < NR_WHAT; w++) {
			size_t n = strlen(whats[w].name);

			if (!strncmp(goal, whats[w].name, n) && goal[n] == '=')
				print_row(argv[1], w, best[0][w], best[1][w], atof(goal + n + 1));
		}
	for (int i = 0; i < 2; i++)
		if (bad >> i & 1)
			printf("%-34s failed: %s\n", argv[1], words[i][0]);
	fflush(stdout);
	return bad & 1;
}
