/*
 * The inside of a machine, for the files that make it up: machine_state.c (its life), side_band.c (building), where.c (whose
 * is a sample), resolve.c (what is an address), load.c (symbols).
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

#define KERNEL_IMAGE 0u

struct comms {
	VEC(const char *) list;		/* interned */
	struct index by_name;		/* by the interned pointer */
};

/* Threads that only samples know: made while workers run, so under a lock. Numbers go on after the sealed ones. */
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
	char *release;			/* owned; NULL: unknown */
	char *kcore_dir;		/* owned; NULL: the recording has none */
	struct strtab *strings;
	struct comms comms;
	struct threads threads;
	struct spaces spaces;
	struct dsos dsos;
	struct cgroups cgroups;
	struct pokes pokes;		/* of the kernel's code; each begins a space of the kernel's */
	uint64_t nr_odd;
	bool sealed;
	struct late late;
	struct {			/* read once, when the first dso of the kernel wants it */
		pthread_mutex_t lock;
		bool tried;
		bool unusable;		/* the one that was given */
		char *hidden;		/* owned: the path of one without addresses; NULL: there is none */
		struct kallsyms all;
		char *path;		/* owned; NULL: there is none to use */
		uint64_t relocation;	/* recorded address - address here, as the reference symbol tells */
	} kallsyms;
	struct {			/* looked for when its code is first wanted */
		pthread_mutex_t lock;
		bool tried;
		struct kcore found;
	} kcore;
	const char *unusable_vmlinux;	/* why the one that was given is; set under the kernel's lock. NULL: it is not */
};

/* The number of an interned name. */
uint32_t comms_number(struct comms *c, const char *interned);
void comms_release(struct comms *c);

/* The number of process @pid, made with an empty image if new. */
uint32_t machine_process(struct machine *m, uint32_t pid);

/* The first path that is told of an id holds. */
void machine_add_cgroup(struct machine *m, uint64_t id, const char *path);
void cgroups_release(struct cgroups *c);

/* Load the dso's symbols, if nobody has. Takes its lock. */
void dso_load(struct machine *m, struct dso *dso);

#endif
