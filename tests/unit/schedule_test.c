/* The words of -D become steps; what does not rise or does not end is refused. */
#include "core/record/loop/schedule.h"

#include "core/base/log.h"
#include "tests/unit/check.h"

static bool gives(const char *text, bool never, size_t nr, uint64_t last)
{
	struct schedule s = {0};
	bool ok = !schedule_parse(&s, text) && s.never == never && s.steps_ms.nr == nr &&
		  (!nr || s.steps_ms.v[nr - 1] == last);

	schedule_release(&s);
	return ok;
}

static bool refused(const char *text)
{
	struct schedule s = {0};
	bool ok = schedule_parse(&s, text) < 0;

	schedule_release(&s);
	return ok;
}

int main(void)
{
	static const char *const wrong[] = {
		"", "x", "-", "-2", "1-", "1-2-3", "1-2,", "1-2,3", "2-1", "1-1", "1-3,2-4", "1-2,3-4x", "1 ",
		"99999999999999999999",
	};
	struct schedule at_once = {0};

	CHECK(schedule_at_once(&at_once));
	CHECK(gives("0", false, 0, 0));
	CHECK(gives("250", false, 1, 250));
	CHECK(gives("-1", true, 0, 0));
	CHECK(gives("0-5", false, 2, 5));
	CHECK(gives("100-200,300-400", false, 4, 400));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CHECK(refused(wrong[i]));
	return checks_done();
}
