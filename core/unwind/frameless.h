/*
 * Detects that a frame-pointer chain lacks the caller of its innermost function, because that function has no frame, as in a
 * prologue or a leaf function. core/hists/chain_breaks.c calls it, to report wrong chains.
 */
#ifndef CORE_UNWIND_FRAMELESS_H
#define CORE_UNWIND_FRAMELESS_H

#include <stdbool.h>

struct addr_key;
struct machine;
struct unwind_tables;

/* For use by one thread. Borrows its arguments. @tables: the unwind tables of @m; NULL: load them when they are first needed. */
struct frameless;
struct frameless *frameless_new(const struct machine *m, struct unwind_tables *tables);
void frameless_free(struct frameless *f);
/*
 * @function was interrupted, and @next is the next address of its chain. True if the caller of @function is missing between them.
 * False also if that is unknown, as for indirect calls or without symbols or unwind tables. Slow, so call it once for each pair.
 *
 * A function has no frame at its first and last instructions, and a leaf function may have no frame at all. Then the frame-pointer
 * register still has the caller's value, and the chain goes on with the caller's caller. The chain itself does not show that a
 * frame is missing. The code does: the call instruction before @next calls another function than @function.
 */
bool frameless_lacks_caller(struct frameless *f, const struct addr_key *function, const struct addr_key *next);

/* Looks up everything that frameless_lacks_caller() may need for @key, so that an archive of the machine has it. */
void frameless_look_up(struct frameless *f, const struct addr_key *key);

#endif
