/* Columns and order from -s and -F; sort keys by their names. */
#include "core/hists/key_table.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/hists/layout.h"

static int failures;

static void list_names(struct buf *out, const struct key *const *keys, unsigned nr)
{
	out->len = 0;
	for (unsigned i = 0; i < nr; i++)
		buf_printf(out, "%s%s", i ? "," : "", keys[i]->name);
}

static void expect_list(const char *what, const char *want, const struct key *const *keys, unsigned nr)
{
	struct buf got = {0};

	list_names(&got, keys, nr);
	if (!str_eq(buf_str(&got), want)) {
		printf("%s: want %s, got %s\n", what, want, buf_str(&got));
		failures++;
	}
	buf_release(&got);
}

static void expect(const struct layout_opts *o, const char *columns, const char *order)
{
	struct layout l;
	char what[200];

	snprintf(what, sizeof(what), "-s %s -F %s children %d", o->sort ? o->sort : "", o->fields ? o->fields : "",
		 o->children);
	if (layout_parse(&l, o)) {
		printf("%s is refused\n", what);
		failures++;
		return;
	}
	expect_list(what, columns, l.columns, l.nr_columns);
	expect_list(what, order, l.order, l.nr_order);
}

static void expect_refused(const char *sort, const char *fields)
{
	struct layout_opts o = { .sort = sort, .fields = fields };
	struct layout l;

	if (!layout_parse(&l, &o)) {
		printf("-s %s -F %s is accepted\n", sort ? sort : "", fields ? fields : "");
		failures++;
	}
}

#define O(...) (&(struct layout_opts){ __VA_ARGS__ })

static void test_layouts(void)
{
	expect(O(0), "overhead,comm,dso,symbol", "overhead,comm,dso,symbol");
	expect(O(.children = true), "overhead_children,overhead,comm,dso,symbol",
	       "overhead_children,overhead,comm,dso,symbol");
	expect(O(.nr_samples = true, .total_period = true, .cpu_utilization = true, .sort = "sym"),
	       "overhead,overhead_sys,overhead_us,sample,period,symbol", "overhead,symbol");
	expect(O(.sort = "dso,tid"), "overhead,dso,pid", "overhead,dso,pid");
	expect(O(.sort = "Comm,SYM"), "overhead,comm,symbol", "overhead,comm,symbol");
	expect(O(.fields = "+cpu,period"), "overhead,cpu,period,comm,dso,symbol", "overhead,comm,dso,symbol,cpu,period");
	expect(O(.sort = "+cpu"), "overhead,comm,dso,symbol,cpu", "overhead,comm,dso,symbol,cpu");
	expect(O(.sort = "sym,overhead"), "overhead,symbol", "symbol,overhead");
	expect(O(.sort = "sym,overhead", .children = true), "overhead_children,overhead,symbol",
	       "overhead_children,symbol,overhead");
	expect(O(.fields = "sym,overhead"), "symbol,overhead", "symbol,overhead");
	expect(O(.fields = "+period"), "overhead,period,comm,dso,symbol", "overhead,comm,dso,symbol,period");
	expect(O(.fields = "overhead_children,comm"), "comm", "comm");
	expect(O(.fields = "overhead,comm", .sort = "dso"), "overhead,comm,dso", "dso,overhead,comm");
	expect(O(.fields = "comm,comm,sample"), "comm,sample", "comm,sample");
	expect_refused("nothing", NULL);
	expect_refused("comm,sy", NULL);
	expect_refused(NULL, "overhead,bogus");
	expect_refused(NULL, ",");
}

static void test_drop(void)
{
	struct layout l;

	layout_parse(&l, O(.sort = "comm,dso"));
	layout_drop(&l, "comm");
	expect_list("without comm", "overhead,dso", l.columns, l.nr_columns);
	layout_drop(&l, "dso");
	expect_list("the last key stays", "overhead,dso", l.columns, l.nr_columns);
	if (l.nr_keys != 2) {
		printf("a dropped column still groups\n");
		failures++;
	}
}

static void test_names(void)
{
	struct buf names = {0};

	key_names(&names);
	for (char *name = strtok((char *)(uintptr_t)buf_str(&names), " "); name; name = strtok(NULL, " "))
		if (!key_find(name, strlen(name), false)) {
			printf("key %s is listed and not found\n", name);
			failures++;
		}
	buf_release(&names);
	if (key_find("sy", 2, false) || key_find("", 0, false) || key_find("symbols", 7, false) || !key_find("sym", 3, false)) {
		printf("beginnings of names are wrong\n");
		failures++;
	}
}

int main(void)
{
	test_layouts();
	test_drop();
	test_names();
	return failures ? 1 : 0;
}
