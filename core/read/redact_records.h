/*
 * Removes private data from the records, events and feature sections of a recording, for prec archive --redact.
 * core/perfdata/redact.h supplies the substitutes for paths and names. copy.c writes the result.
 */
#ifndef CORE_READ_REDACT_RECORDS_H
#define CORE_READ_REDACT_RECORDS_H

#include "core/perfdata/event_table.h"

struct buf;
struct features;
struct item;
struct redactor;

/* Makes a table with copies of the events, which borrow from @t: copied_events_release(). */
struct event_table copied_events(const struct event_table *t);
void copied_events_release(struct event_table *t);
/* The same, without the private fields. */
struct event_table redacted_events(const struct event_table *t);

/*
 * Appends @item's record, whose event is in @events, to @out. Returns false if the record is left out. Raw data, copies of stacks
 * and registers, and hardware trace are left out. A stack copy is replaced by the call chain that was unwound from it.
 */
bool redact_item(struct redactor *r, const struct event_table *events, const struct item *item, struct buf *out);

/* Removes data about the machine and its user, except build ids, which are left to the caller. */
void redact_features(struct features *f);

#endif
