/*
 * Dumps the records of a recording for prec script -D and prec report -D. The bytes of each record are printed in hexadecimal,
 * followed by its decoded contents.
 * Layer: script
 */
#ifndef CORE_SHOW_SCRIPT_DUMP_H
#define CORE_SHOW_SCRIPT_DUMP_H

struct buf;
struct item;
struct ordered_text;
struct session;

/* Appends other data of a record: the packets of a hardware trace. */
typedef void (*dump_more_fn)(const void *ctx, const struct item *item, struct ordered_text *out);

/*
 * Writes all records, in order of time, to @fd; @more: called after each, with @ctx, by several threads; NULL: not called.
 * Returns 0 or -errno of the write.
 */
int dump_records(struct session *s, dump_more_fn more, const void *ctx, int fd);

/* Dumps one record of any type; of a sample also its parts and its resolved address. */
void dump_record(const struct session *s, const struct item *item, struct buf *out);

#endif
