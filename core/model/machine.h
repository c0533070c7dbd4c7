/*
 * The model of a recording: processes, their names and maps over time, the kernel, and all dsos.
 *
 * The side-band pass builds it: machine_apply() takes records in order of time, machine_seal() ends it. From then on it is
 * read-only, and every query is safe from any thread. (Symbol tables load on demand, under each dso's lock.)
 *
 * A *space* is an address space for as long as no address in it changes its meaning: a process image between two overlaying
 * mmaps. So (space, ip) identifies code without a time, and samples are hashed by it. Space 0 is the kernel's first. A fork
 * copies nothing: what a child has not mapped itself is looked up in its parent's space at the time of the fork.
 * Layer: model
 */
#ifndef CORE_MODEL_MACHINE_H
#define CORE_MODEL_MACHINE_H

#include "core/model/dso.h"
#include "core/model/map.h"

#define CGROUP_NONE	0
#define CGROUP_UNKNOWN	UINT32_MAX
#define SPACE_NONE	UINT32_MAX	/* nothing is mapped there: guests without names, the hypervisor, unknown cpumodes */

struct arch;
struct feature_jit_map;
struct findings;
struct machine;
struct record;

struct guest_opts {		/* {0}: guests have no names */
	const char *kallsyms, *modules, *vmlinux;	/* files of guests that have no directory of their own */
	const char *mount;	/* a directory with one for each guest, called as its hypervisor's pid: its / */
	bool code;		/* the hypervisor is a test program that runs its own code as a guest */
};

struct machine_opts {		/* all borrowed for the machine's life; {0} is the default */
	const char *symfs;	/* look files up below this directory */
	const char *vmlinux;	/* the kernel's symbols and code from here; NULL: build-id cache, /boot and kin, kallsyms */
	const char *kallsyms;	/* from here instead of /proc/kallsyms, and code from a kcore beside it */
	bool debuginfod;	/* ask the servers of DEBUGINFOD_URLS for files that are not here */
	bool no_demangle, demangle_kernel;
	struct guest_opts guest;
	bool this_host;		/* recorded on this very machine and kernel: /proc/kallsyms is right */
};

struct machine *machine_new(const struct machine_opts *opts);
void machine_free(struct machine *m);
/*
 * Takes over the symbols and lines that @before, a machine of the same recorder and options, read of files that @m knows by the
 * same path and build id, and of the kernel. Call it before @m is asked for any. @before would read them again, and what it
 * returned of them is invalid.
 */
void machine_reuse_files(struct machine *m, struct machine *before);
/* The recording's architecture (features); NULL: unknown. Borrowed, static. */
void machine_set_arch(struct machine *m, const struct arch *arch);
const struct arch *machine_arch(const struct machine *m);
/* True if it was recorded here, see machine_opts. Call it before any map is applied. */
void machine_set_this_host(struct machine *m, bool this_host);
/*
 * The time when the recording was complete, in ns since 1970, and the time of its last record; 0: unknown. Files that changed
 * after they were mapped are detected by it. @copied: the recording came to its place later, perhaps with its files.
 */
void machine_set_clock(struct machine *m, uint64_t wall_ns, uint64_t time, bool copied);
/* True if its times are of CLOCK_MONOTONIC, which JIT compilers use. Call it before any map is applied. */
void machine_set_monotonic(struct machine *m, bool monotonic);
/* The directory of the recording, where files that were moved with it are found. Copied; call it before any map is applied. */
void machine_set_recording_dir(struct machine *m, const char *dir);
/* The recorded kernel's release (uname -r there): where its vmlinux may be installed. Copied; NULL: unknown. */
void machine_set_release(struct machine *m, const char *release);
/* The recording's copy of the kernel's memory (core/model/kcore.h). Call it before any map is applied. Copied. */
void machine_set_kcore_dir(struct machine *m, const char *dir);
/*
 * The names of code made at run time that the recording has. Borrowed until machine_free(), or until others are set; those that
 * were found before are looked up again then.
 */
void machine_set_jit_maps(struct machine *m, const struct feature_jit_map *maps, size_t nr);
/*
 * Sets the recording's archive (core/perfdata/archive.h), which has precedence for its files. Call it before any map is
 * applied. Returns 0, or -errno of archive_unpack().
 */
int machine_set_archive(struct machine *m, const void *section, size_t size);
/* Begins to keep what is looked up, for archive_add_lookups(). */
void machine_track_lookups(struct machine *m);
/* Adds a build id from the BUILD_ID section or a record. */
void machine_add_build_id(struct machine *m, const char *filename, const struct build_id *id, uint16_t misc);

/*
 * One side-band record, in order of (time, position); @time 0: before everything. Types that change nothing are
 * ignored. Never fails: what makes no sense is counted (machine_nr_inconsistent()).
 */
void machine_apply(struct machine *m, const struct record *rec, uint64_t time);
/* True if machine_apply() handles records of this type. */
bool machine_handles(uint32_t type);
/*
 * Makes it ready for queries. More records may be applied afterwards, while no thread queries it; seal it again then: spaces
 * and threads get new numbers, and cached answers become invalid. false: nothing was applied since.
 */
bool machine_seal(struct machine *m);
/*
 * Starts to read the kernel's symbols on a thread of its own, if the machine is sealed and has a kernel: lookups wait for it.
 * The kernel takes longer to print /proc/kallsyms than most reports take.
 */
void machine_load_kernel_early(struct machine *m);

/* ---- queries, after sealing ---- */

struct thread {			/* one life of a thread */
	uint32_t pid, tid;
	uint32_t number;	/* 0, 1, ...: machine_nr_threads() of them */
	uint64_t from, to;	/* its life, ns; to UINT64_MAX: to the end */
};

struct task_context {		/* whose sample is it, in which space */
	const struct thread *thread;
	const char *comm;	/* interned; ":TID" without a name */
	uint32_t comm_number;	/* equal numbers, equal names */
	uint32_t user_space, kernel_space;
	uint32_t guest_kernel_space, guest_user_space;	/* of the guest that it runs */
	uint32_t cgroup_ns;	/* of machine_cgroup_namespace() */
	uint64_t from, to;	/* valid for samples of this thread in [from, to) */
};

/*
 * A worker's memory of its last answers, so that a run of samples of one thread costs no search.
 * Owned by the worker: context_cache_new(), context_cache_free().
 */
struct context_cache;
struct context_cache *context_cache_new(const struct machine *m);
void context_cache_free(struct context_cache *c);
/* Never NULL; borrowed until the next call with the same cache. */
const struct task_context *machine_context(struct context_cache *c, uint32_t pid, uint32_t tid, uint64_t time);

/* The map that holds @ip in @space; NULL: none. Borrowed, lives as long as the machine. */
const struct map *machine_map(const struct machine *m, uint32_t space, uint64_t ip);
/* The same, and in *span the addresses around @ip that have the same answer, so that it need not be asked for them. */
const struct map *machine_map_span(const struct machine *m, uint32_t space, uint64_t ip, struct ip_span *span);

struct addr_location {			/* the result for an address; everything borrowed from the machine */
	const struct map *map;		/* NULL: nothing mapped there */
	const struct dso *dso;		/* NULL with map NULL */
	const struct symbol *symbol;	/* NULL: no symbol covers it */
	uint64_t addr;			/* in the dso's own terms: ELF virtual address, kernel address as recorded */
	uint64_t file_addr;		/* offset from the map's start plus pgoff */
};

/* Resolve; loads the dso's symbols on first use, so it may take its lock. */
void machine_resolve(const struct machine *m, uint32_t space, uint64_t ip, struct addr_location *out);
/*
 * The same of data: memory without a file after a file's is where its variables are that begin as 0. Then .dso, .symbol and
 * .addr are the file's.
 */
void machine_resolve_data(const struct machine *m, uint32_t space, uint64_t addr, struct addr_location *out);
/* @addr, in the terms of @l's dso (such as its symbol's start), as an address of the space that @l was resolved in. */
uint64_t addr_location_unmap(const struct addr_location *l, uint64_t addr);

/* True if @space is the kernel's, of some time; false for SPACE_NONE. */
bool machine_space_is_kernel(const struct machine *m, uint32_t space);
uint32_t machine_nr_spaces(const struct machine *m);
/*
 * Threads and names without a side-band record get a number at the first query from a sample: these counts may grow during a
 * pass, and the order of such numbers depends on the scheduling of workers - never sort by it.
 */
uint32_t machine_nr_threads(const struct machine *m);
const struct thread *machine_thread(const struct machine *m, uint32_t number);
/* When @thread gets its next name after @time, ns; UINT64_MAX: never. */
uint64_t machine_next_name(const struct machine *m, const struct thread *thread, uint64_t time);
uint32_t machine_nr_comms(const struct machine *m);
const char *machine_comm(const struct machine *m, uint32_t comm_number);
uint32_t machine_nr_dsos(const struct machine *m);
struct dso *machine_dso(const struct machine *m, uint32_t number);
/* The number of a cgroup by the id in its samples; CGROUP_NONE for 0, CGROUP_UNKNOWN if no record has it. */
uint32_t machine_cgroup(const struct machine *m, uint64_t id);
/* Its path below the root of cgroups, and its id: of any number but those two. */
const char *machine_cgroup_path(const struct machine *m, uint32_t cgroup);
uint64_t machine_cgroup_id(const struct machine *m, uint32_t cgroup);
struct namespace_id { uint64_t dev, ino; };	/* of its file below /proc/PID/ns */
/* The cgroup namespace of that number; {0} for 0: no record tells it. */
struct namespace_id machine_cgroup_namespace(const struct machine *m, uint32_t number);
/* True if code is in jitdumps, which were read as far as they went when they were mapped. */
bool machine_has_jitdumps(const struct machine *m);
/* Side-band records that contradicted what was known. */
uint64_t machine_nr_inconsistent(const struct machine *m);
/* Adds the files whose symbols or code were wanted, and are missing or changed. Call it after all lookups. */
void machine_findings(struct machine *m, struct findings *out);

#endif
