/*
 * Starts the keeper, a process that runs the recorder for prec top (pieces.h). When prec top has ended, the keeper ends the
 * recorder and removes the directory with the recorded files.
 */
#include "core/record/loop/pieces.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/util.h"

#define SELF		"/proc/self/exe"
#define NAME		"minute"
#define MESSAGES	"messages"
#define LARGEST_PIECE	"32M"

struct pieces {
	char *dir;		/* owned */
	pid_t cleaner;		/* the keeper: the process that removes .dir */
	int alive;		/* writing end of a pipe to the keeper, which sees that it closes when this process ends */
	int ended;		/* reading end of a pipe, in which the keeper writes the recorder's exit status */
	bool has_ended;
	int status;
};

/* ---- the directory ---- */

static char *in_dir(const struct pieces *p, const char *name)
{
	return xasprintf("%s/%s", p->dir, name);
}

static bool is_finished(const char *name)
{
	return str_starts(name, NAME ".") && isdigit((unsigned char)name[sizeof(NAME)]);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of finished files end in a time. The oldest may be removed at any moment, so it is left out. */
void pieces_list(const struct pieces *p, struct piece_paths *out)
{
	char *now = in_dir(p, NAME);
	DIR *dir = opendir(p->dir);
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (is_finished(e->d_name))
			vec_push(&out->list, in_dir(p, e->d_name));
	if (dir)
		closedir(dir);
	vec_sort(&out->list, by_name);
	while (out->list.nr > PIECES_SECONDS / PIECE_SECONDS) {
		free(out->list.v[0]);
		memmove(out->list.v, out->list.v + 1, --out->list.nr * sizeof(*out->list.v));
	}
	if (access(now, R_OK))
		free(now);
	else
		vec_push(&out->list, now);
}

void piece_paths_release(struct piece_paths *paths)
{
	vec_for(path, &paths->list)
		free(*path);
	vec_free(&paths->list);
}

void pieces_messages(const struct pieces *p, struct buf *out)
{
	char *path = in_dir(p, MESSAGES);

	read_file(path, out);
	free(path);
}

static void remove_all(const struct pieces *p)
{
	DIR *dir = opendir(p->dir);
	const struct dirent *e;

	while (dir && (e = readdir(dir)))
		unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(p->dir);
}

/* ---- the recorder's process ---- */

static _Noreturn void record(const struct pieces *p, const char *const *words, const sigset_t *mask)
{
	char *output = in_dir(p, NAME), *pieces = xasprintf("--switch-output=%us,%s", PIECE_SECONDS, LARGEST_PIECE);
	char *most = xasprintf("--switch-max-files=%u", PIECES_SECONDS / PIECE_SECONDS + 1);
	const char *const first[] = { "prec", "record", "-q", "-N", "-o", output, pieces, most };
	size_t nr = 0;
	const char **argv;

	while (words[nr])
		nr++;
	argv = xcalloc(ARRAY_SIZE(first) + nr + 1, sizeof(*argv));
	memcpy(argv, first, sizeof(first));
	memcpy(argv + ARRAY_SIZE(first), words, nr * sizeof(*words));
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv(SELF, (char *const *)argv);
	error("cannot run '%s': %s", SELF, strerror(errno));
	_exit(1);
}

static int exit_status(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static void redirect(const struct pieces *p)
{
	char *path = in_dir(p, MESSAGES);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), messages = new_file_at(AT_FDCWD, path, 0600);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	free(path);
}

/*
 * Runs the keeper. It starts the recorder, and removes the files after prec top has ended, which closes @alive. Both processes are
 * in a session of their own, so that the terminal's signals do not reach them.
 */
static _Noreturn void keep(const struct pieces *p, int alive, int ended, const char *const *words)
{
	struct pollfd fds[] = { { .fd = alive, .events = POLLIN }, { .events = POLLIN } };
	sigset_t child, mask;
	pid_t recorder;
	int status = 0;

	setsid();
	redirect(p);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &mask);
	fds[1].fd = signalfd(-1, &child, SFD_CLOEXEC);
	recorder = fork();
	if (!recorder)
		record(p, words, &mask);
	signal(SIGPIPE, SIG_IGN);	/* the reader may have gone */
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[0].revents)
		kill(recorder, SIGTERM);
	while (waitpid(recorder, &status, 0) < 0 && errno == EINTR)
		;
	status = exit_status(status);
	if (write_all(ended, &status, sizeof(status)) == 0)
		while (poll(fds, 1, -1) < 0 && errno == EINTR)
			;
	remove_all(p);
	_exit(0);
}

/* ---- of those who read ---- */

int pieces_begin(struct pieces **out, const char *const *words)
{
	const char *where = getenv("TMPDIR");
	struct pieces p = { .dir = xasprintf("%s/prec-top-XXXXXX", where && *where ? where : "/tmp") };
	int alive[2], ended[2];

	if (!mkdtemp(p.dir)) {
		error("cannot make the directory '%s': %s (TMPDIR chooses where)", p.dir, strerror(errno));
		free(p.dir);
		return -1;
	}
	if (pipe2(alive, O_CLOEXEC) || pipe2(ended, O_CLOEXEC))
		die("cannot make a pipe: %s", strerror(errno));
	p.cleaner = fork();
	if (p.cleaner < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!p.cleaner) {
		close(alive[1]);
		close(ended[0]);
		keep(&p, alive[0], ended[1], words);
	}
	close(alive[0]);
	close(ended[1]);
	p.alive = alive[1];
	p.ended = ended[0];
	*out = xmalloc(sizeof(p));
	**out = p;
	return 0;
}

bool pieces_ended(struct pieces *p, int *status)
{
	struct pollfd fd = { .fd = p->ended, .events = POLLIN };

	if (!p->has_ended && poll(&fd, 1, 0) > 0) {
		p->has_ended = true;
		if (read(p->ended, &p->status, sizeof(p->status)) != sizeof(p->status))
			p->status = 1;
	}
	*status = p->status;
	return p->has_ended;
}

void pieces_end(struct pieces *p)
{
	if (!p)
		return;
	close(p->alive);
	close(p->ended);
	free(p->dir);
	free(p);
}
