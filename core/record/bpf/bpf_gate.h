/*
 * A gate makes a BPF program on a kprobe or uprobe run once per hit. The probe is opened as one event per CPU, and the program of
 * each event would run wherever the probe is hit. The gate, a program in front of it, lets only the hits of one CPU through.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_GATE_H
#define CORE_RECORD_BPF_BPF_GATE_H

/* Makes a program array with @program (BPF_PROG_TYPE_KPROBE). Returns its descriptor, or -errno. */
int bpf_gate_map(int program);
/* Loads the gate for @cpu and the program in @map: it drops hits on other CPUs. Returns its descriptor, or -errno. */
int bpf_gate_load(int map, int cpu);

#endif
