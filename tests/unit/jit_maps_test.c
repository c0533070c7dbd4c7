/* Files of processes: a number that is used again, and JVMs that are asked, or not. As root, in namespaces of its own. */
#include "core/record/live/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/record/live/pid_bits.h"
#include "core/ui/finding.h"
#include "tests/unit/check.h"

static void see_map(struct jit_maps *j, uint32_t pid, const char *name)
{
	struct {
		struct record_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff, file[3];
		uint32_t prot, flags;
		char name[32];
	} r = { { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(r) }, pid, pid, 0x1000, 0x1000, 0, {0}, PROT_READ | PROT_EXEC,
		MAP_PRIVATE, "" };

	snprintf(r.name, sizeof(r.name), "%s", name);
	jit_maps_see(j, &r, sizeof(r));
}

static void see_end(struct jit_maps *j, uint32_t pid)
{
	struct { struct record_header header; uint32_t pid, ppid, tid, ptid; uint64_t time; } r = {
		{ PERF_RECORD_EXIT, 0, sizeof(r) }, pid, 1, pid, 1, 0
	};

	jit_maps_see(j, &r, sizeof(r));
}

/* So many processes have a map that is kept. */
static void expect_kept(struct jit_maps *j, size_t want)
{
	struct features f = {0};

	jit_maps_section(j, &f);
	CHECK(f.jit_maps.nr == want, "%zu maps are kept, want %zu", f.jit_maps.nr, want);
	features_release(&f);
}

/* Process number @pid of the namespace. */
static pid_t child_of_number(unsigned pid)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");
	pid_t child;

	if (f) {
		fprintf(f, "%u", pid - 1);
		fclose(f);
	}
	child = fork();
	if (child)
		return child;
	for (;;)
		pause();
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);	/* starts are told apart by clock ticks */
}

static void write_map(unsigned pid)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	f = fopen(path, "w");
	if (f) {
		fputs("1000 1000 name\n", f);
		fclose(f);
	}
}

static void number_again(void)
{
	struct jit_maps *j = jit_maps_new(false);
	pid_t child = child_of_number(300);

	CHECK(child == 300, "want 300, got %d", (int)child);
	write_map(300);
	see_map(j, 300, "//anon");
	see_end(j, 300);
	see_map(j, 300, "//anon");	/* from another ring, late */
	expect_kept(j, 1);
	end_child(child);
	see_map(j, 300, "//anon");
	expect_kept(j, 1);
	remove("/tmp/perf-300.map");
	child = child_of_number(300);
	CHECK(child == 300, "want 300, got %d", (int)child);
	see_map(j, 300, "//anon");
	expect_kept(j, 0);
	write_map(300);
	see_end(j, 300);
	expect_kept(j, 1);
	end_child(child);
	jit_maps_free(j);
}

static void say(struct jit_maps *j, const char *want)
{
	struct findings f = {0};
	struct buf b = {0};

	jit_maps_findings(j, NULL, 0, &f);
	vec_for(finding, &f.list)
		finding_sentence(finding, &b);
	if (want ? !strstr(buf_str(&b), want) : f.list.nr != 0)
		CHECK_TEXT(buf_str(&b), want ? want : "");
	buf_release(&b);
	findings_release(&f);
}

/* One that has no sample is not asked, nor said; another user's is said to be that. */
static void jvms(void)
{
	pid_t child = child_of_number(400), other;
	struct jit_maps *j = jit_maps_new(false);
	int status = 0;

	see_map(j, 400, "/lib/libjvm.so");
	jit_maps_ask(j);
	say(j, NULL);
	pid_bits_set(jit_maps_sampled(j), 400);
	jit_maps_ask(j);
	say(j, "400 does not attach");
	jit_maps_free(j);
	other = fork();
	if (!other) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		j = jit_maps_new(false);
		see_map(j, 400, "/lib/libjvm.so");
		pid_bits_set(jit_maps_sampled(j), 400);
		jit_maps_ask(j);
		say(j, "400 is another user's");
		jit_maps_free(j);
		_exit(checks_done());
	}
	waitpid(other, &status, 0);
	CHECK(status == 0, "want 0, got %d", (int)status);
	end_child(child);
}

static int in_namespaces(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL) ||
	    mount("none", "/tmp", "tmpfs", 0, "mode=1777") || access("/proc/sys/kernel/ns_last_pid", W_OK)) {
		puts("skipped: namespaces may not be used here");
		return 0;
	}
	number_again();
	jvms();
	return checks_done();
}

int main(void)
{
	pid_t child;
	int status = 0;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS)) {
		puts("skipped: namespaces need root");
		return 0;
	}
	child = fork();
	if (!child) {
		status = in_namespaces();
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	/* LeakSanitizer, which runs at exit(), cannot start its thread in a namespace whose init has ended. */
	_exit(status != 0);
}
