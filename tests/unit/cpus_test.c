/* Lists of CPUs: what is a list, what it holds, and where a wrong one is wrong. */
#include "core/base/cpus.h"

#include "core/base/buf.h"
#include "tests/unit/check.h"

static void expect_list(const char *s, const char *want)
{
	struct buf b = {0};
	struct cpus c;

	CHECK(!cpus_parse(&c, s, NULL), "'%s'", s);
	vec_for(i, &c.list)
		buf_printf(&b, "%s%d", i == c.list.v ? "" : " ", *i);
	CHECK_TEXT(buf_str(&b), want);
	buf_release(&b);
	cpus_release(&c);
}

static void expect_wrong(const char *s, size_t at)
{
	const char *bad = NULL;
	struct cpus c;

	CHECK(cpus_parse(&c, s, &bad) < 0, "'%s'", s);
	CHECK(bad == s + at, "'%s': at %td", s, bad - s);
	CHECK(!c.list.nr && !c.list.v, "'%s' leaves nothing", s);
}

int main(void)
{
	struct cpus c;

	expect_list("0", "0");
	expect_list("0-3,8", "0 1 2 3 8");
	expect_list("8,0-1\n", "0 1 8");
	expect_list("3,1-3,2,3", "1 2 3");
	expect_list("65535", "65535");
	expect_wrong("", 0);
	expect_wrong("a", 0);
	expect_wrong("-1", 0);
	expect_wrong("1,,2", 2);
	expect_wrong("1,", 2);
	expect_wrong("3-1", 0);
	expect_wrong("1-", 0);
	expect_wrong("0 1", 1);
	expect_wrong("65536", 0);
	expect_wrong("0-99999999999", 0);
	CHECK(!cpus_online(&c) && c.list.nr && cpus_has(&c, c.list.v[0]) && !cpus_has(&c, -1));
	cpus_release(&c);
	return checks_done();
}
