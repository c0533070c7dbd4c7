/*
 * How many records of which kind a recording has, for report --stats.
 * Layer: views
 */
#ifndef CORE_VIEWS_COUNTS_H
#define CORE_VIEWS_COUNTS_H

struct buf;
struct session;

void counts_print(const struct session *s, struct buf *out);

#endif
