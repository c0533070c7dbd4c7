/*
 * Applies event modifiers, such as the "u" of cycles:u, to the perf_event_attr of an event. Each letter is a case of one switch
 * statement.
 */
#include "core/record/events/event_request.h"

#include <errno.h>
#include <string.h>

static const char letters[] = "ukhGHIpPSDWebRX";

/* u, k and h name the levels that are counted. The first of these letters leaves all other levels out. */
static void only_level(struct event_request *r, char level)
{
	if (!r->excludes) {
		r->attr.exclude_user = r->attr.exclude_kernel = r->attr.exclude_hv = 1;
		r->excludes = true;
	}
	if (level == 'u')
		r->attr.exclude_user = 0;
	else if (level == 'k')
		r->attr.exclude_kernel = 0;
	else
		r->attr.exclude_hv = 0;
}

/* G and H name guests and the host. The first of these letters leaves the other out. */
static void only_machine(struct event_request *r, char machine)
{
	if (!r->machines)
		r->attr.exclude_guest = r->attr.exclude_host = 1;
	r->machines = true;
	if (machine == 'G')
		r->attr.exclude_guest = 0;
	else
		r->attr.exclude_host = 0;
}

/* Applies one letter. b (count with BPF) and X (do not change the group) are for commands other than record. */
static void apply(struct event_request *r, char c, bool leader)
{
	switch (c) {
	case 'u': case 'k': case 'h': only_level(r, c); break;
	case 'G': case 'H': only_machine(r, c); break;
	case 'I': r->attr.exclude_idle = 1; break;
	case 'P': r->precise_max = true; break;
	case 'S': r->sampled_read = true; break;
	case 'D': r->attr.pinned = leader; break;
	case 'e': r->attr.exclusive = leader; break;
	case 'W': r->weak = true; break;
	case 'R': r->attr.sample_type |= PERF_SAMPLE_WEIGHT_STRUCT; break;
	}
}

bool event_modifiers_known(struct word w)
{
	return w.n && strspn(w.s, letters) >= w.n;
}

int event_modify(struct event_request *r, struct word w, bool of_group, bool leader, struct event_error *err)
{
	unsigned precise = 0;

	for (size_t i = 0; i < w.n; i++) {
		struct word at = { .from = w.from + i, .to = w.from + i + 1 };
		char c = w.s[i];

		if (!strchr(letters, c))
			return wrong_at(err, at, xasprintf("unknown modifier '%c'; there are u k h G H I p P S D W e b R X", c));
		if (c == 'p' && ++precise > 3)
			return wrong_at(err, at, xstrdup("at most three 'p' can be given"));
		if (c != 'p' && memchr(w.s, c, i))
			return wrong_at(err, at, xasprintf("modifier '%c' was given before", c));
		if (c == 'W' && !of_group)
			return wrong_at(err, at, xstrdup("'W' is for groups: {a,b}:W"));
		apply(r, c, leader);
	}
	r->attr.precise_ip = MIN(r->attr.precise_ip + precise, 3) & 3;
	return 0;
}
