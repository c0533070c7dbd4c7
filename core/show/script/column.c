/*
 * Prints the columns of prec script that need no symbol lookup, such as the thread, time, period and registers. Widths and
 * spelling are the same as in perf script. column_address.c prints the columns with addresses.
 */
#include "core/show/script/column.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/arch.h"
#include "core/base/digits.h"
#include "core/read/session.h"
#include "core/perfdata/data_src.h"
#include "core/sched/runqueue.h"
#include "core/sched/wait_names.h"
#include "core/sched/wait_samples.h"
#include "core/show/script/line_plan.h"

#define NSEC_PER_SEC	1000000000ull
#define COMM_WIDTH	16
#define PID_WIDTH	7
#define FLAGS_WIDTH	24
#define FLAGS_IN_TX	17	/* the flags of transactions begin at this column */
#define SYNTH_WIDTH	34

static void put_comm(struct buf *out, const char *comm, bool narrow)
{
	if (narrow)
		buf_puts(out, comm);
	else
		buf_right(out, comm, COMM_WIDTH);
	buf_putc(out, ' ');
}

static void put_ids(struct buf *out, uint64_t shown, uint32_t pid, uint32_t tid)
{
	size_t from;

	if (shown & FIELD_BIT(PID))
		buf_int(out, (int32_t)pid, PID_WIDTH);
	if (shown & FIELD_BIT(TID) && shown & FIELD_BIT(PID)) {
		buf_putc(out, '/');
		from = out->len;
		buf_int(out, (int32_t)tid, 0);
		if (out->len - from < PID_WIDTH)
			buf_fill(out, ' ', PID_WIDTH - (out->len - from));
	} else if (shown & FIELD_BIT(TID)) {
		buf_int(out, (int32_t)tid, PID_WIDTH);
	}
	buf_putc(out, ' ');
}

static void put_cpu(struct buf *out, uint32_t cpu)
{
	buf_putc(out, '[');
	buf_dec0(out, cpu, 3);
	buf_put(out, "] ", 2);
}

void put_task(struct buf *out, uint64_t shown, const struct line_owner *task, bool narrow)
{
	if (shown & FIELD_BIT(COMM))
		put_comm(out, task->comm, narrow);
	if (shown & (FIELD_BIT(PID) | FIELD_BIT(TID)))
		put_ids(out, shown, task->pid, task->tid);
	if (shown & FIELD_BIT(CPU))
		put_cpu(out, task->cpu);
}

/* Reuses the last text of the same thread on the same CPU. Comms are interned, so pointers are compared. */
void column_task(struct line *l)
{
	const struct line_owner task = { .comm = l->item->context->comm, .form = l->event->task_form,
				 .pid = l->sample->pid, .tid = l->sample->tid, .cpu = l->sample->cpu };
	struct task_text *t = &l->task[task.cpu % ARRAY_SIZE(l->task)];
	size_t from = l->out->len;

	if (t->len && memcmp(&t->task, &task, sizeof(task)) == 0) {
		buf_put_steps(l->out, t->text, t->len);
		return;
	}
	put_task(l->out, l->fields, &task, l->event->chain && line_has(l, FIELD_BIT(IP)));
	t->len = 0;
	if (l->out->len - from > sizeof(t->text))
		return;
	t->task = task;
	t->len = (uint32_t)(l->out->len - from);
	memcpy(t->text, l->out->data + from, t->len);
}

/* Writes the header's misc as letters: the cpumode, then flags of the record's type. */
void column_misc(struct line *l)
{
	static const char modes[] = { 0, 'K', 'U', 'H', 'G', 'g' };
	const struct record_header *h = &l->item->record->header;
	struct buf *out = l->out;
	unsigned mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	size_t from = out->len;

	if (mode < ARRAY_SIZE(modes) && modes[mode])
		buf_putc(out, modes[mode]);
	if ((h->type == PERF_RECORD_MMAP || h->type == PERF_RECORD_MMAP2) && h->misc & PERF_RECORD_MISC_MMAP_DATA)
		buf_putc(out, 'M');
	if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC)
		buf_putc(out, 'E');
	if ((h->type == PERF_RECORD_SWITCH || h->type == PERF_RECORD_SWITCH_CPU_WIDE) &&
	    h->misc & PERF_RECORD_MISC_SWITCH_OUT)
		buf_puts(out, h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? "Sp" : "S");
	buf_fill(out, ' ', 6 - MIN(out->len - from, 5));
}

/* Appends a time in seconds with six digits after the point, or nine with @nanoseconds. */
static void put_seconds(struct buf *out, uint64_t ns, bool nanoseconds)
{
	uint64_t seconds = ns / NSEC_PER_SEC;
	uint32_t rest = (uint32_t)(ns - seconds * NSEC_PER_SEC);
	char *to;

	buf_dec(out, seconds, 5);
	to = buf_room(out, 2 * DIGITS_ROOM);
	*to++ = '.';
	to = digits_six(to, rest / 1000);
	if (nanoseconds) {
		memcpy(to, (char[]){ (char)('0' + rest / 100 % 10), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10) }, 3);
		to += 3;
	}
	out->len = (size_t)(to - out->data);
}

/* Returns the time to print: since the first line, since the last line, or as recorded. */
static uint64_t shown_time(struct line *l, uint64_t time)
{
	const struct line_opts *o = &l->plan->opts;
	uint64_t shown = time;

	if (!o->reltime && !o->deltatime)
		return time;
	if (l->first_time == UINT64_MAX)
		l->first_time = l->last_time = time;
	if (o->reltime)
		shown = time - l->first_time;
	if (o->deltatime)
		shown = time - l->last_time;
	l->last_time = time;
	return shown;
}

void column_time(struct line *l)
{
	put_seconds(l->out, shown_time(l, l->item->time), l->plan->opts.nanoseconds);
	buf_put(l->out, ": ", 2);
}

/* Appends the wall-clock time in the reader's time zone. */
void column_tod(struct line *l)
{
	uint64_t ns = l->plan->wall_ns + (l->item->time - l->plan->mono_ns);
	time_t seconds = (time_t)(ns / NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&seconds, &tm))
		return;
	buf_dec0(l->out, (uint64_t)tm.tm_year + 1900, 4);
	buf_putc(l->out, '-');
	buf_dec0(l->out, (uint64_t)tm.tm_mon + 1, 2);
	buf_putc(l->out, '-');
	buf_dec0(l->out, (uint64_t)tm.tm_mday, 2);
	buf_putc(l->out, ' ');
	buf_dec0(l->out, (uint64_t)tm.tm_hour, 2);
	buf_putc(l->out, ':');
	buf_dec0(l->out, (uint64_t)tm.tm_min, 2);
	buf_putc(l->out, ':');
	buf_dec0(l->out, (uint64_t)tm.tm_sec, 2);
	buf_putc(l->out, '.');
	buf_dec0(l->out, ns % NSEC_PER_SEC / 1000, 6);
	buf_putc(l->out, ' ');
}

/* Appends how many threads wait for the CPU. */
void column_runqlen(struct line *l)
{
	uint16_t length = runqueue_length(l->plan->queues, &l->queue, l->sample->cpu, l->item->at);

	if (length == RUNQUEUE_UNKNOWN)
		buf_right(l->out, "-1", 3);
	else
		buf_dec(l->out, length, 3);
	buf_putc(l->out, ' ');
}

void column_period(struct line *l)
{
	buf_dec(l->out, l->period, 10);
	buf_putc(l->out, ' ');
}

void column_event(struct line *l)
{
	buf_put_steps(l->out, l->event->name, l->event->name_len);
}

/* Returns perf's words for a branch. NULL: perf has no words, and the letters are printed. */
static const char *flags_name(uint32_t flags)
{
	static const struct { uint32_t flags; const char *name; } rows[] = {
		{ SYNTH_CALL, "call" }, { SYNTH_RETURN, "return" }, { SYNTH_CONDITIONAL, "jcc" }, { 0, "jmp" },
		{ SYNTH_CALL | SYNTH_INTERRUPT, "int" }, { SYNTH_RETURN | SYNTH_INTERRUPT, "iret" },
		{ SYNTH_CALL | SYNTH_SYSCALL, "syscall" }, { SYNTH_RETURN | SYNTH_SYSCALL, "sysret" },
		{ SYNTH_ASYNC, "async" }, { SYNTH_CALL | SYNTH_ASYNC | SYNTH_INTERRUPT, "hw int" },
		{ SYNTH_ABORT, "tx abrt" }, { SYNTH_BEGIN, "tr strt" }, { SYNTH_END, "tr end" },
		{ SYNTH_CALL | SYNTH_VMENTRY, "vmentry" }, { SYNTH_CALL | SYNTH_VMEXIT, "vmexit" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows) && flags & SYNTH_BRANCH; i++)
		if (rows[i].flags == (flags & ~(uint32_t)SYNTH_BRANCH))
			return rows[i].name;
	return NULL;
}

static void put_flag_letters(struct buf *out, uint32_t flags)
{
	static const char letters[] = "bcrosyiABExghDt";

	for (size_t i = 0; i + 1 < sizeof(letters); i++)
		if (flags >> i & 1)
			buf_putc(out, letters[i]);
}

/* Writes the branch's events: "/miss,not_taken/". */
static void put_flag_events(struct buf *out, uint32_t flags)
{
	if (flags & (SYNTH_MISSED | SYNTH_NOT_TAKEN))
		buf_printf(out, "/%s%s%s/", flags & SYNTH_MISSED ? "miss" : "",
			   flags & SYNTH_MISSED && flags & SYNTH_NOT_TAKEN ? "," : "", flags & SYNTH_NOT_TAKEN ? "not_taken" : "");
}

/*
 * Branch types are known only in samples from a hardware trace. Letters are printed only if there is no word for the branch, no
 * event and no transaction, as in perf 7.3 (perf 6.1 prints them in addition).
 */
void column_flags(struct line *l)
{
	const uint32_t events = SYNTH_MISSED | SYNTH_NOT_TAKEN, state = SYNTH_IN_TX | SYNTH_INTR_OFF | SYNTH_INTR_TOGGLE;
	uint32_t flags = l->sample->flags, rest = flags & ~(state | events);
	const char *name = flags_name(rest), *prefix = "";
	size_t start = l->out->len;

	if (!name && rest & SYNTH_BEGIN) {
		name = flags_name(rest & ~(uint32_t)SYNTH_BEGIN);
		prefix = "tr strt ";
	} else if (!name && rest & SYNTH_END) {
		name = flags_name(rest & ~(uint32_t)SYNTH_END);
		prefix = "tr end  ";
	}
	buf_puts(l->out, "  ");
	if (name)
		buf_printf(l->out, "%s%s", prefix, name);
	else if (!(flags & (state | events)))
		put_flag_letters(l->out, flags);
	put_flag_events(l->out, flags);
	if (flags & state) {
		do {
			buf_putc(l->out, ' ');
		} while (l->out->len - start < FLAGS_IN_TX + strlen(prefix));
		buf_putc(l->out, '(');
		put_flag_letters(l->out, flags & state);
		buf_putc(l->out, ')');
	}
	do {
		buf_putc(l->out, ' ');
	} while (l->out->len - start < FLAGS_WIDTH);
}

static void put_cbr(struct buf *out, uint64_t cbr, uint64_t rates)
{
	unsigned max = (unsigned)(rates >> 32);

	buf_printf(out, " cbr: %2u freq: %4u MHz ", (unsigned)cbr, ((uint32_t)rates + 500) / 1000);
	if (max)
		buf_printf(out, "(%3u%%) ", (unsigned)(5 + 1000 * cbr / max) / 10);
}

/* Appends a control flow event of Intel PT and its data. Their types are in the SDM, "Event Trace". */
static void put_event(struct buf *out, const struct sample *s)
{
	static const char *const types[32] = {
		[1] = "INTR", "IRET", "SMI", "RSM", "SIPI", "INIT", "VMENTRY", "VMEXIT", "VMEXIT_INTR", "SHUTDOWN",
		[12] = "UINTR", "UIRET",
	};
	static const char *const data_types[] = { "PFA", "VMXQ", "VMXR" };
	unsigned type = s->synth[1] & 31, ip = s->synth[1] >> 32 & 1;

	buf_puts(out, " cfe: ");
	if (types[type])
		buf_puts(out, types[type]);
	else
		buf_dec(out, type, 0);
	buf_printf(out, " IP: %u vector: %u", ip, (unsigned)s->synth[0]);
	for (uint64_t i = 0; i + 1 < s->synth_data.nr; i += 2) {
		uint64_t data_type = words_at(&s->synth_data, i);
		unsigned long long value = words_at(&s->synth_data, i + 1);

		if (data_type < ARRAY_SIZE(data_types))
			buf_printf(out, " %s: %#llx", data_types[data_type], value);
		else
			buf_printf(out, " EVD_%u: %#llx", (unsigned)data_type, value);
	}
	buf_putc(out, ' ');
}

static void put_waker(const struct wait_view *v, struct buf *out)
{
	const struct item *by = wait_view_woken_by(v);

	if (!by)
		return;
	buf_printf(out, " woken by: %s", v->wait->waker_tid == WAIT_INTERRUPT ? "interrupt in " : "");
	buf_printf(out, "%s/%" PRIu32, by->context->comm, sample_owner(by->sample));
}

/* How long a thread was off the CPU, in which state and for what reason, and which thread ended the wait. */
static void put_wait(const struct session *session, const struct sample *s, struct buf *out)
{
	const struct wait_view *v = s->wait;

	if (!v)
		return;
	buf_printf(out, " off: %" PRIu64 " state: %s", s->period, wait_state_name(v->wait->state));
	if (v->wait->nr)
		buf_printf(out, " waits: %" PRIu64, v->wait->nr);
	if (v->reason != WAIT_FOR_UNKNOWN)
		buf_printf(out, " reason: %s", wait_reason_name(v->reason));
	if (v->lock != WAIT_NO_LOCK) {
		buf_puts(out, " for: ");
		wait_lock_put(session, v->lock, out);
	}
	if (v->wait->ready)
		buf_printf(out, " sch delay: %" PRIu64, wait_delay(v->wait));
	put_waker(v, out);
	if (v->wait->open)
		buf_puts(out, " until the end");
	if (v->wait->earlier)
		buf_puts(out, " (stack of the sample before)");
	buf_putc(out, ' ');
}

/* Writes a trace packet's contents, in perf's words. */
void column_synth(struct line *l)
{
	uint64_t v = l->sample->synth[0], more = l->sample->synth[1];
	size_t start = l->out->len;

	switch (l->event->event->attr.config) {
	case SYNTH_PTWRITE:
		buf_printf(l->out, " IP: %u payload: %#llx ", (unsigned)more, (unsigned long long)v);
		break;
	case SYNTH_MWAIT:
		buf_printf(l->out, " hints: %#x extensions: %#x ", (unsigned)(v & 0xff), (unsigned)(v >> 32 & 3));
		break;
	case SYNTH_PWRE:
		buf_printf(l->out, " hw: %u cstate: %u sub-cstate: %u ", (unsigned)(v >> 7 & 1), (unsigned)(v >> 12 & 15),
			   (unsigned)(v >> 8 & 15));
		break;
	case SYNTH_EXSTOP:
		buf_printf(l->out, " IP: %u ", (unsigned)more);
		break;
	case SYNTH_PWRX:
		buf_printf(l->out, " deepest cstate: %u last cstate: %u wake reason: %#x ", (unsigned)(v & 15),
			   (unsigned)(v >> 4 & 15), (unsigned)(v >> 8 & 15));
		break;
	case SYNTH_CBR:
		put_cbr(l->out, v, more);
		break;
	case SYNTH_PSB:
		buf_printf(l->out, " psb offs: %#llx", (unsigned long long)v);
		break;
	case SYNTH_EVT:
		put_event(l->out, l->sample);
		break;
	case SYNTH_OFF_CPU:
		put_wait(l->plan->session, l->sample, l->out);
		break;
	case SYNTH_IFLAG:
		buf_printf(l->out, " IFLAG: %d->%d %s branch", !v, !!v, more ? "via" : "non");
		break;
	}
	if (l->out->len - start < SYNTH_WIDTH)
		buf_fill(l->out, ' ', SYNTH_WIDTH - (l->out->len - start));
}

void column_trace(struct line *l)
{
	if (l->event->trace)
		trace_text_put(l->plan->session, l->event->trace, l->item, &l->trace_texts, l->out);
}

void column_data_src(struct line *l)
{
	buf_hex(l->out, l->sample->data_src, 16);
	buf_putc(l->out, ' ');
	data_src_print(l->sample->data_src, l->out);
}

void column_weight(struct line *l)
{
	uint64_t weight = l->sample->weight;

	/* With WEIGHT_STRUCT three latencies share the word: 32, 16 and 16 bits. */
	buf_dec(l->out, (l->event->event->layout.type & PERF_SAMPLE_WEIGHT_STRUCT) ? (uint32_t)weight : weight, 16);
}

void column_ins_lat(struct line *l)
{
	buf_dec(l->out, (uint16_t)(l->sample->weight >> 32), 16);
}

void column_retire_lat(struct line *l)
{
	buf_dec(l->out, (uint16_t)(l->sample->weight >> 48), 16);
}

void column_cgroup(struct line *l)
{
	const struct machine *m = l->plan->address.machine;
	uint32_t cgroup = machine_cgroup(m, l->sample->cgroup);

	buf_putc(l->out, ' ');
	buf_puts(l->out, cgroup == CGROUP_NONE || cgroup == CGROUP_UNKNOWN ? "unknown" : machine_cgroup_path(m, cgroup));
}

static void print_regs(struct line *l, uint64_t abi, uint64_t mask, const struct words *values)
{
	const struct arch *arch = l->plan->address.arch;
	uint64_t n = 0;

	if (abi == PERF_SAMPLE_REGS_ABI_NONE || !values->nr)
		return;
	buf_puts(l->out, " ABI:");
	buf_dec(l->out, abi, 0);
	buf_putc(l->out, ' ');
	for (unsigned r = 0; r < 64 && n < values->nr; r++) {
		const char *name = arch && r < arch->nr_regs ? arch->regs[r] : NULL;

		if (!(mask >> r & 1))
			continue;
		buf_right(l->out, name ? name : "unknown", 5);
		buf_put(l->out, ":0x", 3);
		buf_hex(l->out, words_at(values, n++), 0);
		buf_putc(l->out, ' ');
	}
}

void column_iregs(struct line *l)
{
	uint64_t mask = l->event->event->attr.sample_regs_intr & ~l->sample->intr_missing;

	print_regs(l, l->sample->intr_abi, mask, &l->sample->intr_regs);
}

void column_uregs(struct line *l)
{
	print_regs(l, l->sample->user_abi, l->event->event->attr.sample_regs_user, &l->sample->user_regs);
}

/* True if the bytes are a text followed by at least one NUL, and by nothing but NULs. */
static bool is_text(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && isprint(p[i]))
		i++;
	if (i == n)
		return false;
	while (i < n && !p[i])
		i++;
	return i == n;
}

static void print_bytes(struct buf *out, const uint8_t *p, size_t n, size_t at)
{
	for (size_t i = 0; i < 8; i++) {
		buf_putc(out, ' ');
		if (at + i < n)
			buf_hex0(out, p[at + i], 2);
		else
			buf_fill(out, ' ', 2);
	}
	buf_fill(out, ' ', 2);
	for (size_t i = 0; i < 8; i++)
		buf_putc(out, at + i >= n ? ' ' : isprint(p[at + i]) ? (char)p[at + i] : '.');
	buf_putc(out, '\n');
}

void column_bpf_output(struct line *l)
{
	const uint8_t *p = l->sample->raw;
	size_t n = l->sample->raw_size;

	if (!n)
		return;
	buf_putc(l->out, '\n');
	for (size_t at = 0; at < n; at += 8) {
		buf_right(l->out, at ? "" : "BPF output:", 17);
		buf_putc(l->out, ' ');
		buf_hex0(l->out, at, 4);
		buf_putc(l->out, ':');
		print_bytes(l->out, p, n, at);
	}
	if (is_text(p, n)) {
		buf_right(l->out, "BPF string:", 17);
		buf_puts(l->out, " \"");
		buf_puts(l->out, (const char *)p);
		buf_puts(l->out, "\"\n");
	}
}

void column_phys_addr(struct line *l)
{
	buf_hex(l->out, l->sample->phys_addr, 16);
}

static void print_page_size(struct buf *out, uint64_t size)
{
	buf_putc(out, ' ');
	page_size_put(size, out);
}

void column_data_page_size(struct line *l)
{
	print_page_size(l->out, l->sample->data_page_size);
}

void column_code_page_size(struct line *l)
{
	print_page_size(l->out, l->sample->code_page_size);
}
