/*
 * Describes an arm64 machine on which prec runs (struct native, core/native.h): how to read the CPU's id and the timestamp
 * counter, and which registers the kernel can sample. arch/x86/native.c describes x86 machines.
 */
#include "core/native.h"

#include <linux/bpf_perf_event.h>
#include <stddef.h>

#include "core/arch.h"
#include "core/base/sysfs.h"

/* MIDR_EL1 of the first CPU, as the kernel prints it (sysfs, Linux 4.8). */
static char *cpuid(void)
{
	return sysfs_line("devices/system/cpu/cpu0/regs/identification/midr_el1");
}

static uint64_t timestamp(void)
{
	uint64_t v;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(v));
	return v;
}

/* x0 to x30, sp and pc (asm/perf_regs.h). */
#define SAMPLE_REGS 0x1ffffffffull

const struct native native = {
	.arch = &arch_arm64, .cpuid = cpuid, .timestamp = timestamp, .sample_regs = SAMPLE_REGS,
	.bpf_ip = offsetof(struct bpf_perf_event_data, regs.pc),
};
