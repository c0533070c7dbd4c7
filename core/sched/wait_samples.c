/*
 * Makes the samples of the event "offcpu-time" from the waits of waits.h. The functions on the stack at the switch out give the
 * reason of the wait (wait_reason.h).
 */
#include "core/sched/wait_samples.h"

#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/log.h"
#include "core/read/filter.h"
#include "core/read/item_reader.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/read/source.h"
#include "core/perfdata/wait_sums.h"
#include "core/model/chain.h"

#define PIECE	4096u		/* waits in a piece that one worker makes into samples */

struct wait_stage {
	struct item_source source;
	struct session *session;
	struct waits *waits;
	struct wait_locks *locks;	/* NULL: the recording has no arguments of system calls */
	struct event *event;
	const struct event *wall;	/* waits become samples of this event; NULL: of .event */
	unsigned max_depth;
	bool earlier;			/* no switch has a stack, so stacks are those of earlier samples */
	bool wakes;
	bool ready_apart;		/* the time in which the thread was ready becomes a sample of its own */
	bool split;			/* and the time before it a sample for each holder of the lock */
	VEC(struct time_span) clip;	/* spans of time in which single waits are shown, disjoint; none: all */
	size_t nr_pieces;		/* the number of pieces with single waits, over all spans of .clip; the other pieces have
					 * sums */
};

struct known_frame { uint64_t ip; uint32_t space; struct wait_frame frame; };

struct wait_worker {
	const struct wait_stage *stage;
	struct item_reader reader;
	struct context_cache *context_cache;
	VEC(struct known_frame) frames;
	struct index by_ip;
	VEC(uint64_t) chain;
	struct record record;
	struct sample *sample;		/* &.bare, or the sample of the record that was read, which is changed in place */
	struct sample bare;
	struct item item;
	struct task_context context;
	struct wait_view view;
	struct wait part;		/* the part of a wait that is shown */
};

/* ---- the reason, from the stack ---- */

static struct wait_frame look_up(const struct wait_worker *w, uint32_t space, uint64_t ip)
{
	struct addr_location at;

	machine_resolve(w->stage->session->machine, space, ip, &at);
	return wait_frame_of(at.symbol ? at.symbol->name : NULL);
}

/* Returns the kind of a function by its address. Each address is looked up once. */
static struct wait_frame frame_at(struct wait_worker *w, uint32_t space, uint64_t ip)
{
	uint64_t hash = hash_pair(ip, space);
	struct known_frame known = { .ip = ip, .space = space };

	index_for(pos, &w->by_ip, hash)
		if (w->frames.v[pos].ip == ip && w->frames.v[pos].space == space)
			return w->frames.v[pos].frame;
	known.frame = look_up(w, space, ip);
	index_add(&w->by_ip, hash, (uint32_t)w->frames.nr);
	vec_push(&w->frames, known);
	return known.frame;
}

static bool is_marker(uint64_t ip)
{
	return ip >= CHAIN_CONTEXT_MAX;
}

/* Returns the kind of a function in a chain. A return address is after its call, so the byte before it is looked up. */
static struct wait_frame frame_of(struct wait_worker *w, uint16_t mode, uint64_t ip)
{
	uint32_t space = chain_space(w->item.context, mode);

	return space == SPACE_NONE ? (struct wait_frame){0} : frame_at(w, space, ip - 1);
}

static uint16_t mode_of_marker(uint64_t marker)
{
	return marker == PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL :
	       marker == PERF_CONTEXT_USER ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/*
 * Returns the reason of the innermost frame with a strong reason. If that is a futex, frames in user space are checked, too,
 * because they show if it belongs to a condition variable, for example. Without a strong reason, returns @weak, the reason of the
 * scheduler's functions, or that of the first weak frame.
 */
static enum wait_reason reason_of(struct wait_worker *w, enum wait_reason weak)
{
	enum wait_reason found = WAIT_FOR_UNKNOWN;
	uint16_t mode = w->item.cpumode;

	for (size_t i = 0; i < w->chain.nr; i++) {
		uint64_t ip = w->chain.v[i];
		struct wait_frame f;

		if (is_marker(ip)) {
			mode = mode_of_marker(ip);
			continue;
		}
		if (found == WAIT_FOR_FUTEX && mode == PERF_RECORD_MISC_KERNEL)
			continue;
		f = frame_of(w, mode, ip);
		if (found == WAIT_FOR_FUTEX && wait_reason_is_of_threads(f.reason))
			return f.reason;
		if (found == WAIT_FOR_UNKNOWN && f.kind == WAIT_FRAME_STRONG)
			found = f.reason;
		if (found != WAIT_FOR_UNKNOWN && found != WAIT_FOR_FUTEX)
			return found;
		if (weak == WAIT_FOR_UNKNOWN && f.kind == WAIT_FRAME_WEAK)
			weak = f.reason;
	}
	return found != WAIT_FOR_UNKNOWN ? found : weak;
}

/* The number of words at the front of @chain that are functions of the scheduler, without markers; *weak: their reason. */
static size_t scheduler_frames(struct wait_worker *w, const struct words *chain, enum wait_reason *weak)
{
	uint16_t mode = w->item.cpumode;
	size_t last = 0;

	for (size_t i = 0; i < chain->nr; i++) {
		uint64_t ip = words_at(chain, i);

		struct wait_frame f;

		if (is_marker(ip)) {
			mode = mode_of_marker(ip);
			continue;
		}
		f = frame_of(w, mode, ip);
		if (f.kind != WAIT_FRAME_SCHEDULER)
			break;
		last = i + 1;
		*weak = *weak == WAIT_FOR_UNKNOWN ? f.reason : *weak;
	}
	return last;
}

/* Removes the scheduler's functions from the stack, so that the innermost frame is the function that called them. */
static void trim(struct wait_worker *w, enum wait_reason *weak)
{
	const struct words *chain = &w->sample->chain;
	uint16_t mode = w->item.cpumode;
	size_t skip = scheduler_frames(w, chain, weak);

	w->chain.nr = 0;
	for (size_t i = 0; i < chain->nr; i++) {
		uint64_t ip = words_at(chain, i);

		if (i >= skip || (is_marker(ip) && i + 1 < chain->nr))
			vec_push(&w->chain, ip);
	}
	w->sample->chain = (struct words){ .nr = w->chain.nr, .data = (const uint8_t *)w->chain.v };
	for (size_t i = 0; i < w->chain.nr; i++) {
		if (is_marker(w->chain.v[i])) {
			mode = mode_of_marker(w->chain.v[i]);
			continue;
		}
		w->sample->ip = w->chain.v[i];
		break;
	}
	w->item.cpumode = mode;
}

/* ---- the waker ---- */

static const struct item *read_at(struct wait_worker *w, unsigned slot, uint64_t position)
{
	return item_read(&w->reader, slot, chunk_record(&w->stage->session->scan.chunks, position), position);
}

const struct item *wait_view_woken_by(const struct wait_view *v)
{
	const struct item *item = v->wait->waker == WAIT_NOWHERE ? NULL : read_at(v->worker, 1, v->wait->waker);

	return item && item->sample ? item : NULL;
}

uint32_t wait_view_waker(const struct wait_view *v)
{
	const struct item *by = wait_view_woken_by(v);

	return !by ? COMM_UNKNOWN : v->wait->waker_tid == WAIT_INTERRUPT ? COMM_INTERRUPT : by->context->comm_number;
}

/* ---- the lock and its holder ---- */

/* True if a wait for this reason can be in such a system call. If not, the last known call was over before the wait. */
static bool fits(enum arch_call_kind kind, enum wait_reason reason)
{
	switch (reason) {
	case WAIT_FOR_UNKNOWN:
		return true;
	case WAIT_FOR_FUTEX:
	case WAIT_FOR_CONDITION:
	case WAIT_FOR_JOIN:
		return kind == CALL_FUTEX || kind == CALL_FUTEX_WAIT;
	case WAIT_FOR_CHILD:
		return kind == CALL_CHILD;
	case WAIT_FOR_PIPE:
	case WAIT_FOR_SOCKET:
	case WAIT_FOR_EPOLL:
	case WAIT_FOR_DISK:
	case WAIT_FOR_FILE_LOCK:
	case WAIT_FOR_TERMINAL:
	case WAIT_FOR_EVENT:
	case WAIT_FOR_MESSAGE:
		return kind == CALL_DESCRIPTOR;
	default:
		return false;
	}
}

/* Returns the thread that ended the wait or, if that thread is not recorded, its name (WAIT_HOLDER_*). */
static uint64_t ended_by(const struct wait_view *v)
{
	uint32_t task = WAIT_NO_TASK, waker;

	if (v->whole->waker_tid == WAIT_INTERRUPT)
		return WAIT_HOLDER_INTERRUPT;
	if (v->whole->waker_tid != WAIT_NO_WAKER)
		task = waits_task_at(v->worker->stage->waits, v->whole->waker_tid, v->whole->ready);
	if (task != WAIT_NO_TASK)
		return WAIT_HOLDER_RELEASED | task;
	waker = wait_view_waker(v);
	return waker < COMM_INTERRUPT ? WAIT_HOLDER_NAME | waker : WAIT_HOLDER_UNKNOWN;
}

uint64_t wait_view_holder(const struct wait_view *v)
{
	return v->holder ? v->holder : ended_by(v);
}

/* True if the thread could have run on: all of the wait is for a CPU. */
static bool runs_on(const struct wait *wait)
{
	return wait->state == WAIT_PREEMPTED || wait->state == WAIT_NEW;
}

static void find_lock(struct wait_worker *w, const struct wait *wait)
{
	const struct wait_locks *l = w->stage->locks;
	uint32_t lock = l ? wait_locks_of(l, wait) : WAIT_NO_LOCK;

	w->view.lock = lock != WAIT_NO_LOCK && fits(l->list.v[lock].kind, w->view.reason) ? lock : WAIT_NO_LOCK;
	w->view.holder = runs_on(wait) ? WAIT_HOLDER_CPU : 0;
}

/* ---- samples ---- */

/* Begins a sample of a thread with an unknown stack. */
static void begin_bare(struct wait_worker *w, const struct wait_task *task, const struct wait *wait)
{
	w->bare = (struct sample){ .pid = task->pid, .tid = task->tid };
	w->sample = &w->bare;
	w->context = *machine_context(w->context_cache, task->pid, task->tid, wait->from);
	w->item = (struct item){ .context = &w->context, .cpumode = PERF_RECORD_MISC_USER };
}

static void begin_read(struct wait_worker *w, const struct item *item)
{
	w->sample = &w->reader.slots[0].record.sample;
	w->item = *item;
	/* Other fields of the record do not belong to the wait. */
	w->sample->raw_size = 0;
	w->sample->raw = NULL;
	w->sample->branch_nr = w->sample->branches.nr = 0;
}

static void find_stack(struct wait_worker *w, const struct wait *wait)
{
	enum wait_reason weak = WAIT_FOR_UNKNOWN;

	w->view.reason = runs_on(wait) ? WAIT_FOR_CPU : WAIT_FOR_UNKNOWN;
	if (wait->stack == WAIT_NOWHERE || wait->earlier)
		return;
	trim(w, &weak);
	if (!runs_on(wait))
		w->view.reason = reason_of(w, weak);
}

static void make_item(struct wait_worker *w, const struct wait *wait)
{
	const struct wait_stage *stage = w->stage;
	const struct item *item = wait->stack == WAIT_NOWHERE ? NULL : read_at(w, 0, wait->stack);

	if (item && item->sample)
		begin_read(w, item);
	else
		begin_bare(w, &stage->waits->tasks.v[wait->task], wait);
	w->view.wait = w->view.whole = wait;
	w->view.worker = w;
	find_stack(w, wait);
	find_lock(w, wait);
	w->sample->id = 0;
	w->sample->time = wait->from;
	w->sample->period = wait->to - wait->from;
	w->sample->cpu = wait->cpu;
	w->sample->wait = &w->view;
	w->item.event = stage->event;
	w->item.sample = w->sample;
	w->item.record = &w->record;
	w->item.bytes = NULL;
	w->item.time = w->item.at = wait->from;
	w->record.header = (struct record_header){ .type = PERF_RECORD_SAMPLE, .misc = w->item.cpumode, .size = 8 };
}

static void emit_part(struct wait_worker *w, uint64_t from, uint64_t to, const struct item_sink *sink)
{
	w->sample->period = to - from;
	w->sample->time = w->item.time = w->item.at = from;
	if (to > from)
		sink->item(sink, &w->item);
}

/* Emits a sample for each holder of a wait, up to the time @ready. */
static void emit_queued(struct wait_worker *w, const struct wait *wait, uint64_t ready, const struct item_sink *sink)
{
	const struct wait_locks *l = w->stage->locks;
	struct wait_part parts[WAIT_MAX_PARTS];
	uint64_t from = wait->from, last;
	unsigned nr;

	if (!w->stage->split || w->view.lock == WAIT_NO_LOCK) {
		emit_part(w, from, ready, sink);
		return;
	}
	last = wait_view_holder(&w->view);
	nr = wait_locks_split(l, w->view.lock, wait, parts);
	for (unsigned i = 0; i < nr; from = parts[i++].to) {
		w->view.holder = parts[i].task == WAIT_NO_TASK ? i + 1 < nr ? WAIT_HOLDER_UNKNOWN : last :
				 l->list.v[w->view.lock].held ? WAIT_HOLDER_TASK | parts[i].task :
				 WAIT_HOLDER_RELEASED | parts[i].task;
		emit_part(w, from, parts[i].to, sink);
	}
}

/* Emits the time in which the thread was ready as a separate sample, which is a wait for a CPU. */
static void emit_parts(struct wait_worker *w, const struct wait *wait, const struct item_sink *sink)
{
	uint64_t ready = wait->to - wait_delay(wait);

	w->part = *wait;
	w->view.wait = &w->part;
	if (w->stage->wall)
		w->item.event = w->stage->wall;
	else
		w->part.ready = 0;	/* the delay belongs to the second part */
	emit_queued(w, wait, ready, sink);
	w->part.ready = ready;
	w->part.from = ready;
	w->view.holder = WAIT_HOLDER_CPU;
	w->view.lock = WAIT_NO_LOCK;
	w->view.reason = WAIT_FOR_CPU;
	w->part.state = WAIT_READY;
	emit_part(w, ready, wait->to, sink);
}

static size_t pieces_of_waits(const struct wait_stage *stage)
{
	return (stage->waits->list.nr + PIECE - 1) / PIECE;
}

/* Returns the time range of a piece of single waits. Parts of waits outside this range are not shown. */
static struct time_span span_of(const struct wait_stage *stage, size_t piece)
{
	return stage->clip.nr ? stage->clip.v[piece / pieces_of_waits(stage)] : (struct time_span){ 0, UINT64_MAX };
}

static void emit_inside(struct wait_worker *w, const struct wait *wait, const struct time_span *span, const struct item_sink *sink)
{
	struct wait part = *wait;

	part.from = MAX(part.from, span->from);
	part.to = MIN(part.to, span->to);
	part.ready = part.ready ? MAX(part.ready, part.from) : 0;
	if (part.to <= part.from)
		return;
	make_item(w, wait);
	if (w->stage->wall || (w->stage->ready_apart && !runs_on(wait))) {
		emit_parts(w, &part, sink);
		return;
	}
	w->part = part;
	w->view.wait = &w->part;
	emit_part(w, part.from, part.to, sink);
}

static void decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink)
{
	const struct wait_stage *stage = (const struct wait_stage *)s;
	bool sums = piece >= stage->nr_pieces;
	struct time_span span = sums ? (struct time_span){ 0, UINT64_MAX } : span_of(stage, piece);
	const struct wait *waits = sums ? stage->waits->sums.v : stage->waits->list.v;
	size_t nr = sums ? stage->waits->sums.nr : stage->waits->list.nr;
	size_t from = (sums ? piece - stage->nr_pieces : piece % pieces_of_waits(stage)) * PIECE, to = MIN(from + PIECE, nr);

	for (size_t i = from; i < to; i++)
		emit_inside(worker, &waits[i], &span, sink);
}

struct wait_worker *wait_worker_new(const struct session *s)
{
	struct wait_worker *w = xcalloc(1, sizeof(*w));

	w->stage = s->waits;
	w->context_cache = context_cache_new(s->machine);
	item_reader_init(&w->reader, s, w->stage->max_depth);
	return w;
}

const struct item *wait_worker_read(struct wait_worker *w, size_t number)
{
	make_item(w, &w->stage->waits->list.v[number]);
	return &w->item;
}

static void *worker_new(struct item_source *s)
{
	return wait_worker_new(((const struct wait_stage *)s)->session);
}

void wait_worker_free(struct wait_worker *w)
{
	if (!w)
		return;
	item_reader_release(&w->reader);
	context_cache_free(w->context_cache);
	vec_free(&w->frames);
	vec_free(&w->chain);
	index_release(&w->by_ip);
	free(w);
}

static void worker_free(struct item_source *s, void *worker)
{
	wait_worker_free(worker);
}

/* ---- the stage ---- */

static void close_stage(struct item_source *s)
{
	struct wait_stage *stage = (struct wait_stage *)s;

	waits_free(stage->waits);
	wait_locks_free(stage->locks);
	vec_free(&s->pieces);
	vec_free(&stage->clip);
	free(stage);
}

static uint64_t nr_summed(const struct waits *w)
{
	uint64_t nr = 0;

	vec_for(sum, &w->sums)
		add_saturated(&nr, sum->nr);
	return nr;
}

/* The waits that were open at the end of the recording. */
static uint64_t nr_open(const struct waits *w)
{
	uint64_t nr = 0;

	vec_for(wait, &w->list)
		nr += wait->open && wait->to > wait->from;
	return nr;
}

static void findings(const struct item_source *s, struct findings *out)
{
	const struct wait_stage *stage = (const struct wait_stage *)s;
	const struct wait_gaps *gaps = &stage->waits->gaps;
	uint64_t nr = stage->waits->list.nr;

	findings_add(out, FINDING_WAITS_GAPS, gaps->nr_in + gaps->nr_out, nr, NULL);
	if (data_file_cut(stage->session->file))
		findings_add(out, FINDING_WAITS_CUT, nr_open(stage->waits), nr, NULL);
	findings_add(out, FINDING_WAITS_SUMS, nr_summed(stage->waits), nr + nr_summed(stage->waits), NULL);
	if (stage->earlier)
		findings_add(out, FINDING_WAITS_EARLIER, nr, 0, NULL);
	else if (!stage->wakes)
		findings_add(out, FINDING_WAITS_NO_WAKER, nr, 0, NULL);
}

struct event *session_add_time_event(struct session *s, uint64_t config, const char *name)
{
	struct event_attr attr = {
		.type = SYNTH_TYPE, .size = ATTR_SIZE_VER7, .config = config, .sample_period = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
	};

	return session_add_event(s, &attr, name);
}

static void name_event(struct event *ev, const char *name)
{
	free((void *)(uintptr_t)ev->name);
	ev->name = xstrdup(name);
}

/* True if the recording was made with --off-cpu. If prec record was killed, only the event of sums shows this. */
static bool is_meant(const struct session *s)
{
	vec_for(ev, &s->file->events.events)
		if (attr_is_wait_sums(&(*ev)->attr))
			return true;
	return s->file->features.has[FEATURE_OFF_CPU];
}

/* Marks events that are only the source of the waits, so that they are not shown. */
static void mark_hidden_sources(struct session *s)
{
	bool meant = is_meant(s);

	vec_for(ev, &s->file->events.events) {
		const struct event_attr *a = &(*ev)->attr;
		const struct trace_event *t = a->type == PERF_TYPE_TRACEPOINT ? tracing_data_event(&s->tracing, a->config) : NULL;

		(*ev)->hidden_source = (t && (str_eq(t->system, "sched") || (meant && wait_steps_is_call(t)))) ||
			       (a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_CONTEXT_SWITCHES) ||
			       attr_is_wait_sums(a);
		if (attr_is_wait_sums(a))
			name_event(*ev, OFF_CPU_NAME ":sums");
	}
}

static void list_pieces(struct wait_stage *stage)
{
	size_t spans = MAX(stage->clip.nr, 1);

	stage->source.pieces.nr = 0;
	for (size_t n = 0; n < spans; n++)
		for (size_t i = 0; i < stage->waits->list.nr; i += PIECE)
			vec_push(&stage->source.pieces, (struct source_piece){
				.time = MAX(stage->waits->list.v[i].from, stage->clip.nr ? stage->clip.v[n].from : 0) });
	stage->nr_pieces = stage->source.pieces.nr;
	for (size_t i = 0; i < stage->waits->sums.nr; i += PIECE)
		vec_push(&stage->source.pieces, (struct source_piece){ .stream = 1, .time = stage->waits->sums.v[i].from });
}

/* ---- waits that were summed up while recording ---- */

static bool read_sum(const struct wait_stage *stage, const struct item *item, struct wait *out)
{
	const struct sample *s = item->sample;

	*out = (struct wait){
		.from = item->at - MIN(s->period, item->at), .to = item->at, .stack = item->position, .waker = WAIT_NOWHERE,
		.cpu = s->cpu, .waker_tid = WAIT_NO_WAKER, .args = WAIT_NO_ARGS, .nr = MAX(s->weight, 1),
		.state = s->transaction < NR_WAIT_STATES ? (uint8_t)s->transaction : WAIT_BLOCKED,
		.task = waits_task_at(stage->waits, sample_owner(s), item->at),
	};
	if (s->addr)
		out->ready = out->to - MIN(s->addr, out->to - out->from);
	return out->task != WAIT_NO_TASK;
}

/* Adds the sums. Other threads' records still show the switches of a thread whose waits were summed: that is no gap. */
static void add_sums(struct wait_stage *stage, const struct wait_steps *steps)
{
	struct item_reader reader;
	VEC(struct wait) sums = {0};

	if (!steps->summed)
		return;
	stage->waits->gaps.nr_out = 0;
	item_reader_init(&reader, stage->session, 0);
	vec_for(position, &steps->sums) {
		const struct chunk_list *chunks = &stage->session->scan.chunks;
		const struct item *item = item_read(&reader, 0, chunk_record(chunks, *position), *position);
		struct wait sum;

		if (item && item->sample && read_sum(stage, item, &sum))
			vec_push(&sums, sum);
	}
	item_reader_release(&reader);
	waits_add_sums(stage->waits, sums.v, sums.nr);
	vec_free(&sums);
}

static int refuse(const struct session *s)
{
	return error("'%s' does not say when threads were off the CPU: record with --off-cpu", s->file->path);
}

int session_add_waits(struct session *s, const struct waits_opts *o)
{
	bool meant = is_meant(s);
	struct wait_steps steps;
	struct wait_stage *stage;

	if ((!meant && !o->forced) || s->waits || s->live || s->header_only)
		return 0;
	if (s->scan.by_position)
		return meant ? 0 : refuse(s);
	wait_steps_gather(&steps, s);
	if (!meant && !steps.switches) {
		vec_free(&steps.list);
		vec_free(&steps.sums);
		vec_free(&steps.args.list);
		return refuse(s);
	}
	stage = xcalloc(1, sizeof(*stage));
	*stage = (struct wait_stage){
		.source = { .nr_streams = 2, .worker_new = worker_new, .worker_free = worker_free, .decode = decode,
			    .findings = findings, .close = close_stage },
		.session = s, .max_depth = o->max_depth, .earlier = !steps.stacks, .wakes = steps.wakes,
		.waits = waits_new(steps.list.v, steps.list.nr, steps.end, &steps.args),
	};
	if (stage->waits->args.list.nr)
		stage->locks = wait_locks_new(stage->waits);
	add_sums(stage, &steps);
	vec_free(&steps.list);
	vec_free(&steps.sums);
	mark_hidden_sources(s);
	stage->event = session_add_time_event(s, SYNTH_OFF_CPU, OFF_CPU_NAME);
	list_pieces(stage);
	session_add_source(s, &stage->source);
	s->waits = stage;
	return 0;
}

const struct waits *session_waits(const struct session *s)
{
	return s->waits ? s->waits->waits : NULL;
}

const struct wait_locks *session_wait_locks(const struct session *s)
{
	return s->waits ? s->waits->locks : NULL;
}

ORDER(compare_spans, struct time_span, compare_numbers(a->from, b->from))

void session_clip_waits(struct session *s, const struct filter *f)
{
	struct wait_stage *stage = s->waits;
	const struct time_span *spans;
	size_t nr, last = 0;

	spans = filter_times(f, &nr);
	if (!stage || !nr)
		return;
	for (size_t i = 0; i < nr; i++)
		vec_push(&stage->clip, spans[i]);
	vec_sort(&stage->clip, compare_spans);
	for (size_t i = 1; i < stage->clip.nr; i++) {
		struct time_span *to = &stage->clip.v[last];

		if (stage->clip.v[i].from > to->to)
			stage->clip.v[++last] = stage->clip.v[i];
		else
			to->to = MAX(to->to, stage->clip.v[i].to);
	}
	stage->clip.nr = last + 1;
	list_pieces(stage);
}

void session_split_waits(struct session *s, bool holders)
{
	if (!s->waits)
		return;
	s->waits->ready_apart = true;
	s->waits->split |= holders;
}

unsigned session_waits_are_wall(struct session *s, const struct event *wall)
{
	s->waits->wall = wall;
	return s->waits->max_depth;
}

const struct event *session_waits_event(const struct session *s)
{
	return s->waits ? s->waits->event : NULL;
}
