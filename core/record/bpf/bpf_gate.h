/*
 * Loads small BPF programs that let the user's program (--bpf) run only once per hit of a kprobe or uprobe. Without them it
 * would run once for each CPU, because prec opens the probe as one event per CPU.
 */
#ifndef CORE_RECORD_BPF_BPF_GATE_H
#define CORE_RECORD_BPF_BPF_GATE_H

/* Makes a program array with @program (BPF_PROG_TYPE_KPROBE). Returns its descriptor, or -errno. */
int bpf_gate_map(int program);
/*
 * Loads the gate for @cpu and the program in @map: a small BPF program that drops hits on other CPUs. prec opens the probe as one
 * event per CPU, and at each hit the kernel runs the programs of all these events, whichever CPU the hit was on. So each event gets
 * a gate, which calls the user's program only for the hits of the event's own CPU. Returns its descriptor, or -errno.
 */
int bpf_gate_load(int map, int cpu);

#endif
