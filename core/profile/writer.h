/*
 * Writes a profile, or the rows of a report, in an output format. Each format is a struct of functions. core/show/export/
 * implements the formats, and writers.h there lists them.
 */
#ifndef CORE_PROFILE_WRITER_H
#define CORE_PROFILE_WRITER_H

#include "core/ui/finding.h"
#include "core/base/outfile.h"
#include "core/code/code_counts.h"
#include "core/profile/rows.h"
#include "core/profile/session_profile.h"

/* A sum of waits with one reason. .text has the reason, the function that waited and the holder; .function may be NULL. */
struct export_wait { char *text, *function; uint64_t ns; };

struct export_opts {
	bool samples;			/* write counts of samples, not periods */
	uint32_t event;			/* write only this event; PROFILE_NONE: all events */
	uint64_t max_rows;		/* html: maximum number of rows of samples; 0: as many as browsers can handle */
	const char *processes;		/* html: titles and the tree of processes, one per line, borrowed; NULL: too few to show */
	size_t small_processes;		/* html: groups of processes that are too small for a line in .processes */
	const struct export_wait *waits;	/* html: waits, the longest first; borrowed */
	size_t nr_waits;
};

struct export {
	const struct profile *profile;	/* borrowed; NULL with rows() */
	const struct findings *findings;	/* findings of the profile, sorted; borrowed */
	const struct export_opts *opts;	/* borrowed */
	struct outfile *out;		/* borrowed */
	void *state;			/* the writer's own, zeroed before begin() */
};

enum writer_flag {
	WRITER_ONE_EVENT	= 1,	/* the format has room for one event, by default the first */
	WRITER_CPUS		= 2,	/* the format distinguishes CPUs */
	WRITER_TIMES		= 4,	/* the format has the times of samples */
	WRITER_TIMELINE		= 256,	/* the format has intervals, instants and links */
	WRITER_BINARY		= 8,	/* the output is binary, not text */
	WRITER_CODE		= 16,	/* the format has the code of functions */
	WRITER_LINKAGE_NAMES	= 32,	/* the format needs the linker's names of functions, not demangled ones */
	WRITER_SUMMARY		= 128,	/* the format has the tree of processes, waits, and files without names */
	WRITER_SAMPLES_DO	= 64,	/* with code(): if there are no branches, counts are estimated from samples */
};

/*
 * A format. profile_write() calls the functions in this order:
 *
 *	begin()
 *	for each wanted event: event(), then tree() with the call tree of that event
 *	end()
 *
 * For rows by sort keys (--by), there is no profile. Then the calls are begin(), rows() for each event or group, and end(). A
 * writer that defines code() defines none of the functions above. code() writes how often each instruction and each branch ran
 * (code_counts.h).
 *
 * A writer defines only the functions that it needs, and appends its text to export.out.buf. Between parts that may be large, it
 * calls outfile_maybe_flush(). It prints no write errors, because outfile_close() does. Its state is in export.state. Strings of a
 * profile may hold any bytes, so each writer must escape them for its format.
 */
struct profile_writer {
	const char *name;		/* the word for --format */
	const char *suffixes;		/* suffixes of files in this format, separated by spaces: ".pb.gz .pprof" */
	const char *description;	/* a few words that name the program that reads the format */
	enum profile_frames frames;	/* the kind of frames that it needs */
	unsigned flags;			/* enum writer_flag */
	size_t state_size;
	void (*begin)(struct export *x);
	void (*event)(struct export *x, uint32_t event);
	/* Writes all stacks of an event with their weights: see profile.h. */
	void (*tree)(struct export *x, uint32_t event);
	/* Writes all rows of an event or group: see rows.h. NULL: the format has none. */
	void (*rows)(struct export *x, const struct rows *rows);
	/* Called instead of all others: writes how often code ran. Prints errors; 0 or -1. NULL: the format needs a profile. */
	int (*code)(struct export *x, const struct code_counts *counts);
	void (*end)(struct export *x);	/* also frees the contents of export.state */
};

/* Writes @p in the format of @writer. outfile_close() reports write errors. */
void profile_write(const struct profile_writer *writer, const struct profile *p, const struct findings *findings,
		   const struct export_opts *opts, struct outfile *out);

/* Writes the rows of all events and groups of @h that have samples, in the format of @writer. */
void profile_write_rows(const struct profile_writer *writer, struct hists *h, const struct findings *findings,
			const struct export_opts *opts, struct outfile *out);

#endif
