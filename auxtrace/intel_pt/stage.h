/*
 * Declares the data that the files of the Intel PT decoder share: the configuration of the trace, and the list of its parts,
 * which begin at PSB packets. decode.c opens the trace. Worker threads decode the parts with the functions of sampler.h.
 */
#ifndef AUXTRACE_INTEL_PT_STAGE_H
#define AUXTRACE_INTEL_PT_STAGE_H

#include "auxtrace/augment.h"
#include "auxtrace/aux.h"
#include "auxtrace/intel_pt/filter.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/info.h"
#include "auxtrace/intel_pt/pebs.h"
#include "auxtrace/stage.h"

struct pt_count { uint64_t insns, cycles; };

/* State that is carried from piece to piece of a queue, if samples count instructions or cycles from one piece to the next. */
struct pt_carry {
	struct pt_count before;		/* the sum over all earlier pieces */
	struct pt_count branch, insn, cycle;	/* the counts at the last sample of each kind that had cycles */
	uint64_t sampled;		/* instructions at the last instruction sample */
	uint64_t cycles, seen;		/* .cycles: as samples have them; .seen: cycles at the last branch */
	bool have_cyc;			/* CYC packets count cycles; otherwise they are computed from the time */
	struct { uint64_t tsc, base, now; uint32_t cbr; } guess;	/* computed cycles: .base at .tsc */
	uint64_t last_tick;		/* samples by time: begin of the period in which the last sample was taken */
	bool ticking;			/* there was such a period since tracing began */
};

/* A part of the trace that begins at a PSB packet and can be decoded separately. */
struct pt_piece {
	const struct aux_queue *queue;
	uint64_t from, to, end;		/* positions: the piece's PSB, the next piece's PSB, the segment's end */
	/* Number of instructions in earlier pieces of the queue, if these were counted or decoded. Guarded by the stage's lock. */
	uint64_t insns_before;
	bool insns_before_known;
	uint64_t skip;			/* samples at the piece's beginning that are left out */
	/* Known after decoding; decoding again gives the same. */
	uint64_t insns;
	uint32_t gaps[PT_NR_GAPS];
	uint32_t pebs_truncated, pebs_unnamed;	/* .pebs_truncated: PEBS records without an end; .pebs_unnamed: of unknown events */
	struct pt_lost lost;
	uint64_t last_tsc;		/* the last TSC in the piece; 0: not known */
};

struct pt_stage {
	struct aux_stage aux;		/* first */
	struct pt_info info;
	struct pt_filters filters;
	VEC(struct pt_piece) pieces;	/* as aux.source.pieces */
	uint64_t unplaced;		/* bytes that are in no piece, because no PSB is before them */
	struct pt_flow_config flow;	/* without the members that each worker sets */
	uint64_t period;		/* instructions a sample; 0: none, or by time */
	uint64_t ticks;			/* TSC ticks a sample; 0: not by time */
	uint32_t branches_shown;	/* SYNTH_* flags of which a branch must have one; 0: all are shown */
	bool sums;			/* samples are due by the instructions of all pieces: insns_before is needed */
	struct augmented_samples augmented;
	struct pebs_events pebs;	/* .first is NULL if no PEBS samples are wanted */
	bool carries;			/* samples depend on earlier ones, so the pieces of a queue are decoded in order */
	VEC(struct pt_carry) carry;	/* by queue; used by the worker that decodes a piece of it */
	bool hold;			/* instruction samples wait for the branch that follows, whose flags and target they have */
	const struct event *transactions;
	const struct event *instructions, *cycles, *branches;	/* NULL: not wanted */
	const struct event *packet_events[SYNTH_IFLAG + 1];	/* by enum synth_config */
	uint32_t khz_a_ratio;		/* core clock in kHz for a core to bus ratio of 1; 0: not known */
};

/* Fills .pieces and .source.pieces from .queues. */
void pt_split_queues(struct pt_stage *s);
/*
 * Drops pieces that have no samples in @window. Periods of instructions count from the first remaining piece, so a window has as
 * many samples as without dropping, but not the same ones.
 */
void pt_choose_pieces(struct pt_stage *s, const struct aux_window *window);

/* A worker decodes pieces; see struct item_source. @s is the stage. */
void *pt_sampler_new(struct item_source *s);
void pt_sampler_free(struct item_source *s, void *worker);
void pt_sampler_decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink);

/* For a prescan, see struct aux_prescan_ops. */
struct thread_stacks *pt_sampler_prescan(void *worker, size_t piece);
void *pt_sampler_new_prescan(struct aux_stage *stage);

/* Decodes piece @number for the augmented samples [@from, @to), which were taken in it. */
void pt_sampler_report(void *worker, size_t number, size_t from, size_t to);

/* Returns the number of branches to be kept for augmented samples, in addition to those shown. */
unsigned pt_late_branches(const struct pt_stage *s, const struct event *origin);
/* Adds the chains and branches of the augmented samples after the prescan, if they are wanted. */
void pt_ask_trace(struct pt_stage *s);
/* Finds the augmented samples [*from, *to) that were taken in piece @number. */
void pt_augmented_samples_of(const struct pt_stage *s, size_t number, size_t *from, size_t *to);

/* Writes the log (--itrace=d). Returns 0, or prints an error and returns -1. */
int pt_log(struct pt_stage *s);

/* Divides opts.skip, the number of first samples to leave out, among the pieces in order of time. */
void pt_choose_skipped(struct pt_stage *stage);

/* Adds findings about gaps: their number, reasons, and share of the time. */
void pt_losses_findings(const struct pt_stage *s, struct findings *out);
/* Adds findings about the samples that other events wrote into the trace. */
void pt_pebs_findings(const struct pt_stage *s, struct findings *out);

/*
 * Chooses the order in which pieces are decoded. Periods of instructions continue across pieces. If only samples by such a period
 * are wanted, any order is possible: a piece that is decoded before its predecessor stores its path (path.h).
 */
void pt_choose_order(struct pt_stage *stage);

#endif
