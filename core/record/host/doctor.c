/*
 * Tries each kind of recording for `prec doctor`, with one function per kind, and measures the CPU time that a sample costs.
 * cmd/doctor.c prints the results.
 */
#include "core/record/host/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/events/pmu.h"
#include "core/record/events/tracefs.h"
#include "core/perfdata/attr.h"
#include "core/record/open/event_open.h"
#include "core/record/events/permissions.h"
#include "core/record/open/ring.h"
#include "core/record/open/target.h"

#define RING_BYTES	(512u << 10)	/* the size of record's default ring per CPU */

struct examination;

struct row {
	const char *id, *what;
	enum verdict_kind (*try)(struct examination *x);
	pid_t pid;			/* try_clock(): of this process; 0: this one */
	bool kernel;			/* try_clock(): also what the kernel does */
};

struct examination {
	const struct row *row;		/* what is tried */
	struct permission_facts facts;
	struct buf *why;	/* the text for the row that is tried */
};

/* ---- whose rights ---- */

int doctor_become(const char *user)
{
	const struct passwd *known;
	uid_t uid;
	gid_t gid;

	if (user_parse(&uid, user))
		return -1;
	known = getpwuid(uid);
	gid = known ? known->pw_gid : (gid_t)uid;
	/* setresuid(2) drops root's capabilities. */
	if ((known ? initgroups(known->pw_name, gid) : setgroups(0, NULL)) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return error("cannot become user '%s': %s: only root can ask for others", user, strerror(errno));
	/* Else a process that has changed its user cannot read its own files in /proc, as other programs of the user can. */
	(void)!prctl(PR_SET_DUMPABLE, 1);
	return 0;
}

/* ---- opening ---- */

static struct event_attr clock_attr(void)
{
	return (struct event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER7, .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 10000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
}

static bool is_absence(int err)
{
	return err == ENOENT || err == EOPNOTSUPP || err == ENODEV || err == ENXIO;
}

static enum verdict_kind try_open(struct examination *e, const struct event_attr *attr, pid_t pid, int cpu)
{
	int fd = event_open(attr, pid, cpu, -1);

	if (fd >= 0) {
		close(fd);
		return DOCTOR_YES;
	}
	e->facts.foreign = pid > 0 && owner_of_process((uint32_t)pid) != geteuid();
	permission_explain(e->why, &e->facts, attr, pid, cpu, -fd);
	return is_absence(-fd) ? DOCTOR_ABSENT : DOCTOR_NO;
}

/* ---- what is tried ---- */

static enum verdict_kind try_clock(struct examination *e)
{
	struct event_attr attr = clock_attr();

	attr.exclude_kernel = attr.exclude_hv = !e->row->kernel;
	return try_open(e, &attr, e->row->pid, -1);
}

static enum verdict_kind try_cpus(struct examination *e)
{
	struct event_attr attr = clock_attr();
	struct cpus online = {0};
	int cpu = cpus_online(&online) || !online.list.nr ? 0 : online.list.v[0];

	cpus_release(&online);
	attr.exclude_kernel = attr.exclude_hv = 0;
	return try_open(e, &attr, -1, cpu);
}

static enum verdict_kind try_hardware(struct examination *e)
{
	struct event_attr attr = clock_attr();

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	return try_open(e, &attr, 0, -1);
}

static enum verdict_kind try_branches(struct examination *e)
{
	struct event_attr attr = clock_attr();
	enum verdict_kind counters = try_hardware(e);

	if (counters != DOCTOR_YES)
		return counters;
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	return try_open(e, &attr, 0, -1);
}

static enum verdict_kind try_breakpoint(struct examination *e)
{
	static const uint64_t watched = 0;
	struct event_attr attr = clock_attr();

	attr.type = PERF_TYPE_BREAKPOINT;
	attr.config = 0;
	attr.sample_period = 1;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.bp_addr = (uintptr_t)&watched;
	attr.bp_len = HW_BREAKPOINT_LEN_4;
	return try_open(e, &attr, 0, -1);
}

static enum verdict_kind try_tracepoints(struct examination *e)
{
	struct tracepoints found = {0};
	struct event_attr attr = clock_attr();
	char *why = NULL;
	int nr = tracepoints_find(&found, "sched:sched_process_exec", &why);
	enum verdict_kind verdict = nr == -ENODEV ? DOCTOR_ABSENT : DOCTOR_NO;

	if (nr > 0) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = found.list.v[0].id;
		attr.sample_period = 1;
		attr.sample_type |= PERF_SAMPLE_RAW;
		attr.exclude_kernel = attr.exclude_hv = 0;
		verdict = try_open(e, &attr, 0, -1);
	} else {
		buf_puts(e->why, why ? why : strerror(-nr));
	}
	tracepoints_release(&found);
	free(why);
	return verdict;
}

/* True for a PMU of hardware trace, by the beginning of its name. */
static bool is_trace_pmu(const char *name)
{
	static const char *const names[] = { "intel_pt", "intel_bts", "cs_etm", "arm_spe_", "hisi_ptt" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(name, names[i]))
			return true;
	return false;
}

static enum verdict_kind try_trace(struct examination *e)
{
	struct event_attr attr = clock_attr();
	enum verdict_kind verdict = DOCTOR_ABSENT;
	struct pmus pmus;
	const struct pmu *found = NULL;

	pmus_read(&pmus);
	vec_for(p, &pmus.list)
		found = is_trace_pmu(p->name) && !found ? p : found;
	if (found) {
		attr.type = found->type;
		attr.config = 0;
		attr.sample_period = 1;
		verdict = try_open(e, &attr, 0, -1);
	} else {
		buf_puts(e->why, "this machine has no intel_pt, intel_bts, cs_etm or arm_spe; few virtual machines have");
	}
	pmus_release(&pmus);
	return verdict;
}

/* r0 = 0; exit */
static enum verdict_kind try_bpf(struct examination *e)
{
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 }, { .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insn_cnt = ARRAY_SIZE(program);
	attr.insns = (uintptr_t)program;
	attr.license = (uintptr_t)"GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd >= 0) {
		close(fd);
		return DOCTOR_YES;
	}
	if (errno == ENOSYS || errno == EINVAL) {
		buf_puts(e->why, "this kernel has no bpf(2), or a seccomp filter hides it");
		return DOCTOR_ABSENT;
	}
	buf_printf(e->why, "bpf(2): %s; programs of this kind need CAP_BPF and CAP_PERFMON", strerror(errno));
	return DOCTOR_NO;
}

static void explain_memory(struct examination *e, int err)
{
	struct rlimit locked = {0};
	long long kb = 0;

	getrlimit(RLIMIT_MEMLOCK, &locked);
	if (read_int_of("/proc/sys/kernel/perf_event_mlock_kb", &kb))
		kb = 0;
	if (err != EPERM) {
		buf_printf(e->why, "a ring of %u KiB: %s", RING_BYTES >> 10, strerror(err));
		return;
	}
	buf_printf(e->why, "a ring of %u KiB is more than kernel.perf_event_mlock_kb (%lld for each CPU of all rings of a user) "
		   "and the limit of locked memory (%llu KiB) allow: smaller rings ('-m 16'), 'ulimit -l %u', or "
		   "'sysctl kernel.perf_event_mlock_kb=%u'", RING_BYTES >> 10, kb, (unsigned long long)locked.rlim_cur >> 10,
		   (RING_BYTES >> 10) + 4, (RING_BYTES >> 10) + 4);
}

static enum verdict_kind try_ring(struct examination *e)
{
	struct event_attr attr = clock_attr();
	int fd = event_open(&attr, 0, -1, -1), err;
	struct ring ring;

	if (fd < 0) {
		permission_explain(e->why, &e->facts, &attr, 0, -1, -fd);
		return DOCTOR_NO;
	}
	err = ring_map(&ring, fd, RING_BYTES, false);
	if (err)
		explain_memory(e, -err);
	else
		ring_unmap(&ring);
	close(fd);
	return err ? DOCTOR_NO : DOCTOR_YES;
}

/* kernel/ksyms_common.c, kallsyms_show_value() */
static void explain_symbols(struct examination *e)
{
	bool paranoid = e->facts.paranoid > 1;
	const char *both = paranoid ? " kernel.perf_event_paranoid=1" : "";
	long long kptr = 0;

	if (read_int_of("/proc/sys/kernel/kptr_restrict", &kptr))
		kptr = 0;
	buf_puts(e->why, "addresses of the kernel are hidden, as ");
	if (kptr)
		buf_printf(e->why, "kernel.kptr_restrict is %lld%s", kptr, paranoid ? " and " : "");
	if (paranoid || !kptr)
		buf_printf(e->why, "kernel.perf_event_paranoid is %lld", e->facts.paranoid);
	buf_puts(e->why, ": ");
	if (kptr > 1)
		buf_printf(e->why, "'sysctl kernel.kptr_restrict=1' shows them to who has CAP_SYSLOG, "
			   "'sysctl kernel.kptr_restrict=0%s' to all", both);
	else
		buf_printf(e->why, "CAP_SYSLOG, or 'sysctl%s%s', shows them", kptr ? " kernel.kptr_restrict=0" : "", both);
}

/* Tries whether /proc/kallsyms has an address that is not 0. Hidden addresses are all 0. */
static enum verdict_kind try_symbols(struct examination *e)
{
	char text[4096];
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0) {
		buf_puts(e->why, "/proc/kallsyms cannot be read: is /proc mounted?");
		return DOCTOR_ABSENT;
	}
	text[n] = '\0';
	for (char *at = text; at; at = strchr(at, '\n'), at += at != NULL)
		if (strtoull(at, NULL, 16))
			return DOCTOR_YES;
	explain_symbols(e);
	return DOCTOR_NO;
}

static enum verdict_kind try_proc(struct examination *e)
{
	struct buf maps = {0};
	int err = read_file("/proc/self/maps", &maps);

	buf_release(&maps);
	if (!err)
		return DOCTOR_YES;
	buf_printf(e->why, "/proc/self/maps: %s; without /proc running processes have no names and maps", strerror(-err));
	return DOCTOR_ABSENT;
}

/*
 * No try changes the machine: an event is opened disabled and closed again, a ring buffer is mapped and unmapped, and a BPF program
 * of two instructions is loaded and closed.
 */
static const struct row rows[] = {
	{ "own", "your own programs, in user mode", try_clock },
	{ "kernel", "what the kernel does for them", try_clock, .kernel = true },
	{ "cpus", "whole CPUs, all processes (-a, -C)", try_cpus },
	/* Process 1 always exists, and belongs to another user unless prec runs as root. */
	{ "others", "processes of other users (-p)", try_clock, .pid = 1 },
	{ "hardware", "the CPU's counters (cycles, cache-misses)", try_hardware },
	{ "branches", "branches taken (-b, --call-graph lbr)", try_branches },
	{ "trace", "hardware trace (Intel PT, CoreSight, SPE)", try_trace },
	{ "tracepoints", "tracepoints (-e sched:..., who wakes in --off-cpu)", try_tracepoints },
	{ "breakpoints", "accesses to an address (-e mem:...)", try_breakpoint },
	{ "bpf", "BPF programs", try_bpf },
	{ "rings", "rings of the default size (-m)", try_ring },
	{ "symbols", "names of the kernel's functions", try_symbols },
	{ "proc", "what runs already: its maps and names", try_proc },
};

size_t doctor_examine(struct diagnosis **out)
{
	struct buf why = {0};
	struct examination x = { .why = &why };

	permission_facts_read(&x.facts);
	*out = xcalloc(ARRAY_SIZE(rows), sizeof(**out));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum verdict_kind verdict;

		why.len = 0;
		x.row = &rows[i];
		x.facts.foreign = false;
		verdict = rows[i].try(&x);
		(*out)[i] = (struct diagnosis){ rows[i].id, rows[i].what, verdict, why.len ? xstrdup(buf_str(&why)) : NULL };
	}
	buf_release(&why);
	return ARRAY_SIZE(rows);
}

void doctor_release(struct diagnosis *d, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(d[i].why);
	free(d);
}

const char *doctor_verdict_name(enum verdict_kind verdict)
{
	static const char *const names[] = { [DOCTOR_YES] = "yes", [DOCTOR_NO] = "no", [DOCTOR_ABSENT] = "absent" };

	return names[verdict];
}

/* ---- what a sample costs ---- */

#define PERIOD_NS	50000	/* 20,000 samples a second: enough of them in a short loop */
#define STEPS		20000000u
#define TRIES		5
#define LEAST_SAMPLES	50

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns the CPU time of a loop in which each step waits for the result of the one before. */
static uint64_t loop_ns(void)
{
	volatile uint64_t sink;
	uint64_t x = 1, from = cpu_ns();

	for (unsigned i = 0; i < STEPS; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
	(void)sink;
	return cpu_ns() - from;
}

/* Returns the shortest of some tries, because other work of the machine only adds time. */
static uint64_t quickest(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++)
		least = MIN(least, loop_ns());
	return least;
}

double doctor_sample_ns(void)
{
	struct event_attr attr = clock_attr();
	uint64_t without, with, samples;
	struct ring ring;
	int fd;

	attr.sample_period = PERIOD_NS;
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr.disabled = 0;
	without = quickest();
	fd = event_open(&attr, 0, -1, -1);
	if (fd < 0 || ring_map(&ring, fd, 16u * (unsigned)sysconf(_SC_PAGESIZE), true)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	with = quickest();
	ring_unmap(&ring);
	close(fd);
	samples = with / PERIOD_NS;
	return samples < LEAST_SAMPLES || with < without ? -1 : (double)(with - without) / (double)samples;
}
