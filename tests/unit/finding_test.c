/* Findings: what is alike is added up, the worst comes first, shares add up, and nothing from a file reaches a terminal raw. */
#include "core/ui/finding.h"

#include <ctype.h>

#include "core/base/buf.h"
#include "tests/unit/check.h"

static void expect_sentence(struct finding f, const char *want)
{
	struct buf b = {0};

	finding_sentence(&f, &b);
	CHECK_TEXT(buf_str(&b), want);
	buf_release(&b);
}

static void check_templates(void)
{
	char evil[] = "a\x1b[31mb\xc2\x9b" "c\n\x7f\xc3\xa4", plain[] = "cpu-clock: 12 (CPU 0: 12)";

	expect_sentence((struct finding){ .code = FINDING_LOST_SAMPLES, .count = 12, .of = 340, .where = plain },
			"12 of 340 samples were lost while recording: cpu-clock: 12 (CPU 0: 12)");
	expect_sentence((struct finding){ .code = FINDING_LOST_SAMPLES, .count = 12 }, "12 samples were lost while recording");
	expect_sentence((struct finding){ .code = FINDING_LOST_RECORDS, .count = 1 }, "1 record was lost while recording");
	expect_sentence((struct finding){ .code = FINDING_DAMAGED_RECORDS, .count = 2, .where = evil },
			"2 damaged records were left out, the first at a\\x1b[31mb\\x9bc\\x0a\\x7f\xc3\xa4");
}

/* Whatever values a finding has, its text has no placeholder left, no control character, and no full stop. */
static void check_rows(void)
{
	for (unsigned code = 0; code < FINDING_NR; code++) {
		char where[] = "[here]";
		struct finding full = { .code = code, .count = 2, .of = 3, .where = where }, bare = { .code = code, .count = 1 };
		const struct finding *both[] = { &full, &bare };
		const char *name = finding_name(code);

		for (const char *c = name; *c; c++)
			CHECK(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '-', "'%s'", name);
		for (unsigned other = 0; other < code; other++)
			CHECK(!str_eq(finding_name(other), name), "'%s' is there twice", name);
		for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
			struct buf b = {0};

			finding_sentence(both[i], &b);
			CHECK(b.len && b.data[b.len - 1] != '.', "%s: '%s'", name, buf_str(&b));
			finding_remedy(both[i], &b);
			CHECK(!strpbrk(buf_str(&b), "{}|"), "%s: '%s'", name, buf_str(&b));
			CHECK(both[i] == &bare || !strstr(buf_str(&b), "  "), "%s: '%s'", name, buf_str(&b));
			buf_release(&b);
		}
	}
}

static void check_list(void)
{
	struct findings f = {0}, other = {0};

	findings_add(&f, FINDING_LOST_RECORDS, 0, 10, NULL);
	CHECK(!f.list.nr && findings_concern(&f) < 1e-9 && !findings_have(&f, FINDING_NOTE), "a count of 0 is no finding");
	findings_add(&f, FINDING_LOST_RECORDS, 1, 10, "a");
	findings_add(&f, FINDING_LOST_SAMPLES, 20, 100, NULL);
	findings_add(&f, FINDING_LOST_RECORDS, 1, 10, "b");
	findings_add(&f, FINDING_LOST_RECORDS, 2, 10, "a");
	CHECK(f.list.nr == 3, "%zu", f.list.nr);
	CHECK(f.list.v[0].count == 3 && f.list.v[0].of == 20, "%" PRIu64 " of %" PRIu64, f.list.v[0].count, f.list.v[0].of);
	CHECK(findings_concern(&f) > 0.449 && findings_concern(&f) < 0.451, "%f", findings_concern(&f));
	CHECK(findings_have(&f, FINDING_WARNING) && !findings_have(&f, FINDING_DAMAGE), "how severe they are");

	findings_add(&other, FINDING_CUT_RECORD, 5, 0, NULL);
	findings_add(&other, FINDING_LOST_SAMPLES, 60, 100, NULL);
	findings_merge(&f, &other);
	findings_sort(&f);
	CHECK(f.list.nr == 4, "%zu", f.list.nr);
	CHECK(f.list.v[0].code == FINDING_CUT_RECORD && f.list.v[0].share < 0, "damage comes first");
	CHECK(f.list.v[1].code == FINDING_LOST_SAMPLES && f.list.v[1].count == 80 && f.list.v[1].of == 200, "the larger share");
	CHECK(str_eq(f.list.v[2].where, "a") && str_eq(f.list.v[3].where, "b"), "then the smaller ones");
	CHECK(findings_concern(&f) > 0.999 && findings_concern(&f) < 1.001, "what is not known is all: %f", findings_concern(&f));

	findings_add(&other, FINDING_THROTTLED, 7, 100, NULL);
	findings_unite(&f, &other);
	findings_unite(&f, &other);
	findings_sort(&f);
	CHECK(f.list.nr == 5 && f.list.v[0].count == 5 && f.list.v[1].count == 80, "what was found again counts once");
	findings_add(&other, FINDING_CUT_RECORD, 5, 0, NULL);
	findings_unite(&f, &other);
	CHECK(f.list.v[0].count == 10, "the larger count: %" PRIu64, f.list.v[0].count);
	findings_release(&other);
	findings_release(&f);
}

static void check_loss_remedy(void)
{
	struct findings f = {0}, copy = {0};
	struct buf b = {0};

	findings_add(&f, FINDING_LOSS_REMEDY, 1, 0, "larger rings");
	findings_sort(&f);
	CHECK(f.list.nr == 1, "without a loss it stays: %zu", f.list.nr);
	findings_add(&f, FINDING_LOST_SAMPLES, 20, 100, NULL);
	findings_sort(&f);
	CHECK(f.list.nr == 1 && f.list.v[0].code == FINDING_LOST_SAMPLES, "%zu", f.list.nr);
	findings_add(&f, FINDING_LOSS_REMEDY, 1, 0, "larger rings");
	findings_sort(&f);
	CHECK(f.list.nr == 1, "and again: %zu", f.list.nr);
	findings_merge(&copy, &f);
	findings_unite(&copy, &f);
	finding_remedy(&copy.list.v[0], &b);
	CHECK_TEXT(buf_str(&b), "they would have been kept by larger rings");
	buf_release(&b);
	findings_release(&copy);
	findings_release(&f);
}

/* A finding on few samples is a note, and stands below one on many. That most samples have no name matters all the same. */
static void check_weight(void)
{
	struct findings f = {0};
	static const enum finding_code order[] = {
		FINDING_STACKS_SHED, FINDING_NO_SYMBOL, FINDING_BALANCE, FINDING_CHAINS_BROKEN };

	findings_add_share(&f, FINDING_BALANCE, 1, 0, "all", 0.9);
	findings_add(&f, FINDING_CHAINS_BROKEN, 2, 3503, NULL);
	findings_add(&f, FINDING_NO_SYMBOL, 2353, 3503, NULL);
	findings_add(&f, FINDING_STACKS_SHED, 36, 3503, NULL);
	findings_sort(&f);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		CHECK(f.list.v[i].code == order[i], "%zu: %s", i, finding_name(f.list.v[i].code));
		CHECK(finding_matters(&f.list.v[i]) == (i < 2), "%s matters", finding_name(f.list.v[i].code));
		CHECK(finding_severity(&f.list.v[i]) == (i ? FINDING_NOTE : FINDING_WARNING), "%s", finding_name(f.list.v[i].code));
	}
	findings_release(&f);
}

int main(void)
{
	check_weight();
	check_loss_remedy();
	check_templates();
	check_rows();
	check_list();
	return checks_done();
}
