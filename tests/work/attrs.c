/*
 * attrs COMMAND...: runs it and prints every attr it gives to perf_event_open(2) for a process of its own (pid above
 * 0), one a line, every field that is not zero, to the file $ATTRS names or standard output. The kernel is given a
 * dummy event instead, so that whatever is asked for is there.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include "core/perfdata/attr.h"

#define MAX_THREADS	64
#define MAX_OPENED	4096
#define MAX_CPUS	1024

struct thread {
	pid_t tid;
	struct event_attr asked;	/* to be put back */
	uint64_t at;			/* its address; 0: not in the call */
	int number;			/* of the printed line; -1: not printed */
};

struct tracer {
	FILE *out;
	struct thread threads[MAX_THREADS];
	int numbers[MAX_OPENED];	/* of the lines, by file descriptor; -1: none */
	int nr_printed[MAX_CPUS];	/* for each CPU; the first: for any */
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct thread *thread_of(struct tracer *t, pid_t tid)
{
	for (int i = 0; i < MAX_THREADS; i++) {
		if (!t->threads[i].tid)
			t->threads[i].tid = tid;
		if (t->threads[i].tid == tid)
			return &t->threads[i];
	}
	errno = E2BIG;
	die("threads");
	return NULL;
}

static void copy(pid_t tid, uint64_t at, void *p, size_t n, int out)
{
	struct iovec mine = { p, n }, its = { (void *)(uintptr_t)at, n };

	if ((out ? process_vm_writev : process_vm_readv)(tid, &mine, 1, &its, 1, 0) != (ssize_t)n)
		die("memory");
}

/* Bit by bit, so that a test can leave one out. */
static void print_bits(FILE *o, const char *name, uint64_t bits)
{
	for (; bits; bits &= bits - 1)
		fprintf(o, " %s=%llx", name, (unsigned long long)(bits & -bits));
}

#define FIELD(f) if (a->f) fprintf(o, " " #f "=%llx", (unsigned long long)a->f)

static void print(FILE *o, const struct event_attr *a)
{
	fprintf(o, " type=%x config=%llx", a->type, (unsigned long long)a->config);
	FIELD(sample_period);
	print_bits(o, "sample_type", a->sample_type);
	FIELD(read_format); FIELD(disabled); FIELD(inherit); FIELD(pinned);
	FIELD(exclusive); FIELD(exclude_user); FIELD(exclude_kernel); FIELD(exclude_hv); FIELD(exclude_idle);
	FIELD(mmap); FIELD(comm); FIELD(freq); FIELD(inherit_stat); FIELD(enable_on_exec); FIELD(task);
	FIELD(watermark); FIELD(precise_ip); FIELD(mmap_data); FIELD(sample_id_all); FIELD(exclude_host);
	FIELD(exclude_guest); FIELD(exclude_callchain_kernel); FIELD(exclude_callchain_user); FIELD(mmap2);
	FIELD(comm_exec); FIELD(use_clockid); FIELD(context_switch); FIELD(write_backward); FIELD(namespaces);
	FIELD(ksymbol); FIELD(bpf_event); FIELD(aux_output); FIELD(cgroup); FIELD(text_poke); FIELD(build_id);
	FIELD(inherit_thread); FIELD(remove_on_exec); FIELD(sigtrap); FIELD(defer_callchain); FIELD(defer_output);
	FIELD(wakeup_events); FIELD(bp_type); FIELD(config1); FIELD(config2); FIELD(branch_sample_type);
	FIELD(sample_regs_user); FIELD(sample_stack_user); FIELD(clockid); FIELD(sample_regs_intr);
	FIELD(aux_watermark); FIELD(sample_max_stack); FIELD(aux_sample_size); FIELD(aux_action); FIELD(sig_data);
	FIELD(config3); FIELD(config4);
}

static void entered(struct tracer *t, struct thread *th, const struct ptrace_syscall_info *s)
{
	struct event_attr a = {0}, dummy = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY };
	long pid = (int)s->entry.args[1], cpu = (int)s->entry.args[2], group = (int)s->entry.args[3];
	uint32_t size = ATTR_SIZE_VER0;

	th->at = s->entry.args[0];
	th->number = -1;
	copy(th->tid, th->at + 4, &size, sizeof(size), 0);
	if (size < ATTR_SIZE_VER0)
		size = ATTR_SIZE_VER0;
	copy(th->tid, th->at, &a, size < sizeof(a) ? size : sizeof(a), 0);
	th->asked = a;
	if (pid > 0 && cpu >= -1 && cpu + 1 < MAX_CPUS) {
		th->number = t->nr_printed[cpu + 1]++;
		fprintf(t->out, "cpu=%ld group=%d", cpu, group >= 0 && group < MAX_OPENED ? t->numbers[group] : -1);
		print(t->out, &a);
		fprintf(t->out, "\n");
	}
	if (pid <= 0) {
		th->at = 0;
		return;
	}
	/* The command's later calls on the event must work as with the real one. */
	dummy.size = ATTR_SIZE_VER0;
	dummy.sample_type = a.sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER);
	dummy.read_format = a.read_format;
	dummy.inherit = a.inherit;
	dummy.enable_on_exec = a.enable_on_exec;
	dummy.disabled = a.disabled;
	dummy.sample_id_all = a.sample_id_all;
	dummy.sample_period = 1;
	dummy.exclude_kernel = dummy.exclude_hv = 1;
	if (dummy.inherit)
		dummy.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	copy(th->tid, th->at, &dummy, ATTR_SIZE_VER0, 1);
}

static void left(struct tracer *t, struct thread *th, const struct ptrace_syscall_info *s)
{
	if (!th->at)
		return;
	copy(th->tid, th->at, &th->asked, ATTR_SIZE_VER0, 1);
	th->at = 0;
	if (s->exit.is_error)
		fprintf(stderr, "attrs: perf_event_open: %s\n", strerror(-(int)s->exit.rval));
	else if (s->exit.rval < MAX_OPENED)
		t->numbers[s->exit.rval] = th->number;
}

static void stopped(struct tracer *t, pid_t tid)
{
	struct thread *th = thread_of(t, tid);
	struct ptrace_syscall_info s;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(s), &s) <= 0)
		return;
	/* Only the number at the entry identifies the call; the exit is known by the entry's state. */
	if (s.op == PTRACE_SYSCALL_INFO_ENTRY && s.entry.nr == SYS_perf_event_open)
		entered(t, th, &s);
	else if (s.op == PTRACE_SYSCALL_INFO_EXIT)
		left(t, th, &s);
}

static int trace(struct tracer *t, pid_t child)
{
	int status, result = 1;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		int sig = 0;

		if (!WIFSTOPPED(status)) {
			if (tid == child)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			continue;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			stopped(t, tid);
		else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP)
			sig = WSTOPSIG(status);
		ptrace(PTRACE_SYSCALL, tid, 0, sig);
	}
	return result;
}

int main(int argc, char **argv)
{
	struct tracer t = {0};
	const char *to = getenv("ATTRS");
	pid_t child;

	if (argc < 2)
		return 2;
	memset(t.numbers, 0xff, sizeof(t.numbers));
	t.out = to ? fopen(to, "w") : stdout;
	if (!t.out)
		die(to);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[1], argv + 1);
		die(argv[1]);
	}
	waitpid(child, NULL, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
	ptrace(PTRACE_SYSCALL, child, 0, 0);
	return trace(&t, child);
}
