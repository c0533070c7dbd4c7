/*
 * Defines structs for records as the kernel writes them into a ring buffer, for code that reads them without a copy. Source:
 * perf_event_open(2).
 */
#ifndef CORE_RECORD_LIVE_KERNEL_RECORDS_H
#define CORE_RECORD_LIVE_KERNEL_RECORDS_H

#include <stdint.h>

#include "core/perfdata/record.h"

struct mmap_record {			/* PERF_RECORD_MMAP */
	struct record_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	char name[];
};

struct mmap2_record {			/* PERF_RECORD_MMAP2 */
	struct record_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t file[24];		/* device, inode and generation; or a build id, as header.misc says */
	uint32_t prot, flags;
	char name[];
};

struct task_record {			/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct record_header header;
	uint32_t pid, ppid, tid, ptid;
};

#endif
