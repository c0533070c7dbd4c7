/*
 * Counts how often instructions ran and branches were taken, from hardware trace or branch stacks (LBR). If a recording has
 * neither, estimates the counts from the samples at each instruction. core/show/export/bolt.c, autofdo.c and lcov.c write the
 * counts.
 */
#include "core/code/code_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/hash.h"
#include "core/read/filter.h"
#include "core/read/session.h"
#include "core/perfdata/branch_flags.h"
#include "core/model/code.h"

#define MAX_STRETCH	(1u << 16)	/* bytes; longer code without a branch is not plausible */
#define LONGEST_INSN	15u

struct place { uint32_t space; uint64_t ip; };

struct jump {				/* a branch between two addresses, each in its address space */
	struct place from, to;
	uint64_t nr, missed;
};

struct stretch {
	struct place at;
	uint64_t end;			/* address of the last instruction that ran or, with .open, of the first one that did not */
	bool open;
	uint64_t nr;
};

struct running { uint64_t ip; uint32_t space; };	/* where a thread's last branch went; .ip is 0 if not known */

/*
 * The counts are made in two steps. First, branches and stretches (code that ran without a branch, from a branch target to the next
 * branch) are counted by address space and address. Then the file of each is looked up once, and the counts are added up by file
 * and address in it, so that all processes of a program count together.
 */
struct counting {
	const struct code_counts_opts *opts;
	const struct machine *machine;
	uint64_t kernel_start;
	const struct event *sampled;	/* the event whose samples are counted if there are no branches; NULL: none */
	VEC(struct jump) jumps;
	VEC(struct stretch) stretches;
	struct index by_jump, by_stretch;
	VEC(struct running) threads;	/* by thread number */
	struct code_counts *out;
	uint32_t *files;		/* by dso number: index in .files of .out; CODE_NOWHERE: none yet */
	VEC(bool) shown;		/* by file: the filter selects it */
};

/* ---- sums by space ---- */

static void count_jump(struct counting *c, const struct jump *j)
{
	uint64_t h = hash_pair(hash_pair(j->from.space, j->from.ip), hash_pair(j->to.space, j->to.ip));

	c->out->nr_branches += j->nr;
	index_for(pos, &c->by_jump, h) {
		struct jump *known = &c->jumps.v[pos];

		if (known->from.ip != j->from.ip || known->to.ip != j->to.ip || known->from.space != j->from.space ||
		    known->to.space != j->to.space)
			continue;
		known->nr += j->nr;
		known->missed += j->missed;
		return;
	}
	index_add(&c->by_jump, h, (uint32_t)c->jumps.nr);
	vec_push(&c->jumps, *j);
}

static void count_stretch(struct counting *c, uint32_t space, uint64_t from, uint64_t end, bool open)
{
	uint64_t h = hash_pair(hash_pair(space, from), end << 1 | open);

	if ((open && from == end) || end < from || end - from > MAX_STRETCH)
		return;
	index_for(pos, &c->by_stretch, h) {
		struct stretch *known = &c->stretches.v[pos];

		if (known->at.ip == from && known->at.space == space && known->end == end && known->open == open) {
			known->nr++;
			return;
		}
	}
	index_add(&c->by_stretch, h, (uint32_t)c->stretches.nr);
	vec_push(&c->stretches, (struct stretch){ .at = { space, from }, .end = end, .open = open, .nr = 1 });
}

/* ---- from samples ---- */

static uint32_t space_of(const struct counting *c, const struct item *item, uint64_t ip)
{
	return ip >= c->kernel_start ? item->context->kernel_space : item->context->user_space;
}

static struct running *thread_of(struct counting *c, uint32_t number)
{
	while (c->threads.nr <= number)
		vec_push(&c->threads, (struct running){0});
	return &c->threads.v[number];
}

/* True if the instruction at the address has not run yet, as at an interrupt. If the sample has its size, it did. */
static bool is_in_front(const struct sample *s)
{
	return s->flags & SYNTH_ASYNC && !s->insn_size;
}

static void on_branch(struct counting *c, const struct item *item)
{
	const struct sample *s = item->sample;
	struct running *t = thread_of(c, item->context->thread->number);
	uint32_t from = space_of(c, item, s->ip), to = space_of(c, item, s->addr);

	if (t->ip && s->ip && t->space == from && !(s->flags & SYNTH_BEGIN))
		count_stretch(c, from, t->ip, s->ip, is_in_front(s));
	if (s->ip && s->addr && !(s->flags & (SYNTH_BEGIN | SYNTH_END)) && !is_in_front(s))
		count_jump(c, &(struct jump){ .from = { from, s->ip }, .to = { to, s->addr }, .nr = 1,
					      .missed = (s->flags & SYNTH_MISSED) != 0 });
	*t = (struct running){ s->addr, to };
}

/* Counts the branches of a branch stack, and the code between them. The newest branch comes first. */
static void count_stack(struct counting *c, const struct item *item)
{
	const struct words *w = &item->sample->branches;
	uint64_t nr = w->nr / 3, next = 0;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t from = words_at(w, 3 * i), to = words_at(w, 3 * i + 1), flags = words_at(w, 3 * i + 2);
		struct jump j = { .nr = 1, .missed = (flags & BRANCH_MISPREDICTED) != 0 };

		if (!from || !to || flags & BRANCH_NOT_TAKEN) {
			next = 0;
			continue;
		}
		j.from = (struct place){ space_of(c, item, from), from };
		j.to = (struct place){ space_of(c, item, to), to };
		count_jump(c, &j);
		if (next && space_of(c, item, next) == j.to.space)
			count_stretch(c, j.to.space, to, next, false);
		next = from;
	}
}

/* The event whose samples are counted if there are no branches; not a tracepoint, as these do not show where time is spent. */
static const struct event *sampled_event(const struct session *s, const struct code_counts_opts *o)
{
	if (!o->samples_will_do || o->event)
		return o->samples_will_do ? o->event : NULL;
	vec_for(event, &session_events(s)->events) {
		const struct event_attr *a = &(*event)->attr;

		if (a->sample_type & PERF_SAMPLE_IP && a->type != PERF_TYPE_TRACEPOINT &&
		    !(a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY))
			return *event;
	}
	return NULL;
}

/* Discards the counts from samples, which are only an estimate, once there are branches. */
static void have_branches(struct counting *c)
{
	if (!c->sampled)
		return;
	c->sampled = NULL;
	c->out->from_samples = false;
	c->stretches.nr = 0;
	index_release(&c->by_stretch);
}

static bool is_trace_branch(const struct item *item)
{
	const struct event_attr *a = &item->event->attr;

	return item->sample->flags & SYNTH_BRANCH && a->type == PERF_TYPE_HARDWARE &&
	       a->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
}

/* Forgets where the thread is, because a lost or filtered sample interrupts its path. */
static void forget(struct counting *c, const struct item *item)
{
	if (item->context && item->context->thread)
		thread_of(c, item->context->thread->number)->ip = 0;
}

static void on_item(void *worker, void *ctx, const struct item *item, struct ordered_text *out)
{
	struct counting *c = ctx;

	(void)worker, (void)out;
	if (!item->sample || !item->event || !item->context || !item->context->thread) {
		forget(c, item);
		return;
	}
	if (c->opts->event && item->event != c->opts->event)
		return;
	if (!filter_is_open(c->opts->filter) && !filter_item(c->opts->filter, item)) {
		forget(c, item);
		return;
	}
	if (is_trace_branch(item)) {
		have_branches(c);
		on_branch(c, item);
	} else if (item->sample->branches.nr) {
		have_branches(c);
		count_stack(c, item);
	} else if (item->event == c->sampled && item->sample->ip) {
		c->out->from_samples = true;
		count_stretch(c, space_of(c, item, item->sample->ip), item->sample->ip, item->sample->ip, false);
	}
}

static bool wants(void *ctx, const struct record_header *header)
{
	return header->type == PERF_RECORD_SAMPLE;
}

/* ---- by file ---- */

static uint32_t file_of(struct counting *c, const struct dso *dso)
{
	uint32_t *file;

	if (!dso)
		return CODE_NOWHERE;
	file = &c->files[dso->number];
	if (*file == CODE_NOWHERE) {
		*file = (uint32_t)c->out->files.nr;
		vec_push(&c->out->files, (struct code_file){ .dso = (struct dso *)(uintptr_t)dso });
		vec_push(&c->shown, !filter_has_names(c->opts->filter) || filter_names(c->opts->filter, dso, NULL));
	}
	return *file;
}

/* Reads the code of a stretch and of the instruction after it. Returns the number of known bytes. */
static size_t read_stretch(const struct counting *c, const struct stretch *s, uint8_t *code, size_t wanted)
{
	size_t n, got = 0;

	while (got < wanted && (n = code_at(c->machine, s->at.space, s->at.ip + got, code + got, wanted - got)))
		got += n;
	return got;
}

static void add_stretch(struct counting *c, const struct stretch *s)
{
	const struct arch *arch = machine_arch(c->machine);
	uint8_t code[MAX_STRETCH + LONGEST_INSN];
	size_t size = (size_t)(s->end - s->at.ip), n, at = 0;
	struct code_file *file;
	struct addr_location al;
	struct insn insn;
	uint32_t number;

	machine_resolve(c->machine, s->at.space, s->at.ip, &al);
	number = file_of(c, al.dso);
	if (number == CODE_NOWHERE || !c->shown.v[number] || !arch || !arch->insn)
		return;
	file = &c->out->files.v[number];
	file->space = s->at.space;
	file->bias = s->at.ip - al.addr;
	n = read_stretch(c, s, code, size + (s->open ? 0 : LONGEST_INSN));
	for (; at < size + !s->open; at += insn.size) {
		if (at >= n || arch->insn(&insn, code + at, n - at, insn_mode_of(&al)) || !insn.size)
			break;
		vec_push(&file->insns, (struct code_insn){ .addr = al.addr + at, .nr = s->nr, .size = insn.size,
							   .passed = s->open || at < size ? s->nr : 0, .kind = insn.kind });
		file->nr += s->nr;
	}
}

static uint8_t kind_at(const struct counting *c, const struct place *p, const struct addr_location *al)
{
	const struct arch *arch = machine_arch(c->machine);
	uint8_t code[LONGEST_INSN];
	size_t n = al->dso ? code_at(c->machine, p->space, p->ip, code, sizeof(code)) : 0;
	struct insn insn;

	return n && arch && arch->insn && !arch->insn(&insn, code, n, insn_mode_of(al)) ? insn.kind : INSN_OTHER;
}

static void add_jump(struct counting *c, const struct jump *j)
{
	struct addr_location from, to;
	struct code_branch b = { .nr = j->nr, .missed = j->missed };

	machine_resolve(c->machine, j->from.space, j->from.ip, &from);
	machine_resolve(c->machine, j->to.space, j->to.ip, &to);
	b.from = from.addr;
	b.to = to.addr;
	b.from_file = file_of(c, from.dso);
	b.to_file = file_of(c, to.dso);
	b.kind = kind_at(c, &j->from, &from);
	if ((b.from_file != CODE_NOWHERE && c->shown.v[b.from_file]) || (b.to_file != CODE_NOWHERE && c->shown.v[b.to_file]))
		vec_push(&c->out->branches, b);
}

ORDER(compare_insns, struct code_insn, compare_numbers(a->addr, b->addr))

static void sum_insns(struct code_file *f)
{
	size_t nr = 0;

	vec_sort(&f->insns, compare_insns);
	for (size_t i = 0; i < f->insns.nr; i++) {
		struct code_insn *last = nr ? &f->insns.v[nr - 1] : NULL;

		if (last && last->addr == f->insns.v[i].addr) {
			last->nr += f->insns.v[i].nr;
			last->passed += f->insns.v[i].passed;
		} else {
			f->insns.v[nr++] = f->insns.v[i];
		}
	}
	f->insns.nr = nr;
}

ORDER(compare_branches, struct code_branch,
	compare_numbers(a->from_file, b->from_file) ?: compare_numbers(a->from, b->from) ?:
	compare_numbers(a->to_file, b->to_file) ?: compare_numbers(a->to, b->to))

static void sum_branches(struct code_counts *c)
{
	size_t nr = 0;

	vec_sort(&c->branches, compare_branches);
	for (size_t i = 0; i < c->branches.nr; i++) {
		struct code_branch *last = nr ? &c->branches.v[nr - 1] : NULL;

		if (last && !compare_branches(last, &c->branches.v[i])) {
			last->nr += c->branches.v[i].nr;
			last->missed += c->branches.v[i].missed;
		} else {
			c->branches.v[nr++] = c->branches.v[i];
		}
	}
	c->branches.nr = nr;
}

/* Sorts files by number of instructions, the largest first. */
static void sort_files(struct code_counts *c)
{
	size_t nr = c->files.nr;
	uint32_t *place = xcalloc(MAX(nr, 1), sizeof(*place));
	struct code_file *sorted = xcalloc(MAX(nr, 1), sizeof(*sorted));

	for (size_t i = 0; i < nr; i++) {
		for (size_t k = 0; k < nr; k++)
			place[i] += c->files.v[k].nr > c->files.v[i].nr || (c->files.v[k].nr == c->files.v[i].nr && k < i);
		sorted[place[i]] = c->files.v[i];
	}
	vec_for(b, &c->branches) {
		b->from_file = b->from_file == CODE_NOWHERE ? CODE_NOWHERE : place[b->from_file];
		b->to_file = b->to_file == CODE_NOWHERE ? CODE_NOWHERE : place[b->to_file];
	}
	if (nr)
		memcpy(c->files.v, sorted, nr * sizeof(*sorted));
	free(sorted);
	free(place);
}

static void report_by_file(struct counting *c)
{
	uint32_t nr = machine_nr_dsos(c->machine);

	c->files = xmalloc(MAX(nr, 1) * sizeof(*c->files));
	memset(c->files, 0xff, MAX(nr, 1) * sizeof(*c->files));
	vec_for(s, &c->stretches)
		add_stretch(c, s);
	vec_for(j, &c->jumps)
		add_jump(c, j);
	vec_for(f, &c->out->files)
		sum_insns(f);
	sort_files(c->out);
	sum_branches(c->out);
}

/* ---- the whole ---- */

struct code_counts *code_counts_new(struct session *s, const struct code_counts_opts *o)
{
	static const struct ordered_pass pass = { .worker_size = 1, .wants = wants, .item = on_item, .one_worker = true };
	const struct arch *arch = machine_arch(session_machine(s));
	struct counting c = {
		.opts = o, .machine = session_machine(s), .out = xcalloc(1, sizeof(*c.out)),
		.kernel_start = arch ? arch->kernel_start : 1ull << 63, .sampled = sampled_event(s, o),
	};

	c.out->machine = c.machine;
	session_ordered(s, &pass, &c, -1);
	report_by_file(&c);
	vec_free(&c.jumps);
	vec_free(&c.stretches);
	index_release(&c.by_jump);
	index_release(&c.by_stretch);
	vec_free(&c.threads);
	vec_free(&c.shown);
	free(c.files);
	return c.out;
}

void code_counts_free(struct code_counts *c)
{
	if (!c)
		return;
	vec_for(f, &c->files)
		vec_free(&f->insns);
	vec_free(&c->files);
	vec_free(&c->branches);
	free(c);
}

size_t code_read(const struct code_counts *c, const struct code_file *f, uint64_t addr, void *out, size_t n)
{
	return code_if_known(c->machine, f->space, addr + f->bias, out, n);
}

int code_decode(const struct code_counts *c, struct insn *out, const uint8_t *code, size_t n)
{
	const struct arch *arch = machine_arch(c->machine);

	return arch && arch->insn ? arch->insn(out, code, n, 64) : -EINVAL;
}

const struct symbol *code_symbol(const struct code_file *f, uint64_t addr)
{
	return symbols_find(&f->dso->symbols, addr);
}

const struct code_insn *code_insn_at(const struct code_file *f, uint64_t addr)
{
	const struct code_insn key = { .addr = addr };

	return f->insns.nr ? bsearch(&key, f->insns.v, f->insns.nr, sizeof(key), compare_insns) : NULL;
}
