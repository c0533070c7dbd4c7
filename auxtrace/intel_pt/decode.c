/*
 * Opens an Intel PT trace for decoding: reads AUXTRACE_INFO, adds the events of the decoded samples, and lets split.c cut the
 * trace into parts for the worker threads. After decoding, reports the losses in the trace.
 */
#include "auxtrace/intel_pt/stage.h"

#include <string.h>

#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/synth.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/read/session.h"

#define DUMP_AT_ONCE	(1u << 20)	/* bytes of text */

#define CONFIG_PT	(1u << 0)	/* term "pt": config has the bits of IA32_RTIT_CTL, so BranchEn is valid */
#define CONFIG_POWER	(1u << 4)
#define CONFIG_PTW	(1u << 12)
#define CONFIG_BRANCH	(1u << 13)
#define CONFIG_EVENT	(1u << 31)

/* ---- options ---- */

static void choose_period(struct pt_stage *s)
{
	const struct itrace_opts *o = &s->aux.opts;

	if (!o->period || o->unit == ITRACE_INSTRUCTIONS)
		s->period = MAX(o->period, 1);
	else if (s->aux.timeless)
		s->period = 1;
	else
		s->ticks = MAX(o->unit == ITRACE_NS ? pt_info_ticks(&s->info, o->period) : o->period, 1);
	if (s->ticks)
		s->ticks = 1ull << (63 - __builtin_clzll(s->ticks));	/* as perf: the next lower power of two */
}

static void choose_branches(struct pt_stage *s)
{
	if (s->aux.opts.calls)
		s->branches_shown |= SYNTH_CALL | SYNTH_ASYNC | SYNTH_END;
	if (s->aux.opts.returns)
		s->branches_shown |= SYNTH_RETURN | SYNTH_BEGIN;
}

static void add_notice(struct pt_stage *s, const struct synth_base *base, enum synth_config what, const char *name)
{
	s->packet_events[what] = synth_named(s->aux.session, base, SYNTH_TYPE, what, PERF_SAMPLE_RAW, name);
}

static void add_event_samples(struct pt_stage *s, const struct synth_base *base)
{
	if (s->aux.opts.ptwrites)
		add_notice(s, base, SYNTH_PTWRITE, "ptwrite");
	if (s->aux.opts.interrupts && base->origin->attr.config & CONFIG_EVENT)
		add_notice(s, base, SYNTH_EVT, "evt");
	if (s->aux.opts.interrupts && s->info.event_trace)
		add_notice(s, base, SYNTH_IFLAG, "iflag");
	if (!s->aux.opts.power)
		return;
	add_notice(s, base, SYNTH_CBR, "cbr");
	add_notice(s, base, SYNTH_PSB, "psb");
	if (!(base->origin->attr.config & CONFIG_POWER))
		return;
	add_notice(s, base, SYNTH_MWAIT, "mwait");
	add_notice(s, base, SYNTH_PWRE, "pwre");
	add_notice(s, base, SYNTH_EXSTOP, "exstop");
	add_notice(s, base, SYNTH_PWRX, "pwrx");
}

static void add_events(struct pt_stage *s, const struct event *origin)
{
	struct synth_base base = { .origin = origin, .timeless = s->aux.timeless, .per_cpu = s->info.per_cpu,
				   .chains = s->aux.opts.chain, .last_branches = s->aux.opts.last_branch,
				   .targets = s->aux.opts.targets };

	if (s->aux.opts.branches)
		s->branches = synth_branches(s->aux.session, &base);
	if (s->aux.opts.instructions)
		s->instructions = synth_counter(s->aux.session, &base, PERF_COUNT_HW_INSTRUCTIONS, s->ticks ? s->ticks : s->period);
	if (s->aux.opts.cycles)
		s->cycles = synth_counter(s->aux.session, &base, PERF_COUNT_HW_CPU_CYCLES, s->ticks ? s->ticks : s->period);
	if (s->aux.opts.transactions)
		s->transactions = synth_named(s->aux.session, &base, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0,
					      "transactions");
	add_event_samples(s, &base);
	if (s->info.time_known && s->info.max_nonturbo_ratio)
		s->khz_a_ratio = (uint32_t)(pt_info_ticks(&s->info, 1000000000) / s->info.max_nonturbo_ratio / 1000);
}

/* ---- opening ---- */

static bool is_timeless(const struct pt_stage *s, const struct event *origin)
{
	return s->aux.opts.timeless || session_is_timeless(s->aux.session) || !s->info.time_known || !s->info.tsc_bit ||
	       !(origin->attr.config & s->info.tsc_bit) || !(origin->attr.sample_type & PERF_SAMPLE_TIME);
}

/*
 * Returns the packets that the event's config did not switch on (SDM vol. 3, IA32_RTIT_CTL: CYCEn, MTCEn, PTWEn, PwrEvtEn, EventEn,
 * ADDRn_CFG), as far as AUXTRACE_INFO gives the bits of config.
 */
static uint64_t absent_packets(const struct pt_stage *s, const struct event *origin)
{
	const struct pt_info *info = &s->info;
	uint64_t config = origin->attr.config, absent = s->filters.stops ? 0 : 1ull << PT_STOP;

	if (info->cyc_bit && !(config & info->cyc_bit))
		absent |= 1ull << PT_CYC;
	if (info->mtc_bit && !(config & info->mtc_bit))
		absent |= 1ull << PT_MTC | 1ull << PT_TMA;
	if (!(config & CONFIG_PT))	/* an old kernel's config, which has none of the bits below */
		return absent;
	if (!(config & CONFIG_PTW))
		absent |= 1ull << PT_PTW;
	if (!(config & CONFIG_POWER))
		absent |= 1ull << PT_MWAIT | 1ull << PT_PWRE | 1ull << PT_PWRX | 1ull << PT_EXSTOP;
	if (info->event_trace && !(config & CONFIG_EVENT))
		absent |= 1ull << PT_CFE | 1ull << PT_EVD;
	return absent;
}

static void configure_flow(struct pt_stage *s, const struct event *origin)
{
	const struct features *features = session_features(s->aux.session);
	uint64_t config = origin->attr.config, freq = s->info.mtc_freq_bits;

	s->flow = (struct pt_flow_config){
		.time = { .tsc_ctc_num = s->info.tsc_ctc_num, .tsc_ctc_den = s->info.tsc_ctc_den,
			  .mtc_shift = freq ? (config & freq) >> __builtin_ctzll(freq) & 0xf : 0,
			  .max_nonturbo_ratio = s->info.max_nonturbo_ratio },
		.errata = features->cpuid ? pt_errata_find(features->cpuid) : 0,
		.no_branches = config & CONFIG_PT && !(config & CONFIG_BRANCH),
		.no_ret_comp = s->info.noretcomp_bit && config & s->info.noretcomp_bit,
		.absent = absent_packets(s, origin),
	};
}

static void pt_close(struct item_source *source)
{
	struct pt_stage *s = (struct pt_stage *)source;

	pt_filters_release(&s->filters);
	augmented_samples_release(&s->augmented);
	pebs_events_release(&s->pebs);
	session_set_augmenter(s->aux.session, NULL);
	vec_free(&s->carry);
	vec_free(&s->pieces);
	aux_stage_free(&s->aux);
}

static void follow_threads(struct pt_stage *s, const struct event *origin)
{
	const struct itrace_opts *o = &s->aux.opts;

	s->aux.stack.calls = o->chain || o->depth || o->add_chain;
	s->aux.stack.branches = o->last_branch || o->add_last_branch ? o->last_branch_depth + pt_late_branches(s, origin) : 0;
	s->aux.follow = s->aux.stack.calls || s->aux.stack.branches;
}

static void prepare(struct pt_stage *s, const struct event *origin, const struct aux_window *window)
{
	s->aux.timeless = is_timeless(s, origin);
	choose_period(s);
	choose_branches(s);
	if (s->info.filter)
		pt_filters_parse(&s->filters, s->info.filter, s->info.filter_size);
	configure_flow(s, origin);
	aux_queues_gather(&s->aux.queues, s->aux.session, s->info.snapshot);
	if (s->aux.opts.others)
		s->aux.queues.damaged += pebs_events_gather(&s->pebs, s->aux.session, &s->aux.queues);
	if (s->aux.opts.add_chain || s->aux.opts.add_last_branch)
		augmented_samples_gather(&s->augmented, &s->aux);
	add_events(s, origin);
	cpu_tasks_gather(&s->aux.tasks, s->aux.session);
	pt_split_queues(s);
	s->sums = (s->instructions || s->cycles) && s->period > 1 && !s->aux.opts.quick;
	s->carries = s->cycles || s->aux.opts.ipc;
	s->hold = s->carries || s->aux.opts.flags || s->aux.opts.depth || s->aux.opts.targets;
	vec_for(q, &s->aux.queues.list)
		vec_push(&s->carry, (struct pt_carry){0});
	follow_threads(s, origin);
	pt_choose_pieces(s, window);
	pt_choose_order(s);
	pt_ask_trace(s);
	if (s->aux.opts.skip)
		pt_choose_skipped(s);
}

static int pt_open(struct aux_stage *stage, const struct words *info, const struct aux_window *window)
{
	struct pt_stage *s = (struct pt_stage *)stage;
	const char *path = session_file(stage->session)->path;
	const struct event *origin;

	if (pt_info_read(&s->info, info))
		return error("'%s': its description of the Intel PT trace is damaged", path);
	origin = synth_origin(stage->session, s->info.pmu_type);
	if (!origin)
		return error("'%s' has no event that its Intel PT trace belongs to", path);
	prepare(s, origin, window);
	return stage->opts.debug ? pt_log(s) : 0;
}

/* ---- at the end ---- */

static void pt_findings(const struct item_source *source, struct findings *out)
{
	const struct pt_stage *s = (const struct pt_stage *)source;
	uint64_t lost = 0;

	pt_losses_findings(s, out);
	vec_for(q, &s->aux.queues.list)
		vec_for(segment, &q->segments)
			lost += segment->lost;
	aux_queues_findings(&s->aux.queues, lost, out);
}

static size_t pt_dump_trace(struct buf *out, const uint8_t *data, size_t size, size_t at)
{
	return pt_dump(out, data, size, at, DUMP_AT_ONCE);
}

const struct aux_decode_ops intel_pt_decode = {
	.stage_size = sizeof(struct pt_stage), .arch = &arch_x86_64, .open = pt_open,
	.source = { .worker_new = pt_sampler_new, .worker_free = pt_sampler_free, .decode = pt_sampler_decode,
		    .findings = pt_findings, .close = pt_close },
	.dump = pt_dump_trace, .dump_info = pt_info_print,
};
