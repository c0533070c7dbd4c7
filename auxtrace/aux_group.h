/*
 * Puts events that use a hardware trace, for example to add a part of it to their samples, into the group of the AUX event that
 * records the trace. The kernel accepts such events only there. aux_events.c calls it.
 */
#ifndef AUXTRACE_AUX_GROUP_H
#define AUXTRACE_AUX_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_request;
struct event_requests;

/* The most bytes of trace in one sample. The size of a record has 16 bits, and a sample has other data, too. perf's limit, too. */
#define AUX_SAMPLE_MAX		(60u << 10)
/* The default: a PSB, where decoding begins, comes at least every 2 KiB, so a sample of this size has one. */
#define AUX_SAMPLE_DEFAULT	4096u

/*
 * True if an event needs the trace: its samples carry the newest trace (aux_sample_size), it pauses and resumes the trace
 * (aux_action), or its records are written into the trace (aux_output). The kernel accepts such an event only in a group whose
 * leader is the AUX event (perf_event_open(2); perf_get_aux_event() in kernel/events/core.c).
 */
bool aux_group_wanted(const struct event_request *r);

/*
 * Puts the events for which aux_group_wanted() is true into the group of the first event that fills areas (@events are in order:
 * it comes first), and checks that they can be in it. @sample_bytes (--aux-sample): bytes of trace in samples of members that do
 * not set their own. *sampled: true if samples of any event carry trace. Prints errors; returns 0 or -1.
 */
int aux_group_join(struct event_requests *events, uint32_t sample_bytes, bool *sampled);

#endif
