/*
 * Copies the valid records of a recording into a new file, which perf can read even if the recording was truncated, damaged or
 * never finished. prec verify --repair and prec archive write their files with it.
 */
#ifndef CORE_READ_COPY_H
#define CORE_READ_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct redactor;
struct session;

struct copied {
	uint64_t samples, records;	/* .samples: samples that were written; .records: other records that were written */
	uint64_t left_out;		/* records that are damaged, of an unknown event, or of a type unknown to perf 6.1 */
};

struct feature_build_id;

struct copy_opts {			/* {0} is the default */
	const void *archive;		/* the new section ARCHIVE, borrowed; NULL: keep the old section */
	size_t archive_size;
	const struct feature_build_id *build_ids;	/* additional build ids; borrowed */
	size_t nr_build_ids;
	struct redactor *redactor;	/* removes private data; borrowed; NULL: private data are kept */
	bool keep_time;			/* give the file the time of the recording */
	bool all_records;		/* also those that the perf of Linux 6.1 does not know */
};

/*
 * Writes all valid records of @s, the readable sections of its header and its trace into the new file @path: a single file in
 * this machine's byte order, not compressed. Attrs and sections that a pipe has as records go into the header. FINISHED_ROUND
 * records are dropped, so readers sort all records. Prints errors; returns 0 and *out, or -1.
 */
int session_copy(struct session *s, const char *path, const struct copy_opts *opts, struct copied *out);

#endif
