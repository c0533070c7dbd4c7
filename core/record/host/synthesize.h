/*
 * Synthesizes records of the state before the recording. Some describe each process in /proc, with its threads, names and maps.
 * Others describe the kernel and its modules. preamble.c calls these functions.
 */
#ifndef CORE_RECORD_HOST_SYNTHESIZE_H
#define CORE_RECORD_HOST_SYNTHESIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct buf;
struct findings;
struct pid_list;
struct sample_layout;
struct synthesizer;

/* How to synthesize records of the state before the recording. */
struct synthesize_opts {
	bool no_tasks, no_maps, no_cgroups;	/* no FORK, NAMESPACES, COMM; no MMAP2; no CGROUP */
	bool everyone;			/* describe all processes: before a later file, the target may have got children */
	bool all_names;			/* describe the names of processes outside the target, too */
	uint64_t threads;		/* threads that share the work if there are several processes; 0: one */
	uint64_t map_timeout_ms;	/* for the maps of one process; the rest is left out, and the last record has
					 * PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT */
	struct findings *found;		/* gets a finding about maps that were not read in time; borrowed; NULL: not wanted */
};

struct synthesizer_opts {
	const struct sample_layout *layout;	/* of the event that the records belong to; borrowed */
	uint64_t id;				/* the id of that event */
	bool data_maps;				/* maps that are not executable too */
	bool build_ids;				/* put build ids into the maps */
	bool namespaces;			/* those of each thread too */
	struct synthesize_opts how;
};

struct synthesizer *synthesizer_new(const struct synthesizer_opts *opts);
void synthesizer_free(struct synthesizer *s);

/*
 * Append the records of all processes, of all processes but those in @known, or of one process (with all of its threads). A
 * process that ends meanwhile is left out. Do not synthesize a process twice: its second FORK record begins a process without
 * maps.
 */
void synthesize_all(struct synthesizer *s, struct buf *out);
void synthesize_others(struct synthesizer *s, struct buf *out, const struct pid_list *known);
void synthesize_process(struct synthesizer *s, struct buf *out, pid_t pid);
/* Returns the process that a thread belongs to, or 0 if the thread has ended. */
pid_t process_of_thread(pid_t tid);
/* Appends an MMAP record for the kernel and one for each module. Returns false, without any, if the kernel hides its addresses. */
bool synthesize_kernel(struct synthesizer *s, struct buf *out);

#endif
