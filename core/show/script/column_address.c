/*
 * Prints the columns of prec script that show an address, its symbol or its code, such as ip with its call chain, addr, brstack,
 * insn and srccode. address_text.c formats each address.
 */
#include "core/base/printable.h"
#include "core/show/script/column.h"

#include "core/arch.h"
#include "core/read/session.h"
#include "core/sched/wait_samples.h"
#include "core/perfdata/branch_flags.h"
#include "core/model/chain.h"
#include "core/model/machine.h"
#include "core/model/srcline.h"
#include "core/show/script/line_plan.h"

static void put_address(struct line *l, uint32_t space, uint64_t ip, unsigned form)
{
	address_text_put(l->out, &l->addresses, address_text(&l->addresses, space, ip, form), ip);
}

uint32_t column_space(const struct line *l, uint64_t addr)
{
	const struct arch *arch = l->plan->address.arch;
	bool kernel = arch ? addr >= arch->kernel_start : addr >> 63;

	return kernel ? l->item->context->kernel_space : l->item->context->user_space;
}

/* ---- call chains ---- */

/* Returns the cpumode that a context marker announces, or 0 if it announces none. */
static uint16_t marker_cpumode(uint64_t marker)
{
	if (marker == (uint64_t)PERF_CONTEXT_HV)
		return PERF_RECORD_MISC_HYPERVISOR;
	return chain_marker_cpumode(marker == CHAIN_CONTEXT_USER_DEFERRED ? (uint64_t)PERF_CONTEXT_USER : marker);
}

struct frame_iter {		/* walks the frames of a sample's chain */
	const struct item *item;
	uint64_t at, ip;
	uint32_t space;
	unsigned form;		/* ADDRESS_CALLER if a call returns to .ip, else 0 */
	unsigned left;		/* frames that may still be shown */
	bool inside;		/* a frame was seen since the last context marker */
};

static struct frame_iter frame_iter(const struct line *l, const struct item *item)
{
	return (struct frame_iter){ .item = item, .space = chain_space(item->context, item->cpumode),
				    .left = l->plan->opts.max_stack };
}

static bool next_frame(struct frame_iter *i)
{
	const struct words *chain = &i->item->sample->chain;

	for (; i->at < chain->nr && i->left; ) {
		i->ip = words_at(chain, i->at++);
		if (i->ip < CHAIN_CONTEXT_MAX) {
			i->left--;
			/* The frame after a marker was interrupted, and unwound frames are at their call: no return addresses. */
			i->form = i->inside && !(i->item->unwound && i->space == i->item->context->user_space) ? ADDRESS_CALLER : 0;
			i->inside = true;
			return true;
		}
		i->inside = false;
		if (marker_cpumode(i->ip))
			i->space = chain_space(i->item->context, marker_cpumode(i->ip));
	}
	return false;
}

static void put_chain(struct line *l)
{
	unsigned form = l->event->how | ADDRESS_FRAME;
	struct frame_iter i = frame_iter(l, l->item);
	const struct address_text *frame = NULL;
	const struct dso *last = NULL;
	bool broken = false;

	buf_putc(l->out, '\n');
	while (!(frame && frame->stop) && next_frame(&i)) {
		frame = address_text(&l->addresses, i.space, i.ip, form | i.form);
		address_text_put(l->out, &l->addresses, frame, i.ip);
		if (frame->broken && !broken)
			dso_counts_add(&l->chains.broken, last, 1);
		broken |= frame->broken;
		last = frame->dso;
	}
	l->chains.chains += frame != NULL;
	/* For an empty chain print at least the sample's address. */
	if (!frame && i.left && l->event->event->layout.ip_at >= 0)
		put_address(l, chain_space(l->item->context, l->item->cpumode), l->sample->ip, form);
}

void column_want_ip(struct line *l, const struct item *item)
{
	const struct event_plan *event = &l->plan->events[item->event->number];

	if (!event->chain) {
		address_text_want(&l->addresses, chain_space(item->context, item->cpumode), item->sample->ip, event->how);
		return;
	}
	for (struct frame_iter w = frame_iter(l, item); next_frame(&w);)
		address_text_want(&l->addresses, w.space, w.ip, event->how | ADDRESS_FRAME | w.form);
}

void column_ip(struct line *l)
{
	if (l->event->chain) {
		put_chain(l);
		return;
	}
	buf_putc(l->out, ' ');
	put_address(l, chain_space(l->item->context, l->item->cpumode), l->sample->ip, l->event->how);
}

/* The sample of the thread that ended the wait, if it has a call chain. That of an interrupt is unrelated, and left out. */
static const struct item *waker_of(const struct line *l)
{
	const struct wait_view *v = l->sample->wait;
	const struct item *by = v && v->wait->waker_tid != WAIT_INTERRUPT ? wait_view_woken_by(v) : NULL;

	return by && by->sample->chain.nr ? by : NULL;
}

/* For waits: the stack of the thread that ended the wait, a line per frame. */
void column_waker(struct line *l)
{
	const struct item *by = waker_of(l);
	const unsigned how = l->event->how ? l->event->how : ADDRESS_IP | ADDRESS_SYM | ADDRESS_DSO;
	const struct address_text *frame = NULL;
	struct frame_iter i;

	if (!by)
		return;
	if (!l->event->chain || !line_has(l, FIELD_BIT(IP)))
		buf_putc(l->out, '\n');
	buf_printf(l->out, "\twoken by %s/%u:\n", by->context->comm, (unsigned)sample_owner(by->sample));
	i = frame_iter(l, by);
	while (!(frame && frame->stop) && next_frame(&i)) {
		frame = address_text(&l->addresses, i.space, i.ip, how | ADDRESS_FRAME | i.form);
		address_text_put(l->out, &l->addresses, frame, i.ip);
	}
}

/* ---- data addresses ---- */

/* True if the data address may have a name: the target of a branch, or the address of a page fault. */
static bool addr_has_name(const struct event *ev)
{
	if (ev->attr.type == PERF_TYPE_SOFTWARE)
		return ev->attr.config == PERF_COUNT_SW_PAGE_FAULTS || ev->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       ev->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return ev->attr.type == PERF_TYPE_HARDWARE && ev->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS &&
	       ev->attr.sample_period == 1;
}

void column_addr(struct line *l)
{
	uint64_t addr = l->sample->addr;
	unsigned form = ADDRESS_IP;

	if (addr_has_name(l->event->event))
		form |= l->event->how & (ADDRESS_SYM | ADDRESS_SYMOFF | ADDRESS_DSO | ADDRESS_DSOFF);
	put_address(l, column_space(l, addr), addr, form);
}

/* Appends the instructions per cycle since the last sample that had them. */
void column_ipc(struct line *l)
{
	uint64_t insns = l->sample->insn_cnt, cycles = l->sample->cyc_cnt, ipc;

	if (!line_has(l, FIELD_BIT(IPC)) || !insns || !cycles)
		return;
	ipc = (uint64_t)((unsigned __int128)insns * 100 / cycles);
	buf_printf(l->out, " \t IPC: %llu.%02u (%llu/%llu) ", (unsigned long long)(ipc / 100), (unsigned)(ipc % 100),
		   (unsigned long long)insns, (unsigned long long)cycles);
}

/* The column ipc of branch events if their line has no address column, which would print it. */
void column_branch_ipc(struct line *l)
{
	if (!line_has(l, FIELD_BIT(IP) | FIELD_BIT(ADDR)))
		column_ipc(l);
}

static void put_branch_from(struct line *l)
{
	uint32_t space = chain_space(l->item->context, l->item->cpumode);

	buf_putc(l->out, ' ');
	put_address(l, space, l->sample->ip, l->event->how & ~(unsigned)ADDRESS_SRCLINE);
}

/* For branch events: "from => to" instead of the address columns. */
void column_branch_line(struct line *l)
{
	bool chain = l->event->chain;

	if (line_has(l, FIELD_BIT(IP)))
		chain ? column_ip(l) : put_branch_from(l);
	if (line_has(l, FIELD_BIT(ADDR)) || l->event->always_target) {
		buf_puts(l->out, " => ");
		column_addr(l);
	}
	column_ipc(l);
	if (line_has(l, FIELD_BIT(IP)) && l->event->how & ADDRESS_SRCLINE && !chain)
		put_address(l, chain_space(l->item->context, l->item->cpumode), l->sample->ip, ADDRESS_SRCLINE);
}

/* ---- calls, indented ---- */

#define INDENT		4	/* columns of each level of the call depth */
#define INDENT_ROOM	32	/* the next column begins at a multiple of this */
#define INDENT_SHRINK	52	/* the next column moves back to the left when more than this is unused */

/* Appends a call's target or a return's source. The column's width grows and shrinks with the indentation. */
void column_callindent(struct line *l)
{
	const struct sample *s = l->sample;
	bool into = s->flags & (SYNTH_CALL | SYNTH_BEGIN), from = s->flags & (SYNTH_RETURN | SYNTH_END);
	uint64_t ip = into ? s->addr : s->ip, depth = s->depth + !!(s->flags & SYNTH_RETURN);
	const struct address_text *text;
	size_t start, len = 0;

	if (line_has(l, FIELD_BIT(DSO)) && !line_has(l, FIELD_BIT(IP) | FIELD_BIT(ADDR))) {
		text = address_text(&l->addresses, chain_space(l->item->context, l->item->cpumode), s->ip, ADDRESS_DSO);
		buf_put(l->out, l->addresses.arena.data + text->text + 1, text->len - 1);	/* without the blank */
		buf_putc(l->out, '\t');
	}
	start = l->out->len;
	text = into || from ? address_text(&l->addresses, column_space(l, ip), ip, ADDRESS_NAME) : NULL;
	if (text && text->len) {
		buf_fill(l->out, ' ', depth * INDENT);
		address_text_put(l->out, &l->addresses, text, ip);
		len = l->out->len - start;
	}
	if (len > l->indent_room || (len && len + INDENT_SHRINK < l->indent_room))
		l->indent_room = round_up(len + INDENT, INDENT_ROOM);
	if (len < l->indent_room)
		buf_fill(l->out, ' ', l->indent_room - len);
}

/* ---- branch stacks ---- */

static const char *const branch_specs[4] = { "-", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH" };

static void put_branch_flags(struct buf *out, uint64_t flags)
{
	const char *type = branch_type_name(flags);
	char letters[] = "/-/-/";

	buf_putc(out, '/');
	if (flags & BRANCH_MISPREDICTED || flags & BRANCH_PREDICTED)
		buf_putc(out, flags & BRANCH_PREDICTED ? 'P' : 'M');
	if (flags & BRANCH_NOT_TAKEN)
		buf_putc(out, 'N');
	if (!(flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED | BRANCH_NOT_TAKEN)))
		buf_putc(out, '-');
	letters[1] = flags & BRANCH_IN_TX ? 'X' : '-';
	letters[3] = flags & BRANCH_ABORT ? 'A' : '-';
	buf_put(out, letters, 5);
	buf_dec(out, BRANCH_CYCLES(flags), 0);
	buf_putc(out, '/');
	buf_puts(out, type ? type : "unknown");
	buf_putc(out, '/');
	buf_puts(out, branch_specs[BRANCH_SPEC(flags)]);
	buf_putc(out, ' ');
}

void column_branches(struct line *l)
{
	bool names = !line_has(l, FIELD_BIT(BRSTACK)) && line_has(l, FIELD_BIT(BRSTACKSYM));
	bool offsets = !line_has(l, FIELD_BIT(BRSTACK) | FIELD_BIT(BRSTACKSYM));
	unsigned form = ADDRESS_BRANCH | (l->event->how & ADDRESS_DSO) | (names ? ADDRESS_SYM : 0) |
			(offsets ? ADDRESS_MAP_OFFSET : 0);

	for (uint64_t i = 0; i < l->sample->branch_nr; i++) {
		uint64_t from = words_at(&l->sample->branches, 3 * i), to = words_at(&l->sample->branches, 3 * i + 1);

		if (!names)
			buf_putc(l->out, ' ');
		put_address(l, column_space(l, from), from, form);
		buf_putc(l->out, '/');
		put_address(l, column_space(l, to), to, form);
		put_branch_flags(l->out, words_at(&l->sample->branches, 3 * i + 2));
	}
}

/* ---- code ---- */

void column_insn(struct line *l)
{
	unsigned form = (line_has(l, FIELD_BIT(INSN)) ? ADDRESS_INSN : 0) |
			(line_has(l, FIELD_BIT(INSNLEN)) ? ADDRESS_INSNLEN : 0) |
			(line_has(l, FIELD_BIT(DISASM)) ? ADDRESS_DISASM : 0);

	put_address(l, chain_space(l->item->context, l->item->cpumode), l->sample->ip, form);
}

/* ---- source ---- */

void put_source(struct line *l, uint32_t space, uint64_t ip, const char *before, const char *after)
{
	struct frames frames;
	struct addr_location a;
	const char *text;
	size_t len, from;

	if (!line_has(l, FIELD_BIT(SRCCODE)))
		return;
	machine_resolve(l->plan->address.machine, space, ip, &a);
	if (!a.dso)
		return;
	frames = addr_location_frames(&a);
	if (!frames.nr || !frames.v[0].file ||
	    !source_text_next(&l->sources, l->sample->tid, frames.v[0].file, frames.v[0].line, &text, &len))
		return;
	buf_printf(l->out, "%s|%-8u ", before, frames.v[0].line);
	from = l->out->len;
	buf_put(l->out, text, len);
	buf_escape_from(l->out, from, "\t");
	buf_puts(l->out, after);
}

/* The source line of the sample, on a line of its own, unless the thread's last sample had the same. */
void column_source(struct line *l)
{
	put_source(l, chain_space(l->item->context, l->item->cpumode), l->sample->ip, "\n", "");
}
