/*
 * Resolves probes in the kernel, such as kprobe:do_exit: checks the function in /proc/kallsyms, and fills the perf_event_attr of
 * an event of the kprobe PMU.
 * Layer: events
 */
#include "core/record/events/kprobe.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/binary/kallsyms.h"
#include "core/record/events/breakpoint.h"
#include "core/record/events/uprobe.h"

#define PMU_NAME	"kprobe"
#define SYMBOLS		"/proc/kallsyms"

static bool is_code(const struct kallsyms_line *line)
{
	return strchr("tTwW", line->type);
}

static int no_function(const struct kallsyms *symbols, const char *function, struct word at, struct event_error *err)
{
	struct names known = {0};
	struct buf what = {0};

	vec_for(line, &symbols->lines)
		if (is_code(line))
			names_add(&known, line->name);
	buf_printf(&what, "no function '%s' in the kernel", function);
	names_suggest(&what, function, strlen(function), &known);
	names_release(&known);
	buf_str(&what);
	return wrong_at(err, at, what.data);
}

/* Returns the size of a function, which reaches to the next symbol. */
static uint64_t size_of(const struct kallsyms *symbols, uint64_t addr)
{
	uint64_t next = UINT64_MAX;

	vec_for(line, &symbols->lines)
		if (line->addr > addr)
			next = MIN(next, line->addr);
	return next - addr;
}

/*
 * Checks that the kernel has the function and that it is larger than @offset. If kallsyms cannot be read, the kernel reports errors
 * when it opens the event.
 */
static int check_function(const char *function, uint64_t offset, struct word at, struct event_error *err)
{
	const struct kallsyms_line *found = NULL;
	struct kallsyms symbols = {0};
	int failed = 0;

	if (kallsyms_read(&symbols, SYMBOLS))
		return 0;
	vec_for(line, &symbols.lines)
		if (!found && is_code(line) && str_eq(line->name, function))
			found = line;
	if (!found)
		failed = no_function(&symbols, function, at, err);
	else if (offset && !symbols.hidden && offset >= size_of(&symbols, found->addr))
		failed = wrong_at(err, at, xasprintf("'%s' has only %llu bytes", function,
						     (unsigned long long)size_of(&symbols, found->addr)));
	kallsyms_release(&symbols);
	return failed;
}

/* Sets the function and offset of the probe. An address has the function name "". */
static int find_function(struct event_request *r, struct word point, struct event_error *err)
{
	uint64_t offset;

	if (probe_point_parse(point, &r->path, &offset))
		return wrong_at(err, point, xstrdup("neither a function of the kernel nor an address"));
	r->attr.config2 = offset;
	if (r->path)
		return check_function(r->path, offset, point, err);
	r->path = xstrdup("");
	return 0;
}

int kprobe_resolve(struct event_requests *out, const struct event_node *n, const struct pmus *pmus,
		   struct event_error *err)
{
	struct event_request r = { .attr = { .size = ATTR_SIZE_VER7, .sample_period = 1 } };
	const struct pmu *pmu = pmu_named(pmus, PMU_NAME);
	struct word point = n->second;
	bool returns = probe_cut_return(&point) || word_is(n->name, "kretprobe") || word_is(n->name, "r");
	int failed;

	if (!pmu)
		return wrong_at(err, n->all, xstrdup("this kernel has no kprobe PMU (Linux 4.17, CONFIG_KPROBE_EVENTS)"));
	r.attr.type = pmu->type;
	if (returns)
		r.attr.config = probe_return_bit(pmu);
	failed = find_function(&r, point, err);
	if (!failed && returns && r.attr.config2 && *r.path)
		failed = wrong_at(err, point, xstrdup("a function returns as a whole: without '+'"));
	if (failed) {
		free(r.path);
		return failed;
	}
	r.name = word_dup(n->all);
	vec_push(&out->list, r);
	return 0;
}
