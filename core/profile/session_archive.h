/*
 * Collects in an archive (core/perfdata/archive.h) the symbols, source lines, code and unwind tables of a recording. With the
 * archive, prec report, script and annotate can show the recording on a machine without the binaries.
 */
#ifndef CORE_PROFILE_SESSION_ARCHIVE_H
#define CORE_PROFILE_SESSION_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

struct archive;
struct filter;
struct session;

struct session_archive_opts {
	const struct filter *filter;	/* a filter that passes everything; borrowed */
	bool code;		/* also add the code of all functions with samples */
	bool no_unwind;		/* add no unwind tables, even if stacks were recorded */
};

/* Numbers of looked-up addresses, and of symbols, addresses with source lines and files in the archive. */
struct archived_sums { size_t addresses, named, lines, dsos; };

/*
 * Fills the empty @out. @s must have been opened without demangling, and its hardware trace decoder must be attached. Also unwinds
 * call chains and checks callers, and adds the data that were read for this. Returns 0, or the error of reading the samples.
 */
int session_archive(struct session *s, const struct session_archive_opts *o, struct archive *out, struct archived_sums *sums);

#endif
