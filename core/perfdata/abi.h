/*
 * Defines constants of the perf ABI and of perf.data that linux/perf_event.h of Linux 6.1 lacks. Also numbers the sections of
 * perf.data that prec adds to those of perf. attr.h defines the newest perf_event_attr.
 * Source: perf_event_open(2); linux/perf_event.h up to Linux 6.19; perf.data-file-format.txt of the kernel's tree.
 */
#ifndef CORE_PERFDATA_ABI_H
#define CORE_PERFDATA_ABI_H

#include <linux/perf_event.h>	/* of Linux 6.1 or later */
#include <stdint.h>

/* A record of the kernel that the header of Linux 6.1 lacks. */
#define RECORD_CALLCHAIN_DEFERRED	22	/* 6.19 */

/* In misc of a BUILD_ID record, or of an entry of the section (Linux 5.11): the byte after the id's 20 bytes is the id's size. */
#define RECORD_MISC_BUILD_ID_SIZE	(1 << 15)
#define RECORD_MISC_READ_TOTAL		(1 << 14)	/* in READ: set by prec if the counter includes its children */
#define RECORD_MISC_LOST_SAMPLES_BPF	(1 << 15)	/* in LOST_SAMPLES: a filter dropped the samples (perf 6.3) */

/* Records that user space writes. */
enum user_record {
	RECORD_HEADER_ATTR = 64,
	RECORD_EVENT_TYPE,		/* deprecated since 3.4 */
	RECORD_TRACING_DATA,
	RECORD_BUILD_ID,
	RECORD_FINISHED_ROUND,
	RECORD_ID_INDEX,
	RECORD_AUXTRACE_INFO,
	RECORD_AUXTRACE,
	RECORD_AUXTRACE_ERROR,
	RECORD_THREAD_MAP,
	RECORD_CPU_MAP,
	RECORD_STAT_CONFIG,
	RECORD_STAT,
	RECORD_STAT_ROUND,
	RECORD_EVENT_UPDATE,
	RECORD_TIME_CONV,
	RECORD_HEADER_FEATURE,
	RECORD_COMPRESSED,
	RECORD_FINISHED_INIT,
	RECORD_COMPRESSED2,		/* 6.16 */
	RECORD_BPF_METADATA,		/* 6.17 */
	RECORD_SCHEDSTAT_CPU,
	RECORD_SCHEDSTAT_DOMAIN,
	RECORD_MAX
};

/* The change in an EVENT_UPDATE record. */
enum event_update {
	EVENT_UPDATE_UNIT,
	EVENT_UPDATE_SCALE,
	EVENT_UPDATE_NAME,
	EVENT_UPDATE_CPUS
};

/* Sections of the file header: bit numbers. */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID,
	FEATURE_HOSTNAME,
	FEATURE_OSRELEASE,
	FEATURE_VERSION,
	FEATURE_ARCH,
	FEATURE_NRCPUS,
	FEATURE_CPUDESC,
	FEATURE_CPUID,
	FEATURE_TOTAL_MEM,
	FEATURE_CMDLINE,
	FEATURE_EVENT_DESC,
	FEATURE_CPU_TOPOLOGY,
	FEATURE_NUMA_TOPOLOGY,
	FEATURE_BRANCH_STACK,
	FEATURE_PMU_MAPPINGS,
	FEATURE_GROUP_DESC,
	FEATURE_AUXTRACE,
	FEATURE_STAT,
	FEATURE_CACHE,
	FEATURE_SAMPLE_TIME,
	FEATURE_MEM_TOPOLOGY,
	FEATURE_CLOCKID,
	FEATURE_DIR_FORMAT,
	FEATURE_BPF_PROG_INFO,
	FEATURE_BPF_BTF,
	FEATURE_COMPRESSED,
	FEATURE_CPU_PMU_CAPS,
	FEATURE_CLOCK_DATA,
	FEATURE_HYBRID_TOPOLOGY,
	FEATURE_PMU_CAPS,
	FEATURE_CPU_DOMAIN_INFO,
	FEATURE_E_MACHINE,		/* this section and the next are in files of perf 7.x */
	FEATURE_CLN_SIZE,
	FEATURE_MAX,
	FEATURE_OWN = 200,		/* the first of prec's own sections, which have no bit in the header (own_sections.h) */
	FEATURE_LOSSES = FEATURE_OWN,
	FEATURE_BALANCE,		/* core/perfdata/coverage.h */
	FEATURE_OFF_CPU,		/* enum off_cpu_access of core/perfdata/feature.h */
	FEATURE_BOOT_ID,		/* a text */
	FEATURE_ARCHIVE,		/* core/perfdata/archive.h */
	FEATURE_TRIGGERS = 205,		/* the dumps of --on */
	FEATURE_DESCRIPTORS,		/* the descriptors seen by --off-cpu-args */
	FEATURE_FOUND,			/* findings of the recorder that its records do not show */
	FEATURE_JIT_MAPS,		/* the files /tmp/perf-PID.map of recorded processes */
	FEATURE_PYTHON,			/* Python's code that samples are in (core/model/python.h) */
	FEATURE_JAVA,			/* the same for Java (core/model/java.h) */
	FEATURE_DATA_INDEX,		/* core/perfdata/data_index.h */
	FEATURE_BITS = 256
};

#define FILE_MAGIC	0x32454c4946524550ull	/* "PERFILE2", little endian */
#define FILE_MAGIC_SWAP	0x50455246494c4532ull	/* the same in the other byte order */
#define FILE_MAGIC_V1	0x454c494646524550ull	/* "PERFFILE": version 1, Linux before 2.6.36 */

/* The kernel's struct perf_event_attr, published sizes. */
#define ATTR_SIZE_VER0	64
#define ATTR_SIZE_VER7	128	/* up to sig_data: what perf 6.1 reads */
#define ATTR_SIZE_VER8	136	/* config3, Linux 6.3 */
#define ATTR_SIZE_VER9	144	/* config4, Linux 6.18 */

/* Context markers in call chains (enum perf_callchain_context). */
#define CHAIN_CONTEXT_MAX	((uint64_t)-4095)	/* all values >= this are markers */
#define CHAIN_CONTEXT_USER_DEFERRED	((uint64_t)-640)	/* Linux 6.19: the user part of the chain is in another record */

#endif
