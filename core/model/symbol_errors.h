/*
 * Finds out why addresses in a dso (a mapped file) have no symbols, and what the user can do about it. It examines the file
 * again, because load.c keeps only the kind of the error.
 */
#ifndef CORE_MODEL_SYMBOL_ERRORS_H
#define CORE_MODEL_SYMBOL_ERRORS_H

#include "core/model/machine.h"

struct buf;

enum unmapped {			/* the reason why an address has no map */
	UNMAPPED_HERE,		/* its process has other maps */
	UNMAPPED_PROCESS,	/* its process has no recorded maps */
	UNMAPPED_GUEST,		/* it is in a guest */
};

struct symbol_error {
	char *why;		/* "stripped"; owned: symbol_error_release() */
	const char *help;	/* a remedy; static, or borrowed from the machine */
};

/*
 * Finds the reason for addresses in @dso. @dso NULL: nothing is mapped at the address, and @unmapped is the reason. Examines the
 * dso's file again, because load.c keeps only the kind of the error (dso.state), and few dsos need the details.
 */
void symbol_error_find(struct symbol_error *out, const struct machine *m, const struct dso *dso, enum unmapped unmapped);
/*
 * Appends the place of addresses in @dso without a symbol: its path between two @quote, or the process that made the code at run
 * time, because that code's path is of a file that may not exist.
 */
void symbol_error_place(const struct dso *dso, const char *quote, struct buf *out);
void symbol_error_release(struct symbol_error *missing);

#endif
