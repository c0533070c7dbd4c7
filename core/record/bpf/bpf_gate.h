/*
 * A kprobe or uprobe is opened as one event per CPU, and the BPF program of each of them runs wherever the probe is hit. A gate is
 * a program in front of another: it lets only the hits of one CPU through, so that the program runs once per hit.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_GATE_H
#define CORE_RECORD_BPF_BPF_GATE_H

/* Makes a program array with @program (BPF_PROG_TYPE_KPROBE). Returns its descriptor, or -errno. */
int bpf_gate_map(int program);
/* Loads the gate for @cpu and the program in @map: it drops hits on other CPUs. Returns its descriptor, or -errno. */
int bpf_gate_load(int map, int cpu);

#endif
