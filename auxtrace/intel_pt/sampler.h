/*
 * Synthesizes samples from an Intel PT trace in a worker thread. The decoder of flow.h finds the executed instructions, and
 * calls these functions. stage.h has the state that all workers share.
 */
#ifndef AUXTRACE_INTEL_PT_SAMPLER_H
#define AUXTRACE_INTEL_PT_SAMPLER_H

#include "auxtrace/intel_pt/stage.h"
#include "auxtrace/worker.h"
#include "core/base/buf.h"

#define PSB_PLUS	1024		/* a PSBEND follows its PSB within this many bytes */

struct pt_log;

struct pt_worker {
	struct aux_worker aux;		/* first */
	struct pt_stage *stage;
	struct pt_sink calls;
	struct block_cache *cache;
	struct pt_flow *flow;
	struct buf bytes;
	/* State of the current piece. */
	size_t number;
	struct pt_piece *piece;
	const uint8_t *data;
	struct pt_log *log;		/* borrowed; NULL: samples are made, and not the log */
	const struct pt_sink *log_calls;	/* callbacks for the log: .block and .gap */
	uint32_t cbr_reported;		/* UINT32_MAX: none yet */
	uint64_t first_insn;		/* state.insns of the flow at the start of the piece */
	struct pt_carry carry;		/* if stage->carries: state from the end of the previous piece */
	uint64_t clock_tsc, clock_insn;	/* .clock_tsc: the last time in packets; .clock_insn: state.insns then */
	uint64_t walk_left;		/* instructions to the next sample by time; 0: not computed yet */
	bool pending;			/* the sample is of a branch instruction: the branch's report completes it */
	uint32_t gaps[PT_NR_GAPS];
	uint64_t data_words[16];	/* event data packets, type and value: they belong to the next CFE packet */
	size_t nr_data;
	struct pebs_record pebs;	/* the current record */
	uint32_t pebs_truncated, pebs_unnamed;
	struct pebs_words pebs_words;
	struct context_cache *pebs_contexts;	/* owned; NULL until it is needed */
	uint64_t skip;			/* samples still to be left out */
	size_t augmented, augmented_end;	/* the next augmented sample of this piece to report, and the end */
	uint64_t tsc, tsc_ns;		/* the last time that was converted: TSC and ns */
	const struct event *prepared;	/* sample, item and record are set for this event, except ip and time; or NULL */
};

/* --- context.c -------------------------------------------------------------- */

/* Sets the time of w->aux to the decoder's current time. */
void pt_set_time(struct pt_worker *w, const struct pt_state *s);
/* Sets the time, and finds the task and its address space. */
void pt_update_task(struct pt_worker *w, const struct pt_state *s);

/* Begins a sample of @ev at @ip; call pt_give() when its other members are set. */
void pt_start_sample(struct pt_worker *w, const struct pt_state *s, const struct event *ev, uint64_t ip);
/* As pt_start_sample(), for an event whose samples have the same members. After a sample of @ev sets only ip and time. */
void pt_again_sample(struct pt_worker *w, const struct pt_state *s, const struct event *ev, uint64_t ip);

/* Sets the sample's ip, with the call chain and last branches there. */
static inline void pt_set_place(struct pt_worker *w, uint64_t ip)
{
	w->aux.sample.ip = ip;
	if (w->stage->aux.follow && w->aux.item.event != w->stage->branches)
		aux_put_thread_stack(&w->aux, ip);
}

/* Emits the complete sample. */
static inline void pt_give(struct pt_worker *w)
{
	if (w->skip)
		w->skip--;
	else
		aux_give(&w->aux);
}

/* Returns PERF_RECORD_MISC_* for @ip. */
uint16_t pt_cpumode(const struct pt_worker *w, const struct pt_state *s, uint64_t ip);
/* Return SYNTH_* flags of the state: the first function those of interrupts, the second also those of transactions. */
uint32_t pt_interrupt_flags(const struct pt_worker *w, const struct pt_state *s);
uint32_t pt_state_flags(const struct pt_worker *w, const struct pt_state *s);

/* --- samples.c: calls of struct pt_sink --------------------------------------- */

void pt_on_block(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to);
void pt_on_sample(void *ctx, const struct pt_state *s, const struct block *b, unsigned nr);
void pt_on_tick(void *ctx, const struct pt_state *s, const struct block *b, unsigned from, unsigned to);
void pt_on_branch(void *ctx, const struct pt_state *s, const struct pt_branch *b);

/* Emits the sample that waits for its branch, without it. */
void pt_release_pending(struct pt_worker *w);

/* --- augment.c ------------------------------------------------------------- */

/* Stores the thread stacks of augmented samples that were taken before the current position; at a piece's end, of all others. */
void pt_report_augmented_samples(struct pt_worker *w, const struct pt_state *s);
void pt_end_augmented_samples(struct pt_worker *w);

/* --- pebs_samples.c ----------------------------------------------------------- */

/* Handles a packet of a PEBS record, as pebs_on_packet(). @ip: its address; 0: not known. */
void pt_on_pebs(struct pt_worker *w, const struct pt_state *s, const struct pt_packet *p, uint64_t ip);
/* Drops the PEBS record in progress, if any, because it was cut off. */
void pt_truncate_pebs(struct pt_worker *w);

/* Makes a worker for the log, which follows pieces with @calls alone. Borrows both. */
struct pt_worker *pt_sampler_new_log(struct pt_stage *stage, struct pt_log *log, const struct pt_sink *calls);
/* Follows piece @number with the callbacks of the log. */
void pt_sampler_follow(struct pt_worker *w, size_t number);

/* --- counts.c: instructions and cycles ---------------------------------------- */

/* Counts cycles at a branch. @counts: a sample may be taken there. Returns true if the sample has cycles. */
bool pt_note_cycles(struct pt_worker *w, const struct pt_state *s, const struct pt_branch *b, bool counts);
/* True if a sample that is not at a branch may have cycles. */
bool pt_has_cycles(const struct pt_worker *w);
/* Sets the sample's counts since the last sample of its kind that had cycles. Returns true if it has cycles. */
bool pt_count_sample(struct pt_worker *w, const struct pt_state *s, struct pt_count *last);

/* --- no_flow.c: samples without following the program ------------------------- */

/* For --itrace=q: makes the samples of the piece in w->data, which has @size bytes, up to the PSB+ at @to. */
void pt_decode_no_flow(struct pt_worker *w, size_t size, size_t to);

/* --- event_samples.c: calls of struct pt_sink -------------------------------------- */

void pt_on_event(void *ctx, const struct pt_state *s, const struct pt_event *e);
void pt_on_interrupts(void *ctx, const struct pt_state *s, uint64_t from, uint64_t to);
/* Makes a sample: a transaction began, ended or was aborted at @ip. @to: the target of an abort; 0: no branch. */
void pt_report_transaction(struct pt_worker *w, const struct pt_state *s, uint64_t ip, uint64_t to, uint32_t flags);
/* Makes the record of a decode error. */
void pt_on_gap(void *ctx, const struct pt_state *s, const struct pt_gap *g);

#endif
