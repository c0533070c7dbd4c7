/*
 * Opens a CoreSight trace for decoding: reads AUXTRACE_INFO, adds the events of the decoded samples, and lets units.c cut the
 * trace into parts. Worker threads decode the parts with sampler.c.
 */
#include "auxtrace/cs_etm/stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "auxtrace/synth.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/read/session.h"

/* ---- the clock ---- */

static void find_clock(struct cs_stage *s)
{
	bool is_virtual = s->info.cpus.nr;

	/* TIME_CONV is for the virtual counter. --itrace=T: timestamps are of it, although the recording does not say so. */
	vec_for(cpu, &s->info.cpus)
		is_virtual = is_virtual && (cpu->virtual_time || s->aux.opts.vm_time);
	if (is_virtual)
		s->clock = aux_clock_read(s->aux.session);
}

/* ---- options ---- */

/* Letters for other devices have no effect, as in perf; warn only about letters that a user may count on. */
static void warn_ignored(const struct itrace_opts *o)
{
	const struct { bool wanted; const char *letter, *what; } rows[] = {
		{ o->add_chain, "G", "other events get no call chains" },
		{ o->add_last_branch, "L", "other events get no branches" },
		{ o->skip, "s", "no samples are left out" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (o->given && rows[i].wanted)
			warning("--itrace: %s of CoreSight changes nothing: %s", rows[i].letter, rows[i].what);
}

/* As in perf, without c or r in --itrace all branches are shown. */
static void choose_branches(struct cs_stage *s)
{
	if (!s->aux.opts.given)
		return;
	if (s->aux.opts.calls)
		s->branches_shown |= SYNTH_CALL | SYNTH_ASYNC | SYNTH_BEGIN | SYNTH_END;
	if (s->aux.opts.returns)
		s->branches_shown |= SYNTH_RETURN | SYNTH_BEGIN | SYNTH_END;
}

static void add_events(struct cs_stage *s, const struct event *origin)
{
	struct synth_base base = {
		.origin = origin, .timeless = s->aux.timeless, .per_cpu = origin->attr.sample_type & PERF_SAMPLE_CPU,
		.chains = s->aux.opts.chain, .last_branches = s->aux.opts.last_branch,
	};

	if (s->aux.opts.branches)
		s->branches = synth_branches(s->aux.session, &base);
	if (s->aux.opts.instructions)
		s->instructions = synth_counter(s->aux.session, &base, PERF_COUNT_HW_INSTRUCTIONS, s->period);
}

/* ---- opening ---- */

static void cs_close(struct item_source *source)
{
	struct cs_stage *s = (struct cs_stage *)source;

	cs_info_release(&s->info);
	cs_chunks_release(s);
	vec_free(&s->pieces);
	aux_stage_free(&s->aux);
}

static void set_options(struct cs_stage *s)
{
	warn_ignored(&s->aux.opts);
	/* Without --itrace all commands show branches, without call chains. */
	if (!s->aux.opts.given) {
		s->aux.opts.branches = true;
		s->aux.opts.chain = false;
	}
	/* As in perf, a period in any unit counts instructions. */
	s->period = MAX(s->aux.opts.period, 1);
}

static void follow_threads(struct cs_stage *s)
{
	const struct itrace_opts *o = &s->aux.opts;

	s->aux.stack.calls = o->chain;
	s->aux.stack.branches = o->last_branch ? o->last_branch_depth : 0;
	s->aux.stack.unbroken = true;
	s->aux.follow = s->aux.stack.calls || s->aux.stack.branches;
	s->gives_rest = s->aux.stack.branches && s->instructions && s->period > 1;
}

/* The instructions of a period are counted across pieces. */
static void choose_order(struct cs_stage *s)
{
	static const struct aux_prescan_ops ops = {
		.worker_new = cs_sampler_new_prescan, .decode = cs_sampler_prescan, .follow = cs_span_follow,
	};

	aux_stage_order(&s->aux, &ops, s->aux.follow || (s->instructions && s->period > 1), false);
}

static void prepare(struct cs_stage *s, const struct event *origin, const struct aux_window *window)
{
	struct session *session = s->aux.session;

	if (s->info.cpus.nr && s->info.cpus.v[0].config.v7)
		s->aux.kernel_start = arch_arm.kernel_start;
	s->aux.timeless = s->aux.opts.timeless || session_is_timeless(session) || !(origin->attr.sample_type & PERF_SAMPLE_TIME);
	choose_branches(s);
	add_events(s, origin);
	cs_read_ids(&s->info, session);
	find_clock(s);
	tids_gather(&s->aux.tids, session_machine(session));
	aux_queues_gather(&s->aux.queues, session, s->info.snapshot);
	cpu_tasks_gather(&s->aux.tasks, session);
	cs_stage_cut(s);
	follow_threads(s);
	cs_choose_pieces(s, window);
	choose_order(s);
}

static int cs_open(struct aux_stage *stage, const struct words *info, const struct aux_window *window)
{
	struct cs_stage *s = (struct cs_stage *)stage;
	const char *path = session_file(stage->session)->path;
	const struct event *origin;

	set_options(s);
	switch (cs_info_read(&s->info, info)) {
	case 0:
		break;
	case -ENOTSUP:
		return error("'%s': its description of the CoreSight trace has version %llu, known are 0 and 1", path,
			     (unsigned long long)words_at(info, 0));
	default:
		return error("'%s': its description of the CoreSight trace is damaged", path);
	}
	origin = synth_origin(stage->session, s->info.pmu_type);
	if (!origin)
		return error("'%s' has no event that its CoreSight trace belongs to", path);
	prepare(s, origin, window);
	return 0;
}

/* ---- at the end ---- */

/* A trace buffer begins and ends anywhere, so these gaps are normal at its ends. */
static bool is_worth_reporting(enum cs_gap gap)
{
	return gap != CS_GAP_NO_SYNC && gap != CS_GAP_TRUNCATED_PACKET;
}

static void add_gaps(const struct cs_stage *s, struct findings *out)
{
	uint64_t nr[CS_NR_GAPS] = {0}, all = 0, insns = 0;
	struct buf text = {0};

	vec_for(p, &s->pieces) {
		insns += p->insns;
		for (unsigned i = 0; i < CS_NR_GAPS; i++) {
			nr[i] += p->gaps[i];
			all += is_worth_reporting(i) ? p->gaps[i] : 0;
		}
	}
	for (unsigned i = 0; i < CS_NR_GAPS; i++)
		if (nr[i] && is_worth_reporting(i))
			buf_printf(&text, "%s%" PRIu64 " %s", text.len ? ", " : "", nr[i], cs_gap_text(i));
	findings_add_share(out, FINDING_TRACE_GAPS, all, insns, buf_str(&text), -1);
	buf_release(&text);
}

static void cs_findings(const struct item_source *source, struct findings *out)
{
	const struct cs_stage *s = (const struct cs_stage *)source;

	add_gaps(s, out);
	findings_add(out, FINDING_UNSUPPORTED_TRACE, s->unsupported_bytes, 0, s->unsupported);
	findings_add(out, FINDING_TRACE_OF_NO_CPU, s->unknown_bytes, 0, NULL);
	aux_queues_findings(&s->aux.queues, s->aux.queues.truncated, out);
}

const struct aux_decode_ops cs_etm_decode = {
	.stage_size = sizeof(struct cs_stage), .arch = &arch_arm64, .open = cs_open,
	.source = { .worker_new = cs_sampler_new, .worker_free = cs_sampler_free, .decode = cs_sampler_decode,
		    .findings = cs_findings, .close = cs_close },
	.dumper_new = cs_dumper_new, .dumper_free = cs_dumper_free,
	.dump_record = cs_dump_record, .dump_info = cs_info_print,
};
