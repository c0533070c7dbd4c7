/* The recording that is read. Layer: cmd */
#include "cmd/input.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/flow/session.h"

int input_parse_itrace(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct itrace_opts *itrace = field;

	(void)o;
	if (!unset)
		return itrace_parse(itrace, arg);
	*itrace = (struct itrace_opts){ .given = true, .none = true };
	return 0;
}

int input_parse_color(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	if (!color_when_parse(field, unset ? "never" : arg))
		return 0;
	return error("--%s is auto, always or never, not '%s'", o->name, arg);
}

int input_check(const struct input_opts *o)
{
	if (o->jobs > UINT16_MAX)
		return error("'%llu' is too many threads", (unsigned long long)o->jobs);
	return 0;
}

static const char *input_path(const char *given)
{
	struct stat st;

	if (given || fstat(STDIN_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return given;
	return "-";
}

int input_open(struct session **out, const struct input_opts *o)
{
	struct session_opts so = {
		.jobs = (unsigned)o->jobs,
		.machine = { .symfs = o->symfs, .vmlinux = o->vmlinux, .kallsyms = o->kallsyms, .no_demangle = !o->demangle },
		.header_only = o->header_only,
		.live = o->live,
	};

	return session_open(out, input_path(o->path), &so);
}
