/*
 * Finds out why the addresses in a file have no symbols, and what the user can do about it. Reports call it at their end, for
 * the few files with such addresses. Each of these files is examined again.
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

/* @dso NULL: nothing is mapped at the address, and @unmapped says more. */
void symbol_error_find(struct symbol_error *out, const struct machine *m, const struct dso *dso, enum unmapped unmapped);
void symbol_error_release(struct symbol_error *missing);

#endif
