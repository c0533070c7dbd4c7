/* Call graphs: what adds up, what is drawn, and how -g is read. */
#include "core/hists/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

static int failures;

#define NAMES 8
static const char *const names[NAMES] = { "a", "b", "c", "d", "e", "f", "g", "h" };

static void make_locations(struct locations *s)
{
	for (unsigned i = 0; i < NAMES; i++)
		vec_push(&s->list, ((struct location){ .name = names[i], .addr = 16 * i, .level = '.' }));
}

/* @path: letters of names[]. */
static void add(struct call_tree *t, const char *path, uint64_t period)
{
	uint32_t locations[64];
	size_t nr = strlen(path);

	for (size_t i = 0; i < nr; i++)
		locations[i] = (uint32_t)(path[i] - 'a');
	call_tree_add(t, locations, nr, period, 1);
}

struct weighted { const char *path; uint64_t period; };

static void expect(const char *how, const struct weighted *paths, const char *want)
{
	struct tree_opts opts = { .min_percent = 0.5 };
	struct tree_scale scale = {0};
	struct call_tree tree = {0};
	struct locations locations = {0};
	struct buf got = {0};

	make_locations(&locations);
	if (tree_opts_parse(&opts, how)) {
		printf("-g %s is refused\n", how);
		failures++;
	}
	for (const struct weighted *w = paths; w->path; w++) {
		add(&tree, w->path, w->period);
		scale.total += w->period;
	}
	scale.entry = scale.total;
	call_tree_print(&tree, &locations, &opts, &scale, &got);
	if (!str_eq(buf_str(&got), want)) {
		printf("-g %s: want\n%sgot\n%s", how, want, buf_str(&got));
		failures++;
	}
	buf_release(&got);
	call_tree_release(&tree);
	locations_release(&locations);
}

static void test_drawings(void)
{
	static const struct weighted one[] = { { "abc", 10 }, { 0 } };
	static const struct weighted fork[] = { { "abd", 70 }, { "abc", 20 }, { "ab", 10 }, { 0 } };
	static const struct weighted wide[] = { { "ab", 50 }, { "ac", 48 }, { "ad", 2 }, { 0 } };

	expect("graph", one, "            |\n            ---a\n               b\n               c\n\n");
	expect("graph", fork,
	       "            |\n"
	       "            ---a\n"
	       "               b\n"
	       "               |          \n"
	       "               |--70.00%--d\n"
	       "               |          \n"
	       "                --20.00%--c\n\n");
	expect("fractal,10", wide,
	       "            |\n"
	       "            ---a\n"
	       "               |          \n"
	       "               |--50.00%--b\n"
	       "               |          \n"
	       "               |--48.00%--c\n"
	       "                --2.00%--[...]\n\n");
	expect("graph,10", wide,
	       "            |\n"
	       "            ---a\n"
	       "               |          \n"
	       "               |--50.00%--b\n"
	       "               |          \n"
	       "                --48.00%--c\n\n");
	expect("folded,count", fork, "1 a;b;d\n1 a;b;c\n1 a;b\n");
	expect("folded,0.5,2,period", fork, "70 a;b;d\n20 a;b;c\n");
	expect("flat,60", fork, "           70.00%\n                a\n                b\n                d\n\n");
	expect("none", fork, "");
}

/* The numbers of folded paths, whatever was added and in whatever order, are those of the paths. */
static void test_sums(void)
{
	struct locations locations = {0};
	const struct tree_opts opts = { .form = TREE_FOLDED, .value = TREE_PERIOD };

	make_locations(&locations);
	for (unsigned seed = 0; seed < 200; seed++) {
		struct tree_scale scale = {0};
		struct call_tree tree = {0};
		struct buf out = {0};
		uint64_t sum = 0;

		srand(seed);
		for (int i = rand() % 100; i >= 0; i--) {
			char path[12] = "";
			uint64_t period = (uint64_t)rand() % 1000 + 1;

			for (int n = 1 + rand() % 10; n > 0; n--)
				path[n - 1] = (char)('a' + rand() % 3);
			add(&tree, path, period);
			scale.total += period;
		}
		call_tree_print(&tree, &locations, &opts, &scale, &out);
		for (const char *line = buf_str(&out); *line; line = strchr(line, '\n') + 1)
			sum += strtoull(line, NULL, 10);
		if (sum != scale.total) {
			printf("seed %u: paths sum up to %llu, not %llu\n", seed, (unsigned long long)sum,
			       (unsigned long long)scale.total);
			failures++;
		}
		buf_release(&out);
		call_tree_release(&tree);
	}
	locations_release(&locations);
}

static void test_options(void)
{
	static const char *const bad[] = { "grap", "graph,x", "1,2,3", "-1", "nan", "graph,1e400" };
	struct tree_opts o = {0};

	if (tree_opts_parse(&o, "caller,fractal,2.5,7,count,function") || o.form != TREE_FRACTAL || !o.caller_first ||
	    o.min_percent != 2.5 || o.print_limit != 7 || o.value != TREE_COUNT || !o.order_given) {
		printf("a full -g is read wrong\n");
		failures++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (!tree_opts_parse(&o, bad[i])) {
			printf("-g %s is accepted\n", bad[i]);
			failures++;
		}
}

int main(void)
{
	test_drawings();
	test_sums();
	test_options();
	return failures ? 1 : 0;
}
