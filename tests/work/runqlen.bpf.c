/*
 * On a clock: how many threads of the fair class wait for the CPU, by count, as the runqlen tool has it; keeps each sample.
 * Section "drop" keeps none; "none" is for no events; "broken" and "large" the verifier refuses.
 * "places" counts samples by CPU in a hash, whose keys are the numbers of CPUs and PLACES.
 * "flood" writes more at once than its ring buffer holds.
 * "tell" keeps each sample and writes its number on the CPU, and that CPU; "ring" does so through a ring buffer, which now and then
 * gets what is larger than a sample can be.
 * "counts" counts samples by CPU in a global variable, at a place that is set before it is loaded; "half", of a tracepoint, keeps
 * every other hit of dd.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define MOST	64

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* h_nr_runnable is of Linux 6.14; before, h_nr_running. */
struct cfs_rq { unsigned int h_nr_runnable; struct rq *rq; };
struct cfs_rq___before { unsigned int h_nr_running; };
struct rq { struct cfs_rq cfs; };
struct sched_entity { struct cfs_rq *cfs_rq; };
struct task_struct { struct sched_entity se; };
#pragma clang attribute pop

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MOST);
	__type(key, __u32);
	__type(value, __u64);
} lengths SEC(".maps");

static unsigned int queued(const struct cfs_rq *cfs)
{
	const struct cfs_rq___before *before = (const void *)cfs;

	return bpf_core_field_exists(cfs->h_nr_runnable) ? BPF_CORE_READ(cfs, h_nr_runnable) : BPF_CORE_READ(before, h_nr_running);
}

SEC("perf_event")
int runqlen(void *ctx)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();
	struct rq *rq = BPF_CORE_READ(task, se.cfs_rq, rq);
	unsigned int nr = queued(__builtin_preserve_access_index(&rq->cfs));
	bool idle = !bpf_get_current_pid_tgid();
	__u32 key = nr && !idle ? nr - 1 : nr;
	__u64 *count;

	if (key >= MOST)
		key = MOST - 1;
	count = bpf_map_lookup_elem(&lengths, &key);
	if (count)
		++*count;
	return 1;
}

SEC("perf_event/drop")
int drop(void *ctx)
{
	return 0;
}

#define PLACES	1000

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST);
	__type(key, __u32);
	__type(value, __u64);
} by_place SEC(".maps");

SEC("perf_event/places")
int places(void *ctx)
{
	__u32 key = PLACES + bpf_get_smp_processor_id();
	__u64 one = 1, *count = bpf_map_lookup_elem(&by_place, &key);

	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&by_place, &key, &one, BPF_ANY);
	return 1;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} output SEC(".maps");

SEC("perf_event/tell")
int tell(void *ctx)
{
	__u64 said[2] = { 0, bpf_get_smp_processor_id() };
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&lengths, &key);

	if (count)
		said[0] = ++*count;
	bpf_perf_event_output(ctx, &output, BPF_F_CURRENT_CPU, said, sizeof(said));
	return 1;
}

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} messages SEC(".maps");

#define LARGE	70000
#define EACH	50		/* of so many one is large */

SEC("perf_event/ring")
int ring(void *ctx)
{
	__u64 said[2] = { 0, bpf_get_smp_processor_id() };
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&lengths, &key);
	void *large;

	if (count)
		said[0] = ++*count;
	if (said[0] % EACH == 0) {
		large = bpf_ringbuf_reserve(&messages, LARGE, 0);
		if (large)
			bpf_ringbuf_submit(large, 0);
	}
	bpf_ringbuf_output(&messages, said, sizeof(said), 0);
	return 1;
}

#define FLOOD	40	/* records of 32 KiB: more than the ring holds */

SEC("perf_event/flood")
int flood(void *ctx)
{
	void *room;

	for (int i = 0; i < FLOOD; i++) {
		room = bpf_ringbuf_reserve(&messages, 32768, 0);
		if (room)
			bpf_ringbuf_submit(room, 0);
	}
	return 1;
}

enum place { NOWHERE, FIRST, SECOND };

const volatile bool keeps = false;
const volatile enum place place = NOWHERE;
int lowest = -1;
struct { __u32 slots[8]; char last[16]; __s64 lowest; } by_cpu[MOST];

SEC("perf_event/counts")
int counts(void *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();

	if (cpu < MOST) {
		by_cpu[cpu].slots[place & 7]++;
		by_cpu[cpu].lowest = lowest;
		bpf_get_current_comm(by_cpu[cpu].last, sizeof(by_cpu[cpu].last));
	}
	return keeps;
}

struct program { char comm[4]; __u32 zero; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST);
	__type(key, struct program);
	__type(value, struct { __u64 hits; __u32 kept; });
} hits SEC(".maps");

SEC("tracepoint/half")
int half(void *ctx)
{
	struct { __u64 hits; __u32 kept; } first = {0}, *its;
	struct program key = {0};
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	if (comm[0] != 'd' || comm[1] != 'd' || comm[2])
		return 0;
	__builtin_memcpy(key.comm, comm, sizeof(key.comm));
	bpf_map_update_elem(&hits, &key, &first, BPF_NOEXIST);
	its = bpf_map_lookup_elem(&hits, &key);
	if (!its)
		return 0;
	its->kept += its->hits & 1;
	return its->hits++ & 1;
}

SEC("perf_event/broken")
int broken(void *ctx)
{
	return *(volatile int *)(unsigned long)bpf_ktime_get_ns();
}

/* The verifier follows each round of the loop, and gives up after a million instructions. */
SEC("perf_event/large")
int large(void *ctx)
{
	volatile __u64 sum = 0;

	for (__u32 i = 0; i < 10000000; i++)
		sum += bpf_ktime_get_ns() ^ i;
	return sum & 1;
}

SEC("xdp")
int other(void *ctx)
{
	return 1;
}

char LICENSE[] SEC("license") = "GPL";
