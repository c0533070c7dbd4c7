/*
 * Shows the new recording at the end of prec record. It runs "prec report" for the option --open, and "prec export" for an
 * output file NAME.html.
 */
#include "cmd/record_options.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/log.h"

#define SELF "/proc/self/exe"
#define PAGE ".html"

bool record_wants_page(const struct record_opts *o)
{
	const char *path = o->rec.output.path;
	size_t n = strlen(path), suffix = sizeof(PAGE) - 1;

	return n > suffix && str_eq(path + n - suffix, PAGE);
}

int record_plan_page(struct record_opts *o)
{
	const struct output_opts *out = &o->rec.output;
	const char *path = out->path;

	if (o->archive || o->open || o->rec.on_file || out->rotate || out->timestamp || out->kcore || out->nr_parts)
		return error("'%s' is to be one page: leave out --archive, --open, --on-file and what writes several files", path);
	o->page = path;
	o->page_recording = xasprintf("%s.%ld.data", path, (long)getpid());
	o->rec.output.path = o->page_recording;
	o->rec.output.passing = true;
	return 0;
}

/* Replaces this process by "prec COMMAND [--wall] -i PATH [-q -o PAGE]". Returns only on failure. */
static void become(const struct record_opts *o, const char *command)
{
	const char *argv[9] = { "prec", command };
	unsigned nr = 2;

	if (o->off_cpu)
		argv[nr++] = "--wall";
	argv[nr++] = "-i";
	argv[nr++] = o->rec.output.path;
	if (o->page) {
		argv[nr++] = "-q";	/* the recorder has printed the losses already */
		argv[nr++] = "-o";
		argv[nr++] = o->page;
	}
	sigprocmask(SIG_SETMASK, &o->rec.mask, NULL);
	execv(SELF, (char *const *)argv);
}

int record_write_page(const struct record_opts *o)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		become(o, "export");
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0 || !WIFEXITED(status) || (WEXITSTATUS(status) && WEXITSTATUS(status) != STATUS_DAMAGED)) {
		error("the page '%s' could not be written: the recording is kept as '%s'", o->page, o->rec.output.path);
		return 1;
	}
	unlink(o->rec.output.path);
	info("'%s' is the page; the recording was not kept", o->page);
	return WEXITSTATUS(status);
}

int record_open_view(const struct record_opts *o)
{
	become(o, "report");
	error("cannot run '%s': %s", SELF, strerror(errno));
	return 1;
}
