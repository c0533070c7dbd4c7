/* What dd reads and writes, by process, as in the examples of prec-record(1). */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define MOST	128

struct calls { __u64 writes, reads; char comm[16]; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST);
	__type(key, __u32);
	__type(value, struct calls);
} by_pid SEC(".maps");

/* NULL: another program's. */
static struct calls *calls_of_dd(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct calls first = {0};

	bpf_get_current_comm(first.comm, sizeof(first.comm));
	if (first.comm[0] != 'd' || first.comm[1] != 'd' || first.comm[2])
		return 0;
	bpf_map_update_elem(&by_pid, &pid, &first, BPF_NOEXIST);
	return bpf_map_lookup_elem(&by_pid, &pid);
}

SEC("tracepoint/writes")
int writes(void *ctx)
{
	struct calls *its = calls_of_dd();

	return its ? ++its->writes > 0 : 0;
}

SEC("tracepoint/reads")
int reads(void *ctx)
{
	struct calls *its = calls_of_dd();

	return its ? ++its->reads > 0 : 0;
}

/* Of a function of the kernel that writes. */
SEC("kprobe")
int enters(void *ctx)
{
	return writes(ctx);
}

char LICENSE[] SEC("license") = "GPL";
