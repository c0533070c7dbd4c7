/*
 * What is inside struct machine, for the files that implement machine.h: machine_state.c (made, sealed, freed), side_band.c
 * (records applied), where.c (whose a sample is), resolve.c (what an address is), load*.c (symbols).
 * Layer: model
 */
#ifndef CORE_MODEL_MACHINE_STATE_H
#define CORE_MODEL_MACHINE_STATE_H

#include <pthread.h>

#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/model/dsos.h"
#include "core/model/kcore.h"
#include "core/model/machine.h"
#include "core/model/poke.h"
#include "core/model/spaces.h"
#include "core/model/threads.h"

#define KERNEL_IMAGE 0u			/* its number among the images, see spaces.h */

struct comms {
	VEC(const char *) list;		/* interned */
	struct index by_name;		/* by the interned pointer */
};

/* Threads that no side-band record told of. Workers add them when a sample asks, under the lock; numbered after the others. */
struct late {
	pthread_mutex_t lock;
	struct strtab *strings;
	VEC(struct thread *) threads;	/* owned */
	struct index by_id;		/* by pid and tid */
	struct comms comms;		/* ":TID" */
};

struct cgroup { uint64_t id; const char *path; };	/* path: interned */

struct cgroups {
	VEC(struct cgroup) list;	/* the first has number 1 */
	struct index by_id;
};

struct machine {
	struct machine_opts opts;
	const struct arch *arch;
	char *release;			/* uname -r; owned; NULL: unknown */
	char *kcore_dir;		/* owned; NULL: the recording has none */
	struct strtab *strings;
	struct comms comms;
	struct threads threads;
	struct spaces spaces;
	struct dsos dsos;
	struct cgroups cgroups;
	struct pokes pokes;		/* TEXT_POKE records: each begins a new space of the kernel */
	uint64_t nr_odd;		/* records that contradicted what was known */
	bool sealed;			/* machine_seal(): nothing was applied since */
	struct late late;
	struct {			/* kallsyms: read once, when the kernel or a module is first loaded */
		pthread_mutex_t lock;
		bool tried;
		bool unusable;		/* that is so of machine_opts.kallsyms */
		char *hidden;		/* owned: path of one whose addresses kptr_restrict hides; NULL: none */
		struct kallsyms all;
		char *path;		/* owned; NULL: there is none to use */
		uint64_t relocation;	/* recorded address - address here, of the ref reloc symbol (_text) */
	} kallsyms;
	struct {			/* looked for when the kernel's code is first wanted */
		pthread_mutex_t lock;
		bool tried;
		struct kcore found;
	} kcore;
	const char *unusable_vmlinux;	/* why machine_opts.vmlinux cannot be used; under the kernel's lock. NULL: it can */
};

/* The number of an interned name, added if new. */
uint32_t comms_number(struct comms *c, const char *interned);
void comms_release(struct comms *c);

/* The number of process @pid, made with an empty image if new. */
uint32_t machine_process(struct machine *m, uint32_t pid);

/* Of several paths for one id the first is kept. */
void machine_add_cgroup(struct machine *m, uint64_t id, const char *path);
void cgroups_release(struct cgroups *c);

/* Load the dso's symbols, if nobody has. Takes its lock. */
void dso_load(struct machine *m, struct dso *dso);

#endif
