/*
 * Resolves probes in programs, such as u:/bin/sh:main: finds the file offset of the function in the ELF file, and fills the
 * perf_event_attr of an event of the uprobe PMU.
 * Layer: events
 */
#include "core/record/events/uprobe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/record/events/breakpoint.h"
#include "core/binary/elf_symbol.h"

#define PMU_NAME	"uprobe"
#define RETURN_MARK	"%return"

bool uprobe_term_is(const char *pmu, struct word term)
{
	return str_eq(pmu, PMU_NAME) && (word_is(term, "path") || word_is(term, "offset"));
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
	if (!str_eq(pmu, PMU_NAME))
		return 0;
	if (!r->path && !r->attr.config1)
		return wrong_at(err, at, xstrdup("a uprobe needs path=... and offset=..., or write u:PATH:FUNCTION"));
	if (r->path)
		r->attr.sample_period = 1;
	return 0;
}

/* ---- u:path:function ---- */

bool probe_cut_return(struct word *w)
{
	size_t n = strlen(RETURN_MARK);

	if (w->n <= n || memcmp(w->s + w->n - n, RETURN_MARK, n))
		return false;
	w->n -= n;
	w->to -= n;
	return true;
}

static int no_function(const char *path, const char *function, struct word at, struct event_error *err)
{
	struct names known = {0};
	struct buf what = {0};

	elf_function_names(path, &known);
	buf_printf(&what, "no function '%s' in '%s'", function, path);
	if (known.list.nr)
		names_suggest(&what, function, strlen(function), &known);
	else
		buf_puts(&what, ", which has no symbols");
	names_release(&known);
	buf_str(&what);
	return wrong_at(err, at, what.data);
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
		failed = no_function(r->path, symbol, point, err);
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

uint64_t probe_return_bit(const struct pmu *pmu)
{
	struct word name = { .s = "retprobe", .n = strlen("retprobe") };
	struct pmu_format f;

	return pmu_format_read(pmu, name, &f) ? 1 : f.mask;
}

int uprobe_resolve(struct event_requests *out, const struct event_node *n, const struct pmus *pmus,
		   struct event_error *err)
{
	struct event_request r = { .attr = { .size = ATTR_SIZE_VER7, .sample_period = 1 } };
	const struct pmu *pmu = pmu_named(pmus, PMU_NAME);
	struct word point = n->second;
	int failed;

	if (!pmu)
		return wrong_at(err, n->all, xstrdup("this kernel has no uprobe PMU (Linux 4.17, CONFIG_UPROBE_EVENTS)"));
	r.attr.type = pmu->type;
	if (probe_cut_return(&point))
		r.attr.config = probe_return_bit(pmu);
	failed = find_path(&r, n->name, err);
	if (!failed)
		failed = find_offset(&r, point, err);
	if (failed) {
		free(r.path);
		return failed;
	}
	r.name = word_dup(n->all);
	vec_push(&out->list, r);
	return 0;
}
