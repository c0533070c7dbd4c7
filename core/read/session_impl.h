/*
 * Defines struct session, which is private to core/read and to the files of core/sched that implement functions on it. Other files
 * use session.h.
 */
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
	struct unwind_tables *unwind;	/* unwind tables of the machine's files; owned */
	struct live *live;		/* owned: the first pass, which goes on during the second; NULL: it is complete */
	struct stitches *stitches;	/* owned; NULL: no stitching */
	struct tracing_data tracing;	/* the formats of the recorded tracepoints; may be empty */
	VEC(struct item_source *) sources;	/* borrowed */
	const struct sample_augmenter *augmenter;	/* borrowed; NULL: none */
	bool (*is_stopped)(void);	/* session_stop_when(); NULL: never */
	struct wait_stage *waits;	/* one of .sources; NULL: session_add_waits() was not called */
	uint64_t nr_disordered;		/* records shown live after newer ones */
	enum native_frames native;	/* how call chains are shown */
	uint64_t upto;			/* the side band is applied up to this time; later samples are not shown yet */
	uint64_t dropped;		/* bytes of pieces that were read and are gone now */
	unsigned jobs;
	struct findings found;		/* findings besides those of counts and sources */
	bool header_only;
	bool archive_unusable;		/* the archive is damaged, or of a later version */
	bool tracing_damaged;		/* .tracing is incomplete, as some of it could not be read */
};

/* True if the recording can be shown up to the recorder's last complete round and be read on from there. Call it after the scan. */
bool session_may_read_on(const struct session *s);

#endif
