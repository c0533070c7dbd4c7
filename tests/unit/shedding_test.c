/* Stacks are shed by how full the memory is, and come back when there is room, the later the sooner they had to be shed again. */
#include "core/record/loop/shedding.h"

#include "tests/unit/check.h"

#define MS	1000000ull

static uint64_t position;

static enum stack_shed look(struct shedding *s, uint64_t fill, uint64_t at, bool full, uint64_t ms)
{
	const struct shedding_input l = { .fill = fill, .size = 1000, .at = at, .full = full, .now_ns = ms * MS };

	return shedding_wanted(s, &l);
}

/* After another record. */
static enum stack_shed at(struct shedding *s, uint64_t fill, bool full, uint64_t ms)
{
	s->shed = look(s, fill, ++position, full, ms);
	return s->shed;
}

static void check_marks(void)
{
	struct shedding s = {0};

	CHECK(at(&s, 0, false, 1000) == SHED_NOTHING);
	CHECK(at(&s, 500, false, 1001) == SHED_NOTHING);
	CHECK(at(&s, 501, false, 1002) == SHED_TO_SMALLER);
	CHECK(at(&s, 750, false, 1003) == SHED_TO_SMALLER);
	CHECK(at(&s, 751, false, 1004) == SHED_ALL);
	/* Between the marks it stays. */
	CHECK(at(&s, 600, false, 1005) == SHED_ALL);
	CHECK(at(&s, 250, false, 1006) == SHED_ALL);
	/* There is room, and has been for so long. */
	CHECK(at(&s, 249, false, 1007) == SHED_ALL);
	CHECK(at(&s, 0, false, 1205) == SHED_ALL);
	CHECK(at(&s, 0, false, 1206) == SHED_NOTHING);
}

/* How long stacks of a ring that is full at @ms stay away. */
static uint64_t away(struct shedding *s, uint64_t ms)
{
	uint64_t end = ms;

	CHECK(at(s, 0, true, ms) == SHED_ALL);
	while (at(s, 0, false, end) != SHED_NOTHING)
		end++;
	return end - ms;
}

static void check_hold(void)
{
	struct shedding s = {0};
	uint64_t ms = 5000;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t wanted = 200ull << MIN(i, 4u), n = away(&s, ms);

		CHECK(n == wanted, "the %u. time: %" PRIu64 ", not %" PRIu64 " ms", i + 1, n, wanted);
		ms += n + 1;
	}
	CHECK(away(&s, ms + 1000) == 200);
}

/* Nothing comes: they stay away, but not for ever. */
static void check_rest(void)
{
	struct shedding s = {0};
	uint64_t end = 5000;

	CHECK(at(&s, 0, true, end) == SHED_ALL);
	do
		s.shed = look(&s, 0, position, false, ++end);
	while (s.shed != SHED_NOTHING);
	CHECK(end == 5000 + 3200, "%" PRIu64, end);
}

/* A thread that is late, or finds its ring more than half full, makes copies smaller before there is need to leave them out. */
static void check_late(void)
{
	struct shedding s = {0};
	struct shedding_input l = { .size = 1000, .at = 1, .late = true, .now_ns = 1000 * MS };

	s.shed = shedding_wanted(&s, &l);
	CHECK(s.shed == SHED_TO_SMALLER);
	l.full = true;
	s.shed = shedding_wanted(&s, &l);
	CHECK(s.shed == SHED_ALL);
	/* As long as it is late they do not come back. */
	l.full = false;
	for (unsigned i = 0; i < 100; i++) {
		l.at++;
		l.now_ns += 50 * MS;
		s.shed = shedding_wanted(&s, &l);
		CHECK(s.shed == SHED_ALL);
	}
	l.late = false;
	for (unsigned i = 0; i < 4; i++) {
		l.at++;
		l.now_ns += 50 * MS;
		s.shed = shedding_wanted(&s, &l);
	}
	CHECK(s.shed == SHED_NOTHING);
}

int main(void)
{
	check_late();
	check_rest();
	check_marks();
	check_hold();
	return checks_done();
}
