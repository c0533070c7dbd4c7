/*
 * Dumps the records of a recording for prec script -D and prec report -D. The bytes of each record are printed in hexadecimal,
 * followed by its decoded contents.
 */
#ifndef CORE_SHOW_SCRIPT_DUMP_H
#define CORE_SHOW_SCRIPT_DUMP_H

struct buf;
struct item;
struct ordered_text;
struct session;

/* Appends other data of a record: the packets of a hardware trace. */
typedef void (*dump_more_fn)(const void *ctx, const struct item *item, struct ordered_text *out);

/* Writes all records to @fd in order of time. Several threads call @more (NULL: none) after each. Returns 0, or -errno. */
int dump_records(struct session *s, dump_more_fn more, const void *ctx, int fd);

/* Dumps one record of any type. For a sample, also dumps its parts and its resolved address. */
void dump_record(const struct session *s, const struct item *item, struct buf *out);

#endif
