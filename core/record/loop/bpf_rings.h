/* Reads the ring buffers of the user's BPF programs (--bpf). Each record becomes a sample of the event "bpf-output". */
#ifndef CORE_RECORD_LOOP_BPF_RINGS_H
#define CORE_RECORD_LOOP_BPF_RINGS_H

#include <stdint.h>

#include "core/record/loop/drain.h"

struct bpf_rings;
struct findings;
struct stats;

#define BPF_RINGS_LOOK_MS	10

/* Opens the ring buffers of the programs of @set; *out is NULL if there are none. Borrows both. Returns 0 or -1 (printed). */
int bpf_rings_open(struct bpf_rings **out, const struct event_set *set, struct stats *stats);
void bpf_rings_free(struct bpf_rings *r);
/* Returns the drain (drain.h) that writes the records taken since its last call. */
struct drain *bpf_rings_drain(struct bpf_rings *r);
/* Takes the available records as samples of now. Call it every BPF_RINGS_LOOK_MS, from the thread that calls the drain. */
void bpf_rings_poll(struct bpf_rings *r);
void bpf_rings_findings(const struct bpf_rings *r, struct findings *out);

#endif
