/*
 * Resolves probes, such as u:/bin/sh:main and kprobe:do_exit: finds the file offset of the function in the ELF file, or checks the
 * function in /proc/kallsyms, and fills the perf_event_attr of an event of the uprobe or kprobe PMU.
 */
#include "core/record/events/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/binary/elf_symbol.h"
#include "core/binary/kallsyms.h"
#include "core/record/events/breakpoint.h"

#define IN_PROGRAMS	"uprobe"	/* PMUs */
#define IN_KERNEL	"kprobe"
#define RETURN_MARK	"%return"	/* as in perf probe */

bool uprobe_term_is(const char *pmu, struct word term)
{
	return str_eq(pmu, IN_PROGRAMS) && (word_is(term, "path") || word_is(term, "offset"));
}

int uprobe_term_apply(struct event_request *r, const struct term_node *t, struct event_error *err)
{
	unsigned long long offset;

	if (!t->has_value)
		return wrong_at(err, t->name, xasprintf("'%.*s' needs a value", (int)t->name.n, t->name.s));
	if (word_is(t->name, "path")) {
		free(r->path);
		r->path = word_dup(t->value);
		return 0;
	}
	if (word_number(t->value, &offset))
		return wrong_at(err, t->value, xstrdup("'offset' needs a number: of bytes in the file"));
	r->attr.config2 = offset;
	return 0;
}

int uprobe_check(const char *pmu, struct event_request *r, struct word at, struct event_error *err)
{
	if (!str_eq(pmu, IN_PROGRAMS))
		return 0;
	if (!r->path && !r->attr.config1)
		return wrong_at(err, at, xstrdup("a uprobe needs path=... and offset=..., or write u:PATH:FUNCTION"));
	if (r->path)
		r->attr.sample_period = 1;
	return 0;
}

/* Reports that @where has no such function. Releases @known, the functions that it has. */
static int no_function(const char *where, const char *function, struct names *known, struct word at, struct event_error *err)
{
	struct buf what = {0};

	buf_printf(&what, "no function '%s' in %s", function, where);
	if (known->list.nr)
		names_suggest(&what, function, strlen(function), known);
	else
		buf_puts(&what, ", which has no symbols");
	names_release(known);
	buf_str(&what);
	return wrong_at(err, at, what.data);
}

/* ---- u:path:function ---- */

static int no_function_in_file(const char *path, const char *function, struct word at, struct event_error *err)
{
	char *where = xasprintf("'%s'", path);
	struct names known = {0};
	int failed;

	elf_function_names(path, &known);
	failed = no_function(where, function, &known, at, err);
	free(where);
	return failed;
}

/* Sets attr.config2 to the file offset of the probe, from a function's name or a number. */
static int find_offset(struct event_request *r, struct word point, struct event_error *err)
{
	struct elf_position p;
	char *symbol;
	uint64_t offset;
	int failed;

	if (probe_point_parse(point, &symbol, &offset))
		return wrong_at(err, point, xstrdup("neither a function nor an offset in the file"));
	r->attr.config2 = offset;
	if (!symbol)
		return 0;
	failed = elf_position_of(r->path, symbol, &p);
	if (failed == -ENOENT)
		failed = no_function_in_file(r->path, symbol, point, err);
	else if (failed)
		failed = wrong_at(err, point, xasprintf("cannot read the symbols of '%s': %s", r->path, failed == -ENOEXEC ?
							"it is not an ELF file" : strerror(-failed)));
	else if (p.offset == UINT64_MAX)
		failed = wrong_at(err, point, xasprintf("'%s' is no code", symbol));
	else
		r->attr.config2 = p.offset + offset;
	free(symbol);
	return failed;
}

static int find_path(struct event_request *r, struct word w, struct event_error *err)
{
	char *path = word_dup(w);

	r->path = realpath(path, NULL);
	free(path);
	return r->path ? 0 : wrong_at(err, w, xasprintf("cannot find this file: %s", strerror(errno)));
}

/* ---- kprobe:function ---- */

static bool is_code(const struct kallsyms_line *line)
{
	return strchr("tTwW", line->type);
}

static int no_function_in_kernel(const struct kallsyms *symbols, const char *function, struct word at, struct event_error *err)
{
	struct names known = {0};

	vec_for(line, &symbols->lines)
		if (is_code(line))
			names_add(&known, line->name);
	return no_function("the kernel", function, &known, at, err);
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

/* Checks that the function exists and is larger than @offset. Without kallsyms, only opening the event shows errors. */
static int check_function(const char *function, uint64_t offset, struct word at, struct event_error *err)
{
	const struct kallsyms_line *found = NULL;
	struct kallsyms symbols = {0};
	int failed = 0;

	if (kallsyms_read(&symbols, "/proc/kallsyms"))
		return 0;
	vec_for(line, &symbols.lines)
		if (!found && is_code(line) && str_eq(line->name, function))
			found = line;
	if (!found)
		failed = no_function_in_kernel(&symbols, function, at, err);
	else if (offset && !symbols.hidden && offset >= size_of(&symbols, found->addr))
		failed = wrong_at(err, at, xasprintf("'%s' has only %llu bytes", function,
						     (unsigned long long)size_of(&symbols, found->addr)));
	kallsyms_release(&symbols);
	return failed;
}

/* Sets the function and offset of the probe. An address has the function name "". */
static int find_function(struct event_request *r, struct word point, bool returns, struct event_error *err)
{
	int failed = 0;

	if (probe_point_parse(point, &r->path, &r->attr.config2))
		return wrong_at(err, point, xstrdup("neither a function of the kernel nor an address"));
	if (r->path)
		failed = check_function(r->path, r->attr.config2, point, err);
	if (!failed && r->path && returns && r->attr.config2)
		failed = wrong_at(err, point, xstrdup("a function returns as a whole: without '+'"));
	r->path = r->path ? r->path : xstrdup("");
	return failed;
}

/* ---- both ---- */

/* Takes "%return" off the end of @w, if it is there. */
static bool cut_return(struct word *w)
{
	size_t n = strlen(RETURN_MARK);

	if (w->n <= n || memcmp(w->s + w->n - n, RETURN_MARK, n))
		return false;
	w->n -= n;
	w->to -= n;
	return true;
}

/* Returns the bit of attr.config that makes the probe a return probe. */
static uint64_t return_bit(const struct pmu *pmu)
{
	struct word name = { .s = "retprobe", .n = strlen("retprobe") };
	struct pmu_format f;

	return pmu_format_read(pmu, name, &f) ? 1 : f.mask;
}

int probe_resolve(struct event_requests *out, const struct event_node *n, const struct pmus *pmus, struct event_error *err)
{
	struct event_request r = { .attr = { .size = ATTR_SIZE_VER7, .sample_period = 1 } };
	bool in_kernel = n->kind == NODE_KPROBE;
	const struct pmu *pmu = pmu_named(pmus, in_kernel ? IN_KERNEL : IN_PROGRAMS);
	struct word point = n->second;
	bool returns = cut_return(&point) || (in_kernel && (word_is(n->name, "kretprobe") || word_is(n->name, "r")));
	int failed;

	if (!pmu)
		return wrong_at(err, n->all, xasprintf("this kernel has no %s PMU (Linux 4.17, CONFIG_%s_EVENTS)",
						       in_kernel ? "kprobe" : "uprobe", in_kernel ? "KPROBE" : "UPROBE"));
	r.attr.type = pmu->type;
	r.attr.config = returns ? return_bit(pmu) : 0;
	failed = in_kernel ? find_function(&r, point, returns, err) : find_path(&r, n->name, err);
	if (!failed && !in_kernel)
		failed = find_offset(&r, point, err);
	if (failed) {
		free(r.path);
		return failed;
	}
	r.name = word_dup(n->all);
	vec_push(&out->list, r);
	return 0;
}
