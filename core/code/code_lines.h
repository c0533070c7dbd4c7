/*
 * Stores two numbers for each line of an annotated listing: its source line, and the listing line that its instruction jumps to.
 * core/show/report/annotate.c fills in both. The browser uses them to open an editor and to follow jumps.
 */
#ifndef CORE_CODE_CODE_LINES_H
#define CORE_CODE_CODE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

#define CODE_NO_LINE SIZE_MAX

struct code_line {
	const char *file;		/* the source, one of code_lines.files; NULL: not known */
	uint32_t line;			/* in it, from 1 */
	bool is_insn;			/* an instruction; otherwise a line of source, or without .file a title */
	size_t target;			/* the line of the text that the instruction jumps to; CODE_NO_LINE: none */
};

struct code_lines {			/* {0} is an empty one; code_lines_release() */
	VEC(struct code_line) list;	/* by line of the text */
	VEC(char *) files;		/* paths, owned */
};

/* Adds the next line of the text. @file is copied; NULL: it is not known. */
void code_lines_add(struct code_lines *l, const char *file, uint32_t line, bool is_insn);
/* The path of line @number's source, and *line; NULL: it is not known. Borrowed. */
const char *code_lines_place(const struct code_lines *l, size_t number, uint32_t *line);
void code_lines_release(struct code_lines *l);

#endif
