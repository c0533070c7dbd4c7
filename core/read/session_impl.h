/* The members of struct session, for the files of this folder. Layer: read */
#ifndef CORE_READ_SESSION_IMPL_H
#define CORE_READ_SESSION_IMPL_H

#include "core/ui/finding.h"
#include "core/read/native_frames.h"
#include "core/read/scan.h"
#include "core/tracepoint/tracing_data.h"

struct item_source;
struct live;
struct sample_augmenter;
struct stitches;
struct unwind_tables;
struct wait_stage;

struct session {
	struct data_file *file;		/* owned */
	struct machine *machine;	/* owned */
	struct scan scan;		/* the result of the first pass */
	struct unwind_tables *unwind;	/* of the machine's files; owned */
	struct live *live;		/* owned: it goes on while the second runs; NULL: it is done */
	struct stitches *stitches;	/* owned; NULL: none were asked for */
	struct tracing_data tracing;	/* of its tracepoints; empty where there are none */
	VEC(struct item_source *) sources;	/* borrowed */
	const struct sample_augmenter *augmenter;	/* borrowed; NULL: none */
	bool (*is_stopped)(void);	/* session_stop_when(); NULL: never */
	struct wait_stage *waits;	/* one of .sources; NULL: none was asked for */
	uint64_t nr_disordered;		/* records shown live after others that are newer */
	enum native_frames native;	/* how call chains are shown */
	uint64_t upto;			/* samples after it are not shown yet: the side band is applied up to there */
	uint64_t dropped;		/* bytes of pieces that were read and are gone */
	unsigned jobs;
	struct findings found;		/* findings besides those of counts and sources */
	bool header_only;
	bool archive_unusable;		/* its archive is damaged, or of a later version */
	bool tracing_damaged;		/* .tracing lacks what could not be read */
};

/* True if it can be shown up to what the recorder's rounds say is complete, and be read on from there. When it was scanned. */
bool session_may_read_on(const struct session *s);

#endif
