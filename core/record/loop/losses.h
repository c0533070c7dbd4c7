/*
 * Writes into a recording which data it lacks: how many samples of each event were lost, how many a filter dropped, and when each
 * ring buffer lost records.
 */
#ifndef CORE_RECORD_LOOP_LOSSES_H
#define CORE_RECORD_LOOP_LOSSES_H

struct buf;
struct event_set;
struct features;
struct stats;

/* Appends LOST_SAMPLES records of what each event lost and its filters dropped since the last call. */
void losses_append(struct buf *out, struct event_set *set, const struct stats *t);
/* Fills the section about losses since the last file. Call it after losses_append(), which counts them. */
void losses_section(struct features *f, const struct event_set *set, struct stats *t);

#endif
