/*
 * Replaces private words of a recording, such as paths, by meaningless ones, for prec archive --redact.
 * core/read/redact_records.c calls it for records, and archive_redact.c for the stored symbols and source lines (archive.h).
 *
 *	/srv/bob/src/prog	d1/prog			directories are numbered in the order in which they appear
 *	compute			h3f8a0c41d2e5		a name is replaced only on request, by a hash with a random key
 *
 */
#ifndef CORE_PERFDATA_REDACT_H
#define CORE_PERFDATA_REDACT_H

#include <stdbool.h>
#include <stddef.h>

struct archive;
struct redactor;

/*
 * A word always gets the same replacement, and different words get different ones, unless two hashes of 48 bits collide.
 * @names: also replace the names of functions, files and threads by hashes. Owned by the caller.
 */
struct redactor *redactor_new(bool names);
void redactor_free(struct redactor *r);

/* All return text that is borrowed until the redactor is freed. */
/* A mapped file: "/d1/prog"; the kernel's names ("[heap]", "//anon") stay. */
const char *redact_mapped(struct redactor *r, const char *path);
/* A source file: "d1/prog.c". */
const char *redact_source(struct redactor *r, const char *path);
/* A function. @made_at_run_time: also removes paths from the name, because JIT compilers write source files into names. */
const char *redact_function(struct redactor *r, const char *name, bool made_at_run_time);
/* A thread. */
const char *redact_thread(struct redactor *r, const char *name);
const char *redact_cgroup(struct redactor *r, const char *path);

/* Replaces all texts of an archive that was made, and overwrites the code and names in its jitdumps. */
void archive_redact(struct archive *a, struct redactor *r);

#endif
