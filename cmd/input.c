/*
 * Opens the recording that a command reads, and applies the options that commands share (input.h): makes the filter of samples,
 * attaches the decoder of hardware trace, and finds the event that -e names.
 */
#include "cmd/input.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/ui/shell_word.h"
#include "core/perfdata/recording_path.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/sched/wall.h"

int input_parse_itrace(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	struct itrace_opts *itrace = field;

	if (!unset)
		return itrace_parse(itrace, arg);
	*itrace = (struct itrace_opts){ .given = true, .none = true };
	return 0;
}

/* libdebuginfod reads the list of servers only from the environment. */
int input_parse_debuginfod(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	const char *known = getenv("DEBUGINFOD_URLS");
	bool *wanted = field;

	*wanted = !unset;
	if (unset)
		unsetenv("DEBUGINFOD_URLS");
	else if (arg && *arg)
		setenv("DEBUGINFOD_URLS", arg, true);
	else if (!known || !*known)
		return error("--debuginfod: no server is named: --debuginfod=URL, or DEBUGINFOD_URLS in the environment");
	return 0;
}

bool input_ask_for_calls(struct itrace_opts *o)
{
	struct itrace_opts asked = { .given = true, .none = o->none, .timeless = o->timeless, .vm_time = o->vm_time,
				     .quick = o->quick, .errors = true };

	/* As in perf c and r choose among the branches. */
	bool whole = !o->calls && !o->returns;

	asked.branches = true;
	asked.calls = asked.returns = !whole;
	*o = asked;
	return whole;
}

int input_parse_color(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	if (!color_when_parse(field, unset ? "never" : arg))
		return 0;
	return error("--%s is auto, always or never, not '%s'", o->name, arg);
}

int input_parse_percent(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	double *percent = field;
	char *end;

	*percent = unset ? 0 : strtod(arg, &end);
	if (!unset && (end == arg || (*end && !str_eq(end, "%")) || !isfinite(*percent) || *percent < 0))
		return error("option '%s' needs a percentage, not '%s'", o->name, arg);
	return 0;
}

int input_parse_native(const struct option_desc *o, void *field, const char *arg, bool unset)
{
	static const char *const words[] = { [NATIVE_MERGED] = "merged", [NATIVE_ALL] = "all", [NATIVE_NONE] = "none" };
	enum native_frames *native = field;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_eq(words[i], unset ? "none" : arg)) {
			*native = (enum native_frames)i;
			return 0;
		}
	return error("--%s is merged, all or none, not '%s'", o->name, arg);
}

/* True for a path or a *.data name that cannot be read. "operator/" is no path: C++ functions have that name. */
static bool names_missing_file(const char *word)
{
	bool is_path = strchr(word, '/') && !strstr(word, "operator/");
	size_t len = strlen(word), end = strlen(".data");

	return (is_path || (len > end && str_eq(word + len - end, ".data"))) && access(word, R_OK) != 0;
}

int input_parse_word(struct input_opts *o, char *const *words, int nr)
{
	if (o->path || !nr || (!recording_begins(words[0]) && !names_missing_file(words[0])))
		return 0;
	o->path = words[0];
	return 1;
}

int input_parse_only_word(struct input_opts *o, const char *command, char *const *words, int nr)
{
	int taken = input_parse_word(o, words, nr);

	return nr <= taken ? 0 : error("%s takes no '%s'%s (see prec %s -h)", command, words[taken],
				       o->path ? "" : ", which is no recording", command);
}

const char *input_parse_words(struct input_opts *o, char *const *words, int nr, const char **other)
{
	*other = NULL;
	for (int i = 0; i < nr; i++) {
		if (input_parse_word(o, words + i, nr - i))
			continue;
		if (*other)
			return words[i];
		*other = words[i];
	}
	return NULL;
}

int input_check(const struct input_opts *o)
{
	if (o->jobs > UINT16_MAX)
		return error("'%llu' is too many threads", (unsigned long long)o->jobs);
	return 0;
}

const char *input_path(const char *given)
{
	struct stat st;

	if (given || fstat(STDIN_FILENO, &st) || !S_ISFIFO(st.st_mode))
		return given;
	return "-";
}

void input_put_filters(const struct input_opts *o, struct buf *out)
{
	const struct filter_opts *f = &o->filter;

	buf_put_option(out, "--comms", f->comms);
	buf_put_option(out, "--dsos", f->dsos);
	buf_put_option(out, "--symbols", f->symbols);
	buf_put_option(out, "--cpu", f->cpus);
	buf_put_option(out, "--pid", f->pids);
	buf_put_option(out, "--tid", f->tids);
	buf_put_option(out, "--time", f->time);
	buf_put_option(out, "--switch-on", f->switches.on);
	buf_put_option(out, "--switch-off", f->switches.off);
}

int input_open(struct input *out, const struct input_opts *o)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct session_opts so = {
		.jobs = (unsigned)o->jobs,
		.machine = { .symfs = o->symfs, .vmlinux = o->vmlinux, .kallsyms = o->kallsyms, .no_demangle = !o->demangle,
			     .demangle_kernel = o->demangle_kernel,
			     .debuginfod = servers && *servers, .guest = o->guest },
		.header_only = o->header_only,
		.live = o->live,
		.pieces = o->pieces,
		.nr_pieces = o->nr_pieces,
		.grows = o->grows,
		.check_index = o->check_index,
	};

	if (session_open(&out->session, input_path(o->path), &so))
		return -1;
	if (o->stitch && !o->header_only && !session_stitch_calls(out->session))
		warning("--stitch-lbr changes nothing: '%s' does not say in how many places its processors record branches",
			session_file(out->session)->path);
	session_set_native(out->session, o->native);
	return 0;
}

void input_close(struct input *in)
{
	filter_free(in->filter);
	session_close(in->session);
	*in = (struct input){0};
}

/* True if @name is @ev's name without the modifiers after its last colon. */
static bool is_plain_name(const struct event *ev, const char *name)
{
	const char *colon = strrchr(ev->name, ':');
	size_t n = strlen(name);

	return colon && (size_t)(colon - ev->name) == n && !strncmp(ev->name, name, n);
}

static const struct event *find_event(const struct event_table *t, const char *name)
{
	const struct event *found = NULL;
	unsigned nr = 0;

	vec_for(ev, &t->events) {
		if (str_eq((*ev)->name, name))
			return *ev;
		if (is_plain_name(*ev, name)) {
			found = *ev;
			nr++;
		}
	}
	return nr == 1 ? found : NULL;
}

int input_add_waits(struct session *s, const struct input_opts *o, bool forced)
{
	const struct waits_opts waits = {
		.forced = forced || (o->event && str_eq(o->event, OFF_CPU_NAME) && !find_event(session_events(s), o->event)),
		.max_depth = (unsigned)MIN(o->max_stack, UINT_MAX),
	};

	return session_add_waits(s, &waits);
}

int input_decode(struct input *in, const struct input_opts *o, const struct itrace_opts *itrace, bool calls_only)
{
	struct aux_window window = {0};

	if (filter_new(&in->filter, &o->filter, in->session))
		return -1;
	if (!filter_is_open(in->filter))
		window = (struct aux_window){ filter_may_pass, in->filter };
	return aux_attach(&in->traced, in->session, itrace, calls_only, &window) || filter_check(in->filter, in->session) ? -1 : 0;
}

int input_attach(struct input *in, const struct input_opts *o)
{
	return input_decode(in, o, &o->itrace, false) || input_add_waits(in->session, o, false) ? -1 : 0;
}

int input_add_wall(const struct event **out, struct session *s, const struct input_opts *o)
{
	if (input_add_waits(s, o, true))
		return -1;
	*out = session_add_wall(s);
	return *out ? 0 : error("--wall: '%s' has no times", session_file(s)->path);
}

int input_find_event(const struct event **out, const struct session *s, const struct input_opts *o)
{
	struct buf names = {0};

	*out = NULL;
	if (!o->event)
		return 0;
	*out = find_event(session_events(s), o->event);
	if (*out)
		return 0;
	vec_for(ev, &session_events(s)->events)
		buf_printf(&names, "%s%s", names.len ? ", " : "", (*ev)->name);
	error("there is no event '%s' in '%s': it has %s", o->event, session_file(s)->path, names.len ? buf_str(&names) : "none");
	buf_release(&names);
	return -1;
}

int input_attach_event(struct input *in, const struct event **event, const struct input_opts *o)
{
	if (input_attach(in, o) || input_find_event(event, in->session, o) || (o->wall && input_add_wall(event, in->session, o)))
		return -1;
	session_clip_waits(in->session, in->filter);
	return 0;
}
