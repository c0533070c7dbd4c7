/* Parses the triggers of --on. trigger_spec.h has the grammar. */
#include "core/record/trigger/trigger_spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/record/events/event_parse.h"

#define LIMIT_MAX	1e15		/* greatest limit; in ns it is 11 days */

static const struct { const char *name; double ns; } units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

/* Parses a number that is not negative. *rest is the text after it. */
static int parse_number(const char *text, double *v, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	*v = strtod(text, &end);
	*rest = end;
	return isfinite(*v) ? 0 : -EINVAL;
}

int trigger_time_parse(const char *text, bool plain, uint64_t *ns)
{
	const char *unit;
	double v;

	if (parse_number(text, &v, &unit))
		return -EINVAL;
	if (plain && !*unit)
		unit = "ms";
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!str_eq(unit, units[i].name) || v * units[i].ns > LIMIT_MAX)
			continue;
		*ns = (uint64_t)(v * units[i].ns + 0.5);
		return 0;
	}
	return -EINVAL;
}

/* ---- kinds ---- */

static int parse_event(struct trigger_opts *o, struct trigger_spec *s)
{
	size_t before = o->hits.list.nr;
	struct event_error err;
	int failed = event_parse(&o->hits, s->text, &err);

	if (failed)
		event_error_print(s->text, &err);
	s->nr_events = o->hits.list.nr - before;
	return failed;
}

/* Adds the event for the entry or the return of a function. */
static int add_probe(struct trigger_opts *o, const char *text)
{
	struct event_error err;
	int failed = event_parse(&o->calls, text, &err);

	return failed ? event_error_print(text, &err), failed : 0;
}

/* *at is the text after the last ">". */
static int parse_limit(const struct trigger_spec *s, const char **at)
{
	const char *mark = strrchr(s->text, '>');

	*at = mark ? mark + 1 : NULL;
	return mark ? 0 : -EINVAL;
}

static int parse_slow(struct trigger_opts *o, struct trigger_spec *s)
{
	char *entry, *exit;
	const char *limit;
	int err;

	if (parse_limit(s, &limit) || trigger_time_parse(limit, false, &s->limit) ||
	    !memchr(s->text + strlen("slow:"), ':', (size_t)(limit - s->text) - strlen("slow:")))
		return error("a slow function is given as slow:PATH:FUNCTION>5ms, PATH being the program or library that has it, "
			     "not as '%s'", s->text), -EINVAL;
	entry = xasprintf("u:%.*s", (int)(limit - 1 - s->text) - (int)strlen("slow:"), s->text + strlen("slow:"));
	exit = xasprintf("%s%%return", entry);
	err = add_probe(o, entry);
	err = err ? err : add_probe(o, exit);
	s->nr_events = 2;
	free(entry);
	free(exit);
	return err;
}

static int parse_wait(struct trigger_opts *o, struct trigger_spec *s)
{
	if (!trigger_time_parse(s->text + strlen("wait>"), false, &s->limit))
		return 0;
	return error("a long wait is given as wait>100ms, not as '%s'", s->text), -EINVAL;
}

/* Returns the number of a signal such as "USR1", "SIGUSR1" or "10", or 0 if there is no such signal. */
static int signal_of(const char *name)
{
	int number = atoi(name);

	if (isdigit((unsigned char)*name))
		return number > 0 && number <= SIGRTMAX ? number : 0;
	if (str_starts(name, "SIG"))
		name += strlen("SIG");
	for (number = 1; number < SIGRTMIN; number++) {
		const char *abbrev = sigabbrev_np(number);

		if (abbrev && str_eq(abbrev, name))
			return number;
	}
	return 0;
}

static int parse_signal(struct trigger_opts *o, struct trigger_spec *s)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGQUIT, SIGCHLD, SIGPIPE, SIGKILL, SIGSTOP, SIGUSR2,
				     SIGSEGV, SIGBUS, SIGFPE, SIGILL };

	s->signal = signal_of(s->text + strlen("signal:"));
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (taken[i] == s->signal)
			return error("'%s' means something else to the recorder: use signal:USR1%s", s->text,
				     s->signal == SIGUSR2 ? ", or SIGUSR2 without --on" : ""), -EINVAL;
	return 0;
}

static int parse_file(struct trigger_opts *o, struct trigger_spec *s)
{
	s->path = xstrdup(s->text + strlen("file:"));
	return *s->path && s->path[strlen(s->path) - 1] != '/' ? 0 : (error("'%s' names no file", s->text), -EINVAL);
}

static int parse_hundredths(const char *text, const char *unit, uint64_t *out)
{
	const char *rest;
	double v;

	if (parse_number(text, &v, &rest) || (*rest && !str_eq(rest, unit)) || v * 100 > LIMIT_MAX)
		return -EINVAL;
	*out = (uint64_t)(v * 100 + 0.5);
	return 0;
}

static int parse_load(struct trigger_opts *o, struct trigger_spec *s)
{
	if (!parse_hundredths(s->text + strlen("load>"), "", &s->limit))
		return 0;
	return error("a load is given as load>4, not as '%s'", s->text), -EINVAL;
}

static int parse_psi(struct trigger_opts *o, struct trigger_spec *s)
{
	static const char *const resources[] = { "cpu", "memory", "io" };
	const char *name = s->text + strlen("psi:"), *limit = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(resources) && !s->path; i++)
		if (str_starts(name, resources[i])) {
			s->path = xasprintf("/proc/pressure/%s", resources[i]);
			limit = name + strlen(resources[i]);
		}
	s->full = limit && str_starts(limit, ":full");
	limit = s->full ? limit + strlen(":full") : limit;
	if (limit && *limit == '>' && !parse_hundredths(limit + 1, "%", &s->limit))
		return 0;
	return error("pressure is given as psi:cpu>20%%, psi:memory:full>5%% or psi:io>10%%, not as '%s'", s->text), -EINVAL;
}

/* ---- all ---- */

/* Reports a limit on something other than a call, wait, load or pressure. */
static int parse_unknown_limit(struct trigger_opts *o, struct trigger_spec *s)
{
	return error("'%s' is no trigger; one with a limit is slow:PATH:FUNCTION>5ms, wait>100ms, load>4 or psi:io>10%%", s->text),
	       -EINVAL;
}

static const struct kind {
	const char *prefix;
	enum trigger_kind kind;
	int (*parse)(struct trigger_opts *o, struct trigger_spec *s);
} kinds[] = {
	{ "slow:", TRIGGER_SLOW, parse_slow }, { "wait>", TRIGGER_WAIT, parse_wait }, { "file:", TRIGGER_FILE, parse_file },
	{ "load>", TRIGGER_LOAD, parse_load }, { "psi:", TRIGGER_PSI, parse_psi },
};

static struct kind kind_of(const char *text)
{
	if (str_starts(text, "signal:") && signal_of(text + strlen("signal:")))
		return (struct kind){ "signal:", TRIGGER_SIGNAL, parse_signal };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_starts(text, kinds[i].prefix))
			return kinds[i];
	if (strchr(text, '>') && !strpbrk(text, "/:"))
		return (struct kind){ "", TRIGGER_SLOW, parse_unknown_limit };
	return (struct kind){ "", TRIGGER_EVENT, parse_event };
}

static void spec_release(struct trigger_spec *s)
{
	free(s->text);
	free(s->path);
}

int trigger_spec_add(struct trigger_opts *o, const char *text)
{
	struct kind kind = kind_of(text);
	struct trigger_spec s = { .kind = kind.kind, .text = xstrdup(text) };
	int err = kind.parse(o, &s);

	/* A --filter after this option applies to all events of this trigger, and to no others: event_requests_filter(). */
	if (kind.kind != TRIGGER_EVENT)
		o->hits.last = o->hits.list.nr;
	if (err)
		spec_release(&s);
	else
		vec_push(&o->specs, s);
	return err;
}

void trigger_opts_release(struct trigger_opts *o)
{
	vec_for(s, &o->specs)
		spec_release(s);
	vec_free(&o->specs);
	event_requests_release(&o->hits);
	event_requests_release(&o->calls);
}
