/*
 * Looks up the name and the terms of each event of -e on this machine, and fills the event's perf_event_attr. pmu.c reads sysfs,
 * and event_parse.c applies the modifiers.
 */
#include "core/record/events/event_resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/record/events/breakpoint.h"
#include "core/record/events/event_symbol.h"
#include "core/record/events/probe.h"
#include "core/record/events/tracefs.h"
#include "core/record/events/vendor_event.h"

#define PMU_TYPE_SHIFT	32	/* in config of generic events (perf_event.h, PERF_PMU_TYPE_SHIFT) */

struct resolver {
	struct event_requests *out;
	const struct event_node *n;
	const struct pmus *pmus;
	struct event_error *err;
};

/* ---- requests ---- */

static struct event_request begin(void)
{
	return (struct event_request){ .attr.size = ATTR_SIZE_VER7 };
}

/* Returns the event's name as it was written, but with the full name of the PMU. Owned by the caller. */
static char *name_for(const struct resolver *v, const struct pmu *pmu)
{
	const struct event_node *n = v->n;

	if (!pmu || word_is(n->name, pmu->name))
		return word_dup(n->all);
	if (n->kind == NODE_TERMS)
		return xasprintf("%s%.*s", pmu->name, (int)(n->all.n - n->name.n), n->all.s + n->name.n);
	return xasprintf("%s/%.*s/%.*s", pmu->name, (int)n->name.n, n->name.s, (int)n->modifiers.n,
			 n->modifiers.n ? n->modifiers.s : "");
}

static size_t nr_core(const struct pmus *pmus)
{
	size_t nr = 0;

	vec_for(pmu, &pmus->list)
		nr += pmu->core;
	return nr;
}

/* Binds the event to CPUs that can count it. With several kinds of CPU, a generic event's config has the PMU of its kind. */
static void bind_to_cpus(const struct resolver *v, const struct pmu *pmu, struct event_request *r)
{
	if (!pmu || (pmu->core && nr_core(v->pmus) < 2))
		return;
	if (r->attr.type == PERF_TYPE_HARDWARE || r->attr.type == PERF_TYPE_HW_CACHE)
		r->attr.config |= (uint64_t)pmu->type << PMU_TYPE_SHIFT;
	if (!(r->terms.given & TERM_CPUS) && pmu_cpus(pmu, &r->terms.cpus))
		r->terms.given |= TERM_CPUS;
}

/* Appends the request for the CPUs of @pmu, and takes over @name. Drops both if @err is an error. Returns @err. */
static int finish(struct resolver *v, struct event_request *r, int err, const struct pmu *pmu, char *name)
{
	if (err) {
		free(name);
		free(r->path);
		free(r->tracepoint);
		event_terms_release(&r->terms);
		return err;
	}
	bind_to_cpus(v, pmu, r);
	if (r->terms.name) {
		free(name);
		name = xstrdup(r->terms.name);
	}
	r->name = name;
	if (r->attr.config4)
		r->attr.size = ATTR_SIZE_VER9;
	else if (r->attr.config3)
		r->attr.size = ATTR_SIZE_VER8;
	vec_push(&v->out->list, *r);
	return 0;
}

/* ---- errors ---- */

static int unknown_event(struct resolver *v, struct word name)
{
	struct names known = {0};
	struct buf what = {0};
	size_t said;

	symbol_names(&known, PERF_TYPE_SOFTWARE);
	symbol_names(&known, PERF_TYPE_HARDWARE);
	cache_event_names(&known);
	vec_for(pmu, &v->pmus->list)
		pmu_names(pmu, "events", &known);
	vec_for(pmu, &v->pmus->list)
		names_add(&known, pmu->name);
	names_sort(&known);
	buf_printf(&what, "unknown %s '%.*s'", v->n->kind == NODE_TERMS ? "event or PMU" : "event", (int)name.n, name.s);
	said = what.len;
	names_suggest(&what, name.s, name.n, &known);
	names_release(&known);
	if (what.len == said)
		buf_printf(&what, " (see 'prec list')");
	buf_str(&what);
	return wrong_at(v->err, name, what.data);
}

static int unknown_term(struct resolver *v, const struct pmu *pmu, struct word name)
{
	struct names known = {0};
	struct buf what = {0};

	event_term_names(&known);
	if (pmu) {
		pmu_names(pmu, "format", &known);
		pmu_names(pmu, "events", &known);
		buf_printf(&what, "unknown term '%.*s' of PMU '%s'", (int)name.n, name.s, pmu->name);
	} else {
		buf_printf(&what, "unknown term '%.*s'", (int)name.n, name.s);
	}
	names_suggest(&what, name.s, name.n, &known);
	names_release(&known);
	buf_str(&what);
	return wrong_at(v->err, name, what.data);
}

/* ---- terms of a PMU ---- */

static int store_format(struct resolver *v, const struct pmu *pmu, const struct pmu_format *f,
			const struct term_node *t, struct event_request *r)
{
	unsigned long long value = 1;

	if (t->has_value && word_number(t->value, &value))
		return wrong_at(v->err, t->value, xasprintf("'%.*s' needs a number", (int)t->name.n, t->name.s));
	if (value > pmu_format_max(f))
		return wrong_at(v->err, t->has_value ? t->value : t->name,
				xasprintf("too large for '%.*s' of PMU '%s', whose greatest value is %llu", (int)t->name.n,
					  t->name.s, pmu->name, (unsigned long long)pmu_format_max(f)));
	pmu_format_store(f, &r->attr, value);
	if (!f->word)
		r->config_given |= f->mask;
	return 0;
}

static bool has_alias(const struct pmu *pmu, struct word name)
{
	char *text = pmu_event_text(pmu, name);

	free(text);
	return text;
}

/* True if the term is the name of an event: one of the PMU, a generic event, or a raw number. It stands for other terms. */
static bool is_event_name(const struct pmu *pmu, const struct term_node *t)
{
	struct event_attr a;
	uint64_t raw;

	if (t->has_value || event_term_is(t->name))
		return false;
	return has_alias(pmu, t->name) || raw_find(t->name, &raw) || symbol_find(t->name, &a) ||
	       (pmu->core && (cache_find(t->name, &a) || vendor_event_find(t->name, pmu->name, NULL)));
}

static bool was_given(const struct resolver *v, struct word name)
{
	vec_for(t, &v->n->terms.list)
		if (t->has_value && t->name.n == name.n && !memcmp(t->name.s, name.s, name.n))
			return true;
	return false;
}

/* Applies the terms of an event in sysfs, such as "event=0xd0,umask=?". The user must give the terms that have a question mark. */
static int apply_event_text(struct resolver *v, const struct pmu *pmu, const struct term_node *alias, const char *text,
			    struct event_request *r)
{
	struct term_list terms;
	int err = 0;

	if (term_list_parse(&terms, text))
		err = wrong_at(v->err, alias->name, xasprintf("cannot read the event's terms '%s' in sysfs", text));
	for (size_t i = 0; i < terms.list.nr && !err; i++) {
		struct term_node *t = &terms.list.v[i];
		struct pmu_format f;

		if (t->has_value && word_is(t->value, "?")) {
			if (!was_given(v, t->name))
				err = wrong_at(v->err, alias->name, xasprintf("the event needs a value: %.*s=...",
									       (int)t->name.n, t->name.s));
			continue;
		}
		t->name.from = t->value.from = alias->name.from;
		t->name.to = t->value.to = alias->name.to;
		if (event_term_is(t->name))
			err = event_term_apply(&r->terms, &r->attr, t, v->err);
		else if (pmu_format_read(pmu, t->name, &f))
			err = unknown_term(v, pmu, t->name);
		else
			err = store_format(v, pmu, &f, t, r);
	}
	vec_free(&terms.list);
	return err;
}

static int apply_event_name(struct resolver *v, const struct pmu *pmu, const struct term_node *t,
			    struct event_request *r)
{
	char *text = pmu_event_text(pmu, t->name);
	int err = 0;

	if (text)
		err = apply_event_text(v, pmu, t, text, r);
	else if (!raw_find(t->name, &r->attr.config) && !symbol_find(t->name, &r->attr) && !cache_find(t->name, &r->attr))
		vendor_event_find(t->name, pmu->name, &r->attr);
	free(text);
	return err;
}

static int apply_term(struct resolver *v, const struct pmu *pmu, const struct term_node *t, struct event_request *r)
{
	struct pmu_format f;

	if (pmu && uprobe_term_is(pmu->name, t->name))
		return uprobe_term_apply(r, t, v->err);
	if (pmu && !pmu_format_read(pmu, t->name, &f))
		return store_format(v, pmu, &f, t, r);
	if (!event_term_is(t->name))
		return unknown_term(v, pmu, t->name);
	return event_term_apply(&r->terms, &r->attr, t, v->err);
}

/*
 * Applies the terms of the event in -e. If @pmu is NULL, only the terms that every event accepts are known. A term of a PMU event
 * may be the name of an event, which stands for a list of terms in sysfs or for a fixed configuration. Such terms are applied
 * first, so that the other terms of -e can override them.
 */
static int apply_terms(struct resolver *v, const struct pmu *pmu, struct event_request *r)
{
	int err = 0;

	for (size_t i = 0; i < v->n->terms.list.nr && !err; i++)
		if (pmu && is_event_name(pmu, &v->n->terms.list.v[i]))
			err = apply_event_name(v, pmu, &v->n->terms.list.v[i], r);
	for (size_t i = 0; i < v->n->terms.list.nr && !err; i++)
		if (!pmu || !is_event_name(pmu, &v->n->terms.list.v[i]))
			err = apply_term(v, pmu, &v->n->terms.list.v[i], r);
	return err;
}

static int resolve_pmu(struct resolver *v, const struct pmu *pmu)
{
	struct event_request r = begin();
	int err;

	r.attr.type = pmu->type;
	err = apply_terms(v, pmu, &r);
	if (!err)
		err = uprobe_check(pmu->name, &r, v->n->name, v->err);
	return finish(v, &r, err, pmu, name_for(v, pmu));
}

/* Adds an event for each PMU that @pattern matches. *nr is the number of these PMUs. */
static int resolve_pmus(struct resolver *v, struct word pattern, size_t *nr)
{
	char *name = word_dup(pattern);
	const struct pmu *exact = pmu_named(v->pmus, name);
	int err = 0;

	free(name);
	*nr = 0;
	vec_for(pmu, &v->pmus->list) {
		if (err || (exact && pmu != exact) || !pmu_matches(pmu, pattern))
			continue;
		err = resolve_pmu(v, pmu);
		(*nr)++;
	}
	return err;
}

/* ---- names alone ---- */

/* Adds one event with the type and config of @attr. On a machine with several kinds of CPU it is for @pmu (NULL: for any CPU). */
static int resolve_generic(struct resolver *v, const struct event_attr *attr, const struct pmu *pmu)
{
	struct event_request r = { .attr = *attr };

	r.attr.size = ATTR_SIZE_VER7;
	return finish(v, &r, apply_terms(v, NULL, &r), pmu, name_for(v, nr_core(v->pmus) > 1 ? pmu : NULL));
}

/* Adds an event that sysfs has for @pmu. The user gave its name without the PMU. */
static int resolve_alias(struct resolver *v, const struct pmu *pmu, struct word name)
{
	struct term_node alias = { .name = name };
	struct event_request r = begin();
	char *text = pmu_event_text(pmu, name);
	int err;

	r.attr.type = pmu->type;
	err = apply_event_text(v, pmu, &alias, text, &r);
	free(text);
	if (!err)
		err = apply_terms(v, NULL, &r);
	return finish(v, &r, err, pmu, name_for(v, pmu->core && nr_core(v->pmus) < 2 ? NULL : pmu));
}

/* Resolves the name on one kind of CPU: as an event in sysfs, raw, generic or of the vendor. Returns 1 if it is unknown. */
static int resolve_on_core(struct resolver *v, const struct pmu *pmu, struct word name)
{
	struct event_attr attr = { .type = pmu->type };

	if (has_alias(pmu, name))
		return resolve_alias(v, pmu, name);
	if (raw_find(name, &attr.config) || symbol_find(name, &attr) || cache_find(name, &attr) ||
	    vendor_event_find(name, pmu->name, &attr))
		return resolve_generic(v, &attr, pmu);
	return 1;
}

static int resolve_on_cores(struct resolver *v, struct word name)
{
	int result = 1;

	vec_for(pmu, &v->pmus->list) {
		int err = pmu->core ? resolve_on_core(v, pmu, name) : 1;

		if (err < 0)
			return err;
		result = MIN(result, err);
	}
	return result;
}

/*
 * Resolves the name without the PMU of a CPU. If sysfs has no such PMU, as in virtual machines, generic names and raw numbers are
 * still understood. Otherwise the name may be an event of another PMU, or a PMU.
 */
static int resolve_anywhere(struct resolver *v, struct word name)
{
	struct event_attr attr = { .type = PERF_TYPE_RAW };
	size_t nr = 0;
	int err = 0;

	if (!nr_core(v->pmus) && (raw_find(name, &attr.config) || symbol_find(name, &attr) || cache_find(name, &attr) ||
				  vendor_event_find(name, NULL, &attr)))
		return resolve_generic(v, &attr, NULL);
	vec_for(pmu, &v->pmus->list) {
		if (err || !has_alias(pmu, name))
			continue;
		err = resolve_alias(v, pmu, name);
		nr++;
	}
	if (!nr)
		err = resolve_pmus(v, name, &nr);
	return err || nr ? err : unknown_event(v, name);
}

/*
 * Searches a name in this order: software events; the events of the machine's CPUs in sysfs; raw numbers, hardware and cache
 * events; vendor events; events of other PMUs in sysfs; names of PMUs.
 */
static int resolve_name(struct resolver *v)
{
	struct event_attr attr = {0};
	int err;

	if (symbol_find(v->n->name, &attr) && attr.type == PERF_TYPE_SOFTWARE)
		return resolve_generic(v, &attr, NULL);
	err = resolve_on_cores(v, v->n->name);
	return err <= 0 ? err : resolve_anywhere(v, v->n->name);
}

/* Resolves "x/.../": x is a PMU or, if no PMU has this name, an event with terms after it. */
static int resolve_with_terms(struct resolver *v)
{
	size_t nr;
	int err = resolve_pmus(v, v->n->name, &nr);

	return nr ? err : resolve_name(v);
}

/* ---- all kinds ---- */

/* True if the name alone, without a colon and the rest, is known. */
static bool name_is_known(const struct pmus *pmus, struct word name)
{
	struct event_attr attr;
	uint64_t raw;

	if (symbol_find(name, &attr) || cache_find(name, &attr) || raw_find(name, &raw) || vendor_event_find(name, NULL, NULL))
		return true;
	vec_for(pmu, &pmus->list)
		if (word_is(name, pmu->name) || has_alias(pmu, name))
			return true;
	return false;
}

static int resolve_tracepoint(struct resolver *v, const struct tracepoint *t, bool from_wildcard)
{
	struct event_request r = begin();
	struct word modifiers = v->n->modifiers;

	r.attr.type = PERF_TYPE_TRACEPOINT;
	r.attr.sample_period = 1;
	r.attr.config = t->id;
	r.from_wildcard = from_wildcard;
	r.tracepoint = xstrdup(t->name);
	return finish(v, &r, apply_terms(v, NULL, &r), NULL,
		      xasprintf("%s%s%.*s", t->name, modifiers.n ? ":" : "", (int)modifiers.n, modifiers.n ? modifiers.s : ""));
}

/* Resolves "system:event", in which both may be patterns. Adds each tracepoint that matches. */
static int resolve_tracepoints(struct resolver *v)
{
	const struct event_node *n = v->n;
	struct word both = { n->name.s, n->second.to - n->name.from, n->name.from, n->second.to };
	char *pattern = xasprintf("%.*s:%.*s", (int)n->name.n, n->name.s, (int)n->second.n, n->second.s), *why;
	struct tracepoints found = {0};
	int nr = tracepoints_find(&found, pattern, &why), err = 0;

	free(pattern);
	if (nr < 0) {
		wrong_at(v->err, both, why);
		return nr == -ENOENT ? -EINVAL : -ENODEV;
	}
	for (size_t i = 0; i < found.list.nr && !err; i++)
		err = resolve_tracepoint(v, &found.list.v[i], nr > 1);
	tracepoints_release(&found);
	return err;
}

/* Resolves "first:second": a vendor event with its mask, an event with modifiers if "first" is an event, or else a tracepoint. */
static int resolve_pair(struct resolver *v, struct event_node *n)
{
	struct word both = { n->name.s, n->second.to - n->name.from, n->name.from, n->second.to };

	if (!event_modifiers_known(n->second) && vendor_event_find(both, NULL, NULL)) {
		n->kind = NODE_NAME;
		n->name = both;
		return resolve_name(v);
	}
	if (!name_is_known(v->pmus, n->name))
		return event_modifiers_known(n->second) ? unknown_event(v, n->name) : resolve_tracepoints(v);
	if (n->modifiers.n || n->terms.list.nr)
		return wrong_at(v->err, n->modifiers.n ? n->modifiers : n->terms.list.v[0].name,
				xstrdup("nothing can follow the modifiers"));
	n->kind = NODE_NAME;
	n->modifiers = n->second;
	return resolve_name(v);
}

int event_resolve(struct event_requests *out, struct event_node *n, const struct pmus *pmus,
		  struct event_error *err)
{
	struct resolver v = { .out = out, .n = n, .pmus = pmus, .err = err };

	switch (n->kind) {
	case NODE_NAME: return resolve_name(&v);
	case NODE_PAIR: return resolve_pair(&v, n);
	case NODE_TERMS: return resolve_with_terms(&v);
	case NODE_MEM: return breakpoint_resolve(out, n, err);
	case NODE_UPROBE: case NODE_KPROBE: return probe_resolve(out, n, pmus, err);
	}
	return -EINVAL;
}
