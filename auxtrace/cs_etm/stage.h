/*
 * Declares the data and functions that the files of the CoreSight decoder share. decode.c opens the trace, units.c cuts it into
 * parts (pieces) that can be decoded separately, and sampler.c decodes a piece in a worker thread.
 */
#ifndef AUXTRACE_CS_ETM_STAGE_H
#define AUXTRACE_CS_ETM_STAGE_H

#include "auxtrace/aux.h"
#include "auxtrace/clock.h"
#include "auxtrace/cs_etm/formatter.h"
#include "auxtrace/cs_etm/info.h"
#include "auxtrace/cs_etm/sink.h"
#include "auxtrace/stage.h"
#include "core/base/buf.h"

#define CS_NR_GAPS (CS_GAP_UNKNOWN_PATH + 1)
#define CS_FLAG_RAW	0x100		/* a flag of AUX records: PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW, Linux 5.13 */

struct event;

/*
 * A chunk is a range of the trace that one AUX record covers, or that no AUX record covers. The formatter and the trace units start
 * again at the beginning of a chunk. A chunk holds the mixed streams of one or more CPUs, and is unpacked to get each stream
 * (formatter.h). Each stream is cut into pieces at its synchronisation points.
 */
struct cs_chunk {
	const struct aux_queue *queue;
	uint64_t from, to;		/* positions */
	bool raw;			/* the trace was not formatted: all of it is from one trace unit */
	bool kept;			/* .streams are in memory */
	struct cs_streams streams;	/* read-only from the time when all chunks are cut */
	struct buf bytes;		/* borrowed by .streams */
};

/*
 * The unpacked streams of the first chunks stay in memory, up to this many bytes of trace. Other chunks are unpacked again when a
 * worker decodes pieces of them.
 */
#define CS_KEPT_BYTES	(16u << 20)

#define CS_NO_REST	UINT64_MAX

struct cs_span {			/* a piece to decode */
	size_t chunk;
	const struct cs_cpu *cpu;
	size_t from, to;		/* bytes [from, to) of the chunk's stream with ID cpu->config.id */
	bool last;			/* this is the last piece of its stream in the chunk */
	uint64_t insns_before;		/* instructions in earlier pieces of the stream, if counted or decoded in order */
	uint64_t base;			/* at the piece's start: the instruction from which sampling periods count */
	/* Known after decoding; decoding again gives the same. */
	uint64_t insns;
	uint64_t rest;			/* number of .insns before the last break of tracing; CS_NO_REST: there was no break */
	uint32_t gaps[CS_NR_GAPS];
};

struct cs_stage {
	struct aux_stage aux;		/* first */
	struct cs_info info;
	VEC(struct cs_chunk) chunks;
	VEC(struct cs_span) pieces;	/* as aux.source.pieces */
	uint64_t unknown_bytes;		/* bytes of trace with IDs that no CPU has */
	uint64_t unsupported_bytes;	/* bytes of trace of CPUs whose trace cannot be followed */
	const char *unsupported;	/* why it cannot be followed; NULL: there are no such CPUs */
	uint64_t period;		/* instructions a sample */
	uint32_t branches_shown;	/* SYNTH_* flags of which a branch must have one; 0: all are shown */
	bool gives_rest;		/* a break of tracing ends a sampling period: its incomplete part becomes a sample */
	struct aux_clock clock;		/* not known either if timestamps are of a counter that TIME_CONV does not convert */
	const struct event *instructions, *branches;	/* NULL: not wanted */
};

/* List the chunks, and cut their streams into pieces. */
void cs_stage_cut(struct cs_stage *s);
void cs_chunks_release(struct cs_stage *s);
/* Unpacks the streams of a chunk, which borrow bytes of @scratch; cs_streams_release(). */
void cs_chunk_unpack(struct cs_streams *out, const struct cs_stage *s, const struct cs_chunk *chunk, struct buf *scratch);

/* Reads trace IDs from AUX_OUTPUT_HW_ID records. */
void cs_read_ids(struct cs_info *info, const struct session *s);

/* Drops pieces that have no samples in @window. The output stays the same. */
void cs_choose_pieces(struct cs_stage *s, const struct aux_window *window);

/* For -D; see struct aux_decode_ops. */
void *cs_dumper_new(const struct session *s, const struct words *info);
void cs_dumper_free(void *dumper);
void cs_dump_record(struct ordered_text *out, const void *dumper, const struct session *s, const struct trace_record *record);

/* A worker decodes pieces; see struct item_source. @s is the stage. */
void *cs_sampler_new(struct item_source *s);
void cs_sampler_free(struct item_source *s, void *worker);
void cs_sampler_decode(struct item_source *s, void *worker, size_t piece, const struct item_sink *sink);

/* For a prescan, see struct aux_prescan_ops. */
void *cs_sampler_new_prescan(struct aux_stage *s);
struct thread_stacks *cs_sampler_prescan(void *worker, size_t piece);
/* Sets the start state of piece @number, which is not its stream's first, from the end state of the pieces before. */
void cs_span_follow(struct aux_stage *s, size_t number);

#endif
