/*
 * Records as they are: bytes in hexadecimal, then what they say. For -D of script and report.
 * Layer: views
 */
#ifndef CORE_VIEWS_DUMP_H
#define CORE_VIEWS_DUMP_H

struct buf;
struct item;
struct session;

/* All records, in order of time, to @fd. Returns 0 or -errno of the write. */
int dump_records(struct session *s, int fd);

/* One record, whatever its type; of a sample also its parts and its place. */
void dump_record(const struct session *s, const struct item *item, struct buf *out);

#endif
