/*
 * What the hit of a tracepoint says, with the names that its recording knows.
 * Layer: views
 */
#ifndef CORE_VIEWS_TRACE_TEXT_H
#define CORE_VIEWS_TRACE_TEXT_H

struct buf;
struct item;
struct session;
struct trace_event;

/* Append what @ev prints for it. Safe from any thread. */
void trace_text_put(const struct session *s, const struct trace_event *ev, const struct item *item, struct buf *out);

#endif
