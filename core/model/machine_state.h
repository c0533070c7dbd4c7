/*
 * Defines the members of struct machine: the processes, maps, files and kernel of a recording. Most files outside of core/model
 * use the functions of machine.h instead. machine_state.c creates and frees the struct.
 */
#ifndef CORE_MODEL_MACHINE_STATE_H
#define CORE_MODEL_MACHINE_STATE_H

#include <pthread.h>

#include "core/base/hash.h"
#include "core/model/dsos.h"
#include "core/model/kcore.h"
#include "core/model/machine.h"
#include "core/model/poke.h"
#include "core/model/spaces.h"
#include "core/model/threads.h"

#define KERNEL_IMAGE 0u		/* the kernel's number in struct spaces.images */

struct comms {			/* thread names, numbered */
	VEC(const char *) list;		/* interned */
	struct index by_name;		/* by the interned pointer */
};

/*
 * Threads that are in samples but in no side-band record. Workers add them when they meet them, hence the lock. Their numbers
 * follow those of the threads that were known when the machine was sealed.
 */
struct late {
	pthread_mutex_t lock;
	struct strtab *strings;
	VEC(struct thread *) threads;	/* owned */
	struct index by_id;		/* by (pid, tid) */
	struct comms comms;		/* ":TID" */
};

struct cgroup { uint64_t id; const char *path; };	/* path: interned */

struct cgroups {
	VEC(struct cgroup) list;	/* cgroup number n is [n - 1] */
	struct index by_id;
	VEC(struct namespace_id) namespaces;	/* cgroup namespace number n is [n - 1] */
	struct index by_namespace;
};

/*
 * A virtual machine whose kernel was sampled from outside, as `perf kvm` does. Its samples have the pid of the hypervisor, and a
 * cpumode of their own (PERF_RECORD_MISC_GUEST_*).
 */
struct guest {
	uint32_t pid;			/* the hypervisor's; 0: this entry is for all hypervisors without one of their own */
	uint32_t image;			/* the image (spaces.h) of the guest's kernel */
	struct kallsyms names;
	char *kallsyms;			/* the file that .names were read from, owned; NULL: .names cannot be used */
	struct dso *kernel;
	VEC(struct dso *) modules;	/* borrowed from the machine */
	struct index by_name;		/* indexes .modules by interned name */
};

/*
 * side_band.c applies MMAP, COMM, FORK and similar records. task_context.c finds the thread and the address space of a sample.
 * resolve.c finds the map, the dso and the symbol of an address, and load.c loads symbols.
 */
struct machine {
	struct machine_opts opts;
	const struct arch *arch;
	char *release;			/* the kernel's (uname -r); owned; NULL: unknown */
	char *kcore_dir;		/* owned; NULL: the recording has none */
	struct strtab *strings;
	struct comms comms;
	struct threads threads;
	struct spaces spaces;
	struct dsos dsos;
	struct cgroups cgroups;
	struct pokes pokes;		/* changes of the kernel's code (TEXT_POKE); each begins a new space of the kernel */
	struct {			/* the moment when the recording was complete, by two clocks */
		uint64_t wall_ns;	/* by the file system's clock, ns since 1970; 0: unknown */
		uint64_t time;		/* by the recording's clock; 0: the recording has no times */
		bool copied;		/* the recording was copied or moved later */
	} clock;
	bool monotonic;			/* the recording's clock is CLOCK_MONOTONIC, which JIT compilers use */
	char *recording_dir;		/* owned; NULL: the recording was read from a pipe */
	const struct feature_jit_map *jit_maps;	/* borrowed */
	size_t nr_jit_maps;
	struct map python, java;	/* maps of the artificial addresses of python.h and java.h; .dso NULL: none are recorded */
	VEC(struct jitdump *) jitdumps;	/* borrowed from their dsos */
	uint64_t first_time;		/* the earliest time of a side-band record; 0: none has a time */
	uint64_t nr_inconsistent;		/* side-band records that make no sense, ignored */
	bool sealed;			/* read-only but for .late and what is loaded on demand */
	struct {			/* see machine_load_kernel_early() */
		pthread_t thread;
		bool runs;
	} early;
	VEC(struct guest *) guests;	/* owned */
	bool noting;			/* machine_track_lookups() was called */
	struct debuginfod *debuginfod;	/* owned; NULL: not used */
	struct archive *archive;	/* owned; NULL: the recording has none */
	struct late late;
	struct {			/* read once, when the kernel or a module first needs symbols */
		pthread_mutex_t lock;
		bool tried;
		bool unusable;		/* the file of --kallsyms cannot be used */
		char *hidden;		/* owned: a file whose addresses are all 0 (kptr_restrict); NULL: none */
		struct kallsyms all;
		char *path;		/* the file that .all is from, owned; NULL: no file can be used */
		uint64_t relocation;	/* recorded address - address in .all, of the reference symbol */
	} kallsyms;
	struct {			/* looked for when the kernel's code is first needed */
		pthread_mutex_t lock;
		bool tried;
		struct kcore found;
	} kcore;
	const char *unusable_vmlinux;	/* why --vmlinux cannot be used; NULL: it can. Set under the kernel dso's lock */
	const char *unusable_guest_vmlinux;	/* the same for --guestvmlinux */
};

/* The number of an interned name, which is added if new. */
uint32_t comms_number(struct comms *c, const char *interned);

/* The number of process @pid, made with an empty image if new. */
uint32_t machine_process(struct machine *m, uint32_t pid);

/*
 * Converts an MMAP or MMAP2 record of a process into a map, with its dso, which is made if it is new. Does not add the map to the
 * machine. Returns false if the record is of the kernel or a guest, or is invalid.
 */
bool machine_user_map(struct machine *m, const struct record *rec, struct map *out);

/* Makes the guests that the options of @m name. */
void guests_init(struct machine *m);
void guests_release(struct machine *m);
/* Adds a recorded map of a guest's kernel, or of a module of it. */
void guest_map(struct machine *m, const struct record *rec, const struct map *map);
/* The image of the guest's kernel that process @pid runs; IMAGE_NONE: it has no names. */
uint32_t guest_image(const struct machine *m, uint32_t pid);

/* Applies the code of jitdumps up to @time, before other records of that time; UINT64_MAX: all. */
void machine_apply_jit(struct machine *m, uint64_t time);

/*
 * Reads the jitdump that @map maps, unless it was read before. @process, @pid: the number and the pid of the process. A damaged
 * jitdump is read up to the damage.
 *
 * A compiler maps its jitdump once, and the MMAP record of this mapping has the path. For the code of each function, a map is added
 * to the process, as if it had mapped the code's bytes from the jitdump when the code was made. So `perf inject --jit` is not
 * needed, and code that replaced other code at an address has its own name.
 */
void jitdump_mapped(struct machine *m, const struct map *map, uint32_t pid, uint32_t process);

/* Sets the path of cgroup @id, unless it has one. */
void machine_add_cgroup(struct machine *m, uint64_t id, const char *path);
/* The number of a cgroup namespace, which is added if new; 0 for {0}. */
uint32_t machine_add_cgroup_namespace(struct machine *m, const struct namespace_id *ns);
void cgroups_release(struct cgroups *c);

/* Waits until the thread of machine_load_kernel_early() has ended. */
void machine_join_early(struct machine *m);

/* The dso of the kernel; NULL: none was recorded. */
struct dso *machine_kernel(const struct machine *m);

/* Loads the dso's symbols, unless they are loaded. Takes the dso's lock. */
void dso_load(struct machine *m, struct dso *dso);

#endif
