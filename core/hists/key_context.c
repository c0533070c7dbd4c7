/*
 * Prepares the data that sort keys need to compare and print values: the order of files by name, the last name of each thread,
 * and, for the key comm_nodigit, thread names with <N> in place of each number.
 */
#include "core/hists/key_context.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/machine.h"

/* Orders dsos by name, then by number. Names are interned, so equal names have equal pointers. */
static int compare_dso_names(const void *a, const void *b)
{
	const struct dso *x = *(const struct dso *const *)a, *y = *(const struct dso *const *)b;
	int order = x->name == y->name ? 0 : strcmp(x->name, y->name);

	return order ? order : compare_numbers(x->number, y->number);
}

static void order_dsos(struct key_context *c)
{
	uint32_t nr = machine_nr_dsos(c->machine), first = 0;
	const struct dso **dsos = xmalloc(MAX(nr, 1) * sizeof(*dsos));

	for (uint32_t i = 0; i < nr; i++)
		dsos[i] = machine_dso(c->machine, i);
	qsort(dsos, nr, sizeof(*dsos), compare_dso_names);
	vec_reserve(&c->dso_alias, nr);
	vec_reserve(&c->dso_rank, nr);
	c->dso_alias.nr = c->dso_rank.nr = nr;
	for (uint32_t i = 0; i < nr; i++) {
		if (dsos[i]->name != dsos[first]->name)
			first = i;
		c->dso_alias.v[dsos[i]->number] = dsos[first]->number;
		c->dso_rank.v[dsos[i]->number] = i;
	}
	free(dsos);
}

/* Orders threads by tid, and threads that had the same tid by time, the last one first. */
ORDER(compare_lives, struct thread *,
	compare_numbers((*a)->tid, (*b)->tid) ?: compare_numbers((*b)->from, (*a)->from) ?: compare_numbers((*a)->pid, (*b)->pid))

void key_context_name_tasks(struct key_context *c)
{
	uint32_t nr = machine_nr_threads(c->machine);
	const struct thread **lives = xmalloc(MAX(nr, 1) * sizeof(*lives));
	struct context_cache *cache = context_cache_new(c->machine);

	for (uint32_t i = 0; i < nr; i++)
		lives[i] = machine_thread(c->machine, i);
	qsort(lives, nr, sizeof(*lives), compare_lives);
	for (uint32_t i = 0; i < nr; i++) {
		const struct thread *t = lives[i];

		if (c->tasks.nr && c->tasks.v[c->tasks.nr - 1].tid == t->tid)
			continue;
		vec_push(&c->tasks, ((struct task_name){
			t->tid, machine_context(cache, t->pid, t->tid, t->to - (t->to > t->from))->comm_number }));
	}
	context_cache_free(cache);
	free(lives);
}

void key_context_init(struct key_context *c, const struct machine *m, const struct locations *locations, uint64_t slot_ns)
{
	*c = (struct key_context){ .machine = m, .locations = locations, .slot_ns = slot_ns };
	order_dsos(c);
}

/* Appends @comm with "<N>" in place of each number. */
static void put_folded(const char *comm, struct buf *out)
{
	for (const char *s = comm; *s; s++)
		if (!isdigit((unsigned char)*s))
			buf_putc(out, *s);
		else if (!isdigit((unsigned char)s[1]))
			buf_puts(out, "<N>");
}

void key_context_fold_comms(struct key_context *c, uint32_t nr)
{
	struct buf text = {0};

	for (uint32_t i = 0; i < nr; i++) {
		text.len = 0;
		put_folded(machine_comm(c->machine, i), &text);
		vec_push(&c->folded_comm, byte_table_add(&c->folded, text.data, text.len));
	}
	buf_release(&text);
}

void key_context_release(struct key_context *c)
{
	vec_free(&c->folded_comm);
	byte_table_release(&c->folded);
	vec_free(&c->dso_alias);
	vec_free(&c->dso_rank);
	vec_free(&c->tasks);
}
