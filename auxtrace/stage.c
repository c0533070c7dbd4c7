/*
 * Chooses the order in which worker threads decode the parts (pieces) of a hardware trace. A worker waits if samples of its part
 * depend on an earlier part, for example because they have call chains.
 * Layer: auxtrace
 */
#include "auxtrace/stage.h"

#include "auxtrace/aux.h"
#include "auxtrace/prescan.h"
#include "core/arch.h"
#include "core/base/log.h"
#include "core/read/session.h"

static void skip(struct item_source *source, size_t number)
{
	struct aux_stage *s = (struct aux_stage *)source;

	(void)number;
	pthread_mutex_lock(&s->lock);
	s->in_vain = true;
	pthread_cond_broadcast(&s->turned);
	pthread_mutex_unlock(&s->lock);
}

void aux_stage_init(struct aux_stage *s, const struct aux_input *in, const struct arch *arch)
{
	s->source.skip = skip;
	s->session = in->session;
	s->opts = *in->opts;
	s->kernel_start = arch->kernel_start;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->turned, NULL);
}

void aux_stage_release(struct aux_stage *s)
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
}

struct cpu_task aux_stage_who(const struct aux_stage *s, const struct aux_queue *q, uint32_t tid, uint64_t time, uint64_t at)
{
	const struct thread *t;

	if (tid == AUX_NONE)
		return cpu_task_at(&s->tasks, q, time, at);
	t = tids_find(&s->tids, tid, time);
	return (struct cpu_task){ .from = t ? t->from : 0, .to = t ? t->to : UINT64_MAX, .pid = t ? t->pid : tid, .tid = tid };
}

/* ---- prescanning ---- */

struct prescanning { struct aux_stage *s; const struct aux_prescan_ops *ops; };

static void *worker_new(void *ctx)
{
	struct prescanning *x = ctx;

	return x->ops->worker_new(x->s);
}

static void worker_free(void *ctx, void *worker)
{
	struct prescanning *x = ctx;

	x->s->source.worker_free(&x->s->source, worker);
}

static struct thread_stacks *decode(void *ctx, void *worker, size_t number)
{
	struct prescanning *x = ctx;

	return x->ops->decode(worker, number);
}

/* Sets the state at the start of piece @number, because all earlier pieces are done. */
static void settle(void *ctx, size_t number, struct thread_stacks *log)
{
	struct prescanning *x = ctx;
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

static void prescan_pieces(struct aux_stage *s, const struct aux_prescan_ops *ops)
{
	static const struct prescan_ops calls = { worker_new, worker_free, decode, settle };
	struct prescanning x = { s, ops };

	for (size_t i = 0; i < s->source.pieces.nr; i++)
		vec_push(&s->starts, (struct thread_stacks *)NULL);
	s->prescanned = true;
	debug(1, "all %zu pieces of the trace are decoded twice, by %u threads", s->source.pieces.nr, session_jobs(s->session));
	prescan(&calls, &x, s->source.pieces.nr, session_jobs(s->session));
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
		prescan_pieces(s, ops);
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
