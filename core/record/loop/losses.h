/* Writes the losses of a recording to its file: counts by event, from the kernel, and gaps in time, from the rings. Layer: loop */
#ifndef CORE_RECORD_LOOP_LOSSES_H
#define CORE_RECORD_LOOP_LOSSES_H

struct buf;
struct event_set;
struct features;
struct stats;

/*
 * Append what each event lost and what its filters dropped on each CPU since the last time, as the kernel's own records of
 * losses.
 */
void losses_append(struct buf *out, struct event_set *set, const struct stats *t);
/*
 * Fill the section that says what was lost since the last file: by event and place, and when. Call it after losses_append(),
 * which counts.
 */
void losses_section(struct features *f, const struct event_set *set, struct stats *t);

#endif
