/*
 * Describes an x86 machine on which prec runs (struct native, core/native.h): how to read the CPU's id, the timestamp counter
 * and the vdso of 32-bit programs. arch/arm64/native.c describes arm64 machines.
 */
#include "core/native.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/util.h"

/* "GenuineIntel,6,142,10": vendor, family, model, stepping (Intel SDM vol. 2, CPUID leaf 1). */
static char *cpuid(void)
{
	unsigned a, b, c, d, family, model;
	char vendor[13] = "";

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return NULL;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return NULL;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	return xasprintf("%s,%u,%u,%u", vendor, family, model, a & 0xf);
}

static uint64_t timestamp(void)
{
	return __builtin_ia32_rdtsc();
}

/* ---- the vdso of 32-bit programs ---- */

#define PAGE		4096
#define VDSO_PAGES	64	/* the most pages of data and code of a vdso */

struct span { uintptr_t from, to; };

/* Finds the vdso of this process, with the data pages in front of it. */
static struct span own_vdso(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	struct span own = { UINTPTR_MAX, 0 };
	unsigned long from, to;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if ((!strstr(line, "[vdso]") && !strstr(line, "[vvar")) || sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		own.from = MIN(own.from, from);
		own.to = MAX(own.to, to);
	}
	if (f)
		fclose(f);
	return own;
}

/*
 * Runs in a child that only makes system calls. Unmaps its vdso, maps the 32-bit one there, finds that behind its data pages and
 * writes it to @fd. As the kernel copies it, bytes that cannot be read are an error and no signal. See arch/x86/entry/vdso/vma.c of
 * Linux. Returns an exit status.
 */
static int exchange_vdso(int fd, struct span own)
{
	static const char magic[] = { '\177', 'E', 'L', 'F', 1 };
	char begin[sizeof(magic)];
	long size;

	if (syscall(SYS_munmap, own.from, own.to - own.from))
		return 1;
	size = syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, own.from);
	for (unsigned i = 0; size > 0 && i < VDSO_PAGES; i++) {
		const char *at = (const char *)own.from + i * PAGE;

		if (pwrite(fd, at, sizeof(begin), 0) == sizeof(begin) && pread(fd, begin, sizeof(begin), 0) == sizeof(begin) &&
		    !memcmp(begin, magic, sizeof(magic)))
			return pwrite(fd, at, (size_t)size, 0) != size;
	}
	return 1;
}

/* The child has no exit signal: its end raises no SIGCHLD, and only a wait with __WCLONE sees it. */
static int compat_vdso(int fd)
{
	struct span own = own_vdso();
	int status = 1;
	long pid;

	if (own.from >= own.to)
		return -ENOENT;
	pid = syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (pid < 0)
		return -errno;
	if (!pid)
		syscall(SYS_exit_group, exchange_vdso(fd, own));
	while (waitpid((pid_t)pid, &status, __WCLONE) < 0 && errno == EINTR)
		;
	return status ? -ENOENT : 0;
}

/* All registers except ds, es, fs and gs (arch/x86/kernel/perf_regs.c, REG_NOSUPPORT). */
#define SAMPLE_REGS 0xff0fff

const struct native native = {
	.arch = &arch_x86_64, .cpuid = cpuid, .timestamp = timestamp, .compat_vdso = compat_vdso, .sample_regs = SAMPLE_REGS,
	.bpf_ip = offsetof(struct bpf_perf_event_data, regs.rip),
};
