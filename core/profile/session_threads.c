/*
 * Copies a thread of a recording to the profile, with its process and all names that it had. A table of thread numbers shows
 * which threads have been copied.
 */
#include "core/profile/session_parts.h"

#include "core/read/session.h"

struct session_threads {
	const struct machine *machine;
	struct profile_builder *builder;
	struct context_cache *contexts;	/* owned */
	uint64_t end;			/* end of the recording in ns; UINT64_MAX: it has no samples, only a trace */
	VEC(uint32_t) numbers;		/* the builder's number by the machine's number; PROFILE_NONE: not added yet */
};

struct session_threads *session_threads_new(const struct session *s, struct profile_builder *b)
{
	struct session_threads *t = xcalloc(1, sizeof(*t));
	const struct session_counts *counts = session_counts(s);

	t->machine = session_machine(s);
	t->builder = b;
	t->contexts = context_cache_new(t->machine);
	t->end = counts->first_time <= counts->last_time ? counts->last_time : UINT64_MAX;
	return t;
}

void session_threads_free(struct session_threads *t)
{
	context_cache_free(t->contexts);
	vec_free(&t->numbers);
	free(t);
}

/* Adds each name of the thread @life, with the time from which the thread had this name. */
static void add_names(struct session_threads *t, const struct thread *life, uint32_t thread)
{
	const char *last = NULL;
	uint64_t time = life->from;

	do {
		const struct task_context *w = machine_context(t->contexts, life->pid, life->tid, time);

		if (w->comm != last)
			profile_add_name(t->builder, thread, time, profile_add_string(t->builder, w->comm));
		last = w->comm;
		time = machine_next_name(t->machine, life, time);
	} while (time < life->to);
}

static uint32_t add_thread(struct session_threads *t, const struct thread *life)
{
	uint64_t at = MAX(life->from, MIN(life->to - 1, t->end));
	uint32_t name = profile_add_string(t->builder, machine_context(t->contexts, life->pid, life->pid, at)->comm);
	uint32_t thread = profile_add_thread(t->builder, &(struct profile_thread){
		.process = profile_add_process(t->builder, life->pid, name), .tid = life->tid, .from = life->from, .to = life->to,
	});

	add_names(t, life, thread);
	return thread;
}

uint32_t session_thread(struct session_threads *t, uint32_t number)
{
	while (t->numbers.nr <= number)
		vec_push(&t->numbers, PROFILE_NONE);
	if (t->numbers.v[number] == PROFILE_NONE)
		t->numbers.v[number] = add_thread(t, machine_thread(t->machine, number));
	return t->numbers.v[number];
}

const struct task_context *session_thread_context(struct session_threads *t, uint32_t pid, uint32_t tid, uint64_t time)
{
	return machine_context(t->contexts, pid, tid, time);
}
