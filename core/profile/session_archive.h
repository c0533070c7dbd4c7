/*
 * Looks up everything that reports, scripts and annotations of a recording may need, and puts it into an archive, so that the
 * recording can be read on another machine.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_ARCHIVE_H
#define CORE_PROFILE_SESSION_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

struct archive;
struct filter;
struct session;

struct session_archive_opts {
	const struct filter *filter;	/* one that lets all pass; borrowed */
	bool code;		/* the code of all functions with samples, too */
	bool no_unwind;		/* no unwind tables, even where stacks were recorded */
};

struct archived_sums { size_t addresses, named, lines, dsos; };

/*
 * Fills the empty @out. @s was opened with names not demangled, and its hardware trace is decoded. Unwinds call chains,
 * checks callers, and keeps the data read for that, too. Returns 0, or the result of session_samples().
 */
int session_archive(struct session *s, const struct session_archive_opts *o, struct archive *out, struct archived_sums *sums);

#endif
