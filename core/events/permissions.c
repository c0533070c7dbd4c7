/*
 * Refusals explained. Source: perf_event_open(2) "ERRORS"; Documentation/admin-guide/sysctl/kernel.rst,
 * perf_event_paranoid; kernel/events/core.c of Linux 6.18 for the order of the checks.
 * Layer: events
 */
#include "core/events/permissions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/format/attr.h"

/* CAP_SYS_ADMIN is bit 21, CAP_PERFMON (Linux 5.8) bit 38. */
#define CAPS_THAT_ALLOW	(1ull << 21 | 1ull << 38)

/* The word behind "Name:" in /proc/self/status; NULL if it is not there. */
static const char *status_field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : NULL;
}

static void read_status(struct permission_facts *out)
{
	struct buf b = {0};
	const char *caps, *filters;

	if (!read_file("/proc/self/status", &b)) {
		caps = status_field(buf_str(&b), "\nCapEff:");
		filters = status_field(buf_str(&b), "\nSeccomp:");
		if (caps)
			out->perfmon = strtoull(caps, NULL, 16) & CAPS_THAT_ALLOW;
		out->seccomp = filters && strtoul(filters, NULL, 10) == 2;
	}
	buf_release(&b);
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
	read_status(out);
}

/* The highest perf_event_paranoid at which an unprivileged user may do this, and what needs it. */
static long long paranoid_needed(const struct event_attr *attr, pid_t pid, const char **why)
{
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

static void explain_refusal(struct buf *out, const struct permission_facts *f, const struct event_attr *attr, pid_t pid)
{
	const char *why;
	long long needed = paranoid_needed(attr, pid, &why);

	if (!f->perfmon && f->paranoid > needed) {
		buf_printf(out, "%s needs CAP_PERFMON or kernel.perf_event_paranoid of at most %lld, and that is %lld; "
			   "the least that would work: %s'sysctl kernel.perf_event_paranoid=%lld'", why, needed, f->paranoid,
			   pid == -1 ? "" : attr->exclude_kernel ? "" : "':u' behind the event, or ", needed);
		return;
	}
	if (f->seccomp) {
		buf_puts(out, "a seccomp filter, such as a container's, refuses perf_event_open; "
			 "run outside of it or with a profile that allows the call");
		return;
	}
	if (f->lockdown) {
		buf_puts(out, "the kernel is locked down (/sys/kernel/security/lockdown)");
		return;
	}
	if (pid > 0) {
		buf_printf(out, "process %d is another user's; CAP_PERFMON or CAP_SYS_PTRACE would allow it", (int)pid);
		return;
	}
	buf_puts(out, "capabilities and kernel.perf_event_paranoid allow it; a security module may refuse it");
}

void permission_explain(struct buf *out, const struct permission_facts *f, const struct event_attr *attr,
			pid_t pid, int cpu, int err)
{
	switch (err) {
	case EACCES: case EPERM:
		explain_refusal(out, f, attr, pid);
		return;
	case ENOSYS:
		buf_puts(out, "this kernel was built without perf events");
		return;
	case ENOENT: case EOPNOTSUPP: case ENODEV: case ENXIO:
		if (attr->type == PERF_TYPE_SOFTWARE)
			buf_puts(out, "this kernel does not have the event");
		else
			buf_printf(out, "this machine%s does not count or sample it; cpu-clock works everywhere",
				   attr->precise_ip ? " (or its precise form, 'p')" : "");
		return;
	case EMFILE:
		buf_printf(out, "too many open files: the limit is %llu; raise it ('ulimit -n') or watch fewer threads, "
			   "CPUs or events", f->max_files);
		return;
	case ESRCH:
		buf_printf(out, "process %d does not exist", (int)pid);
		return;
	case EBUSY:
		buf_puts(out, "another user of the counter has it exclusively");
		return;
	case EINVAL:
		buf_printf(out, "the kernel refuses the combination of options (pid %d, cpu %d)", (int)pid, cpu);
		return;
	}
	buf_puts(out, strerror(err));
}
