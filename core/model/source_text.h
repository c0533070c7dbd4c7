/*
 * Reads lines of source files, and reads each file only once. For each recorded thread, it also remembers the last requested
 * line, so that a caller does not show the same line twice in a row.
 */
#ifndef CORE_MODEL_SOURCE_TEXT_H
#define CORE_MODEL_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct source_file {
	char *path, *text;		/* owned; text NULL: it cannot be read */
	size_t size;
};

struct source_last { const char *path; unsigned line; uint32_t tid; };	/* the line last requested for a thread */

struct archive;

struct source_texts {			/* {0} is an empty one */
	const struct archive *archive;	/* borrowed: has precedence over the files here; NULL: none */
	VEC(struct source_file *) files;	/* owned */
	VEC(struct source_last) last;	/* one for each thread */
};

void source_texts_release(struct source_texts *t);
/* Gives the borrowed text of line @line (from 1) without its newline. False: there is none, or it was @tid's last request. */
bool source_text_next(struct source_texts *t, uint32_t tid, const char *path, unsigned line, const char **text, size_t *len);

#endif
