/*
 * Values of every kind that BTF describes, filled by the writes of a program that is named mdd: what they are then is known.
 * "fill" and "more" share their maps and variables. "every" keeps every other hit of a probe.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#define MOST	16

enum place { NOWHERE, FIRST, SECOND = 7 };
typedef unsigned long long number;
struct inner { short low; enum place place; };
struct value {
	__u64 count;
	__s32 below;
	bool is;
	char name[8];
	struct inner inner[2];
	unsigned char raw[4];
	unsigned int narrow : 3, rest : 29;
	union { __u32 whole; __u16 half; };
	number slots_log2[8];
};
struct key { __u32 a; __s32 b; };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST);
	__type(key, __u32);
	__type(value, struct value);
} structs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST);
	__type(key, struct key);
	__type(value, struct value);
} by_struct SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MOST);
	__type(key, __u32);
	__type(value, __u64);
} by_cpu_log2 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, MOST);
	__type(key, __u32);
	__type(value, struct inner);
} inner_by_cpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MOST);
	__type(key, enum place);
	__type(value, __s64);
} recent SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST);
	__uint(key_size, 4);
	__uint(value_size, 6);
} bytes SEC(".maps");

const volatile bool wanted = false;
const volatile enum place place = NOWHERE;
const volatile __s8 small = 0;
int below = -1;
__u64 nr_writes, nr_more;
struct value whole;
__u64 square[2][3];
char text[12] = "begin";
void *nowhere;

static bool is_mdd(void)
{
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	return comm[0] == 'm' && comm[1] == 'd' && comm[2] == 'd' && !comm[3];
}

static void fill_value(struct value *v, __u32 i)
{
	v->count++;
	v->below = -(__s32)i - 1;
	v->is = true;
	__builtin_memcpy(v->name, "na\"me", 6);
	v->inner[1].low = -5;
	v->inner[1].place = place;
	v->raw[2] = 0xab;
	v->narrow = 5;
	v->rest = 77 + i;
	v->whole = 0x10002;
	v->slots_log2[i & 7] += 1;
}

SEC("tracepoint/fill")
int fill(void *ctx)
{
	__u32 i, first = FIRST;
	__u64 one = 1, *count;
	__u8 raw[6] = { 1, 2, 3, 0, 0, 0xff };
	struct value *v, fresh = {0};
	struct inner in = { -2, SECOND };
	__s64 negative = -7;
	struct key key = {0};

	if (!is_mdd() || !wanted)
		return 0;
	i = nr_writes++ & (MOST - 1);
	v = bpf_map_lookup_elem(&structs, &i);
	if (v)
		fill_value(v, i);
	fill_value(&whole, i);
	fill_value(&fresh, i);
	key.a = i;
	key.b = -(__s32)i;
	bpf_map_update_elem(&by_struct, &key, &fresh, BPF_ANY);
	count = bpf_map_lookup_elem(&by_cpu_log2, &i);
	if (count)
		*count += one;
	bpf_map_update_elem(&inner_by_cpu, &i, &in, BPF_ANY);
	bpf_map_update_elem(&recent, &first, &negative, BPF_ANY);
	bpf_map_update_elem(&bytes, &i, raw, BPF_ANY);
	square[1][1] += i;
	below += small;
	nowhere = (void *)0xffff888000001000ul;
	return 1;
}

SEC("tracepoint/more")
int more(void *ctx)
{
	if (is_mdd())
		nr_more += nr_writes;
	return is_mdd();
}

__u64 nr_hits;

SEC("uprobe")
int every(void *ctx)
{
	return nr_hits++ & 1;
}

char LICENSE[] SEC("license") = "GPL";
