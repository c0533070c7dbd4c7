/*
 * Records in a separate process for prec top (cmd/top.c), into a series of short files, the pieces. Each is a complete recording,
 * and prec top shows those of the last minute.
 */
#ifndef CORE_RECORD_LOOP_PIECES_H
#define CORE_RECORD_LOOP_PIECES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/vec.h"

struct buf;
struct pieces;

#define PIECE_SECONDS	10u
#define PIECES_SECONDS	60u	/* prec top shows the finished pieces of this time, and the one that is being written */

/*
 * Runs "prec record" with the arguments @words (NULL-terminated) after the options that make it write pieces. Its messages are
 * kept, and the output of its command is discarded. Prints errors; returns 0 and *out (pieces_end()), or -1. The recording process
 * writes one short file after another to a private directory, and removes the oldest files. One more process waits until prec top
 * ends, for whatever reason, and removes the directory.
 */
int pieces_begin(struct pieces **out, const char *const *words);
/* Ends the recording process and has its files removed. Does not wait until the process has read its ring buffers. */
void pieces_end(struct pieces *p);
/* The paths of the files, oldest first; the last is the one that is being written. Owned by the caller: piece_paths_release(). */
struct piece_paths { VEC(char *) list; };
void pieces_list(const struct pieces *p, struct piece_paths *out);
void piece_paths_release(struct piece_paths *paths);
/* True if the recording process has ended; then *status is its exit status. */
bool pieces_ended(struct pieces *p, int *status);
/* Appends the messages of the recording process. */
void pieces_messages(const struct pieces *p, struct buf *out);

#endif
