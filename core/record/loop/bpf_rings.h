/* Reads ring buffers of the user's BPF programs: each record becomes a sample of the event "bpf-output". Layer: loop */
#ifndef CORE_RECORD_LOOP_BPF_RINGS_H
#define CORE_RECORD_LOOP_BPF_RINGS_H

#include <stdint.h>

#include "core/record/loop/drain.h"

struct bpf_rings;
struct findings;
struct stats;

#define BPF_RINGS_LOOK_MS	10

/* For the programs of @set, borrowed as the statistics. *out NULL: they have none. Prints errors; returns 0 or -1. */
int bpf_rings_open(struct bpf_rings **out, const struct event_set *set, struct stats *stats);
void bpf_rings_free(struct bpf_rings *r);
/* The drain that writes the records taken since its last call. */
struct drain *bpf_rings_drain(struct bpf_rings *r);
/* Takes the available records as samples with the present time. To be called each BPF_RINGS_LOOK_MS, by the thread that drains. */
void bpf_rings_poll(struct bpf_rings *r);
void bpf_rings_findings(const struct bpf_rings *r, struct findings *out);

#endif
