/*
 * Stores the instructions that a program executed in one part of an Intel PT trace, as a path through its code, for samples at
 * every Nth instruction. Worker threads decode the parts in any order, so they do not know yet which instruction is the Nth. When
 * the earlier parts have been counted, pt_flow_sample_now() (flow.h) finds the samples in the path.
 */
#ifndef AUXTRACE_INTEL_PT_PATH_H
#define AUXTRACE_INTEL_PT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxtrace/intel_pt/sink.h"
#include "core/base/vec.h"

struct block;
struct superblock;

#define PATH_MARK	64		/* instructions between two marks */
#define PATH_MAX_STEPS	(4u << 20)	/* steps after which the path is given up: 32 MiB */

struct path_part {		/* a step that is not a whole superblock */
	const struct block *block;
	uint16_t from, to;	/* instructions [from, to) of the block */
};

struct path_mark {		/* a step from which to search for an instruction */
	uint64_t insns;		/* state.insns before the step */
	size_t step;
};

enum path_event_kind { PATH_STATE, PATH_SPACE, PATH_GAP };

struct path_event {
	size_t step;			/* the event came before this step */
	uint8_t kind;			/* enum path_event_kind: the state changed, the sink was asked for the space, a gap */
	bool by_branch;			/* the new state applies to the last instruction of the step before, too */
	struct pt_gap gap;
	struct pt_state state;
};

/*
 * The superblocks (superblock.h) that were executed, in order, and the events between them. Samples are taken every so many
 * instructions, so the place of a piece's first sample depends on the number of instructions in earlier pieces (stage.h). A worker
 * that stores the path need not wait for this number. A step of the path takes eight bytes.
 */
struct pt_path {			/* path_init(), path_release() */
	bool on;
	bool given_up;			/* the path was too long, and is incomplete */
	const struct superblock **steps;	/* superblocks; or, with bit 0 set, the number of a part in the upper bits */
	size_t nr, cap;			/* .nr is only known after path_end() */
	const struct superblock **next;	/* where the next step is written: to .scratch while the path is off */
	const struct superblock *scratch;
	VEC(struct path_part) parts;
	VEC(struct path_mark) marks;
	VEC(struct path_event) events;
	struct pt_state start;
};

void path_init(struct pt_path *p);
void path_release(struct pt_path *p);
/* Clears the path and begins a new one at state @s. */
void path_begin(struct pt_path *p, const struct pt_state *s);
void path_end(struct pt_path *p);

/* Adds a mark, and allocates the steps up to the next mark; false: the path is given up. */
bool path_mark(struct pt_path *p, uint64_t insns);
void path_part(struct pt_path *p, const struct block *b, unsigned from, unsigned to);
void path_add_event(struct pt_path *p, enum path_event_kind kind, const struct pt_state *s, const struct pt_gap *gap,
		    bool by_branch);

struct block_cache;
struct path_replay {
	const struct pt_path *path;
	struct block_cache *cache;
	const struct pt_sink *sink;
	void *ctx;
	uint64_t first, period;		/* .first: state.insns of the first sample; .period: instructions between samples */
};
/* Calls the sink for gaps, spaces and samples, as decoding would have done. Returns state.insns of the next sample. */
uint64_t path_replay(const struct path_replay *r);

#endif
