/*
 * Merges the texts that worker threads print about records, such as the lines of prec script, into one output in order of time.
 * ordered.c divides the records among the threads, and passes merge.h the text of each thread.
 */
#ifndef CORE_READ_MERGE_H
#define CORE_READ_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct merge;

/*
 * The work is divided into numbered pieces, each with the earliest time that its lines may have. A later piece never has an earlier
 * time. Each piece belongs to a stream (the records of the file, or a stream of source.h). When all pieces up to a number are
 * complete, the lines that are older than the next piece's time are merged and written. If there is only one stream, whole blocks
 * of text are copied without splitting them into lines.
 */
struct merge_work { uint64_t time; uint32_t stream; };	/* a piece: .time is the earliest time that its lines may have */

/* @work (ascending times) is borrowed until merge_free(). At most @ahead pieces, or @most bytes of text, wait for their turn. */
struct merge *merge_new(const struct merge_work *work, size_t nr, uint32_t nr_streams, size_t ahead, uint64_t most, int fd);
/* Returns 0, or -errno of the first write that failed. */
int merge_free(struct merge *m);

/* Waits until piece @number may begin. False: writing has failed, so all work can stop. */
bool merge_begin(struct merge *m, size_t number);
/* Notes that a line with time @time ends at the current end of @text. Only needed with more than one stream. */
void merge_line(struct merge *m, size_t number, uint64_t time, const struct buf *text);
/*
 * Writes and empties @text, the text of piece @number so far, if all earlier pieces are written. Otherwise keeps the text, or, if
 * more than @most bytes wait to be written, waits for the earlier pieces. With several streams the text is always kept.
 */
void merge_maybe_flush(struct merge *m, size_t number, struct buf *text);
/* Ends piece @number, and takes over its @text, which is empty afterwards. */
void merge_end(struct merge *m, size_t number, struct buf *text);

#endif
