/*
 * Functions that are interrupted while they have no frame of their own: at their first and last instructions, and those that
 * call nothing all the time. The frame pointer is still the caller's there, so that a chain by frame pointers goes on with the
 * caller's caller: one function is missing, and nothing in the chain shows it. It is found by the code: the call in the
 * next frame leads to another function than the interrupted one.
 * Layer: unwind
 */
#ifndef CORE_UNWIND_FRAMELESS_H
#define CORE_UNWIND_FRAMELESS_H

#include <stdbool.h>

struct addr_key;
struct machine;
struct unwind_tables;

/* Belongs to one thread. All is borrowed. @tables: those of @m; NULL: it loads its own. */
struct frameless;
struct frameless *frameless_new(const struct machine *m, struct unwind_tables *tables);
void frameless_free(struct frameless *f);
/*
 * True if the caller of @function, which was interrupted, is missing before @next, the address that the chain goes on with.
 * False if that is not known: of indirect calls, without symbols or unwind tables. Slow: call it once for each two.
 */
bool frameless_lacks_caller(struct frameless *f, const struct addr_key *function, const struct addr_key *next);

/* Looks up all that frameless_lacks_caller() may need of @key, so that an archive of the machine has it. */
void frameless_look_up(struct frameless *f, const struct addr_key *key);

#endif
