/*
 * Chooses the order in which worker threads decode the parts (pieces) of a hardware trace. If samples of a part depend on an
 * earlier part, for example because they have call chains, the worker waits for that part.
 */
#include "auxtrace/stage.h"

#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/read/session.h"

static void skip(struct item_source *source, size_t number)
{
	struct aux_stage *s = (struct aux_stage *)source;

	pthread_mutex_lock(&s->lock);
	s->in_vain = true;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

void aux_stage_init(struct aux_stage *s, struct session *session, const struct itrace_opts *opts, uint64_t kernel_start)
{
	s->source.skip = skip;
	s->session = session;
	s->opts = *opts;
	s->kernel_start = kernel_start;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->turned, NULL);
}

void aux_stage_free(struct aux_stage *s)
{
	aux_queues_release(&s->queues);
	cpu_tasks_release(&s->tasks);
	tids_release(&s->tids);
	vec_for(stream, &s->streams)
		thread_stacks_free(stream->stacks);
	vec_for(start, &s->starts)
		thread_stacks_free(*start);
	vec_free(&s->streams);
	vec_free(&s->starts);
	vec_free(&s->source.pieces);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->turned);
	free(s);
}

struct cpu_task aux_stage_who(const struct aux_stage *s, const struct aux_queue *q, uint32_t tid, uint64_t time, uint64_t at)
{
	const struct thread *t;

	if (tid == AUX_NONE)
		return cpu_task_at(&s->tasks, q, time, at);
	t = tids_find(&s->tids, tid, time);
	return (struct cpu_task){ .from = t ? t->from : 0, .to = t ? t->to : UINT64_MAX, .pid = t ? t->pid : tid, .tid = tid };
}

/* ---- choosing pieces ---- */

static size_t stream_end(const struct aux_stage *s, size_t i)
{
	uint32_t stream = s->source.pieces.v[i].stream;

	while (i < s->source.pieces.nr && s->source.pieces.v[i].stream == stream)
		i++;
	return i;
}

void aux_stage_choose(struct aux_stage *s, const struct aux_window *window, aux_wanted_fn *is_wanted, bool history, void *pieces,
		      size_t size)
{
	size_t nr = s->source.pieces.nr, kept = 0;

	if (!window->wants)
		return;
	for (size_t i = 0, end; i < nr; i = end) {
		size_t last = end = stream_end(s, i);

		while (history && last > i && !is_wanted(s, window, last - 1, end))
			last--;
		for (size_t from = i; from < last; from++) {
			if (!history && !is_wanted(s, window, from, end))
				continue;
			memmove((char *)pieces + kept * size, (char *)pieces + from * size, size);
			s->source.pieces.v[kept++] = s->source.pieces.v[from];
		}
	}
	s->source.pieces.nr = kept;
	debug(1, "of %zu pieces of the trace %zu are decoded: nothing of the others would be shown", nr, kept);
}

/* ---- prescanning ---- */

struct each_piece {
	struct aux_stage *s;
	void *(*worker_new)(struct aux_stage *s);
	void (*piece)(void *ctx, void *worker, size_t number);
	void *ctx;
	void **workers;			/* by thread; NULL: it has had no work yet */
};

static void run_piece(void *ctx, unsigned thread, size_t number)
{
	const struct each_piece *e = ctx;

	if (!e->workers[thread])
		e->workers[thread] = e->worker_new(e->s);
	e->piece(e->ctx, e->workers[thread], number);
}

void aux_stage_each(struct aux_stage *s, void *(*worker_new)(struct aux_stage *s),
		    void (*piece)(void *ctx, void *worker, size_t number), void *ctx)
{
	unsigned jobs = session_jobs(s->session);
	struct each_piece e = { s, worker_new, piece, ctx, xcalloc(jobs, sizeof(*e.workers)) };

	pool_run(jobs, s->source.pieces.nr, run_piece, &e);
	for (unsigned i = 0; i < jobs; i++)
		if (e.workers[i])
			s->source.worker_free(&s->source, e.workers[i]);
	free(e.workers);
}

struct result { struct thread_stacks *stacks; bool done; };

struct prescanning {
	struct aux_stage *s;		/* its lock guards the members below */
	const struct aux_prescan_ops *ops;
	struct result *results;		/* by piece */
	size_t next;			/* the first piece that is not settled */
};

/* Sets the state at the start of piece @number, because all earlier pieces are done. */
static void settle(const struct prescanning *x, size_t number, struct thread_stacks *log)
{
	struct aux_stage *s = x->s;

	if (!aux_is_first(s, number) && x->ops->follow)
		x->ops->follow(s, number);
	if (!log)
		return;
	s->starts.v[number] = thread_stacks_follow(s->streams.v[s->source.pieces.v[number].stream].stacks, log);
	if (x->ops->complete)
		x->ops->complete(s, number, s->starts.v[number], log);
	thread_stacks_free(log);
}

static void prescan_piece(void *ctx, void *worker, size_t number)
{
	struct prescanning *x = ctx;
	struct thread_stacks *log = x->ops->decode(worker, number);

	pthread_mutex_lock(&x->s->lock);
	x->results[number] = (struct result){ log, true };
	for (; x->next < x->s->source.pieces.nr && x->results[x->next].done; x->next++)
		settle(x, x->next, x->results[x->next].stacks);
	pthread_mutex_unlock(&x->s->lock);
}

static void prescan(struct aux_stage *s, const struct aux_prescan_ops *ops)
{
	size_t nr = s->source.pieces.nr;
	struct prescanning x = { .s = s, .ops = ops, .results = xcalloc(MAX(nr, 1), sizeof(*x.results)) };

	for (size_t i = 0; i < nr; i++)
		vec_push(&s->starts, (struct thread_stacks *)NULL);
	s->prescanned = true;
	debug(1, "all %zu pieces of the trace are decoded twice, by %u threads", nr, session_jobs(s->session));
	aux_stage_each(s, ops->worker_new, prescan_piece, &x);
	free(x.results);
}

/* ---- turns ---- */

void aux_stage_order(struct aux_stage *s, const struct aux_prescan_ops *ops, bool history, bool in_order)
{
	unsigned jobs = session_jobs(s->session);

	for (uint32_t i = 0; i < s->source.nr_streams; i++)
		vec_push(&s->streams, (struct aux_stream){ .stacks = s->follow ? thread_stacks_new(&s->stack, false) : NULL });
	s->in_order = jobs < 2;
	if (s->in_order || (!history && !in_order))
		return;
	if (!in_order && jobs > 2 * s->source.nr_streams)
		prescan(s, ops);
	else
		s->in_order = s->in_turns = true;
}

/* Waits until it is the turn of piece @number. Returns false if the pass has failed. */
static bool await_turn(struct aux_stage *s, size_t number)
{
	struct aux_stream *stream = &s->streams.v[s->source.pieces.v[number].stream];
	bool in_vain;

	pthread_mutex_lock(&s->lock);
	if (aux_is_first(s, number))
		stream->turn = number;
	while (stream->turn != number && !s->in_vain)
		pthread_cond_wait(&s->turned, &s->lock);
	in_vain = s->in_vain;
	pthread_mutex_unlock(&s->lock);
	return !in_vain;
}

bool aux_turn_begin(struct aux_stage *s, size_t number, struct thread_stacks **out)
{
	*out = NULL;
	if (s->in_turns && !await_turn(s, number))
		return false;
	if (!s->follow)
		return true;
	if (s->prescanned) {
		*out = thread_stacks_copy(s->starts.v[number]);
		return true;
	}
	*out = s->streams.v[s->source.pieces.v[number].stream].stacks;
	if (aux_is_first(s, number))
		thread_stacks_clear(*out);
	return true;
}

void aux_turn_end(struct aux_stage *s, size_t number, struct thread_stacks *stacks)
{
	if (s->prescanned)
		thread_stacks_free(stacks);
	if (!s->in_turns)
		return;
	pthread_mutex_lock(&s->lock);
	s->streams.v[s->source.pieces.v[number].stream].turn = number + 1;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

void aux_turns_reset(struct aux_stage *s)
{
	vec_for(stream, &s->streams)
		stream->turn = SIZE_MAX;
}
