/*
 * Writes a profile in callgrind's format, which callgrind_annotate and KCachegrind read (prec export --format callgrind). The file
 * has the self cost of each line of each function, and the inclusive cost of its calls. Source: callgrind/docs/cl-format.xml and
 * callgrind/callgrind_annotate.in of Valgrind.
 */
#include "core/show/export/writers.h"

#include <ctype.h>

#include "core/base/vec.h"

#define ALL UINT32_MAX		/* the artificial function "(all)", which calls all outermost functions */

struct self_cost { uint32_t function, line; uint64_t cost; };
struct call_cost { uint32_t caller, line, callee; uint64_t nr, cost; };	/* .line: the line of the call */

struct callgrind {
	VEC(struct self_cost) self_costs;
	VEC(struct call_cost) calls;
	struct profile_sum *total, *self;	/* by stack */
	uint32_t *same;				/* by function: the first function with the same text, which represents it */
	uint32_t *files;			/* by function in .same: the string of its source file; 0: not known */
	uint64_t sum;
};

/* ---- what functions are called ---- */

/* Replaces characters that would end a line. */
static void put_text(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_putc(out, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

/* Writes a name in full, after its number. Without a number, a name that begins with a bracket would be misread. */
static void put_name(struct export *x, const char *what, uint32_t number, const char *text)
{
	buf_printf(&x->out->buf, "%s=(%u) ", what, number);
	put_text(&x->out->buf, text);
	buf_putc(&x->out->buf, '\n');
}

/* Writes the function whose costs follow, or with @called the callee. Always writes object and file: readers keep old ones. */
static void put_function(struct export *x, uint32_t function, bool called)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct callgrind *c = x->state;
	uint32_t dso = function == ALL ? PROFILE_NONE : d->functions.v[function].dso;
	uint32_t file = function == ALL ? 0 : c->files[function];
	struct buf name = {0};

	if (function == ALL)
		buf_puts(&name, "(all)");
	else
		profile_put_function(x->profile, function, &name);
	put_name(x, called ? "cob" : "ob", dso == PROFILE_NONE ? 1 : dso + 2,
		 dso == PROFILE_NONE ? "???" : profile_string(x->profile, d->dsos.v[dso].path));
	put_name(x, called ? "cfl" : "fl", file + 1, file ? profile_string(x->profile, file) : "???");
	put_name(x, called ? "cfn" : "fn", function == ALL ? 1 : function + 2, buf_str(&name));
	buf_release(&name);
}

/* ---- costs ---- */

/*
 * Samples do not count calls, so the number of samples is written as the number of calls. In a recursion the cost of a call would
 * be added more than once, so a call is added only if the callee is not yet on the stack. All stacks begin in an artificial
 * function "(all)", because the inclusive cost of the outermost functions would otherwise be missing.
 */

static uint32_t function_at(const struct callgrind *c, const struct profile_data *d, uint32_t stack)
{
	return stack == PROFILE_ROOT ? ALL : c->same[d->frames.v[d->stacks.v[stack].frame].function];
}

static uint32_t line_at(const struct profile_data *d, uint32_t stack)
{
	return stack == PROFILE_ROOT ? 0 : d->frames.v[d->stacks.v[stack].frame].line;
}

/* True if the function at @stack is also one of its callers. Its cost is then part of the cost of that call. */
static bool is_recursive(const struct callgrind *c, const struct profile_data *d, uint32_t stack)
{
	uint32_t function = function_at(c, d, stack);

	for (uint32_t s = d->stacks.v[stack].parent; s != PROFILE_ROOT; s = d->stacks.v[s].parent)
		if (function_at(c, d, s) == function)
			return true;
	return false;
}

static uint64_t cost_of(const struct export *x, const struct profile_sum *sum)
{
	return x->opts->samples ? sum->nr : sum->period;
}

ORDER(compare_selfs, struct self_cost, compare_numbers(a->function, b->function) ?: compare_numbers(a->line, b->line))

ORDER(compare_calls, struct call_cost,
	compare_numbers(a->caller, b->caller) ?: compare_numbers(a->callee, b->callee) ?: compare_numbers(a->line, b->line))

/* Collects self costs and calls. Entries with equal functions and lines are joined later. */
static void collect(struct export *x)
{
	const struct profile_data *d = profile_data(x->profile);
	struct callgrind *c = x->state;

	for (uint32_t i = 0; i < d->stacks.nr; i++) {
		uint64_t own = cost_of(x, &c->self[i]), with_calls = cost_of(x, &c->total[i]);

		if (own)
			vec_push(&c->self_costs, ((struct self_cost){ function_at(c, d, i), line_at(d, i), own }));
		if (i != PROFILE_ROOT && with_calls && !is_recursive(c, d, i))
			vec_push(&c->calls, ((struct call_cost){ function_at(c, d, d->stacks.v[i].parent),
								 line_at(d, d->stacks.v[i].parent), function_at(c, d, i),
								 c->total[i].nr, with_calls }));
		c->sum += own;
	}
	vec_sort(&c->self_costs, compare_selfs);
	vec_sort(&c->calls, compare_calls);
}

static void join_costs(struct callgrind *c)
{
	size_t nr = 0;

	vec_for(s, &c->self_costs) {
		if (nr && !compare_selfs(&c->self_costs.v[nr - 1], s))
			c->self_costs.v[nr - 1].cost += s->cost;
		else
			c->self_costs.v[nr++] = *s;
	}
	c->self_costs.nr = nr;
	nr = 0;
	vec_for(call, &c->calls) {
		if (nr && !compare_calls(&c->calls.v[nr - 1], call)) {
			c->calls.v[nr - 1].nr += call->nr;
			c->calls.v[nr - 1].cost += call->cost;
		} else {
			c->calls.v[nr++] = *call;
		}
	}
	c->calls.nr = nr;
}

/* ---- the file ---- */

/* Writes the event's name, whose characters must be letters, digits and '_'. */
static void put_event_name(struct export *x, const struct profile_event *e)
{
	const char *name = x->opts->samples ? "samples" : e->unit == PROFILE_NS ? "ns" : profile_string(x->profile, e->name);

	for (; *name; name++)
		buf_putc(&x->out->buf, isalnum((unsigned char)*name) ? *name : '_');
}

static void put_head(struct export *x, uint32_t event)
{
	const struct profile_data *d = profile_data(x->profile);
	const struct profile_event *e = &d->events.v[event];
	const struct callgrind *c = x->state;
	struct buf *out = &x->out->buf;

	buf_puts(out, "# callgrind format\nversion: 1\ncreator: prec\n");
	if (d->info.command) {
		buf_puts(out, "cmd: ");
		put_text(out, profile_string(x->profile, d->info.command));
		buf_putc(out, '\n');
	}
	buf_puts(out, "desc: counts of calls are counts of samples\npositions: line\nevent: ");
	put_event_name(x, e);
	buf_puts(out, x->opts->samples ? " : samples of " : e->unit == PROFILE_NS ? " : ns of " : " : ");
	put_text(out, profile_string(x->profile, e->name));
	buf_puts(out, "\nevents: ");
	put_event_name(x, e);
	buf_puts(out, "\nsummary: ");
	buf_dec(out, c->sum, 0);
	buf_putc(out, '\n');
}

static void put_call(struct export *x, const struct call_cost *call)
{
	struct buf *out = &x->out->buf;

	put_function(x, call->callee, true);
	buf_puts(out, "calls=");
	buf_dec(out, call->nr, 0);
	buf_puts(out, " 0\n");
	buf_dec(out, call->line, 0);
	buf_putc(out, ' ');
	buf_dec(out, call->cost, 0);
	buf_putc(out, '\n');
	outfile_maybe_flush(x->out);
}

/* Both lists are sorted by function. ALL is the last one. */
static void put_functions(struct export *x)
{
	struct callgrind *c = x->state;
	const struct self_cost *s = c->self_costs.v, *end = s + c->self_costs.nr;
	const struct call_cost *call = c->calls.v, *calls_end = call + c->calls.nr;
	struct buf *out = &x->out->buf;

	while (s != end || call != calls_end) {
		uint32_t function = s != end && (call == calls_end || s->function <= call->caller) ? s->function : call->caller;

		buf_putc(out, '\n');
		put_function(x, function, false);
		for (; s != end && s->function == function; s++) {
			buf_dec(out, s->line, 0);
			buf_putc(out, ' ');
			buf_dec(out, s->cost, 0);
			buf_putc(out, '\n');
		}
		for (; call != calls_end && call->caller == function; call++)
			put_call(x, call);
	}
}

static void tree(struct export *x, uint32_t event)
{
	const struct profile_data *d = profile_data(x->profile);
	struct callgrind *c = x->state;

	c->total = xcalloc(d->stacks.nr, sizeof(*c->total));
	c->self = xcalloc(d->stacks.nr, sizeof(*c->self));
	c->files = xcalloc(MAX(d->functions.nr, 1), sizeof(*c->files));
	c->same = profile_same_functions(x->profile);
	vec_for(frame, &d->frames)
		if (!c->files[c->same[frame->function]])
			c->files[c->same[frame->function]] = frame->file;
	profile_sum_stacks(x->profile, event, c->total, c->self);
	collect(x);
	join_costs(c);
	put_head(x, event);
	put_functions(x);
	vec_free(&c->self_costs);
	vec_free(&c->calls);
	free(c->total);
	free(c->self);
	free(c->files);
	free(c->same);
}

const struct profile_writer callgrind_writer = {
	.name = "callgrind", .suffixes = ".callgrind", .description = "for KCachegrind and callgrind_annotate",
	.frames = PROFILE_BY_LINE, .flags = WRITER_ONE_EVENT, .state_size = sizeof(struct callgrind),
	.tree = tree,
};
