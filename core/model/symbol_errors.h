/*
 * Finds out why addresses in a dso have no symbols, and what the user can do about it. load.c keeps little more than the kind of
 * the error (dso.state). symbol_error_find() examines the dso's file again for the details, which are needed for few dsos.
 * Layer: model
 */
#ifndef CORE_MODEL_SYMBOL_ERRORS_H
#define CORE_MODEL_SYMBOL_ERRORS_H

#include "core/model/machine.h"

enum unmapped {			/* the reason why an address has no map */
	UNMAPPED_HERE,		/* its process has other maps */
	UNMAPPED_PROCESS,	/* its process has no recorded maps */
	UNMAPPED_GUEST,		/* it is in a guest */
};

struct symbol_error {
	char *why;		/* "stripped"; owned: symbol_error_release() */
	const char *help;	/* a remedy; static, or borrowed from the machine */
};

/* Finds the reason for addresses in @dso. @dso NULL: nothing is mapped at the address, and @unmapped is the reason. */
void symbol_error_find(struct symbol_error *out, const struct machine *m, const struct dso *dso, enum unmapped unmapped);
void symbol_error_release(struct symbol_error *missing);

#endif
