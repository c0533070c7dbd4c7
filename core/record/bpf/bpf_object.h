/*
 * Loads the user's BPF programs (--bpf) from object files that clang compiled. core/record/open/set_programs.c attaches the
 * programs to events. In a build without libbpf, bpf_object_none.c replaces bpf_object.c.
 */
#ifndef CORE_RECORD_BPF_BPF_OBJECT_H
#define CORE_RECORD_BPF_BPF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vec.h"

struct bpf_maps_seen;
struct bpf_object;
struct buf;
struct event_request;
struct event_requests;
struct json;
struct user_rings;

struct user_object {
	char *path;			/* owned */
	struct bpf_object *object;	/* owned; NULL: it was not loaded */
	struct bpf_maps_seen *seen;	/* owned: the values printed last, to print only changes */
};

/* The loaded object files, each loaded once with all of its programs that events name, which share its maps and variables. */
struct user_objects {			/* = {0}: none; user_objects_close() */
	VEC(struct user_object) list;
	int stats;			/* owned descriptor, if there are objects: while open, the kernel counts runs of programs */
};

/*
 * Loads the programs of the events. The kernel runs an event's program at each sample, before it writes the sample, and drops the
 * sample if the program returns 0. Each program is loaded with the program type that its event needs. The .bpf of an event is
 * "FILE.o" or "FILE.o:NAME", with the name of a section or a function. Variables are set as the events ask. Prints errors; returns
 * 0 or -1. Call user_objects_close() in either case.
 */
int user_objects_load(struct user_objects *out, const struct event_requests *events);
void user_objects_close(struct user_objects *o);
/* Returns the file descriptor of the program of @r. The descriptor belongs to the object file. */
int user_objects_program(const struct user_objects *o, const struct event_request *r);
/*
 * Bits for the kinds of maps to which the programs of an object file write records: perf event arrays (USER_OUTPUT_EVENTS) and BPF
 * ring buffers (USER_OUTPUT_RINGS). user_program_writes() returns 0 if the file has no such map, or cannot be read.
 */
enum user_output { USER_OUTPUT_EVENTS = 1, USER_OUTPUT_RINGS = 2 };
unsigned user_program_writes(const char *spec);
/* Makes each record that a program writes on CPU @cpu a sample of the event @fd. Prints errors; returns 0 or -1. */
int user_objects_write_to(const struct user_objects *o, unsigned cpu, int fd);
/* Finds the ring buffers of the programs; *rings is NULL if they have none. Returns 0 or -1 (printed); user_rings_free(). */
int user_objects_rings(const struct user_objects *o, struct user_rings **rings);
void user_rings_free(struct user_rings *r);
typedef void user_record(void *ctx, const void *data, size_t size);
/* Passes the available records to @take. If more keep coming, the call ends after some megabytes. */
void user_rings_read(struct user_rings *r, user_record *take, void *ctx);
/*
 * Returns at how many reads a ring buffer had no room for another record as large as its largest so far. Records may have been
 * dropped then, which the kernel reports only to the program. *name is the ring buffer with most such reads.
 */
uint64_t user_rings_full(const struct user_rings *r, const char **name);
/* Returns how often @program ran since it was loaded, for samples of any event or task, or 0 if the kernel does not count this. */
uint64_t user_program_runs(const struct user_objects *o, int program);
/* Appends maps and global variables as bpf_maps_put() does. With @changes, only values that differ from those at the last call. */
void user_objects_put_maps(const struct user_objects *o, bool changes, struct buf *out);
/* Like user_objects_put_maps(), as a JSON array with an element for each object file. */
void user_objects_put_json(const struct user_objects *o, bool changes, struct json *out);

#endif
