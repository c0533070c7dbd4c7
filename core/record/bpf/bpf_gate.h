/*
 * A probe has an event on each CPU, and the program of each of these runs wherever the probe is hit. A gate is a program that lets
 * another one see only the hits of one CPU, so that this runs once a hit, and decides on the only sample there is.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_GATE_H
#define CORE_RECORD_BPF_BPF_GATE_H

/* A map that leads to @program (BPF_PROG_TYPE_KPROBE), while it is open. Returns its descriptor, or -errno. */
int bpf_gate_map(int program);
/* The gate on @cpu for the program of @map: it drops what is hit on others. Returns its descriptor, or -errno. */
int bpf_gate_load(int map, int cpu);

#endif
