/*
 * Answers queries about a finished profile: names, sums over the tree of stacks, and samples in order of time. builder.h makes
 * profiles.
 */
#include "core/profile/profile.h"

#include <string.h>

#include "core/base/varint.h"
#include "core/profile/profile_impl.h"

const struct profile_data *profile_data(const struct profile *p)
{
	return &p->data;
}

const struct findings *profile_findings(const struct profile *p)
{
	return &p->findings;
}

void profile_free(struct profile *p)
{
	struct profile_data *d;

	if (!p)
		return;
	d = &p->data;
	free((void *)(uintptr_t)d->events.v);
	free((void *)(uintptr_t)d->processes.v);
	free((void *)(uintptr_t)d->threads.v);
	free((void *)(uintptr_t)d->names.v);
	free((void *)(uintptr_t)d->dsos.v);
	free((void *)(uintptr_t)d->functions.v);
	free((void *)(uintptr_t)d->frames.v);
	free((void *)(uintptr_t)d->stacks.v);
	free((void *)(uintptr_t)d->addresses.v);
	free((void *)(uintptr_t)d->insns.v);
	free((void *)(uintptr_t)d->sources.v);
	free((void *)(uintptr_t)d->weights.v);
	free((void *)(uintptr_t)d->columns.v);
	free((void *)(uintptr_t)d->intervals.v);
	free((void *)(uintptr_t)d->calls.v);
	free((void *)(uintptr_t)d->instants.v);
	free((void *)(uintptr_t)d->links.v);
	findings_release(&p->findings);
	free(p->text);
	free(p->strings);
	spill_release(&p->samples);
	free(p);
}

const char *profile_unit_name(enum profile_unit unit)
{
	static const char *const names[] = { [PROFILE_COUNT] = "count", [PROFILE_NS] = "ns", [PROFILE_BYTES] = "bytes" };

	return names[unit];
}

const char *profile_dso_kind_name(enum profile_dso_kind kind)
{
	static const char *const names[] = {
		[PROFILE_DSO_USER] = "user", [PROFILE_DSO_KERNEL] = "kernel", [PROFILE_DSO_MODULE] = "module",
		[PROFILE_DSO_VDSO] = "vdso", [PROFILE_DSO_BPF] = "bpf", [PROFILE_DSO_ANON] = "anon",
		[PROFILE_DSO_UNKNOWN] = "unknown",
	};

	return names[kind];
}

const char *profile_string(const struct profile *p, uint32_t number)
{
	return p->strings[number];
}

uint32_t profile_frame_name(const struct profile *p, uint32_t frame)
{
	return p->data.functions.v[p->data.frames.v[frame].function].name;
}

uint32_t profile_own_function(const struct profile *p, const struct profile_weight *w)
{
	const struct profile_data *d = &p->data;

	if (w->address != PROFILE_NONE)
		return d->addresses.v[w->address].own;
	return w->stack == PROFILE_ROOT ? PROFILE_NONE : d->frames.v[d->stacks.v[w->stack].frame].function;
}

bool profile_is_wait(const struct profile *p, uint32_t function)
{
	uint32_t dso = p->data.functions.v[function].dso;

	return dso != PROFILE_NONE && str_eq(profile_string(p, p->data.dsos.v[dso].name), PROFILE_WAITS);
}

bool profile_is_program(const struct profile *p, uint32_t function)
{
	const struct profile_function *f = &p->data.functions.v[function];

	if (f->level == 'j' || f->level == 'p')
		return f->name;
	return f->dso != PROFILE_NONE && p->data.dsos.v[f->dso].kind == PROFILE_DSO_USER &&
	       !strstr(profile_string(p, p->data.dsos.v[f->dso].name), ".so");
}

void profile_put_function(const struct profile *p, uint32_t function, struct buf *out)
{
	const struct profile_function *f = &p->data.functions.v[function];
	const char *file = f->dso == PROFILE_NONE ? "" : profile_string(p, p->data.dsos.v[f->dso].name);

	if (f->name)
		buf_puts(out, profile_string(p, f->name));
	else if (!*file || *file == '[')	/* the name has brackets already */
		buf_puts(out, *file ? file : "[unknown]");
	else
		buf_printf(out, "[%s]", file);
}

/* Works in one pass, because functions are sorted by file and name. */
uint32_t *profile_same_functions(const struct profile *p)
{
	const struct profile_function *f = p->data.functions.v;
	uint32_t *same = xmalloc(MAX(p->data.functions.nr, 1) * sizeof(*same));

	for (uint32_t i = 0; i < p->data.functions.nr; i++)
		same[i] = i && f[i].dso == f[i - 1].dso && f[i].name == f[i - 1].name ? same[i - 1] : i;
	return same;
}

uint32_t profile_thread_name(const struct profile *p, uint32_t thread)
{
	const struct profile_thread *t = &p->data.threads.v[thread];

	return p->data.names.v[t->first_name + t->nr_names - 1].name;
}

/* Sums up from the last node to the first, because a parent has a lower number than its children. */
void profile_sum_stacks(const struct profile *p, uint32_t event, struct profile_sum *total, struct profile_sum *self)
{
	const struct profile_data *d = &p->data;

	for (size_t i = 0; i < d->stacks.nr; i++) {
		if (total)
			total[i] = (struct profile_sum){ 0 };
		if (self)
			self[i] = (struct profile_sum){ 0 };
	}
	vec_for(w, &d->weights) {
		if (w->event != event)
			continue;
		if (total)
			profile_sum_add(&total[w->stack], w->nr, w->period);
		if (self)
			profile_sum_add(&self[w->stack], w->nr, w->period);
	}
	for (size_t i = d->stacks.nr - 1; total && i > PROFILE_ROOT; i--)
		profile_sum_add(&total[d->stacks.v[i].parent], total[i].nr, total[i].period);
}

/* ---- samples ---- */

void profile_cursor_init(struct profile_cursor *c, const struct profile *p)
{
	*c = (struct profile_cursor){ .profile = p, .values = xcalloc(MAX(p->data.columns.nr, 1), sizeof(*c->values)) };
	c->at = c->passed = p->first_sample;
	c->end = p->first_sample + p->samples_size;
}

bool profile_cursor_next(struct profile_cursor *c, struct profile_sample *out)
{
	if (c->at == c->end)
		return false;
	spill_passed(&c->profile->samples, &c->passed, c->at);
	c->time += read_varint(&c->at);
	c->weight += unzigzag(read_varint(&c->at));
	*out = (struct profile_sample){ .time = c->time, .weight = (uint32_t)c->weight, .period = read_varint(&c->at),
					.values = c->values };
	for (size_t i = 0; i < c->profile->data.columns.nr; i++)
		c->values[i] = column_value(read_varint(&c->at));
	return true;
}

void profile_cursor_release(struct profile_cursor *c)
{
	free(c->values);
	*c = (struct profile_cursor){ 0 };
}
