/*
 * What a file holds beside what comes out of the rings: what was there before, what was lost, who recorded it.
 * Layer: events
 */
#ifndef CORE_EVENTS_DESCRIBE_H
#define CORE_EVENTS_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct buf;
struct event_set;
struct features;
struct recorder_opts;
struct tally;

/*
 * Append the kernel's maps and the names and maps of what is watched; of all processes where @everyone, which a
 * file begun later needs: what was watched has had children.
 */
void describe_past(struct buf *out, const struct recorder_opts *o, const struct event_set *set, bool everyone);
/* Append what each event lost on each CPU since the last time, as the kernel's own records of losses. */
void describe_lost(struct buf *out, struct event_set *set, const struct tally *t);
/*
 * Fill the section that says what was lost since the last file: by event and place, and when. After describe_lost(), which
 * it tells more of.
 */
void describe_losses(struct features *f, const struct event_set *set, struct tally *t);
/* Fill the sections about this machine and the events, which are known before the first sample. */
void describe_host(struct features *f, const struct recorder_opts *o, const struct event_set *set);
/* Fill these and the other sections. */
void describe_features(struct features *f, const struct recorder_opts *o, const struct event_set *set,
		       const struct tally *t);
/* Append the section TRACING_DATA: what the tracepoints' data mean, as long as the kernel can tell; else nothing. */
void describe_tracepoints(struct buf *out, const struct recorder_opts *o);

#endif
