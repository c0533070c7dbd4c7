/*
 * What packets mean. TNT, TIP and TIP.PGD move the place through the code at once; a FUP moves it up to its
 * address, and what waited for a FUP (TSX, PTWRITE, power and event packets) happens there; a FUP that nothing
 * waited for is the first half of an asynchronous branch, which the next TIP or TIP.PGD completes.
 * The packets of a PSB+ are gathered and take effect together.
 * Layer: auxtrace
 */
#include "auxtrace/intel_pt/flow.h"

#include <errno.h>

#include "auxtrace/block.h"
#include "auxtrace/intel_pt/flow_impl.h"
#include "arch/x86/insn.h"
#include "core/arch.h"

static const char *const gap_texts[] = {
	[PT_GAP_OVERFLOW] = "trace buffer overflow in hardware",
	[PT_GAP_PACKET] = "unknown packet",
	[PT_GAP_TRUNCATED] = "trace ends inside a packet",
	[PT_GAP_NO_CODE] = "no code at this address",
	[PT_GAP_BAD_INSN] = "no instruction at this address",
	[PT_GAP_NO_IP] = "packet without an address",
	[PT_GAP_DESYNC] = "trace does not fit the code",
	[PT_GAP_LOOP] = "endless loop in the code",
	[PT_GAP_RETURN] = "compressed return without a call",
	[PT_GAP_ORDER] = "packet out of place",
};

const char *pt_gap_text(enum pt_gap_reason reason)
{
	return gap_texts[reason];
}

/* --- Telling the sink ------------------------------------------------------- */

static void report_gap(struct pt_flow *f, enum pt_gap_reason reason)
{
	struct pt_gap gap = { .reason = reason, .ip = f->state.ip, .offset = f->state.offset };

	f->trial.gap = reason + 1;
	if (!f->lost.open) {
		f->lost.open = true;
		f->lost.reason = reason;
		f->lost.since = f->state.time.tsc;
	}
	if (f->path.on)
		path_add_event(&f->path, PATH_GAP, &f->state, &gap, false);
	else if (f->config.sink->gap && !f->path.given_up)
		f->config.sink->gap(f->config.ctx, &f->state, &gap);
}

void flow_found(struct pt_flow *f)
{
	if (f->lost.open && f->lost.since)
		f->lost.ticks[f->lost.reason] += f->state.time.tsc - f->lost.since;
	f->lost.open = false;
}

void flow_new_time(struct pt_flow *f, bool by_branch)
{
	f->state.tsc = f->state.time.tsc;
	f->state.timed_insns = f->state.insns;
	if (f->path.on)
		path_add_event(&f->path, PATH_STATE, &f->state, NULL, by_branch);
}

void flow_gap(struct pt_flow *f, enum pt_gap_reason reason)
{
	report_gap(f, reason);
	walk_to(f, 0);
	walk_forget(f);
}

void flow_doubt(struct pt_flow *f, enum pt_gap_reason reason)
{
	if (!f->ahead)
		report_gap(f, reason);
	walk_to(f, 0);
	walk_forget(f);
	f->doubt = true;
	f->doubt_psb = f->in_psb && f->psb_has_ip;
	f->in_psb = f->overflow = f->have_fup = f->fup_abort = false;
	f->nr_pending = 0;
	f->next_mode = 0;
	f->item_size = 0;
}

void flow_ask_space(struct pt_flow *f)
{
	if (!f->config.sink->space)
		return;
	f->state.space = f->config.sink->space(f->config.ctx, &f->state);
	if (f->path.on)
		path_add_event(&f->path, PATH_SPACE, &f->state, NULL, false);
}

static void branch(struct pt_flow *f, struct pt_branch b)
{
	if (f->config.sink->branch)
		f->config.sink->branch(f->config.ctx, &f->state, &b);
}

/* As flow_ask_space(); the code at the place may be another one now. */
static void ask_space(struct pt_flow *f)
{
	flow_ask_space(f);
	walk_to(f, f->state.ip);
}

/* --- State that packets set ------------------------------------------------- */

void flow_toggle(struct pt_flow *f, uint64_t from, uint64_t to)
{
	f->state.toggles = f->next_mode && f->next_interrupts != f->state.interrupts;
	if (f->state.toggles && f->config.sink->interrupts && !f->ahead)
		f->config.sink->interrupts(f->config.ctx, &f->state, from, to);
}

/* The MODE.Exec that waited takes effect. */
static void apply_mode(struct pt_flow *f)
{
	f->state.toggles = false;
	if (!f->next_mode)
		return;
	f->state.mode = f->next_mode;
	f->state.interrupts = f->next_interrupts;
	f->next_mode = 0;
	flow_keep_state(f);
	walk_to(f, f->state.ip);
}

static void on_mode(struct pt_flow *f, const struct pt_packet *p)
{
	f->next_mode = p->count;
	f->next_interrupts = p->flag;
	events_tell(f, p, f->state.ip);
}

static void on_tsx(struct pt_flow *f, const struct pt_packet *p)
{
	if (f->in_psb)
		f->psb_tx = p->value & 1;
	else if (f->state.enabled)
		events_wait(f, p);
	else
		f->state.in_tx = p->value & 1;
	flow_keep_state(f);
}

static void on_pip(struct pt_flow *f, const struct pt_packet *p)
{
	f->pip_ip = f->state.ip;
	f->pip_insns = f->state.insns;
	f->state.cr3 = p->value << 5;
	f->state.non_root = p->flag;
	flow_keep_state(f);
	events_tell(f, p, f->state.ip);
}

static void on_vmcs(struct pt_flow *f, const struct pt_packet *p)
{
	f->state.vmcs = p->value << 12;
	flow_keep_state(f);
	events_tell(f, p, f->state.ip);
}

/* --- FUP: something happened at an address ---------------------------------- */

/* Does the program, which a packet says is at @ip, get there? It is moved there; else a gap is told, and the place lost. */
static bool gets_to(struct pt_flow *f, uint64_t ip)
{
	if (!f->state.ip || f->no_branches)
		return true;
	if (!f->nr_bits && (walk_until(f, ip) || (f->config.errata & PT_BDM64 && events_abort(f)) || walk_lacks_code(f)))
		return true;
	walk_doubt(f);
	return false;
}

static void start_at(struct pt_flow *f, uint64_t ip)
{
	f->state.enabled = true;
	f->overflow = false;
	f->have_fup = false;
	walk_to(f, ip);
	apply_mode(f);
	flow_time(f);
}

/* Tracing begins, or goes on after what was lost. */
static void begin_at(struct pt_flow *f, uint64_t ip)
{
	branch(f, (struct pt_branch){ .to = ip, .kind = INSN_OTHER, .taken = true, .begin = true });
}

static void on_fup(struct pt_flow *f, uint64_t ip)
{
	bool waited = f->nr_pending;

	if (f->in_psb) {
		f->psb_has_ip = true;
		f->psb_ip = ip;
		return;
	}
	if (f->have_fup || (!f->state.enabled && !waited && !f->lost.open && !f->no_branches)) {
		flow_doubt(f, PT_GAP_ORDER);
		return;
	}
	f->fup_abort = false;
	if (f->overflow) {
		start_at(f, ip);
		ask_space(f);	/* what said that it changed may be among what was lost, or never was asked for in a PSB+ */
		events_happen(f, ip);
		begin_at(f, ip);
		return;
	}
	if (!f->state.enabled) {
		events_happen(f, ip);
		return;
	}
	if (!gets_to(f, ip))
		return;
	walk_to(f, ip);
	flow_time(f);
	f->have_fup = events_happen(f, ip);
	f->fup_ip = ip;
	if (waited)
		return;
	if (f->next_mode) {
		flow_toggle(f, ip, 0);
		apply_mode(f);
	} else {
		f->have_fup = true;
	}
}

/* --- TIP, TIP.PGE, TIP.PGD -------------------------------------------------- */

static void async_branch(struct pt_flow *f, uint64_t to, bool end)
{
	flow_toggle(f, f->fup_ip, to);
	branch(f, (struct pt_branch){ .from = f->fup_ip, .to = to, .kind = INSN_OTHER, .taken = true, .async = true,
				      .abort = f->fup_abort, .in_tx = f->state.in_tx, .end = end });
	f->state.toggles = false;
	f->have_fup = false;
	f->fup_abort = false;
}

static void on_tip(struct pt_flow *f, uint64_t ip)
{
	if (f->have_fup) {
		flow_time(f);
		async_branch(f, ip, false);
		walk_to(f, ip);
	} else if (!f->state.enabled || f->no_branches) {
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
	start_at(f, ip);
	events_happen(f, ip);
	ask_space(f);
	begin_at(f, ip);
}

/* SKD022: the FUP has the address of the VM entry, which did execute. */
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
		flow_time(f);
		if (f->have_fup && !fup_is_vm_entry(f))
			async_branch(f, ip, true);
		else if (f->state.ip && !f->no_branches)
			walk_end(f, ip);
	}
	f->state.enabled = false;
	f->have_fup = false;
	f->nr_bits = 0;
	f->next_mode = 0;
	walk_to(f, 0);
	flow_found(f);
	pt_time_pause(&f->state.time);
}

/* What a valid trace has nowhere: a second beginning, and branches while tracing is off. */
static bool is_out_of_place(const struct pt_flow *f, uint8_t type)
{
	if (f->no_branches || f->lost.open)
		return false;
	return type == PT_TIP_PGE ? f->state.enabled : type != PT_FUP && !f->state.enabled;
}

static void on_ip_packet(struct pt_flow *f, const struct pt_packet *p)
{
	uint64_t ip = 0;

	if (is_out_of_place(f, p->type)) {
		flow_doubt(f, PT_GAP_ORDER);
		return;
	}
	if (pt_ip_update(&f->last_ip, p, &ip) <= 0 && p->type != PT_TIP_PGD) {
		if (f->state.enabled && !f->in_psb)
			flow_doubt(f, PT_GAP_NO_IP);
		return;
	}
	switch (p->type) {
	case PT_TIP: on_tip(f, ip); break;
	case PT_TIP_PGE: on_tip_pge(f, ip); break;
	case PT_TIP_PGD: on_tip_pgd(f, ip); break;
	case PT_FUP: on_fup(f, ip); break;
	}
}

/* Bits that are not simply the next ones. */
static void odd_tnt(struct pt_flow *f)
{
	if (f->no_branches)
		return;
	if (f->nr_bits)
		flow_doubt(f, PT_GAP_DESYNC);
	else if (f->have_fup || f->next_mode || (!f->state.enabled && !f->lost.open))
		flow_doubt(f, PT_GAP_ORDER);
}

static void on_tnt(struct pt_flow *f, uint64_t bits, unsigned nr)
{
	if (!f->state.ip || f->nr_bits || f->odd) {
		odd_tnt(f);
		return;
	}
	f->bits = bits;
	f->nr_bits = nr;
	walk_tnt(f);
}

/* --- Synchronisation and loss ----------------------------------------------- */

static void on_psb(struct pt_flow *f)
{
	if (f->in_psb && !f->ahead)
		report_gap(f, PT_GAP_ORDER);
	f->in_psb = f->synced = true;
	f->deferred = false;
	f->trials_left = MAX_TRIALS;
	f->psb_has_ip = false;
	f->psb_tx = false;
	f->last_ip = (struct pt_ip){ .known = true };
	f->item_size = 0;
	f->nr_pending = 0;
	f->next_mode = 0;
	pt_time_resync(&f->state.time);
}

/* The PSB+ is complete: the program is at its address, or not traced. */
static void end_psb(struct pt_flow *f, const struct pt_packet *p)
{
	f->in_psb = false;
	if (!f->psb_has_ip) {
		f->state.enabled = false;
		walk_to(f, 0);
		flow_found(f);
	} else if (f->state.enabled && !f->overflow) {
		gets_to(f, f->psb_ip);
		f->doubt = false;
	}
	walk_forget(f);
	f->state.in_tx = f->psb_tx;
	if (f->psb_has_ip)
		start_at(f, f->psb_ip);
	else
		apply_mode(f);
	ask_space(f);
	f->sure_ip = f->state.ip;
	f->sure_insns = f->state.insns;
	events_happen(f, f->state.ip);
	events_tell(f, p, f->state.ip);
}

static void on_overflow(struct pt_flow *f)
{
	events_lose(f);
	if (!f->ahead)
		report_gap(f, PT_GAP_OVERFLOW);
	f->in_psb = false;
	f->synced = true;
	f->overflow = true;
	f->state.enabled = false;
	f->have_fup = false;
	f->nr_pending = 0;
	f->next_mode = 0;
	f->item_size = 0;
	walk_forget(f);
	walk_to(f, 0);
	pt_time_overflow(&f->state.time);
}

static void on_time(struct pt_flow *f, const struct pt_packet *p)
{
	pt_time_packet(&f->state.time, p);
	if (p->type == PT_CYC)
		flow_keep_state(f);
	if (p->type == PT_CBR)
		events_tell(f, p, f->state.ip);
}

/* May @type be part of a PSB+? */
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

void flow_take(struct pt_flow *f, const struct pt_packet *p)
{
	if (f->in_psb ? !in_psb_plus(p->type) : p->type == PT_PSBEND) {
		flow_doubt(f, PT_GAP_ORDER);
		return;
	}
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
	case PT_PSBEND: end_psb(f, p); break;
	case PT_PTW: events_ptwrite(f, p); break;
	case PT_BBP: events_block(f, p); break;
	case PT_BEP:
		f->item_size = 0;
		events_notice(f, p);
		break;
	default: events_notice(f, p); break;
	}
}

/* --- The stream ------------------------------------------------------------- */

/* SKD007: a CYC of two bytes took the first byte of the OVF after it. */
static bool cyc_hides_overflow(const struct pt_flow *f, const struct pt_packet *p, const uint8_t *data, size_t left)
{
	return f->config.errata & PT_SKD007 && p->type == PT_CYC && p->size == 2 && left > 2 && data[1] == 0x02 &&
	       data[2] == 0xf3;
}

/* Does a PSB begin inside the packet of @n bytes at @at, or within the PSB that it is? Then the packet is none. */
static bool hides_psb(const uint8_t *data, size_t size, size_t at, size_t n)
{
	size_t behind = at + n;

	if (size - behind < 2 || (data[behind] ^ data[behind + 1]) != (0x02 ^ 0x82))
		return false;
	return pt_find_psb(data, MIN(size, behind + PT_PSB_SIZE - 1), at + 1) < behind;
}

/* Take the packet at @at, if it is one. Returns the offset of the next. */
static size_t step(struct pt_flow *f, const uint8_t *data, size_t size, size_t at)
{
	struct pt_packet p;
	int n = pt_packet_read(&p, data + at, size - at, f->item_size);

	if (n < 0 || hides_psb(data, size, at, (size_t)n)) {
		flow_doubt(f, n == -ERANGE ? PT_GAP_TRUNCATED : PT_GAP_PACKET);
		return at;
	}
	if (cyc_hides_overflow(f, &p, data + at, size - at)) {
		p.value &= 0x1f;
		n = 1;
	}
	flow_take(f, &p);
	return at + n;
}

/* Read the PSB+ at @at, if there is one, only for the address that it leads to. */
static void look_ahead(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, uint64_t base)
{
	if (pt_find_psb(data, MIN(size, at + PT_PSB_SIZE), at) != at)
		return;
	f->ahead = true;
	do {
		f->state.offset = base + at;
		at = step(f, data, size, at);
	} while (f->in_psb && at < size);
	f->doubt = false;
	f->ahead = false;
}

size_t pt_flow_advance(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base)
{
	size_t at = from, next;

	if (!f->synced)
		at = pt_find_psb(data, size, at);
	while (at < to || (f->in_psb && at < size)) {
		uint8_t b = data[at];

		f->state.offset = base + at;
		if (!(b & 1) && b > 2 && f->state.ip && !f->nr_bits && !f->odd) {
			f->nr_bits = 30 - (unsigned)__builtin_clz(b);	/* below the stop bit, above bit 0 */
			f->bits = (uint64_t)b << (63 - f->nr_bits);
			walk_tnt(f);
			at++;
		} else if (f->doubt) {
			at = flow_search(f, data, size, at, base);
		} else {
			next = step(f, data, size, at);
			at = f->doubt ? at : next;
		}
	}
	return at;
}

void pt_flow_decode(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base)
{
	size_t at = pt_flow_advance(f, data, size, from, to, base);

	if (to < size && at == to && f->synced)
		look_ahead(f, data, size, to, base);
}

/* --- Life ------------------------------------------------------------------- */

struct pt_flow *pt_flow_new(const struct pt_flow_config *config)
{
	struct pt_flow *f = xcalloc(1, sizeof(*f));

	f->config = *config;
	f->detailed = config->sink->block || config->sink->branch;
	f->next_sample = config->period && config->sink->sample ? config->period : UINT64_MAX;
	path_init(&f->path);
	pt_flow_reset(f);
	return f;
}

void pt_flow_free(struct pt_flow *f)
{
	if (!f)
		return;
	superblock_pool_release(&f->sbs);
	path_release(&f->path);
	free(f);
}

void pt_flow_reset(struct pt_flow *f)
{
	uint64_t insns = f->state.insns;

	f->lost = (struct pt_lost){0};
	f->state = (struct pt_state){ .insns = insns, .timed_insns = insns, .mode = 64, .interrupts = true };
	pt_time_init(&f->state.time, &f->config.time);
	f->sb = NULL;
	path_end(&f->path);
	f->path.given_up = false;
	f->stop = f->detailed ? 0 : f->next_sample;
	walk_forget(f);
	f->last_ip = (struct pt_ip){ 0 };
	f->nr_pending = 0;
	f->search_data = NULL;
	f->odd = 0;
	f->no_branches = f->config.no_branches;
	f->fup_abort = f->overflow = f->synced = f->doubt = false;
}

void pt_flow_sample_at(struct pt_flow *f, uint64_t insns)
{
	if (!f->config.period || !f->config.sink->sample)
		return;
	f->next_sample = insns;
	f->stop = f->detailed ? 0 : insns;
}

void pt_flow_sample_later(struct pt_flow *f)
{
	const struct pt_sink *sink = f->config.sink;

	if (!f->config.period || !sink->sample || sink->event || f->detailed)
		return;
	path_begin(&f->path, &f->state);
	f->next_sample = UINT64_MAX;
	f->stop = f->state.insns;
}

bool pt_flow_sample_now(struct pt_flow *f, uint64_t insns)
{
	path_end(&f->path);
	if (f->path.given_up)
		return false;
	insns = path_replay(&(struct path_replay){ .path = &f->path, .cache = f->config.cache, .sink = f->config.sink,
						   .ctx = f->config.ctx, .first = insns, .period = f->config.period });
	pt_flow_sample_at(f, insns);
	return true;
}

const struct pt_lost *pt_flow_lost(const struct pt_flow *f)
{
	return &f->lost;
}

const struct pt_state *pt_flow_state(const struct pt_flow *f)
{
	return &f->state;
}
