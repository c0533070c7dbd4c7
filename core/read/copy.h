/*
 * Copies the valid parts of a recording into a new one: repairs files that were cut, damaged or never finished, and makes files
 * for readers that reject those.
 * Layer: read
 */
#ifndef CORE_READ_COPY_H
#define CORE_READ_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redactor;
struct session;

struct copied {
	uint64_t samples, records;	/* that were written; records: all but samples */
	uint64_t left_out;		/* records that are damaged, of no known type or event, or newer than Linux 6.1's perf */
};

struct feature_build_id;

struct copy_opts {			/* {0} is the default */
	const void *archive;		/* the section ARCHIVE, borrowed; NULL: as it was */
	size_t archive_size;
	const struct feature_build_id *build_ids;	/* additional build ids; borrowed */
	size_t nr_build_ids;
	struct redactor *redactor;	/* leave out what is secret; borrowed; NULL: nothing is */
	bool keep_time;			/* the file's is to be the recording's */
	bool all_records;		/* those, too, that Linux 6.1's perf does not know */
};

/*
 * Writes all valid records of @s into the new file @path: in this machine's byte order, in one file, not compressed, with the
 * readable sections of its header and the trace. Attrs and sections that a pipe has as records become the header, rounds are
 * dropped: readers sort all. Prints errors; 0 and *out, or -1.
 */
int session_copy(struct session *s, const char *path, const struct copy_opts *opts, struct copied *out);

#endif
