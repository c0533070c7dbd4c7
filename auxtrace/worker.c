/*
 * Implements the part of a decoding worker thread that does not depend on the trace device: finds the traced thread, reads the
 * program's code for the decoder, and fills in samples. thread_stack.c finds the samples' call chains.
 */
#include "auxtrace/worker.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/read/session.h"
#include "core/model/code.h"

void aux_worker_init(struct aux_worker *w, const struct aux_stage *s)
{
	w->stage = s;
	w->context_cache = context_cache_new(session_machine(s->session));
	if (s->opts.chain)
		w->chain = xcalloc(s->opts.chain_depth + 2, sizeof(*w->chain));
	if (s->opts.last_branch)
		w->branch_entries = xcalloc(s->opts.last_branch_depth + 1, sizeof(*w->branch_entries));
}

void aux_worker_release(struct aux_worker *w)
{
	context_cache_free(w->context_cache);
	vec_free(&w->spaces);
	free(w->chain);
	free(w->branch_entries);
}

void aux_worker_move(struct aux_worker *w, uint64_t at)
{
	const struct aux_record *record = aux_queue_record(w->queue, at);

	w->record_time = record ? record->time : UINT64_MAX - 1;
}

void aux_worker_begin(struct aux_worker *w, const struct aux_queue *q, uint64_t at, uint64_t time,
		      const struct item_sink *sink)
{
	w->sink = sink;
	w->queue = q;
	w->cpu = q->cpu;
	w->piece_time = time;
	aux_worker_move(w, at);
	w->context = NULL;
	w->stack = NULL;
}

/* ---- task and place ---- */

static uint32_t number_of_spaces(struct aux_worker *w, uint32_t user, uint32_t kernel)
{
	vec_for(s, &w->spaces)
		if (s->user == user && s->kernel == kernel)
			return (uint32_t)(s - w->spaces.v);
	vec_push(&w->spaces, (struct aux_spaces){ .user = user, .kernel = kernel });
	return (uint32_t)w->spaces.nr - 1;
}

void aux_find_task(struct aux_worker *w, uint32_t named, uint64_t at)
{
	uint64_t time = w->machine_time;

	if (!w->context || time < w->task.from || time >= w->task.to || named != w->named) {
		w->stack = NULL;
		w->task = aux_stage_who(w->stage, w->queue, named, time, at);
		w->named = named;
	}
	if (w->stacks && w->task.tid != AUX_NONE)
		w->stack = thread_stacks_of(w->stacks, w->task.tid, w->task.epoch);
	w->thread_stack_moved = true;
	w->context = machine_context(w->context_cache, w->task.pid, w->task.tid, time);
	w->known_from = MAX(w->task.from, w->context->from);
	w->known_to = MIN(w->task.to, w->context->to);
	w->space = number_of_spaces(w, w->context->user_space, w->context->kernel_space);
}

bool aux_space_of(const struct aux_worker *w, uint32_t space, uint64_t ip, uint32_t *out)
{
	if (space >= w->spaces.nr)
		return false;
	*out = ip >= w->stage->kernel_start ? w->spaces.v[space].kernel : w->spaces.v[space].user;
	return true;
}

size_t aux_read_code(void *ctx, uint32_t space, uint64_t ip, void *out, size_t n)
{
	const struct aux_worker *w = ctx;
	uint32_t known;

	return aux_space_of(w, space, ip, &known) ? code_at(session_machine(w->stage->session), known, ip, out, n) : 0;
}

/* ---- samples ---- */

void aux_start_sample(struct aux_worker *w, const struct event *ev, uint64_t ip, uint16_t cpumode)
{
	struct sample *s = &w->sample;

	s->ip = ip;
	s->pid = w->task.pid;
	s->tid = w->task.tid;
	s->cpu = w->cpu;
	s->period = 1;
	s->time = w->stage->timeless ? 0 : w->time;
	s->addr = 0;
	s->flags = 0;
	s->chain.nr = s->branches.nr = s->branch_nr = 0;
	w->item = (struct item){
		.record = &w->record, .event = ev, .sample = s, .context = w->context, .time = s->time,
		.at = w->machine_time, .cpumode = cpumode,
	};
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .misc = cpumode, .size = 8 };
}

void aux_put_thread_stack(struct aux_worker *w, uint64_t ip)
{
	const struct itrace_opts *o = &w->stage->opts;

	if (!w->stage->follow)
		return;
	if (w->thread_stack_moved || (w->nr_chain && (w->chain[1] ^ ip) >> 63)) {
		if (o->chain)
			w->nr_chain = thread_stack_chain(w->stack, w->chain, o->chain_depth + 1, ip, w->stage->kernel_start);
		if (o->last_branch)
			w->nr_branch_entries = thread_stack_branches(w->stack, w->branch_entries, o->last_branch_depth);
		w->thread_stack_moved = false;
	}
	aux_move_sample(w, ip);
	w->sample.chain = words_of(w->chain, w->nr_chain);
	w->sample.branches = words_of(w->branch_entries, 3 * w->nr_branch_entries);
	w->sample.branch_nr = w->nr_branch_entries;
}

void aux_give_error(struct aux_worker *w, uint32_t code, const char *text, uint64_t ip, uint64_t unsure)
{
	struct record_auxtrace_error *e = &w->record.auxtrace_error;

	w->item.sample = NULL;
	w->record.header = (struct record_header){ .type = RECORD_AUXTRACE_ERROR, .size = 8 };
	*e = (struct record_auxtrace_error){
		.type = 1, .code = code, .fmt = 1, .cpu = w->cpu, .pid = w->task.pid, .tid = w->task.tid, .ip = ip,
		.time = w->item.time,
	};
	if (unsure)
		snprintf(e->msg, sizeof(e->msg), "%s, %" PRIu64 " before it unsure", text, unsure);
	else
		snprintf(e->msg, sizeof(e->msg), "%s", text);
	aux_give(w);
}
