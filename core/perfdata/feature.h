/*
 * Defines the feature sections after the data of a perf.data, which describe the recording and its machine. data_file.c reads them,
 * data_writer.c writes them, feature_print.c prints them.
 * Source: perf.data-file-format.txt of the kernel's tree.
 */
#ifndef CORE_PERFDATA_FEATURE_H
#define CORE_PERFDATA_FEATURE_H

#include "core/base/vec.h"
#include "core/perfdata/abi.h"
#include "core/perfdata/coverage.h"
#include "core/binary/build_id.h"
#include "core/perfdata/feature_bpf.h"

struct buf;
struct event_table;
struct wire;

struct feature_build_id { uint16_t misc; int32_t pid; struct build_id id; char *filename; };
struct feature_topology_cpu { uint32_t core, socket, die; };
struct feature_node { uint32_t node; uint64_t mem_total_kb, mem_free_kb; char *cpus; };
struct feature_pmu { uint32_t type; char *name; };
struct feature_group { char *name; uint32_t leader, nr_members; };
struct feature_cache { uint32_t level, line_size, sets, ways; char *type, *size, *map; };
struct feature_mem_node { uint64_t node, nr_bits; VEC(uint64_t) bits; };
struct feature_pmu_caps { char *pmu; VEC(char *) names; VEC(char *) values; };
struct feature_hybrid { char *pmu, *cpus; };
/* Losses on CPU @cpu, or if that is -1, of thread @tid. Times in ns; @from 0: there was no record before. */
struct feature_loss { uint32_t event; int32_t cpu, tid; uint64_t lost; };
struct feature_gap { int32_t cpu, tid; uint64_t from, to, lost; };
struct feature_losses {
	VEC(struct feature_loss) by_event;	/* samples (of the side band: records) that an event lost on a CPU or of a thread */
	uint64_t nr_gaps, gap_ns;		/* the number of all gaps, and the sum of their lengths */
	VEC(struct feature_gap) gaps;		/* the first of them */
};
/* A trigger of record --on. .time 0: it was no event, or its clock is not the recording's; .pid and .tid 0: it has no task. */
struct feature_trigger { uint64_t time; int32_t pid, tid; char *text; };
/* A file /tmp/perf-PID.map of @size bytes, as a zstd stream; owned. */
struct feature_jit_map { uint64_t pid, size, packed_size; void *packed; };
/* A table as in core/model/python.h or java.h, of @size bytes, as a zstd stream; owned. */
struct feature_packed { uint64_t size, packed_size; void *packed; };
struct feature_found { char *name, *where; uint64_t count, of; };	/* as struct finding; where: NULL or "": nowhere */

struct feature_triggers {
	uint64_t seen, dumped, missed;		/* since the recording began, until this file ended */
	uint64_t after_ns;			/* the time for which a dump goes on after each trigger */
	VEC(struct feature_trigger) dumps;	/* the first of those that are in this file */
};
/* The name that descriptor .fd of .pid had until .to (ns), from .to of its previous entry on. .name NULL or "": unknown. */
struct feature_descriptor { uint32_t pid, fd; uint64_t to; char *name; };
/* How --off-cpu was recorded: core/record/open/off_cpu.h. */
enum off_cpu_access { OFF_CPU_NONE, OFF_CPU_TRACEPOINTS, OFF_CPU_EVENT, OFF_CPU_RECORDS };
struct feature_auxtrace_entry { uint64_t file_offset, size; };

/* The contents of all sections. Strings are owned; NULL: absent. has[]: the sections that a file had, or that are to be written. */
struct features {
	bool has[FEATURE_BITS];
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid, *boot_id;
	uint32_t nr_cpus_online, nr_cpus_avail;
	uint64_t total_mem_kb;
	VEC(char *) cmdline;
	VEC(struct feature_build_id) build_ids;
	VEC(char *) core_siblings, thread_siblings, die_siblings;	/* CPU lists: one for each package, each core, each die */
	VEC(struct feature_topology_cpu) cpu_topology;			/* by CPU number */
	bool has_dies;
	VEC(struct feature_node) numa;
	VEC(struct feature_pmu) pmus;
	VEC(struct feature_group) groups;
	VEC(struct feature_auxtrace_entry) auxtrace;
	VEC(struct feature_cache) caches;
	uint64_t first_sample, last_sample;		/* ns */
	uint64_t mem_block_size;
	VEC(struct feature_mem_node) mem_nodes;
	uint64_t clockid_res;				/* CLOCKID: ns */
	uint64_t dir_version;
	uint32_t clock_id;				/* CLOCK_DATA */
	uint64_t clock_wall_ns, clockid_time_ns;	/* CLOCK_DATA: the same moment by two clocks: time of day, and .clock_id */
	uint32_t comp_version, comp_type, comp_level, comp_ratio, comp_mmap_len;
	VEC(struct feature_pmu_caps) pmu_caps;
	VEC(struct feature_hybrid) hybrid;
	bool has_cpu_caps;				/* pmu_caps.v[0] is CPU_PMU_CAPS ("cpu"); the others are PMU_CAPS */
	uint32_t e_machine, e_flags;			/* E_MACHINE: from the ELF header of perf itself */
	uint32_t cache_line_size;
	struct feature_bpf bpf;				/* BPF_PROG_INFO, BPF_BTF */
	struct feature_losses losses;			/* LOSSES */
	struct feature_coverage coverage;			/* BALANCE */
	struct feature_triggers triggers;		/* TRIGGERS */
	uint32_t off_cpu;				/* OFF_CPU: enum off_cpu_access */
	VEC(struct feature_descriptor) descriptors;	/* DESCRIPTORS; of each descriptor in the order of .to */
	uint64_t descriptors_left_out;			/* number of names without room */
	VEC(struct feature_found) found;		/* FOUND */
	VEC(struct feature_jit_map) jit_maps;		/* JIT_MAPS */
	struct feature_packed python;			/* PYTHON */
	struct feature_packed java;			/* JAVA */
	void *tracing_data;				/* TRACING_DATA as in the file, owned */
	uint64_t tracing_data_size;
	void *archive;					/* ARCHIVE as in the file, owned: archive_unpack() */
	uint64_t archive_size;
	void *data_index;				/* DATA_INDEX as in the file, owned: data_index_read() */
	uint64_t data_index_size;
};

/* The section's name, such as "HOSTNAME"; NULL for a number without a row. */
const char *feature_name(unsigned number);

/*
 * Passes one section: reads, writes or measures it, as @w says. In a pipe, a section is a HEADER_FEATURE record with the same
 * bytes; only TRACING_DATA and BUILD_ID have records of their own. EVENT_DESC and GROUP_DESC are read into @events and written from
 * it. Returns 0 (with has[] false for an empty text), -EINVAL for a damaged section (data before the damage are kept), or -ENOTSUP
 * for a number without a row.
 */
int feature_pass(struct wire *w, unsigned number, struct features *f, struct event_table *events);
/* Appends the "# ..." lines of --header for one section, as perf prints them; @full: with the additions of -I. */
void feature_print(unsigned number, const struct features *f, const struct event_table *events, bool full, struct buf *out);
void features_release(struct features *f);

#endif
