/* The queues of CPUs on a clock, as in the examples of prec-record(1): by CPU where targ_per_cpu says so. */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define MOST_CPUS	128
#define MOST_SLOTS	32

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* nr_queued is of Linux 6.15; before, nr_running. */
struct cfs_rq { unsigned int nr_queued; };
struct cfs_rq___before { unsigned int nr_running; };
struct sched_entity { struct cfs_rq *cfs_rq; };
struct task_struct { struct sched_entity se; };
#pragma clang attribute pop

const volatile bool targ_per_cpu = false;
struct { __u32 slots[MOST_SLOTS]; } hists[MOST_CPUS];

SEC("perf_event")
int queue(void *ctx)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();
	const struct cfs_rq *cfs = BPF_CORE_READ(task, se.cfs_rq);
	const struct cfs_rq___before *before = (const void *)cfs;
	unsigned int nr = bpf_core_field_exists(cfs->nr_queued) ? BPF_CORE_READ(cfs, nr_queued) : BPF_CORE_READ(before, nr_running);
	__u32 cpu = targ_per_cpu ? bpf_get_smp_processor_id() : 0;

	nr -= nr > 0;
	if (cpu < MOST_CPUS && nr < MOST_SLOTS)
		hists[cpu].slots[nr]++;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
