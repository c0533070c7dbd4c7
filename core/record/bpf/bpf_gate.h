/*
 * Makes the user's BPF program run once per hit of a kprobe or uprobe. prec opens the probe as one event per CPU, and at each
 * hit the kernel runs the programs of all these events, whichever CPU the hit was on. So each event gets a gate instead: a small
 * BPF program that drops the hits of other CPUs, and calls the user's program for the hits of the event's own CPU.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_GATE_H
#define CORE_RECORD_BPF_BPF_GATE_H

/* Makes a program array with @program (BPF_PROG_TYPE_KPROBE). Returns its descriptor, or -errno. */
int bpf_gate_map(int program);
/* Loads the gate for @cpu and the program in @map: it drops hits on other CPUs. Returns its descriptor, or -errno. */
int bpf_gate_load(int map, int cpu);

#endif
