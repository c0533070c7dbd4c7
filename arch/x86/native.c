/* What an x86 host can do. Layer: arch */
#include "core/native.h"

#include <cpuid.h>
#include <linux/bpf_perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

/* All but ds, es, fs and gs (arch/x86/kernel/perf_regs.c, REG_NOSUPPORT). */
#define SAMPLE_REGS 0xff0fff

const struct native native = {
	.arch = &arch_x86_64, .cpuid = cpuid, .timestamp = timestamp, .sample_regs = SAMPLE_REGS,
	.bpf_ip = offsetof(struct bpf_perf_event_data, regs.rip),
};
