/*
 * Sums samples by address, and then groups the addresses by function, for prec annotate. Worker threads sum separately, and
 * their sums are added at the end. core/show/report/annotate.c prints the result.
 */
#include "core/code/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/read/filter.h"
#include "core/read/item.h"
#include "core/read/session.h"
#include "core/model/chain.h"

struct sampled_address { uint64_t ip, period, nr; uint32_t space, event; };

struct address_sums {
	VEC(struct sampled_address) list;
	struct index by_place;
};

struct annotate_pass {
	const struct filter *filter;
	struct annotation *out;
	struct address_sums all;
	bool hidden_source;
};

struct annotate_worker {
	struct address_sums sums;
	VEC(struct event_weight) totals;
};

static void add_event_weight(struct event_weight *sum, uint64_t period, uint64_t nr)
{
	add_saturated(&sum->period, period);
	sum->nr += nr;
}

static void add_address(struct address_sums *sums, const struct sampled_address *a)
{
	uint64_t hash = hash_pair(a->ip, (uint64_t)a->space << 32 | a->event);

	index_for(pos, &sums->by_place, hash) {
		struct sampled_address *known = &sums->list.v[pos];

		if (known->ip == a->ip && known->space == a->space && known->event == a->event) {
			add_saturated(&known->period, a->period);
			known->nr += a->nr;
			return;
		}
	}
	index_add(&sums->by_place, hash, (uint32_t)sums->list.nr);
	vec_push(&sums->list, *a);
}

static void release_sums(struct address_sums *sums)
{
	vec_free(&sums->list);
	index_release(&sums->by_place);
}

static void *zeroed_weights(size_t nr)
{
	return xcalloc(MAX(nr, 1), sizeof(struct event_weight));
}

static void worker_init(void *worker, void *ctx)
{
	struct annotate_worker *w = worker;
	const struct annotate_pass *pass = ctx;

	w->totals.nr = w->totals.cap = pass->out->totals.nr;
	w->totals.v = zeroed_weights(w->totals.nr);
}

static void on_sample(void *worker, void *ctx, const struct item *item)
{
	struct annotate_worker *w = worker;
	const struct annotate_pass *pass = ctx;
	struct sampled_address a = { .ip = item->sample->ip, .period = item_period(item), .nr = 1, .event = item->event->number };

	if ((item->event->hidden_source && !pass->hidden_source) || (pass->filter && !filter_item(pass->filter, item)))
		return;
	add_event_weight(&w->totals.v[a.event], a.period, 1);
	a.space = chain_space(item->context, item->cpumode);
	add_address(&w->sums, &a);
}

static void merge_worker(void *worker, void *ctx)
{
	struct annotate_worker *w = worker;
	struct annotate_pass *pass = ctx;

	for (size_t i = 0; i < w->totals.nr; i++)
		add_event_weight(&pass->out->totals.v[i], w->totals.v[i].period, w->totals.v[i].nr);
	vec_for(a, &w->sums.list)
		add_address(&pass->all, a);
	release_sums(&w->sums);
	vec_free(&w->totals);
}

/* ---- by function ---- */

struct by_function { struct index places; struct annotation *out; };

static struct annotated_function *function_of(struct by_function *f, const struct addr_location *location, uint32_t space)
{
	uint64_t hash = hash_pair(location->symbol->start, location->dso->number);
	struct annotated_function added = { .location = *location, .space = space };

	index_for(pos, &f->places, hash) {
		struct annotated_function *known = &f->out->functions.v[pos];

		if (known->location.symbol == location->symbol && known->location.dso == location->dso)
			return known;
	}
	index_add(&f->places, hash, (uint32_t)f->out->functions.nr);
	added.events.v = zeroed_weights(f->out->totals.nr);
	added.events.nr = added.events.cap = f->out->totals.nr;
	vec_push(&f->out->functions, added);
	return &f->out->functions.v[f->out->functions.nr - 1];
}

static void add_weight(struct by_function *f, const struct sampled_address *a, const struct addr_location *location)
{
	struct annotated_function *function = function_of(f, location, a->space);

	/* Takes the lowest space, then the lowest address, so that the result does not depend on the order of workers. */
	if (a->space < function->space || (a->space == function->space && location->addr < function->location.addr)) {
		function->space = a->space;
		function->location = *location;
	}
	add_event_weight(&function->events.v[a->event], a->period, a->nr);
	vec_push(&function->weights, ((struct address_weight){ location->addr, a->period, a->nr, a->event }));
}

ORDER(by_address, struct address_weight, compare_numbers(a->addr, b->addr) ?: compare_numbers(a->event, b->event))

/* Joins the weights of an address in several processes. */
static void join_weights(struct annotated_function *f)
{
	size_t kept = 0;

	vec_sort(&f->weights, by_address);
	for (size_t i = 1; i < f->weights.nr; i++) {
		struct address_weight *last = &f->weights.v[kept], *next = &f->weights.v[i];

		if (by_address(last, next)) {
			f->weights.v[++kept] = *next;
			continue;
		}
		add_saturated(&last->period, next->period);
		last->nr += next->nr;
	}
	f->weights.nr = kept + 1;
}

ORDER(by_share, struct annotated_function,
	compare_numbers(b->share, a->share) ?: strcmp(a->location.dso->path, b->location.dso->path) ?:
	compare_numbers(a->location.symbol->start, b->location.symbol->start))

static void find_share(const struct annotation *a, struct annotated_function *f)
{
	for (size_t i = 0; i < f->events.nr; i++)
		if (a->totals.v[i].period)
			f->share = MAX(f->share, (double)f->events.v[i].period / (double)a->totals.v[i].period);
}

static void put_together(struct annotate_pass *pass, const struct machine *m)
{
	struct by_function f = { .out = pass->out };

	vec_for(a, &pass->all.list) {
		struct addr_location location;

		machine_resolve(m, a->space, a->ip, &location);
		if (pass->filter && filter_has_names(pass->filter) &&
		    !filter_names(pass->filter, location.dso, location.symbol ? location.symbol->name : NULL))
			continue;
		if (location.symbol)
			add_weight(&f, a, &location);
	}
	vec_for(function, &pass->out->functions) {
		join_weights(function);
		find_share(pass->out, function);
	}
	vec_sort(&pass->out->functions, by_share);
	index_release(&f.places);
}

void annotation_init(struct annotation *out, struct session *s, const struct filter *filter, bool hidden_source)
{
	struct annotate_pass pass = {
		.filter = filter, .out = out, .hidden_source = hidden_source,
	};
	const struct sample_pass samples = {
		.worker_size = sizeof(struct annotate_worker), .init = worker_init, .sample = on_sample, .merge = merge_worker,
	};

	*out = (struct annotation){0};
	out->totals.nr = out->totals.cap = session_events(s)->events.nr;
	out->totals.v = zeroed_weights(out->totals.nr);
	session_samples(s, &samples, &pass);
	put_together(&pass, session_machine(s));
	release_sums(&pass.all);
}

void annotation_release(struct annotation *a)
{
	vec_for(f, &a->functions) {
		vec_free(&f->weights);
		vec_free(&f->events);
	}
	vec_free(&a->functions);
	vec_free(&a->totals);
}
