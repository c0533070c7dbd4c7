/*
 * Finds the files of a program or process for which prec report would have no symbols, and the packages with these symbols. prec
 * doctor prints both.
 */
#ifndef CMD_DOCTOR_SYMBOLS_H
#define CMD_DOCTOR_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

struct file_symbols {
	char *path;		/* owned; a file, or the name of memory with code that is made at run time */
	bool any;		/* it has some symbols: a stripped file has those that it exports */
	char *why, *help;	/* owned; NULL: nothing is missing */
};

struct program_symbols { VEC(struct file_symbols) list; };

/* Symbols of @program, found as a shell does, and of the libraries that ldd(1) lists; nothing is run. Returns 0 or -1 (printed). */
int symbols_of_program(struct program_symbols *out, const char *program);
/* Symbols of the code mapped by the running process @pid. Returns 0, or -1 (printed). */
int symbols_of_process(struct program_symbols *out, uint32_t pid);
void program_symbols_release(struct program_symbols *p);

#endif
