/*
 * Explains why the kernel refused to open an event, from the error number and the machine's settings. Sources: perf_event_open(2),
 * "ERRORS"; Documentation/admin-guide/sysctl/kernel.rst, perf_event_paranoid; for the order of the checks, kernel/events/core.c of
 * Linux 6.18.
 */
#include "core/record/events/permissions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/sysfs.h"
#include "core/perfdata/attr.h"

/* CAP_SYS_ADMIN is bit 21, CAP_PERFMON (Linux 5.8) bit 38. */
#define CAPS_THAT_ALLOW	(1ull << 21 | 1ull << 38)

/* The kernel allows perf_event_mlock_kb for each CPU, and in addition the process's RLIMIT_MEMLOCK (perf_mmap()). */
uint64_t permission_lockable_bytes(void)
{
	struct rlimit locked = {0};
	long long kb = 0, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	getrlimit(RLIMIT_MEMLOCK, &locked);
	if (read_int_of("/proc/sys/kernel/perf_event_mlock_kb", &kb) || kb < 0)
		kb = 0;
	return MIN((uint64_t)locked.rlim_cur, INT64_MAX) + ((uint64_t)MIN(kb, INT32_MAX) << 10) * (uint64_t)MAX(cpus, 1);
}

/* True if prec is not in the initial user namespace, which maps all users to themselves (user_namespaces(7), "uid_map"). */
static bool in_user_namespace(void)
{
	char *map = read_line_of("/proc/self/uid_map"), *end;
	bool initial = !map;

	if (map && strtoull(map, &end, 10) == 0 && strtoull(end, &end, 10) == 0)
		initial = strtoull(end, NULL, 10) == UINT32_MAX;
	free(map);
	return !initial;
}

static void read_status(struct permission_facts *out)
{
	struct buf b = {0};
	const char *caps, *filters;

	if (!read_file("/proc/self/status", &b)) {
		caps = strstr(buf_str(&b), "\nCapEff:");
		filters = strstr(buf_str(&b), "\nSeccomp:");
		/* In a user namespace other than the initial one, capabilities do not count for perf events. */
		if (caps && !in_user_namespace())
			out->perfmon = strtoull(caps + strlen("\nCapEff:"), NULL, 16) & CAPS_THAT_ALLOW;
		out->seccomp = filters && strtoul(filters + strlen("\nSeccomp:"), NULL, 10) == 2;
	}
	buf_release(&b);
}

static uint32_t pmu_type(const char *name)
{
	char *line = sysfs_line("bus/event_source/devices/%s/type", name);
	uint32_t type = line ? (uint32_t)strtoul(line, NULL, 10) : 0;

	free(line);
	return type;
}

void permission_facts_read(struct permission_facts *out)
{
	struct rlimit files;
	char *lockdown = read_line_of("/sys/kernel/security/lockdown");

	*out = (struct permission_facts){0};
	out->has_paranoid = !read_int_of("/proc/sys/kernel/perf_event_paranoid", &out->paranoid);
	out->lockdown = lockdown && !strstr(lockdown, "[none]");
	free(lockdown);
	if (!getrlimit(RLIMIT_NOFILE, &files))
		out->max_files = files.rlim_cur;
	if (read_int_of("/proc/sys/kernel/perf_event_max_stack", &out->max_stack))
		out->max_stack = 0;
	out->probes[0] = pmu_type("kprobe");
	out->probes[1] = pmu_type("uprobe");
	read_status(out);
}

void permission_warn_hidden(void)
{
	struct permission_facts f;
	long long kptr = 0;

	permission_facts_read(&f);
	if (read_int_of("/proc/sys/kernel/kptr_restrict", &kptr))
		kptr = 0;
	warning("functions of the kernel will have no names: its addresses are hidden (kernel.kptr_restrict is %lld, "
		"kernel.perf_event_paranoid %lld); %s", kptr, f.paranoid,
		kptr > 1 ? "'sysctl kernel.kptr_restrict=1' shows them to who has CAP_SYSLOG" :
			   "CAP_SYSLOG, or 0 in the first and at most 1 in the second, shows them");
}

/* Returns the highest perf_event_paranoid at which an unprivileged user may open the event. *why is the reason. */
static long long paranoid_needed(const struct event_attr *attr, pid_t pid, const char **why)
{
	/* kernel/trace/trace_event_perf.c, perf_trace_event_perm() */
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->sample_type & PERF_SAMPLE_RAW) {
		*why = "recording what tracepoints tell";
		return -1;
	}
	if (pid == -1) {
		*why = "watching whole CPUs";
		return 0;
	}
	if (!attr->exclude_kernel) {
		*why = "watching the kernel";
		return 1;
	}
	*why = "watching one's own processes";
	return 2;
}

static const char seccomp_text[] = "a seccomp filter, such as a container's, refuses perf_event_open; "
				   "run outside of it or with a profile that allows the call";

#define ALLOWED	"capabilities and kernel.perf_event_paranoid allow it; a security module may refuse it"

/* perf_kprobe_event_init() and perf_uprobe_event_init() ask for the capability, and not for perf_event_paranoid. */
static bool is_probe(const struct permission_facts *f, const struct event_attr *attr)
{
	return attr->type >= PERF_TYPE_MAX && (attr->type == f->probes[0] || attr->type == f->probes[1]);
}

static void explain_refusal(struct buf *out, const struct permission_facts *f, const struct event_attr *attr, pid_t pid)
{
	const char *why;
	long long needed = paranoid_needed(attr, pid, &why);

	if (is_probe(f, attr) && !f->perfmon)
		buf_puts(out, "a probe needs CAP_PERFMON (before Linux 5.8 CAP_SYS_ADMIN), whatever kernel.perf_event_paranoid is; "
			      "record it as root");
	else if (f->foreign && !f->perfmon)
		buf_printf(out, "process %d is another user's; CAP_PERFMON or CAP_SYS_PTRACE would allow it", (int)pid);
	else if (!f->perfmon && f->paranoid > needed)
		buf_printf(out, "%s needs CAP_PERFMON or kernel.perf_event_paranoid of at most %lld, and that is %lld; "
			   "the least that would work: %s'sysctl kernel.perf_event_paranoid=%lld'", why, needed, f->paranoid,
			   needed != 1 ? "" : "':u' after the event, or ", needed);
	else if (!f->perfmon && !f->has_paranoid)
		buf_printf(out, "%s needs CAP_PERFMON or kernel.perf_event_paranoid of at most %lld, which cannot be read: "
			   "is /proc mounted?", why, needed);
	else if (f->seccomp)
		buf_puts(out, seccomp_text);
	else if (f->lockdown)
		buf_puts(out, "the kernel is locked down (/sys/kernel/security/lockdown)");
	else if (pid > 0)
		buf_printf(out, ALLOWED ", or process %d may not be looked into, as a setuid program", (int)pid);
	else
		buf_puts(out, ALLOWED);
}

/* Returns what an error means whatever the event is. */
static const char *reason_of(int err)
{
	switch (err) {
	case ENFILE: return "too many files are open on this machine; raise 'sysctl fs.file-max'";
	case ENOMEM: return "the kernel has no memory for it; watch fewer threads, CPUs or events";
	case ENOSPC: return "all debug registers of a CPU or thread are taken; watch fewer addresses, or end what uses them";
	case E2BIG: return "it needs what this kernel is too old for";
	case EBUSY: return "another user of the counter has it exclusively";
	}
	return strerror(err);
}

void permission_explain(struct buf *out, const struct permission_facts *f, const struct event_attr *attr,
			pid_t pid, int cpu, int err)
{
	switch (err) {
	case EACCES: case EPERM:
		explain_refusal(out, f, attr, pid);
		return;
	case ENOSYS:
		buf_puts(out, f->has_paranoid && f->seccomp ? seccomp_text : "this kernel was built without perf events");
		return;
	case ENOENT: case EOPNOTSUPP: case ENODEV: case ENXIO:
		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
			buf_puts(out, "this machine has no counter that records branches, as -b, -j and call graphs by lbr need");
		else if (attr->type == PERF_TYPE_SOFTWARE)
			buf_puts(out, "this kernel does not have the event");
		else
			buf_printf(out, "this machine%s does not count or sample it; cpu-clock works everywhere",
				   attr->precise_ip ? " (or its precise form, 'p')" : "");
		return;
	case EMFILE:
		buf_printf(out, "too many open files: the limit is %llu; raise it ('ulimit -n') or watch fewer threads, "
			   "CPUs or events", f->max_files);
		return;
	case EOVERFLOW:
		buf_printf(out, "kernel.perf_event_max_stack allows call chains of %lld frames, not %u", f->max_stack,
			   attr->sample_max_stack);
		return;
	case ESRCH:
		buf_printf(out, "process %d does not exist", (int)pid);
		return;
	case EINVAL:
		buf_printf(out, "the kernel refuses the combination of options (pid %d, cpu %d)", (int)pid, cpu);
		if (attr->type >= PERF_TYPE_MAX && pid != -1)
			buf_puts(out, "; most PMUs beside the CPU's count whole CPUs only: give -a or -C");
		return;
	}
	buf_puts(out, reason_of(err));
}
