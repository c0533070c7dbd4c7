/*
 * permitted: what this user may record here, by trying it: a line for each kind, "own yes" or "kernel no". The kinds, and what is
 * tried of each, are those of prec-doctor(1).
 */
#include <linux/bpf.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct perf_event_attr clock_in_user(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(struct perf_event_attr),
		.sample_period = 1000000, .sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1, .exclude_hv = 1, .disabled = 1,
	};
}

static int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int opens(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = open_event(attr, pid, cpu);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The number in the first of these files that can be read; -1: in none. */
static long number_in(const char *const *paths)
{
	long v = -1;

	for (; *paths && v < 0; paths++) {
		FILE *f = fopen(*paths, "r");

		if (f && fscanf(f, "%ld", &v) != 1)
			v = -1;
		if (f)
			fclose(f);
	}
	return v;
}

static int own(void)
{
	struct perf_event_attr attr = clock_in_user();

	return opens(&attr, 0, -1);
}

static int kernel(void)
{
	struct perf_event_attr attr = clock_in_user();

	attr.exclude_kernel = attr.exclude_hv = 0;
	return opens(&attr, 0, -1);
}

static int cpus(void)
{
	struct perf_event_attr attr = clock_in_user();

	attr.exclude_kernel = attr.exclude_hv = 0;
	return opens(&attr, -1, 0);
}

static int others(void)
{
	struct perf_event_attr attr = clock_in_user();

	return opens(&attr, 1, -1);
}

static int hardware(void)
{
	struct perf_event_attr attr = clock_in_user();

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	return opens(&attr, 0, -1);
}

static int branches(void)
{
	struct perf_event_attr attr = clock_in_user();

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	return opens(&attr, 0, -1);
}

static int trace(void)
{
	static const char *const types[] = {
		"/sys/bus/event_source/devices/intel_pt/type", "/sys/bus/event_source/devices/cs_etm/type",
		"/sys/bus/event_source/devices/arm_spe_0/type", "/sys/bus/event_source/devices/intel_bts/type", NULL,
	};
	struct perf_event_attr attr = clock_in_user();
	long type = number_in(types);

	attr.type = (unsigned)type;
	attr.config = 0;
	attr.sample_period = 1;
	return type >= 0 && opens(&attr, 0, -1);
}

static int tracepoints(void)
{
	static const char *const ids[] = {
		"/sys/kernel/tracing/events/sched/sched_process_exec/id",
		"/sys/kernel/debug/tracing/events/sched/sched_process_exec/id", NULL,
	};
	struct perf_event_attr attr = clock_in_user();
	long id = number_in(ids);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = (unsigned long)id;
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.exclude_kernel = attr.exclude_hv = 0;
	return id >= 0 && opens(&attr, 0, -1);
}

static int breakpoints(void)
{
	static const long watched = 0;
	struct perf_event_attr attr = clock_in_user();

	attr.type = PERF_TYPE_BREAKPOINT;
	attr.config = 0;
	attr.sample_period = 1;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (unsigned long)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	return opens(&attr, 0, -1);
}

/* A program that returns 0. */
static int bpf(void)
{
	struct bpf_insn program[2] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insn_cnt = 2;
	attr.insns = (unsigned long)program;
	attr.license = (unsigned long)"GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd >= 0;
}

/* 512 KiB and the page before them. */
static int rings(void)
{
	struct perf_event_attr attr = clock_in_user();
	int fd = open_event(&attr, 0, -1);

	return fd >= 0 && mmap(NULL, (512u << 10) + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) !=
			  MAP_FAILED;
}

static int symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long address = 0;

	for (int i = 0; f && !address && i < 100; i++)
		if (fscanf(f, "%lx%*[^\n]", &address) != 1)
			break;
	return address != 0;
}

static int proc(void)
{
	return !access("/proc/self/maps", R_OK);
}

int main(void)
{
	static const struct { const char *name; int (*try)(void); } kinds[] = {
		{ "own", own }, { "kernel", kernel }, { "cpus", cpus }, { "others", others }, { "hardware", hardware },
		{ "branches", branches }, { "trace", trace }, { "tracepoints", tracepoints }, { "breakpoints", breakpoints },
		{ "bpf", bpf }, { "rings", rings }, { "symbols", symbols }, { "proc", proc },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		printf("%s %s\n", kinds[i].name, kinds[i].try() ? "yes" : "no");
	return 0;
}
