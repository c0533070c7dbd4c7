/*
 * Writers of a profile, or of the rows of a report: one const struct of functions for each format, in core/show/export/.
 * writers.h lists them, and formats.c makes a table of the list. profile_write() calls the functions in this order:
 *
 *	begin
 *	for each wanted event: event, then tree
 *	end
 *
 * For rows by sort keys (--by), without a profile: begin, rows for each event or group, end.
 *
 * A writer has only the functions that it needs, and appends its text to export.out.buf. It calls outfile_maybe_flush() between
 * parts that may be large. It prints no write errors, as outfile_close() does. Its state is in export.state. A writer with code()
 * has no other function: it writes how often each instruction and each branch ran (code_counts.h).
 *
 * Strings of a profile are hostile: each writer escapes them as its format demands.
 * Layer: profile
 */
#ifndef CORE_PROFILE_WRITER_H
#define CORE_PROFILE_WRITER_H

#include "core/ui/finding.h"
#include "core/base/outfile.h"
#include "core/code/code_counts.h"
#include "core/profile/rows.h"
#include "core/profile/session_profile.h"

/* A row of waits. The text names reason, function and holder; the function that waited may be NULL. */
struct export_wait { char *text, *function; uint64_t ns; };

struct export_opts {
	bool samples;			/* numbers are counts of samples, not periods */
	uint32_t event;			/* only this one; PROFILE_NONE: all */
	uint64_t max_rows;		/* html: of samples; 0: as many as browsers show with ease */
	const char *processes;		/* html: the tree of processes, a line each; NULL: they are few; borrowed */
	const struct export_wait *waits;	/* html: the longest first; borrowed */
	size_t nr_waits;
};

struct export {
	const struct profile *profile;	/* borrowed; NULL with rows() */
	const struct findings *findings;	/* borrowed; sorted; its findings */
	const struct export_opts *opts;	/* borrowed */
	struct outfile *out;		/* borrowed */
	void *state;			/* the writer's own, zeroed before begin() */
};

enum writer_flag {
	WRITER_ONE_EVENT	= 1,	/* it has room for one event: the first by default */
	WRITER_CPUS		= 2,	/* it distinguishes CPUs */
	WRITER_TIMES		= 4,	/* it shows when samples were taken */
	WRITER_BINARY		= 8,	/* it is nothing to look at */
	WRITER_CODE		= 16,	/* it shows the code of functions */
	WRITER_LINKAGE_NAMES	= 32,	/* names are those of the linker */
	WRITER_SUMMARY		= 128,	/* it shows which processes started which, waits, and files without names */
	WRITER_SAMPLES_DO	= 64,	/* of code that ran, it takes an estimate from samples if no branches were recorded */
};

struct profile_writer {
	const char *name;		/* as --format has it */
	const char *suffixes;		/* of files in this format, separated by blanks: ".pb.gz .pprof" */
	const char *description;	/* a few words: the program that reads it */
	enum profile_frames frames;	/* the kind of frames that it needs */
	unsigned flags;			/* enum writer_flag */
	size_t state_size;
	void (*begin)(struct export *x);
	void (*event)(struct export *x, uint32_t event);
	/* All stacks of an event, and their weights: see profile.h. */
	void (*tree)(struct export *x, uint32_t event);
	/* All rows of an event or group: see rows.h. NULL: the format has none. */
	void (*rows)(struct export *x, const struct rows *rows);
	/* In place of all others: how often code ran. Prints what is wrong; 0 or -1. NULL: the format is of a profile. */
	int (*code)(struct export *x, const struct code_counts *counts);
	void (*end)(struct export *x);	/* and free what export.state has */
};

/* Write @p in the format of @writer. Errors of writing are left to outfile_close(). */
void profile_write(const struct profile_writer *writer, const struct profile *p, const struct findings *findings,
		   const struct export_opts *opts, struct outfile *out);

/* The same for rows: all events and groups of @h that have samples. */
void profile_write_rows(const struct profile_writer *writer, struct hists *h, const struct findings *findings,
			const struct export_opts *opts, struct outfile *out);

#endif
