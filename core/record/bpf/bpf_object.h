/*
 * The user's own BPF programs, from an object that clang compiled: a program on an event sees each sample before it is written, and
 * drops those for which it returns 0. Needs libbpf; without it bpf_object_none.c reports what is missing.
 * Layer: bpf
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
	struct bpf_maps_seen *seen;	/* owned: what was printed last, if only changes are */
};

/* Each object file is loaded once, with all of its programs that events name, so that they share its maps and variables. */
struct user_objects {			/* = {0}: none; user_objects_close() */
	VEC(struct user_object) list;
	int stats;			/* owned if there are objects: while it is open the kernel counts runs */
};

/*
 * Load the programs of these events, their .bpf being "FILE.o" or "FILE.o:NAME" with the name of a section or a function, each for
 * its event, with the variables that are set. Prints what is wrong; 0 or -1. user_objects_close() in any case.
 */
int user_objects_load(struct user_objects *out, const struct event_requests *events);
void user_objects_close(struct user_objects *o);
/* The descriptor of the program of @r, which belongs to its object. */
int user_objects_program(const struct user_objects *o, const struct event_request *r);
/* The kinds of maps in the object of @spec to which programs write records: bits; 0, too, if it cannot be read. */
enum user_output { USER_OUTPUT_EVENTS = 1, USER_OUTPUT_RINGS = 2 };
unsigned user_program_writes(const char *spec);
/* Makes records that they write on @cpu samples of the event with descriptor @fd there. Prints errors; 0 or -1. */
int user_objects_write_to(const struct user_objects *o, unsigned cpu, int fd);
/* Their ring buffers: *rings is made if there are any, else NULL. Prints what is wrong; 0 or -1. user_rings_free() in any case. */
int user_objects_rings(const struct user_objects *o, struct user_rings **rings);
void user_rings_free(struct user_rings *r);
typedef void user_record(void *ctx, const void *data, size_t size);
/* Passes the available records to @take; some megabytes at most, if more keep coming. */
void user_rings_read(struct user_rings *r, user_record *take, void *ctx);
/*
 * The number of times that a ring had no room for a record as large as its largest when it was emptied; *name: the ring with
 * most of them. The kernel reports dropped records only to the program.
 */
uint64_t user_rings_full(const struct user_rings *r, const char **name);
/* How often @program ran since it was loaded, for samples of any event or task; 0: the kernel does not count that. */
uint64_t user_program_runs(const struct user_objects *o, int program);
/* Append maps and global variables as bpf_maps_put(); @changes: only those that are others than at the last call with it. */
void user_objects_put_maps(const struct user_objects *o, bool changes, struct buf *out);
/* The same as an array, by object. */
void user_objects_put_json(const struct user_objects *o, bool changes, struct json *out);

#endif
