/* The unwind tables of a machine's dsos. Layer: unwind */
#include "core/unwind/tables.h"

#include <pthread.h>

#include "core/model/machine_state.h"

struct shared_tables {
	const struct dso *dso;		/* the first of those that share them */
	pthread_mutex_t lock;
	bool loaded;
	struct file_tables tables;
};

struct unwind_tables {
	const struct machine *machine;
	pthread_mutex_t lock;
	VEC(struct shared_tables *) by_dso;	/* by the dso's number; NULL: nobody asked yet */
	VEC(struct shared_tables *) all;	/* owned */
};

struct unwind_tables *unwind_tables_new(const struct machine *m)
{
	struct unwind_tables *t = xcalloc(1, sizeof(*t));

	t->machine = m;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void unwind_tables_free(struct unwind_tables *t)
{
	if (!t)
		return;
	vec_for(s, &t->all) {
		file_tables_release(&(*s)->tables);
		pthread_mutex_destroy(&(*s)->lock);
		free(*s);
	}
	vec_free(&t->all);
	vec_free(&t->by_dso);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static bool is_same_file(const struct dso *a, const struct dso *b)
{
	if (a->build_id.size)
		return a->build_id.size == b->build_id.size && !memcmp(a->build_id.data, b->build_id.data, a->build_id.size);
	return a->file && b->file && !b->build_id.size && str_eq(a->file, b->file);
}

static struct shared_tables *add_shared(struct unwind_tables *t, const struct dso *dso)
{
	struct shared_tables *s;

	vec_for(known, &t->all)
		if (is_same_file(dso, (*known)->dso) && !(*known)->dso->file == !dso->file)
			return *known;
	s = xcalloc(1, sizeof(*s));
	s->dso = dso;
	pthread_mutex_init(&s->lock, NULL);
	vec_push(&t->all, s);
	return s;
}

static struct shared_tables *shared_of(struct unwind_tables *t, const struct dso *dso)
{
	struct shared_tables *s;

	pthread_mutex_lock(&t->lock);
	while (t->by_dso.nr <= dso->number)
		vec_push(&t->by_dso, NULL);
	s = t->by_dso.v[dso->number];
	if (!s)
		s = t->by_dso.v[dso->number] = add_shared(t, dso);
	pthread_mutex_unlock(&t->lock);
	return s;
}

const struct file_tables *unwind_tables_of(struct unwind_tables *t, struct dso *dso)
{
	struct shared_tables *s;

	/* What is loaded lazily is behind locks: the machine is const to those who ask. */
	dso_load((struct machine *)(uintptr_t)t->machine, dso);
	if (dso->kind != DSO_USER && dso->kind != DSO_VDSO)
		return NULL;
	s = shared_of(t, dso);
	pthread_mutex_lock(&s->lock);
	if (!s->loaded) {
		file_tables_read(&s->tables, dso->file, dso->dwarf_file);
		s->loaded = true;
	}
	pthread_mutex_unlock(&s->lock);
	return &s->tables;
}
