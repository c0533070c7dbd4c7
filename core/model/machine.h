/*
 * Declares the model of a recording, which is like perf's struct machine: the processes, their names and maps over time, the
 * kernel, and all mapped files. core/read/session.h builds one from a recording.
 */
#ifndef CORE_MODEL_MACHINE_H
#define CORE_MODEL_MACHINE_H

#include "core/model/dso.h"
#include "core/model/map.h"

#define CGROUP_NONE	0
#define CGROUP_UNKNOWN	UINT32_MAX

/*
 * A *space* is one version of a process's address space. A new space begins when an mmap replaces code that was mapped before. So
 * (space, ip) identifies code without the time, and samples are hashed by it. Space 0 is the first space of the kernel. A fork
 * copies nothing. An address that a child has not mapped itself is looked up in its parent's space at the time of the fork.
 */
#define SPACE_NONE	UINT32_MAX	/* a space without maps: of guests without names, the hypervisor, unknown cpumodes */

struct arch;
struct feature_jit_map;
struct findings;
struct machine;
struct record;

struct guest_opts {		/* {0}: addresses in guests get no names */
	const char *kallsyms, *modules, *vmlinux;	/* files for guests that have no directory below .mount */
	const char *mount;	/* a directory with the root directory of each guest, named by the pid of its hypervisor */
	bool code;		/* the hypervisor is a test program that runs its own code as a guest */
};

struct machine_opts {		/* all borrowed for the machine's life; {0} is the default */
	const char *symfs;	/* look up files below this directory */
	const char *vmlinux;	/* the kernel's symbols and code from here; NULL: from kallsyms or an installed vmlinux */
	const char *kallsyms;	/* symbols from here instead of /proc/kallsyms; code from a kcore in its directory */
	bool debuginfod;	/* ask the servers of DEBUGINFOD_URLS for files that are not here */
	bool no_demangle, demangle_kernel;
	struct guest_opts guest;
	bool this_host;		/* recorded on this very machine and kernel: /proc/kallsyms is right */
};

struct machine *machine_new(const struct machine_opts *opts);
void machine_free(struct machine *m);
/*
 * Moves to @m the symbols and lines that @before has read, of the kernel and of files that @m knows by the same path and build id.
 * @before is a machine of the same recorder and options. Call it before any lookup in @m. Results of earlier lookups in @before
 * become invalid.
 */
void machine_reuse_files(struct machine *m, struct machine *before);
/* Sets the recording's architecture (from its features); NULL: unknown. Borrowed, static. */
void machine_set_arch(struct machine *m, const struct arch *arch);
const struct arch *machine_arch(const struct machine *m);
/* The architecture of the first mapped 64-bit file that still has its recorded build id or inode; NULL: no file has. */
const struct arch *guess_arch(const struct machine *m);
struct machine_facts {		/* about a recording; texts are NULL if there is none */
	bool this_host;		/* as machine_opts.this_host */
	bool monotonic;		/* its times are of CLOCK_MONOTONIC, which JIT compilers use */
	const char *dir;	/* its directory, to find files that were moved with it */
	const char *kcore_dir;	/* the directory with its copy of the kernel's memory (core/model/kcore.h) */
	const char *release;	/* the kernel's (uname -r), by which its vmlinux is found */
};
/* Copies @facts. Call it before any map is applied. */
void machine_set_facts(struct machine *m, const struct machine_facts *facts);
/*
 * Sets the time when the recording was complete, in ns since 1970, and the time of its last record by the recording's clock; 0:
 * unknown. With these times, files that changed after they were mapped are detected. @copied: the recording was copied or moved
 * later, perhaps together with its files.
 */
void machine_set_clock(struct machine *m, uint64_t wall_ns, uint64_t time, bool copied);
/*
 * Sets the recording's copies of perf maps (/tmp/perf-PID.map), which name code made at run time. Borrowed until machine_free() or
 * the next call. The next call drops the names that were loaded from perf maps, so that they are loaded again.
 */
void machine_set_jit_maps(struct machine *m, const struct feature_jit_map *maps, size_t nr);
/* Sets the recording's archive before any map is applied; it has precedence. Returns 0, or -errno of archive_unpack(). */
int machine_set_archive(struct machine *m, const void *section, size_t size);
/* From now on keeps the results of lookups, for archive_add_lookups(). */
void machine_track_lookups(struct machine *m);
/* Adds a build id from the BUILD_ID section or a record. */
void machine_add_build_id(struct machine *m, const char *filename, const struct build_id *id, uint16_t misc);

/*
 * Applies a side-band record (MMAP, COMM, FORK, EXIT and others that are not samples), in order of (time, position); @time 0:
 * before everything. Ignores types that change nothing. Never fails: records that make no sense are counted
 * (machine_nr_inconsistent()).
 */
void machine_apply(struct machine *m, const struct record *rec, uint64_t time);
/* True if machine_apply() handles records of this type. */
bool machine_handles(uint32_t type);
/*
 * Makes the machine ready for queries. From then on it is read-only, and any thread may query it; symbol tables load on demand,
 * under the lock of each dso. More records may be applied afterwards, while no thread queries it; then it must be sealed again,
 * which gives new numbers to spaces and threads and makes cached answers invalid. Returns false if nothing was applied since the
 * last time.
 */
bool machine_seal(struct machine *m);
/*
 * Starts to read the kernel's symbols on another thread, if the machine is sealed and has a kernel; lookups wait for it. The
 * kernel needs more time to print /proc/kallsyms than most reports take.
 */
void machine_load_kernel_early(struct machine *m);

/* ---- queries, after sealing ---- */

struct thread {			/* one life of a thread */
	uint32_t pid, tid;
	uint32_t number;	/* 0, 1, ...: machine_nr_threads() of them */
	uint64_t from, to;	/* its life, ns; to UINT64_MAX: to the end */
};

struct task_context {		/* the thread and the address spaces of a sample */
	const struct thread *thread;
	const char *comm;	/* interned; ":TID" without a name */
	uint32_t comm_number;	/* equal numbers, equal names */
	uint32_t user_space, kernel_space;
	uint32_t guest_kernel_space, guest_user_space;	/* of the guest that the process runs */
	uint32_t cgroup_ns;	/* the number for machine_cgroup_namespace() */
	uint64_t from, to;	/* valid for samples of this thread in [from, to) */
};

/* A worker's cache of its last answers, owned by the worker. A run of samples of one thread needs no search. */
struct context_cache;
struct context_cache *context_cache_new(const struct machine *m);
void context_cache_free(struct context_cache *c);
/* The thread and spaces of a sample. Never NULL; borrowed until the next call with the same cache. */
const struct task_context *machine_context(struct context_cache *c, uint32_t pid, uint32_t tid, uint64_t time);

/* The map that holds @ip in @space; NULL: none. Borrowed, lives as long as the machine. */
const struct map *machine_map(const struct machine *m, uint32_t space, uint64_t ip);
/* The same, with *span set to the addresses around @ip that have the same answer, so that callers can cache it. */
const struct map *machine_map_span(const struct machine *m, uint32_t space, uint64_t ip, struct ip_span *span);

struct addr_location {			/* the result for an address; everything borrowed from the machine */
	const struct map *map;		/* NULL: nothing mapped there */
	const struct dso *dso;		/* NULL with map NULL */
	const struct symbol *symbol;	/* NULL: no symbol covers it */
	uint64_t addr;			/* in the dso's own terms: ELF virtual address, kernel address as recorded */
	uint64_t file_addr;		/* offset from the map's start plus pgoff */
};

/* Resolves an address. Loads the dso's symbols on first use, under the dso's lock. */
void machine_resolve(const struct machine *m, uint32_t space, uint64_t ip, struct addr_location *out);
/* The same for data. Anonymous memory right after a map of a file is its .bss: .dso, .symbol and .addr are those of the file. */
void machine_resolve_data(const struct machine *m, uint32_t space, uint64_t addr, struct addr_location *out);
/* @addr, in the terms of @l's dso (such as its symbol's start), as an address of the space that @l was resolved in. */
uint64_t addr_location_unmap(const struct addr_location *l, uint64_t addr);

/* True if @space is one of the kernel's; false for SPACE_NONE. */
bool machine_space_is_kernel(const struct machine *m, uint32_t space);
uint32_t machine_nr_spaces(const struct machine *m);
/*
 * Threads and names without a side-band record get a number at the first query for a sample. So these counts may grow during a
 * pass, and the order of such numbers depends on the scheduling of workers: never sort by it.
 */
uint32_t machine_nr_threads(const struct machine *m);
const struct thread *machine_thread(const struct machine *m, uint32_t number);
/* The time (ns) after @time at which @thread gets its next name; UINT64_MAX: never. */
uint64_t machine_next_name(const struct machine *m, const struct thread *thread, uint64_t time);
uint32_t machine_nr_comms(const struct machine *m);
const char *machine_comm(const struct machine *m, uint32_t comm_number);
uint32_t machine_nr_dsos(const struct machine *m);
struct dso *machine_dso(const struct machine *m, uint32_t number);
/* The number of a cgroup by the id in its samples; CGROUP_NONE for 0, CGROUP_UNKNOWN if no record has it. */
uint32_t machine_cgroup(const struct machine *m, uint64_t id);
/* The path of a cgroup below the root of cgroups, and its id; not for CGROUP_NONE and CGROUP_UNKNOWN. */
const char *machine_cgroup_path(const struct machine *m, uint32_t cgroup);
uint64_t machine_cgroup_id(const struct machine *m, uint32_t cgroup);
struct namespace_id { uint64_t dev, ino; };	/* device and inode of the namespace's file in /proc/PID/ns */
/* The cgroup namespace of that number; {0} for 0, which means that no record has it. */
struct namespace_id machine_cgroup_namespace(const struct machine *m, uint32_t number);
/* True if the recording has jitdumps. Each was read up to its end at the time when it was mapped. */
bool machine_has_jitdumps(const struct machine *m);
/* The number of side-band records that contradicted earlier ones. */
uint64_t machine_nr_inconsistent(const struct machine *m);
/* Adds findings about files whose symbols or code were needed, but are missing or changed. Call it after all lookups. */
void machine_findings(struct machine *m, struct findings *out);

#endif
