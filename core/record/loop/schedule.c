/* Parses the delays and ranges of time of -D, and sets the timer that enables and disables events. */
#include "core/record/loop/schedule.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#include "core/base/log.h"

static int wrong(const char *text)
{
	return error("option '-D' needs milliseconds, -1, or ranges such as 100-200,300-400, not '%s'", text);
}

/* Parses a number at *@at, and moves *@at past it. The number must be above the step before. */
static bool parse_step(struct schedule *out, const char **at)
{
	size_t nr = out->steps_ms.nr;
	char *end;
	unsigned long long v;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	v = strtoull(*at, &end, 10);
	*at = end;
	if (errno || v > INT_MAX || (nr && v <= out->steps_ms.v[nr - 1]))
		return false;
	vec_push(&out->steps_ms, v);
	return true;
}

int schedule_parse(struct schedule *out, const char *text)
{
	const char *at = text;

	schedule_release(out);
	out->never = str_eq(text, "-1");
	if (out->never)
		return 0;
	if (!parse_step(out, &at))
		return wrong(text);
	if (!*at) {
		if (!out->steps_ms.v[0])
			schedule_release(out);
		return 0;
	}
	for (;;) {
		if (*at++ != '-' || !parse_step(out, &at))
			return wrong(text);
		if (!*at)
			return 0;
		if (*at++ != ',' || !parse_step(out, &at))
			return wrong(text);
	}
}

void schedule_release(struct schedule *s)
{
	vec_free(&s->steps_ms);
	s->never = false;
}

bool schedule_arm(const struct schedule *s, int timer, size_t step, uint64_t start_ns)
{
	struct itimerspec t = {0};
	uint64_t at;

	if (step >= s->steps_ms.nr)
		return false;
	at = start_ns + s->steps_ms.v[step] * 1000000;
	t.it_value = (struct timespec){ .tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000) };
	return !timerfd_settime(timer, TFD_TIMER_ABSTIME, &t, NULL);
}
