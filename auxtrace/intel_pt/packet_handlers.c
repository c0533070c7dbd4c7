/*
 * Handles each packet of an Intel PT trace. A TNT or TIP packet moves the decoder's position in the program's code (walk.c), and
 * a MODE packet changes the decoder's state. flow.c reads the packets. events.c handles event packets.
 */
#include "auxtrace/block.h"
#include "auxtrace/intel_pt/flow_impl.h"
#include "arch/x86/insn.h"
#include "core/arch.h"

static void branch(struct pt_flow *f, struct pt_branch b)
{
	if (f->config.sink->branch)
		f->config.sink->branch(f->config.ctx, &f->state, &b);
}

/* As place_ask_space(), and looks the superblock up again, because other code may be at the position now. */
static void ask_space(struct pt_flow *f)
{
	place_ask_space(f);
	place_set(f, f->state.ip);
}

/* --- State that packets set ------------------------------------------------- */

/* Applies the pending MODE.Exec packet. */
static void apply_mode(struct pt_flow *f)
{
	f->state.toggles = false;
	if (!f->next_mode)
		return;
	f->state.mode = f->next_mode;
	f->state.interrupts = f->next_interrupts;
	f->next_mode = 0;
	place_keep_state(f);
	place_set(f, f->state.ip);
}

static void on_mode(struct pt_flow *f, const struct pt_packet *p)
{
	f->next_mode = p->count;
	f->next_interrupts = p->flag;
	events_report(f, p, f->state.ip);
}

static void on_tsx(struct pt_flow *f, const struct pt_packet *p)
{
	if (f->in_psb)
		f->psb_tx = p->value & 1;
	else if (f->state.enabled)
		events_wait(f, p);
	else
		f->state.in_tx = p->value & 1;
	place_keep_state(f);
}

static void on_pip(struct pt_flow *f, const struct pt_packet *p)
{
	if (f->state.non_root != p->flag)
		pt_time_other_tsc(&f->state.time);
	f->state.cr3 = p->value << 5;
	f->state.non_root = p->flag;
	place_keep_state(f);
	events_report(f, p, f->state.ip);
}

static void on_vmcs(struct pt_flow *f, const struct pt_packet *p)
{
	place_keep_state(f);
	events_report(f, p, f->state.ip);
}

/* --- FUP: something happened at an address ---------------------------------- */

/* Moves the position to @ip, the address in a packet. Returns false if no path leads there. */
static bool leads_to(struct pt_flow *f, uint64_t ip)
{
	if (!f->state.ip || f->no_branches)
		return true;
	return !f->nr_bits && (walk_until(f, ip) || (f->config.errata & PT_BDM64 && events_abort(f)) || walk_lacks_code(f));
}

static void start_at(struct pt_flow *f, uint64_t ip)
{
	f->state.enabled = true;
	f->overflow = false;
	f->have_fup = false;
	place_set(f, ip);
	apply_mode(f);
	place_time(f);
}

/* Reports that tracing begins, or goes on after a loss. */
static void begin_at(struct pt_flow *f, uint64_t ip)
{
	branch(f, (struct pt_branch){ .to = ip, .kind = INSN_OTHER, .taken = true, .begin = true });
}

/* Notes that a packet has shown the position, though with @erratum the program may not be traced there. */
static void show(struct pt_flow *f, unsigned erratum)
{
	f->shown_ip = f->state.ip;
	f->shown_insns = f->state.insns;
	f->shown_by = erratum;
}

/*
 * Moves the position to the FUP's address, where the pending packets take effect (TSX, PTWRITE, power and event packets). A FUP
 * without pending packets is the first half of an asynchronous branch, which the next TIP or TIP.PGD completes.
 */
static void on_fup(struct pt_flow *f, uint64_t ip)
{
	uint64_t interrupt = 0;
	bool waited = f->nr_pending;

	if (f->in_psb) {
		f->psb_has_ip = true;
		f->psb_ip = ip;
		return;
	}
	if (f->have_fup || (!f->state.enabled && !waited && !f->lost.open && !f->no_branches)) {
		place_lose_sync(f, PT_GAP_ORDER);
		return;
	}
	f->fup_abort = false;
	if (f->overflow) {
		place_verified(f);
		start_at(f, ip);
		ask_space(f);	/* a packet that would show a new address space may have been lost */
		events_happen(f, ip);
		begin_at(f, ip);
		show(f, PT_APL12);
		return;
	}
	if (!f->state.enabled) {
		events_happen(f, ip);
		return;
	}
	if (f->config.errata & PT_NLIP && !f->no_branches)
		interrupt = walk_interrupt(f, ip);
	if (interrupt)
		ip = interrupt;
	if (interrupt || leads_to(f, ip))
		place_verified(f);
	else
		walk_contradict(f);
	place_set(f, ip);
	place_time(f);
	f->have_fup = events_happen(f, ip);
	f->fup_ip = ip;
	if (waited)
		return;
	if (f->next_mode) {
		place_toggle(f, ip, 0);
		apply_mode(f);
	} else {
		f->have_fup = true;
	}
}

/* --- TIP, TIP.PGE, TIP.PGD -------------------------------------------------- */

static void async_branch(struct pt_flow *f, uint64_t to, bool end)
{
	place_toggle(f, f->fup_ip, to);
	branch(f, (struct pt_branch){ .from = f->fup_ip, .to = to, .kind = INSN_OTHER, .taken = true, .async = true,
				      .abort = f->fup_abort, .in_tx = f->state.in_tx, .end = end });
	f->state.toggles = false;
	f->have_fup = false;
	f->fup_abort = false;
}

static void on_tip(struct pt_flow *f, uint64_t ip)
{
	if (f->have_fup) {
		place_time(f);
		async_branch(f, ip, false);
		place_set(f, ip);
	} else if (!f->state.enabled || f->no_branches) {
		place_verified(f);
		start_at(f, ip);
	} else {
		walk_tip(f, ip);
		apply_mode(f);
		return;
	}
	apply_mode(f);
	ask_space(f);
}

static void on_tip_pge(struct pt_flow *f, uint64_t ip)
{
	place_verified(f);
	start_at(f, ip);
	events_happen(f, ip);
	ask_space(f);
	begin_at(f, ip);
}

/* SKD022: true if the FUP has the address of a VM entry, which was executed. */
static bool fup_is_vm_entry(struct pt_flow *f)
{
	struct block *b;

	if (!(f->config.errata & PT_SKD022) || f->no_branches)
		return false;
	b = block_at(f->config.cache, f->state.space, f->fup_ip, f->state.mode);
	return b->nr_insn == 1 && b->kind == INSN_FAR_RET && b->detail == X86_VMENTRY;
}

static void on_tip_pgd(struct pt_flow *f, uint64_t ip)
{
	if (f->state.enabled) {
		place_time(f);
		if (f->have_fup && !fup_is_vm_entry(f))
			async_branch(f, ip, true);
		else if (f->nr_bits)
			place_lose_sync(f, PT_GAP_DESYNC);
		else if (f->state.ip && !f->no_branches)
			walk_end(f, ip);
	}
	if (f->sync_lost)
		return;
	f->state.enabled = false;
	f->have_fup = false;
	f->nr_bits = 0;
	f->next_mode = 0;
	place_set(f, 0);
	place_found(f);
	pt_time_pause(&f->state.time);
}

/*
 * True for packets that a valid trace does not have here: a second begin of tracing, branches while tracing is off, and any of
 * these packets inside a block (BBP).
 */
static bool is_out_of_place(const struct pt_flow *f, uint8_t type)
{
	if (!f->inconsistent && f->state.enabled)
		return type == PT_TIP_PGE && !f->lost.open;
	if (f->item_size)
		return true;
	if (f->no_branches || f->lost.open)
		return false;
	return type == PT_TIP_PGE ? f->state.enabled : type != PT_FUP && !f->state.enabled;
}

/*
 * True if a TIP.PGE shows that a program was not traced yet, though an earlier packet had shown its position: no instruction was
 * executed since. Without the erratum, both addresses must be the same.
 */
static bool begins_late(const struct pt_flow *f, const struct pt_packet *p)
{
	struct pt_ip last = f->last_ip;
	uint64_t ip;

	if (p->type != PT_TIP_PGE || !f->shown_ip || f->state.ip != f->shown_ip || f->state.insns != f->shown_insns ||
	    f->nr_bits || f->have_fup || f->in_psb || f->item_size)
		return false;
	return f->config.errata & f->shown_by || (pt_ip_update(&last, p, &ip) > 0 && ip == f->state.ip);
}

static void on_ip_packet(struct pt_flow *f, const struct pt_packet *p)
{
	uint64_t ip = 0;

	if (is_out_of_place(f, p->type) && !begins_late(f, p)) {
		place_lose_sync(f, PT_GAP_ORDER);
		return;
	}
	if (pt_ip_update(&f->last_ip, p, &ip) <= 0 && p->type != PT_TIP_PGD) {
		if (f->state.enabled && !f->in_psb)
			place_lose_sync(f, PT_GAP_NO_IP);
		return;
	}
	switch (p->type) {
	case PT_TIP: on_tip(f, ip); break;
	case PT_TIP_PGE: on_tip_pge(f, ip); break;
	case PT_TIP_PGD: on_tip_pgd(f, ip); break;
	case PT_FUP: on_fup(f, ip); break;
	}
}

/* Handles TNT bits while another packet is expected, or while the program is not traced. */
static void on_inconsistent_tnt(struct pt_flow *f)
{
	if (f->no_branches)
		return;
	if (f->nr_bits)
		place_lose_sync(f, PT_GAP_DESYNC);
	else if (f->have_fup || f->next_mode || f->item_size || (!f->state.enabled && !f->lost.open))
		place_lose_sync(f, PT_GAP_ORDER);
}

static void on_tnt(struct pt_flow *f, uint64_t bits, unsigned nr)
{
	if (!f->state.ip || f->nr_bits || f->inconsistent) {
		on_inconsistent_tnt(f);
		return;
	}
	f->bits = bits;
	f->nr_bits = nr;
	walk_tnt(f);
}

/* --- Synchronisation and loss ----------------------------------------------- */

static void on_psb(struct pt_flow *f)
{
	if (!f->no_branches && (f->have_fup || (f->next_mode && !f->in_psb)))
		place_gap(f, PT_GAP_ORDER, true);	/* the TIP of a FUP, or of a MODE, is missing */
	if (f->in_psb && !f->in_psb_lookahead)
		place_report_gap(f, PT_GAP_ORDER);
	f->in_psb = f->synced = true;
	f->deferred = false;
	f->absent_left = MAX_ABSENT;
	f->have_fup = false;
	f->psb_has_ip = false;
	f->psb_tx = false;
	f->last_ip = (struct pt_ip){ .known = true };
	f->item_size = 0;
	f->nr_pending = 0;
	f->next_mode = 0;
	pt_time_resync(&f->state.time);
}

/*
 * Moves the program, if its position is known, to the address of the PSB+. If no path leads there, the path before is wrong, or the
 * address is damaged. Then the PSB+ gives the position, as for a decoder that begins there, but later packets must agree with it.
 */
static void go_to_psb(struct pt_flow *f)
{
	bool ahead = f->in_psb_lookahead;

	f->in_psb_lookahead = false;	/* the path up to the PSB+ belongs to this piece, so it is reported */
	if (!f->state.enabled || f->overflow || leads_to(f, f->psb_ip)) {
		place_verified_by_psb(f);
	} else {
		place_gap(f, PT_GAP_DESYNC, true);
		f->psb_at = f->state.insns;
		place_mark_unverified(f, PT_GAP_DESYNC);
	}
	f->in_psb_lookahead = ahead;
	f->sync_lost = false;
}

/* Ends a PSB+: its packets take effect together. Its address is the position; without one, the program is not traced. */
static void on_psbend(struct pt_flow *f)
{
	f->in_psb = false;
	if (f->psb_has_ip) {
		go_to_psb(f);
	} else {
		f->state.enabled = false;
		place_set(f, 0);
		place_found(f);
	}
	place_forget(f);
	f->calls_lost = false;
	f->state.in_tx = f->psb_tx;
	if (f->psb_has_ip)
		start_at(f, f->psb_ip);
	else
		apply_mode(f);
	ask_space(f);
	f->crossed = 0;
	show(f, PT_BDM70);
	events_happen(f, f->state.ip);
	events_report(f, &(struct pt_packet){ .type = PT_PSBEND, .size = PSBEND_SIZE }, f->state.ip);
}

static void on_overflow(struct pt_flow *f)
{
	events_lose(f);
	if (!f->in_psb_lookahead)
		place_report_gap(f, PT_GAP_OVERFLOW);
	f->in_psb = false;
	f->synced = true;
	f->overflow = true;
	f->state.enabled = false;
	f->have_fup = false;
	f->nr_pending = 0;
	f->next_mode = 0;
	f->item_size = 0;
	place_forget(f);
	f->calls_lost = true;
	place_set(f, 0);
	pt_time_overflow(&f->state.time);
}

/* Another thread may have changed the code, so asks for the space again. It is used from the next address in a packet on. */
static void renew_space(struct pt_flow *f)
{
	place_time(f);
	place_ask_space(f);
}

static void on_time(struct pt_flow *f, const struct pt_packet *p)
{
	if (p->type == PT_TSC && pt_time_is_back(&f->state.time, p->value))
		place_report_unverified(f, PT_GAP_TIME);
	pt_time_packet(&f->state.time, p);
	if (p->type == PT_TSC && f->state.enabled && !f->in_psb)
		renew_space(f);
	if (p->type == PT_CYC)
		place_keep_state(f);
	if (p->type == PT_CBR)
		events_report(f, p, f->state.ip);
}

/* True if @type may be part of a PSB+. */
static bool in_psb_plus(uint8_t type)
{
	switch (type) {
	case PT_PAD: case PT_TSC: case PT_TMA: case PT_MTC: case PT_CYC: case PT_CBR: case PT_MODE_EXEC: case PT_MODE_TSX:
	case PT_PIP: case PT_VMCS: case PT_FUP: case PT_MNT: case PT_PSBEND: case PT_OVF: case PT_PSB:
		return true;
	default:
		return false;
	}
}

/* Handles a packet that was not configured: it is damaged. If there are many between two PSBs, AUXTRACE_INFO may be wrong. */
static void on_absent(struct pt_flow *f)
{
	if (f->absent_left) {
		f->absent_left--;
		place_report_unverified(f, PT_GAP_ORDER);
	}
}

void flow_on_packet(struct pt_flow *f, const struct pt_packet *p)
{
	if (f->in_psb ? !in_psb_plus(p->type) : p->type == PT_PSBEND) {
		place_lose_sync(f, PT_GAP_ORDER);
		return;
	}
	if (f->config.absent >> p->type & 1)
		on_absent(f);
	switch (p->type) {
	case PT_PAD: break;
	case PT_TNT: on_tnt(f, p->value, p->count); break;
	case PT_TIP: case PT_TIP_PGE: case PT_TIP_PGD: case PT_FUP: on_ip_packet(f, p); break;
	case PT_TSC: case PT_TMA: case PT_MTC: case PT_CYC: case PT_CBR: on_time(f, p); break;
	case PT_MODE_EXEC: on_mode(f, p); break;
	case PT_MODE_TSX: on_tsx(f, p); break;
	case PT_PIP: on_pip(f, p); break;
	case PT_VMCS: on_vmcs(f, p); break;
	case PT_OVF: on_overflow(f); break;
	case PT_PSB: on_psb(f); break;
	case PT_PSBEND: on_psbend(f); break;
	case PT_PTW: events_ptwrite(f, p); break;
	case PT_BBP: events_block(f, p); break;
	case PT_BEP:
		f->item_size = 0;
		events_notice(f, p);
		break;
	default: events_notice(f, p); break;
	}
}
