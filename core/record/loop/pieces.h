/*
 * Records in a separate process while this one reads the recording (prec top): the recorder writes pieces, each a recording, to a
 * private directory, and removes the oldest. Another process waits until this one ends, for whatever reason, and removes the
 * directory.
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_PIECES_H
#define CORE_RECORD_LOOP_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/vec.h"

struct buf;
struct pieces;

#define PIECE_SECONDS	10u
#define PIECES_SECONDS	60u	/* what the pieces that are read hold, and the one that is written besides */

/*
 * Runs "prec record" with the words @words (NULL-terminated) after those that make pieces. Its messages are kept, and what its
 * command writes is thrown away. Prints errors; returns 0 and *out (pieces_end()), or -1.
 */
int pieces_begin(struct pieces **out, const char *const *words);
/* Let it end, and what it wrote be removed. Does not wait: on a busy machine the recorder takes a while to read its rings. */
void pieces_end(struct pieces *p);
/* The files, oldest first, the one that is being written last. Owned by the caller: piece_paths_release(). */
struct piece_paths { VEC(char *) list; };
void pieces_list(const struct pieces *p, struct piece_paths *out);
void piece_paths_release(struct piece_paths *paths);
/* True if the recorder has ended: *status is its exit status. */
bool pieces_ended(struct pieces *p, int *status);
/* Append what it printed. */
void pieces_messages(const struct pieces *p, struct buf *out);

#endif
