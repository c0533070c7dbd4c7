/*
 * Collects the build ids of all files that were mapped before and during the recording, for the feature section BUILD_ID of
 * perf.data. perf2bolt, perf archive and similar tools read build ids only from that section.
 */
#ifndef CORE_RECORD_LIVE_MAPPED_FILES_H
#define CORE_RECORD_LIVE_MAPPED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/base/vec.h"
#include "core/binary/build_id.h"

struct features;
struct binary_saver;
struct strtab;

/* Which build ids are wanted: none, those in MMAP2 records, or also those read from files whose records have none. */
enum mapped_ids { MAPPED_IDS_NONE, MAPPED_IDS_GIVEN, MAPPED_IDS_READ };

struct mapped_binary {
	const char *name;		/* borrowed from mapped_files.names */
	struct build_id id;		/* size 0: not in the record, and the file could not be read */
};

struct mapped_files {
	enum mapped_ids wanted;
	struct strtab *names;		/* owned */
	VEC(struct mapped_binary) list;	/* each pair of name and id once */
	struct index by_name;
};

void mapped_files_init(struct mapped_files *f, enum mapped_ids wanted);
/* Adds the file of an MMAP or MMAP2 record; ignores others. @saver has the build ids of files that are gone, or is NULL. */
void mapped_files_see(struct mapped_files *f, const void *record, size_t size, struct binary_saver *saver);
/* Adds the files in the @n bytes of records. */
void mapped_files_see_all(struct mapped_files *f, const void *records, size_t n, struct binary_saver *saver);
/* Moves the contents of @from to @to. */
void mapped_files_collect(struct mapped_files *to, struct mapped_files *from);
/* Adds the build ids to @out. */
void mapped_files_put(const struct mapped_files *f, struct features *out);
void mapped_files_release(struct mapped_files *f);

#endif
