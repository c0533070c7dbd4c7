/*
 * Calls perf_event_open(2), and after a failure changes the perf_event_attr for older kernels, missing counters or missing
 * permissions.
 */
#include "core/record/open/event_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/record/events/event_request.h"

/* A signal interrupts perf_event_open(2) while it waits for a task in the middle of execve(2). Retries some times. */

static int open_with(const struct event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	unsigned interrupted = 0;
	long fd;

	do
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	while (interrupted_call(fd, &interrupted));
	return fd < 0 ? -errno : (int)fd;
}

int event_open(const struct event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return open_with(attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

int event_open_cgroup(const struct event_attr *attr, int dir_fd, int cpu, int group_fd)
{
	return open_with(attr, dir_fd, cpu, group_fd, PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
}

/*
 * All events of a tracepoint share one list of programs, and an event that ends removes its program from the list. An inherited
 * event does so, too, and may end early with its task. So the program is attached by an event that counts nothing and is not
 * inherited.
 */
int tracepoint_attach(uint64_t tracepoint, int program)
{
	const struct event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = ATTR_SIZE_VER0, .config = tracepoint, .disabled = 1,
	};
	int fd = event_open(&attr, 0, -1, -1), err;

	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_BPF, program))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/*
 * Features that older kernels lack. without_x() clears the fields of feature x, and returns true if this changed anything. A kernel
 * without the feature refuses unknown bits with EINVAL.
 */
#define WITHOUT(field)						\
static bool without_##field(struct event_attr *a)		\
{								\
	bool had = a->field;					\
								\
	a->field = 0;						\
	return had;						\
}

WITHOUT(build_id)
WITHOUT(text_poke)
WITHOUT(bpf_event)
WITHOUT(ksymbol)
WITHOUT(namespaces)
WITHOUT(context_switch)
WITHOUT(mmap2)
WITHOUT(exclude_guest)

static bool without_lost(struct event_attr *a)
{
	bool had = a->read_format & PERF_FORMAT_LOST;

	a->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	return had;
}

/* Kernels with CGROUP records also have the cgroup in samples. */
static bool without_cgroup(struct event_attr *a)
{
	bool had = a->cgroup || a->sample_type & PERF_SAMPLE_CGROUP;

	a->cgroup = 0;
	a->sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
	return had;
}

static bool without_deferred(struct event_attr *a)
{
	bool had = a->defer_callchain;

	a->defer_callchain = a->defer_output = 0;
	return had;
}

/* Falls back to the older PERF_SAMPLE_WEIGHT, which has one of the three numbers. */
static bool without_weight_struct(struct event_attr *a)
{
	if (!(a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT))
		return false;
	a->sample_type = (a->sample_type & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT) | PERF_SAMPLE_WEIGHT;
	return true;
}

static bool without_clockid(struct event_attr *a)
{
	bool had = a->use_clockid;

	a->use_clockid = 0;
	a->clockid = 0;
	return had;
}

static const struct {
	bool (*drop)(struct event_attr *attr);
	const char *said;		/* "": no warning needed */
} features[] = {
	{ without_deferred, "deferred call chains (Linux 6.19): user space's part is taken with each sample" },
	{ without_lost, "" },						/* Linux 6.0 */
	{ without_build_id, "" },					/* 5.12 */
	{ without_weight_struct, "" },					/* 5.12 */
	{ without_text_poke, "" },					/* 5.8 */
	{ without_cgroup, "cgroup records (Linux 5.7)" },
	{ without_bpf_event, "" },					/* 5.1 */
	{ without_ksymbol, "" },					/* 5.1 */
	{ without_namespaces, "namespace records (Linux 4.12)" },
	{ without_context_switch, "context-switch records (Linux 4.3)" },
	{ without_clockid, "the choice of a clock (Linux 4.1)" },
	{ without_mmap2, "" },						/* 3.16 */
	{ without_exclude_guest, "" },					/* 3.2 */
};

void event_drop_features(struct event_attr *attr, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		features[i].drop(attr);
}

static const char *older_kernel(struct event_attr *attr, struct fallback *f)
{
	while (f->nr_dropped < ARRAY_SIZE(features)) {
		unsigned i = f->nr_dropped++;

		if (features[i].drop(attr))
			return features[i].said;
	}
	return NULL;
}

static bool is_cycles(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
}

static const char *no_counter(struct event_attr *attr, struct fallback *f)
{
	if (attr->precise_ip && f->precise_max) {
		attr->precise_ip--;
		return "";
	}
	if (!is_cycles(attr))
		return NULL;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->precise_ip = 0;
	if (attr->freq || !attr->sample_period || attr->sample_period >= CLOCK_MIN_PERIOD_NS)
		return "this machine has no hardware counter for cycles: recording cpu-clock";
	attr->sample_period = CLOCK_MIN_PERIOD_NS;
	return "this machine has no hardware counter for cycles: recording cpu-clock, every 10000 ns";
}

static const char *not_permitted(struct event_attr *attr, struct fallback *f)
{
	if (!f->may_be_user || attr->exclude_kernel)
		return NULL;
	attr->exclude_kernel = attr->exclude_hv = 1;
	return "the kernel may not be watched: recording user space only (:u)";
}

/* With sample_max_stack 0, chains have as many frames as kernel.perf_event_max_stack allows. */
static const char *shorter_chains(struct event_attr *attr)
{
	if (!attr->sample_max_stack)
		return NULL;
	attr->sample_max_stack = 0;
	return "kernel.perf_event_max_stack allows no call chains as long: recording as long as it does";
}

const char *event_fallback(struct event_attr *attr, int err, struct fallback *f)
{
	switch (err) {
	case ENOENT: case ENODEV: case ENXIO: case EOPNOTSUPP:
		return no_counter(attr, f);
	case EACCES: case EPERM:
		return not_permitted(attr, f);
	case EINVAL:
		return attr->precise_ip && f->precise_max ? no_counter(attr, f) : older_kernel(attr, f);
	case EOVERFLOW:
		return shorter_chains(attr);
	}
	return NULL;
}
