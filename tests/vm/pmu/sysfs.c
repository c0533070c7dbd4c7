/*
 * The files that a recorder reads of a trace unit, in /sys/bus/event_source/devices/NAME: constant texts, with the
 * values that real machines have. Sources: Linux 6.1, Documentation/ABI/testing/sysfs-bus-event_source-devices-*,
 * sysfs-bus-coresight-devices-etm4x, and the drivers' own attribute tables.
 */
#include "pmu.h"

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#ifdef CONFIG_X86
#include <asm/processor.h>
#endif

/* The attribute of a device and of a kobject differ only in the type of an argument that is not used. */
struct text {
	struct device_attribute attr;
	const char *value;
};

static ssize_t text_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", container_of(attr, struct text, attr)->value);
}

#define TEXT(file, content) \
	(&((struct text){ { { .name = file, .mode = 0444 }, text_show, NULL }, content }).attr.attr)
#define GROUP(var, dir, ...) \
	static struct attribute *var##_files[] = { __VA_ARGS__, NULL }; \
	static const struct attribute_group var = { .name = dir, .attrs = var##_files }

/* Intel PT: a Kaby Lake. */

GROUP(pt_format, "format",
	TEXT("pt", "config:0"), TEXT("cyc", "config:1"), TEXT("pwr_evt", "config:4"), TEXT("fup_on_ptw", "config:5"),
	TEXT("mtc", "config:9"), TEXT("tsc", "config:10"), TEXT("noretcomp", "config:11"), TEXT("ptw", "config:12"),
	TEXT("branch", "config:13"), TEXT("event", "config:31"), TEXT("notnt", "config:55"),
	TEXT("mtc_period", "config:14-17"), TEXT("cyc_thresh", "config:19-22"), TEXT("psb_period", "config:24-27"));
GROUP(pt_caps, "caps",
	TEXT("max_subleaf", "1"), TEXT("cr3_filtering", "1"), TEXT("psb_cyc", "1"), TEXT("ip_filtering", "1"),
	TEXT("mtc", "1"), TEXT("ptwrite", "1"), TEXT("power_event_trace", "1"), TEXT("event_trace", "0"),
	TEXT("tnt_disable", "0"), TEXT("topa_output", "1"), TEXT("topa_multiple_entries", "1"),
	TEXT("single_range_output", "1"), TEXT("output_subsys", "0"), TEXT("payloads_lip", "0"),
	TEXT("num_address_ranges", "2"), TEXT("mtc_periods", "249"), TEXT("cycle_thresholds", "3fff"),
	TEXT("psb_periods", "3f"));

/* CPUID leaf 15H, which the driver reports, too: recorders may read it from either. */
static ssize_t tsc_art_ratio_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u32 num = 0, den = 0;
#ifdef CONFIG_X86
	u32 c, d;

	if (boot_cpu_data.cpuid_level >= 0x15)
		cpuid(0x15, &den, &num, &c, &d);
#endif
	return sysfs_emit(buf, "%u:%u\n", num, den);
}
static DEVICE_ATTR_RO(tsc_art_ratio);

GROUP(pt_ratios, NULL, TEXT("max_nonturbo_ratio", "36"), &dev_attr_tsc_art_ratio.attr);
static const struct attribute_group *pt_groups[] = { &pt_format, &pt_caps, &pt_ratios, NULL };

/* CoreSight: ETMv4.2 into a trace router. */

GROUP(cs_format, "format",
	TEXT("branch_broadcast", "config:8"), TEXT("cycacc", "config:12"), TEXT("contextid", "config:14"),
	TEXT("contextid1", "config:14"), TEXT("contextid2", "config:15"), TEXT("timestamp", "config:28"),
	TEXT("retstack", "config:29"), TEXT("sinkid", "config2:0-31"), TEXT("configid", "config2:32-63"),
	TEXT("preset", "config:0-3"));
GROUP(cs_sinks, "sinks", TEXT("tmc_etr0", "0x2b3dd6a9"), TEXT("tmc_etf0", "0x5c71a1f4"));
GROUP(cs_events, "events", TEXT("autofdo", "configid=0x3d2f8e21"));
static const struct attribute_group *cs_groups[] = { &cs_format, &cs_sinks, &cs_events, NULL };

GROUP(cs_trcidr, "trcidr",
	TEXT("trcidr0", "0x28000ea1"), TEXT("trcidr1", "0x4100f424"), TEXT("trcidr2", "0x20001088"),
	TEXT("trcidr3", "0xd7b0004"), TEXT("trcidr4", "0x11170004"), TEXT("trcidr5", "0x28c70840"),
	TEXT("trcidr8", "0x0"), TEXT("trcidr9", "0x0"), TEXT("trcidr10", "0x0"), TEXT("trcidr11", "0x0"),
	TEXT("trcidr12", "0x0"), TEXT("trcidr13", "0x0"));
GROUP(cs_mgmt, "mgmt",
	TEXT("trcauthstatus", "0xcc"), TEXT("trcdevarch", "0x47724a13"), TEXT("trcdevid", "0x0"), TEXT("trclsr", "0x0"),
	TEXT("trcdevtype", "0x13"), TEXT("trcconfig", "0x0"), TEXT("trcoslsr", "0x8"), TEXT("trcpdsr", "0x23"));

static struct kobject *cpu_dirs[NR_CPUS];

static void cs_remove_files(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kobject_put(cpu_dirs[cpu]);
		cpu_dirs[cpu] = NULL;
	}
}

/* On a real machine cpuN is a link to the tracer of that CPU. */
static int cs_add_cpu(struct device *dev, int cpu)
{
	char name[16];
	int err;

	snprintf(name, sizeof(name), "cpu%d", cpu);
	cpu_dirs[cpu] = kobject_create_and_add(name, &dev->kobj);
	if (!cpu_dirs[cpu])
		return -ENOMEM;
	err = sysfs_create_group(cpu_dirs[cpu], &cs_trcidr);
	return err ? err : sysfs_create_group(cpu_dirs[cpu], &cs_mgmt);
}

static int cs_add_files(struct device *dev)
{
	int cpu, err = 0;

	for_each_possible_cpu(cpu)
		err = err ? err : cs_add_cpu(dev, cpu);
	if (err)
		cs_remove_files();
	return err;
}

/* SPE: a Neoverse N1. */

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return cpumap_print_to_pagebuf(true, buf, cpus_of(dev));
}
static DEVICE_ATTR_RO(cpumask);

GROUP(spe_format, "format",
	TEXT("ts_enable", "config:0"), TEXT("pa_enable", "config:1"), TEXT("pct_enable", "config:2"),
	TEXT("jitter", "config:16"), TEXT("branch_filter", "config:32"), TEXT("load_filter", "config:33"),
	TEXT("store_filter", "config:34"), TEXT("event_filter", "config1:0-63"), TEXT("min_latency", "config2:0-11"));
GROUP(spe_caps, "caps",
	TEXT("arch_inst", "0"), TEXT("ernd", "1"), TEXT("count_size", "12"), TEXT("min_interval", "1024"));
GROUP(spe_cpus, NULL, &dev_attr_cpumask.attr);
static const struct attribute_group *spe_groups[] = { &spe_format, &spe_caps, &spe_cpus, NULL };

static const struct kind kinds[] = {
	{ .name = "intel_pt", .groups = pt_groups, .nr_filters = 2, .head = HEAD_OFFSET_WHOLE },
	{ .name = "intel_bts", .head = HEAD_OFFSET_WHOLE },
	{ .name = "cs_etm", .groups = cs_groups, .nr_filters = 4, .head = HEAD_FREE,
	  .add_files = cs_add_files, .remove_files = cs_remove_files },
	{ .name = "arm_spe_0", .groups = spe_groups, .head = HEAD_OFFSET },
};

const struct kind *kind_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}
