/*
 * The browser without a terminal: sums and rows of a random profile are those of its samples counted one by one, for any filters;
 * random keys and sizes leave it alive; what keys do to the state; and the man page has the keys (argument: its BROWSER section's
 * text, one line a key).
 */
#include "core/show/browse/browser.h"

#include <locale.h>

#include "core/show/browse/keys.h"
#include "core/show/browse/views.h"
#include "core/profile/builder.h"
#include "tests/unit/check.h"

/* ---- a profile whose samples are known ---- */

#define NR_FACTS	3000
#define MAX_DEPTH	7
#define NR_FUNCTIONS	8
#define NR_THREADS	3

struct fact { uint32_t event, thread, depth, functions[MAX_DEPTH]; uint64_t time, period; };

struct known {
	struct fact facts[NR_FACTS];
	struct profile *profile;
};

static const char *const names[NR_FUNCTIONS] = {
	"main", "work", "std::map<int, std::string, std::less<int> >::operator[]", "evil\033[2J", "\345\221\274\345\217\253",
	"a,b'c", "", "inner",
};

static uint32_t add_function(struct profile_builder *b, uint32_t n)
{
	uint32_t dso = profile_add_dso(b, &(struct profile_dso){
		.path = profile_add_string(b, n % 2 ? "/bin/prog" : "/lib/libx.so"),
		.name = profile_add_string(b, n % 2 ? "prog" : "libx.so"),
		.kind = n == 1 ? PROFILE_DSO_KERNEL : PROFILE_DSO_USER });

	return profile_add_function(b, &(struct profile_function){
		.name = profile_add_string(b, names[n]), .dso = dso, .address = 16 * n + 16, .size = 16, .level = '.' });
}

static void add_fact(struct profile_builder *b, const struct fact *f, const uint32_t *threads, const uint32_t *events)
{
	uint32_t stack = PROFILE_ROOT, function = 0;

	for (uint32_t d = 0; d < f->depth; d++) {
		function = add_function(b, f->functions[d]);
		stack = profile_add_stack(b, stack, profile_add_frame(b, &(struct profile_frame){ .function = function }));
	}
	profile_add_sample(b, f->time, profile_add_weight(b, &(struct profile_weight){
		.event = events[f->event], .thread = threads[f->thread], .comm = profile_add_string(b, f->thread ? "b" : "a"),
		.cpu = PROFILE_NONE, .stack = stack, .nr = 1, .period = f->period,
		.address = !f->depth ? PROFILE_NONE :
			   profile_add_address(b, &(struct profile_address){ .function = function, .own = function, .address = 1 }),
	}), f->period, NULL);
}

/* @sides: thread 0 is all of B, the others are A. */
static void make_known(struct known *k, bool sides, uint64_t *state)
{
	struct profile_builder *b = profile_builder_new();
	uint32_t threads[NR_THREADS], events[2];

	for (uint32_t t = 0; t < NR_THREADS; t++) {
		uint32_t process = profile_add_process(b, !sides ? 100 : t ? 1 : BROWSE_PID_B, profile_add_string(b, "a"));

		threads[t] = profile_add_thread(b, &(struct profile_thread){
			.process = process, .tid = 100 + t, .to = UINT64_MAX });
		profile_add_name(b, threads[t], 0, profile_add_string(b, t ? "b" : "a"));
	}
	for (uint32_t e = 0; e < 2; e++)
		events[e] = profile_add_event(b, &(struct profile_event){
			.name = profile_add_string(b, e ? "faults" : "cpu-clock"), .unit = e ? PROFILE_COUNT : PROFILE_NS,
			.leader = e, .nr_members = 1 });
	for (size_t i = 0; i < NR_FACTS; i++) {
		struct fact *f = &k->facts[i];

		*f = (struct fact){ .event = (uint32_t)random_below(state, 2), .thread = (uint32_t)random_below(state, NR_THREADS),
				    .depth = (uint32_t)random_below(state, MAX_DEPTH + 1),
				    .time = 1000000000 + random_below(state, 1000000000), .period = 1 + random_below(state, 1000) };
		for (uint32_t d = 0; d < f->depth; d++)
			f->functions[d] = (uint32_t)random_below(state, NR_FUNCTIONS);
		add_fact(b, f, threads, events);
	}
	k->profile = profile_builder_finish(b);
}

static void start(struct browser *b, const struct known *k, const struct browse_opts *o)
{
	struct model model;

	model_init(&model, k->profile);
	browser_init(b, o, browse_views);
	browser_load(b, &(struct browse_input){ .profile = k->profile, .has_chains = true }, &model);
}

static const struct browse_opts opts = { .command = "-i x.data", .stacks = "", .report = "", .title = "x.data" };

static const struct browse_opts top_opts = { .watches = true, .title = "all CPUs" };

static void type(struct browser *b, const char *keys)
{
	for (; *keys; keys++)
		browser_key(b, *keys);
}

/* ---- sums ---- */

static uint32_t function_number(const struct browser *b, uint32_t n)
{
	for (uint32_t f = 0; f < b->model.unknown; f++) {
		const char *name = model_function_name(&b->model, f);

		if (str_eq(name ? name : "", names[n]))
			return f;
	}
	return b->model.unknown;
}

static bool passes(const struct browser *b, const struct fact *f)
{
	vec_for(filter, &b->filters.list) {
		const char *dso = !f->depth ? "" : f->functions[f->depth - 1] % 2 ? "prog" : "libx.so";

		if ((filter->kind == FILTER_THREAD && f->thread + 100 != filter->tid) ||
		    (filter->kind == FILTER_COMM && !str_eq(filter->text, f->thread ? "b" : "a")) ||
		    (filter->kind == FILTER_DSO && !str_eq(filter->text, dso)) ||
		    (filter->kind == FILTER_SYMBOL &&
		     (!f->depth || !str_eq(filter->text, names[f->functions[f->depth - 1]]))) ||
		    (filter->kind == FILTER_TIME && (f->time < filter->from || f->time > filter->to)))
			return false;
	}
	return f->event == b->event;
}

static bool is_on_the_way(const struct fact *f, uint32_t n)
{
	for (uint32_t d = 0; d < f->depth; d++)
		if (f->functions[d] == n)
			return true;
	return false;
}

static void check_sums(const struct browser *b, const struct known *k)
{
	uint64_t total = 0;

	for (size_t i = 0; i < NR_FACTS; i++)
		total += passes(b, &k->facts[i]) ? k->facts[i].period : 0;
	CHECK(b->selection.total.period == total);
	for (uint32_t n = 0; n < NR_FUNCTIONS; n++) {
		uint64_t self = 0, children = 0;
		uint32_t function = function_number(b, n);

		for (size_t i = 0; i < NR_FACTS; i++) {
			const struct fact *f = &k->facts[i];

			if (!passes(b, f))
				continue;
			self += f->depth && f->functions[f->depth - 1] == n ? f->period : 0;
			children += is_on_the_way(f, n) ? f->period : 0;
		}
		CHECK(b->selection.self[function].period == self, "of %s", names[n]);
		CHECK(b->selection.children[function].period == children, "of %s", names[n]);
	}
}

/* The callers of the innermost, and the callees of the outermost of a function: one level, and that of its first row. */
static uint64_t next_to(const struct known *k, const struct browser *b, enum direction direction, const uint32_t *way, unsigned nr)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < NR_FACTS; i++) {
		const struct fact *f = &k->facts[i];
		int at = -1, step = direction == CALLERS ? -1 : 1, matched = 0;

		for (int d = 0; d < (int)f->depth; d++)
			if (f->functions[d] == way[0] && (at < 0 || direction == CALLERS))
				at = d;
		for (int d = at; matched < (int)nr && d >= 0 && d < (int)f->depth && f->functions[d] == way[matched]; d += step)
			matched++;
		sum += passes(b, f) && matched == (int)nr ? f->period : 0;
	}
	return sum;
}

static uint32_t known_number(const struct browser *b, uint32_t function)
{
	for (uint32_t n = 0; n < NR_FUNCTIONS; n++)
		if (function_number(b, n) == function)
			return n;
	return 0;
}

static void check_tree(struct browser *b, const struct known *k, struct tree_row *row, uint32_t *way, unsigned nr)
{
	way[nr++] = known_number(b, row->function);
	CHECK(row->sum.period == next_to(k, b, row->direction, way, nr), "depth %u", nr);
	if (nr > 2)
		return;
	tree_make_rows(row, &b->model, &b->selection, 0);
	vec_for(below, &row->rows)
		check_tree(b, k, *below, way, nr);
}

static void check_trees(struct browser *b, const struct known *k)
{
	uint32_t way[4];

	for (uint32_t n = 0; n < NR_FUNCTIONS; n++)
		for (enum direction d = CALLERS; d <= CALLEES; d++) {
			struct tree_row *row = tree_function(&b->selection, function_number(b, n), false, d);

			check_tree(b, k, row, way, 0);
			tree_row_free(row);
		}
}

static void check_all_sums(const struct known *k, uint64_t *state)
{
	struct browser b;

	start(&b, k, &opts);
	for (unsigned i = 0; i < 12; i++) {
		check_sums(&b, k);
		check_trees(&b, k);
		switch (random_below(state, 6)) {
		case 0:
			browser_filter(&b, FILTER_THREAD, (uint32_t)(100 + random_below(state, NR_THREADS)), NULL);
			break;
		case 1:
			browser_filter(&b, FILTER_DSO, 0, random_below(state, 2) ? "prog" : "libx.so");
			break;
		case 2:
			browser_filter(&b, FILTER_SYMBOL, 0, names[random_below(state, 5)]);
			break;
		case 3:
			browser_filter_time(&b, 1000000000 + random_below(state, 400000000),
					    1500000000 + random_below(state, 500000000));
			break;
		case 4:
			browser_key(&b, BROWSE_TAB);
			break;
		default:
			browser_key(&b, BROWSE_BACKSPACE);
			break;
		}
	}
	browser_release(&b);
}

/* ---- the screen ---- */

static void put_screen(struct browser *b, struct buf *out)
{
	struct canvas c = { .utf8 = true };

	canvas_resize(&c, b->width, b->height);
	browser_draw(b, &c, NULL);
	out->len = 0;
	for (unsigned y = 0; y < c.height; y++) {
		for (unsigned x = 0; x < c.width; x++)
			if (c.cells[y * c.width + x].character)
				buf_putc(out, (char)MIN(c.cells[y * c.width + x].character, '~'));
		buf_putc(out, '\n');
	}
	canvas_release(&c);
}

static bool shows(struct browser *b, const char *text)
{
	struct buf screen = {0};
	bool found;

	put_screen(b, &screen);
	found = strstr(buf_str(&screen), text);
	buf_release(&screen);
	return found;
}

/* ---- two sides ---- */

struct comparing {		/* what a comparison would say: some have changed, the last function stands first */
	const struct known *known;
	struct browse_difference_row rows[NR_FUNCTIONS + 1];
	struct browse_difference difference;
	bool fails;
};

static const struct browse_difference *compare(void *ctx, uint32_t event, const char *symbol, const char *dso)
{
	struct comparing *c = ctx;
	uint32_t nr = (uint32_t)profile_data(c->known->profile)->functions.nr;

	(void)event, (void)symbol, (void)dso;
	c->difference.nr = 0;
	for (uint32_t f = 0; f < nr; f++)
		c->rows[c->difference.nr++] = (struct browse_difference_row){
			.function = nr - 1 - f, .numbers = "  1  2  3  ", .name = "a name", .changed = f % 2, .more = f % 3 };
	c->difference.rows = c->rows;
	c->difference.answer = "an answer that is wider than the screen, and goes on to its end in a second line";
	c->difference.all = "all of it\n";
	c->difference.titles = "  \302\261 of  ";
	return c->fails ? NULL : &c->difference;
}

static void put_numbers(void *ctx, uint32_t event, uint64_t a, uint64_t b, struct buf *out)
{
	(void)ctx, (void)event;
	buf_printf(out, "%10llu%10llu  ", (unsigned long long)a, (unsigned long long)b);
}

static void put_amount(void *ctx, uint32_t event, uint64_t period, struct buf *out)
{
	(void)ctx, (void)event;
	buf_printf(out, "%llu", (unsigned long long)period);
}

static void put_names(void *ctx, uint32_t event, bool file, const char *name, struct buf *out)
{
	(void)ctx, (void)event;
	buf_printf(out, "%s\n%s\n", name, file ? "other.so" : "other");
}

static const struct browse_opts diff_opts = {
	.compares = true, .command = "a b", .stacks = "", .report = "", .code = " a b", .title = "a, b", .start.own = true,
};

static void start_sides(struct browser *b, const struct known *k, const struct browse_compared *c)
{
	struct model model;

	model_init(&model, k->profile);
	model_find_sides(&model);
	browser_init(b, &diff_opts, browse_views);
	browser_load(b, &(struct browse_input){ .profile = k->profile, .has_chains = true, .compared = c }, &model);
}

static void check_sides_of(struct browser *b, const struct known *k)
{
	for (uint32_t n = 0; n < NR_FUNCTIONS; n++) {
		const struct sum *self = &b->selection.self[function_number(b, n)];
		uint64_t a = 0, of_b = 0;

		for (size_t i = 0; i < NR_FACTS; i++) {
			const struct fact *f = &k->facts[i];

			if (passes(b, f) && f->depth && f->functions[f->depth - 1] == n)
				*(f->thread ? &a : &of_b) += f->period;
		}
		CHECK(sum_of_a(self) == a && self->of_b == of_b, "of %s", names[n]);
	}
	for (enum direction d = CALLERS; d <= CALLEES; d++) {
		struct tree_rows roots = {0};
		struct sum sum = {0};

		tree_roots(&roots, &b->model, &b->selection, d);
		vec_for(row, &roots.list) {
			CHECK(row == roots.list.v || sum_rank(&(*row)->sum, b->selection.shown) <=
			      sum_rank(&row[-1]->sum, b->selection.shown), "the order of rows");
			CHECK((*row)->sum.moved >= sum_difference(&(*row)->sum) && (*row)->sum.moved <= (*row)->sum.period);
			sum_add(&sum, &(*row)->sum);
		}
		CHECK(sum.of_b <= b->selection.total.of_b && sum_of_a(&sum) <= sum_of_a(&b->selection.total));
		tree_rows_release(&roots);
	}
}

static void check_sides(const struct known *k)
{
	struct comparing comparing = { .known = k };
	struct browse_compared c = { &comparing, compare, put_numbers, put_amount, put_names, "titles  " };
	struct browser b;

	start_sides(&b, k, &c);
	check_sides_of(&b, k);
	CHECK(shows(&b, " prec diff  a, b") && shows(&b, " an answer") && shows(&b, "\n line ") &&
	      shows(&b, "functions 1/8") && shows(&b, "a name"));
	type(&b, "xTpaSoFLt");
	CHECK(b.selection.shown == SHOWN_A && b.view == VIEW_FUNCTIONS && shows(&b, "(A alone)"), "only x is a key of these");
	check_sides_of(&b, k);
	type(&b, "xx");
	CHECK(b.selection.shown == SHOWN_DIFFERENCE);
	type(&b, "d");
	check_sides_of(&b, k);
	type(&b, "y");
	CHECK(strstr(buf_str(&b.command), "prec diff --stdio --all -e cpu-clock --dsos ") &&
	      strstr(buf_str(&b.command), ",other.so a b"), "%s", buf_str(&b.command));
	type(&b, "yi");
	CHECK(shows(&b, "all of it"));
	type(&b, "w");
	type(&b, "y");
	CHECK(str_eq(buf_str(&b.command), "prec verify a b"));
	comparing.fails = true;
	browser_key(&b, BROWSE_TAB);
	type(&b, "f");
	CHECK(shows(&b, "nothing is here"));
	browser_release(&b);
}

/* ---- keys ---- */

/* The jump in the last row leads to the first instruction. */
static void give_code(struct browser *b)
{
	static const char code[] = "Percent\n-------\n   10.00 : x.c:1 first\n    9.00 :  10: nop\n    1.00 :  11: nop\n"
				   "   90.00 : x.c:2 second\n   90.00 :  12: ^jmp 10\n";
	static const struct { const char *file; uint32_t line; bool is_insn; } places[] = {
		{ 0 }, { 0 }, { "x.c", 1, false }, { "x.c", 1, true }, { "x.c", 1, true }, { "x.c", 2, false }, { "x.c", 2, true },
	};
	struct code_lines lines = {0};
	struct buf text = {0};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		code_lines_add(&lines, places[i].file, places[i].line, places[i].is_insn);
	lines.list.v[6].target = 3;
	buf_puts(&text, code);
	browser_annotated(b, b->views[VIEW_ANNOTATE].chosen, b->selected, &text, &lines);
	buf_release(&text);
}

/* Source between instructions, and in wide screens beside them; jumps; what the editor is opened at. */
static void check_code(const struct known *k)
{
	struct browser b;

	start(&b, k, &opts);
	browser_resize(&b, 100, 30);
	type(&b, "/work\na");
	CHECK(b.request == REQUEST_ANNOTATE);
	give_code(&b);
	CHECK(shows(&b, " prec report  x.data  work"), "the title names the function");
	CHECK(shows(&b, "annotate 6/7") && shows(&b, "   90.00 : x.c:2 second  ") && shows(&b, "\n   90.00 :  12:"));
	type(&b, "\n");
	CHECK(b.views[VIEW_ANNOTATE].cursor == 5 && shows(&b, "is not a function"), "a line of source jumps nowhere");
	browser_key(&b, BROWSE_DOWN);
	/* Lines of boxes are ~ here. */
	CHECK(shows(&b, "\n    9.00 ~> 10: nop ") && shows(&b, "\n    1.00 ~  11: nop ") &&
	      shows(&b, "\n   90.00 ~ x.c:2 second ") && shows(&b, "\n   90.00 ~~ 12: ^jmp 10 "));
	type(&b, "\n");
	CHECK(shows(&b, "annotate 4/7") && !shows(&b, "~"), "the jump leads to its target");
	type(&b, "O");
	CHECK(b.request == REQUEST_EDIT && str_eq(buf_str(&b.edit.path), "x.c") && b.edit.line == 1);
	browser_resize(&b, 120, 30);
	CHECK(shows(&b, "annotate 3/5"), "the cursor stays on its line");
	CHECK(shows(&b, "   10.00 : x.c:1 first" "   " "    9.00 :  10: nop"));
	browser_key(&b, BROWSE_END);
	CHECK(shows(&b, "annotate 5/5") && shows(&b, " ~~ 12: ^jmp 10"));
	type(&b, "O");
	CHECK(b.request == REQUEST_EDIT && b.edit.line == 2);
	type(&b, "s");
	CHECK(shows(&b, "annotate 6/7") && shows(&b, "\n    9.00 :  10: nop"), "source between the instructions");
	type(&b, "s/nop\n");
	CHECK(shows(&b, "annotate 3/5"), "a search finds either half");
	browser_key(&b, BROWSE_HOME);
	type(&b, "O");
	CHECK(b.request == REQUEST_NONE && shows(&b, "no line of source"));
	browser_release(&b);
}

static void check_keys(const struct known *k)
{
	struct browser b;

	start(&b, k, &opts);
	CHECK(shows(&b, "functions 1/") && shows(&b, "evil\\x1b[2J") && !shows(&b, "\033"));
	type(&b, "/work\n");
	CHECK(b.filters.list.nr == 1 && shows(&b, "functions 1/1 ") && shows(&b, " /work "));
	browser_resize(&b, 50, 30);
	browser_key(&b, BROWSE_BACKSPACE);
	type(&b, "/map\n");
	CHECK(b.filters.list.nr == 1 && !shows(&b, "std::string"), "the row shortens the name");
	type(&b, "\n");
	CHECK(shows(&b, " [.] std::map<int, std::string, std::less<int> >: ") && shows(&b, "\n :operator[] "),
	      "the menu has the whole name, in two lines");
	type(&b, "q/work\n");
	browser_resize(&b, 80, 24);
	type(&b, "/main");
	CHECK(b.filters.list.nr == 1 && shows(&b, "functions with: main") && shows(&b, " /main ") &&
	      shows(&b, "1 of 9 functions, "));
	browser_key(&b, BROWSE_ESCAPE);
	CHECK(b.filters.list.nr == 1 && shows(&b, " /work ") && shows(&b, "functions 1/1 "), "Esc takes back what was typed");
	browser_key(&b, BROWSE_ESCAPE);
	CHECK(!b.filters.list.nr, "Esc in the first view undoes the filter");
	type(&b, "p\n");
	CHECK(b.view == VIEW_FUNCTIONS && filters_find(&b.filters, FILTER_THREAD) &&
	      (shows(&b, "thread b 10") || shows(&b, "thread a 10")));
	type(&b, "t");
	CHECK(!b.filters.list.nr, "t again is all threads");
	type(&b, "k");
	CHECK(filters_find(&b.filters, FILTER_DSO) && shows(&b, " prog "));
	type(&b, "T");
	browser_key(&b, BROWSE_RIGHT);
	type(&b, "v");
	browser_key(&b, BROWSE_RIGHT);
	type(&b, "\n");
	CHECK(filters_find(&b.filters, FILTER_TIME) && b.view == VIEW_FUNCTIONS && b.request == REQUEST_NONE &&
	      shows(&b, "prog > "));
	type(&b, "y");
	CHECK(b.request == REQUEST_COPY &&
	      strstr(buf_str(&b.command), "prec report -i x.data --stdio -e cpu-clock --dsos prog --time 1."));
	type(&b, "qq");
	CHECK(b.request == REQUEST_QUIT);
	browser_release(&b);
}

/* There may be nowhere to move to, nothing to open or to close, and the view may be on the screen already. */
static bool may_be_silent(enum action action, enum view_id view)
{
	enum view_id shown;

	return (keymap_shows(action, &shown) && shown == view) || (action >= ACTION_UP && action <= ACTION_RIGHT) ||
	       (action >= ACTION_OPEN && action <= ACTION_CLOSE_ALL) ||
	       (action >= ACTION_HOTTEST && action <= ACTION_HOTTER);
}

/* Each key changes the screen, asks for something, or says why it does neither. */
static void check_no_silent_key(const struct known *k, const struct browse_opts *o, enum view_id view)
{
	struct buf before = {0}, after = {0};

	for (int key = ' '; key < BROWSE_BACKTAB; key = key == '~' ? BROWSE_UP : key + 1) {
		struct browser b;

		start(&b, k, o);
		browser_resize(&b, 120, 40);
		browser_key(&b, BROWSE_DOWN);
		b.views[view].chosen = 1;
		browser_open(&b, view);
		if (view == VIEW_ANNOTATE)
			give_code(&b);
		put_screen(&b, &before);
		browser_key(&b, key);
		put_screen(&b, &after);
		CHECK(may_be_silent(keymap_find(key, view, browser_kind(&b)), view) || b.request != REQUEST_NONE ||
		      !str_eq(buf_str(&before), buf_str(&after)), "key %#x in %s of %d", (unsigned)key, b.views[view].ops->name,
		      (int)browser_kind(&b));
		browser_release(&b);
	}
	buf_release(&before);
	buf_release(&after);
}

static void check_before_loading(void)
{
	struct browser b;

	browser_init(&b, &opts, browse_views);
	type(&b, "gTpwac\n+bEy/x\nL");
	CHECK(b.request == REQUEST_NONE && shows(&b, "functions"));
	type(&b, "?");
	CHECK(shows(&b, "In this view: functions") && shows(&b, "open all rows") && !shows(&b, "the row above"));
	browser_key(&b, BROWSE_PAGE_DOWN);
	CHECK(shows(&b, "the row above") && !shows(&b, "In this view"), "a page further at the first press");
	type(&b, "qq");
	CHECK(b.request == REQUEST_QUIT);
	browser_release(&b);
}

/* Any keys at any time, and any size: each screen can be drawn. */
static void check_random_keys(const struct known *k, bool sides, uint64_t *state, unsigned nr)
{
	static const int special[] = { '\n', BROWSE_UP, BROWSE_DOWN, BROWSE_LEFT, BROWSE_RIGHT, BROWSE_PAGE_UP, BROWSE_PAGE_DOWN,
				       BROWSE_HOME, BROWSE_END, BROWSE_BACKSPACE, BROWSE_BACKTAB, BROWSE_TAB, BROWSE_ESCAPE,
				       0x20ac, 0x1f600 };
	struct canvas c = { .utf8 = true };
	struct comparing comparing = { .known = k };
	struct browse_compared compared = { &comparing, compare, put_numbers, put_amount, put_names, "titles  " };
	struct browser b;

	if (sides)
		start_sides(&b, k, &compared);
	else
		start(&b, k, &opts);
	canvas_resize(&c, b.width, b.height);
	for (unsigned i = 0; i < nr; i++) {
		browser_key(&b, random_below(state, 2) ? special[random_below(state, ARRAY_SIZE(special))] :
			    (int)(' ' + random_below(state, 95)));
		if (b.is_annotating) {
			struct code_lines lines = {0};
			struct buf text = {0};

			buf_puts(&text, random_below(state, 2) ? "   12.50 : 10: nop\n" : "");
			code_lines_add(&lines, random_below(state, 2) ? "x.c" : NULL, 1, random_below(state, 2));
			browser_annotated(&b, b.views[VIEW_ANNOTATE].chosen, random_below(state, 2) ? b.selected : 0,
					  random_below(state, 2) ? &text : NULL, &lines);
			buf_release(&text);
		}
		if (!random_below(state, 20)) {
			browser_resize(&b, (unsigned)random_below(state, 220), (unsigned)random_below(state, 70));
			canvas_resize(&c, b.width, b.height);
		}
		browser_draw(&b, &c, NULL);
		for (size_t n = 0; n < (size_t)c.width * c.height; n++)
			if (c.cells[n].character < ' ' && c.cells[n].character)
				CHECK(false, "a control character after %u keys", i);
	}
	canvas_release(&c);
	browser_release(&b);
}

static void check_wide(void)
{
	struct canvas c = { .utf8 = true };
	static const char text[] = "\345\221\274a\345\217\253";	/* two columns, one, two */

	canvas_resize(&c, 4, 1);
	CHECK(canvas_columns(&c, text, sizeof(text) - 1) == 5);
	CHECK(canvas_put(&c, 0, 0, 4, 0, LOOK_PLAIN, text, sizeof(text) - 1) == 4);
	CHECK(c.cells[0].character == 0x547c && !c.cells[1].character && c.cells[2].character == 'a');
	CHECK(c.cells[3].character == ' ', "half of a character is a blank");
	CHECK(canvas_put(&c, 0, 0, 4, 1, LOOK_PLAIN, text, sizeof(text) - 1) == 4);
	CHECK(c.cells[0].character == ' ' && c.cells[1].character == 'a' && c.cells[2].character == 0x53eb);
	c.utf8 = false;
	CHECK(canvas_columns(&c, text, sizeof(text) - 1) == 3);
	canvas_release(&c);
}

/* No key is bound twice where both rows apply. */
static void check_keymap(enum keymap_of kind)
{
	size_t nr;
	const struct keymap_row *rows = keymap(&nr);

	for (enum view_id v = 0; v < NR_VIEWS; v++)
		for (size_t i = 0; i < nr; i++)
			for (unsigned n = 0; n < MAX_KEYS && rows[i].keys[n]; n++)
				if (keymap_applies(&rows[i], v, kind))
					CHECK(keymap_find(rows[i].keys[n], v, kind) == rows[i].action, "key '%s' of '%s'",
					      rows[i].shown, rows[i].help);
}

static int print_keymap(enum keymap_of kind)
{
	size_t nr;
	const struct keymap_row *rows = keymap(&nr);

	for (size_t i = 0; i < nr; i++)
		if (keymap_has(&rows[i], kind))
			printf("%s: %s\n", rows[i].shown, rows[i].help);
	return 0;
}

int main(int argc, char **argv)
{
	struct known *k;
	uint64_t state = 7;

	if (argc > 1 && str_eq(argv[1], "keymap"))
		return print_keymap(argc > 2 && str_eq(argv[2], "diff") ? OF_DIFF : OF_REPORT);
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	k = xcalloc(1, sizeof(*k));
	make_known(k, false, &state);
	check_all_sums(k, &state);
	check_keys(k);
	check_code(k);
	for (enum view_id view = 0; view < NR_VIEWS; view++) {
		check_no_silent_key(k, &opts, view);
		check_no_silent_key(k, &top_opts, view);
	}
	check_before_loading();
	check_random_keys(k, false, &state, argc > 1 ? (unsigned)atoi(argv[1]) : 5000);
	check_wide();
	check_keymap(OF_REPORT);
	check_keymap(OF_DIFF);
	check_keymap(OF_TOP);
	profile_free(k->profile);
	make_known(k, true, &state);
	check_sides(k);
	check_random_keys(k, true, &state, argc > 1 ? (unsigned)atoi(argv[1]) : 5000);
	profile_free(k->profile);
	free(k);
	return checks_done();
}
