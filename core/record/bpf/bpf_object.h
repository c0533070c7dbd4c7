/*
 * The user's own program on an event, out of an object that clang made: it sees each sample before it is written, and drops those
 * for which it returns 0. With libbpf; without it bpf_object_none.c says what is missing.
 * Layer: bpf
 */
#ifndef CORE_RECORD_BPF_BPF_OBJECT_H
#define CORE_RECORD_BPF_BPF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_object;
struct buf;
struct event_request;
struct user_rings;

struct user_program {
	struct bpf_object *object;	/* owned */
	int program;			/* a descriptor that belongs to the object */
	int stats;			/* owned: while it is open the kernel counts how often programs run; -1: it does not */
};

/*
 * Load the program of @r, whose bpf is "FILE.o" or "FILE.o:NAME" with the name of a section or a function, for its event, with its
 * variables set. Prints what is wrong; 0 or -1. user_program_close() in any case.
 */
int user_program_load(struct user_program *out, const struct event_request *r);
void user_program_close(struct user_program *p);
/* Which maps of the object of @spec programs write records of their own to: bits; 0 too where it cannot be read. */
enum user_output { USER_OUTPUT_EVENTS = 1, USER_OUTPUT_RINGS = 2 };
unsigned user_program_writes(const char *spec);
/* Sends its output on @cpu to samples of the event that is @fd there. Prints errors; 0 or -1. */
int user_program_write_to(const struct user_program *p, unsigned cpu, int fd);
/* Add its ring buffers to *rings, which is made for the first (NULL: there was none yet). Prints what is wrong; 0 or -1. */
int user_program_rings(const struct user_program *p, struct user_rings **rings);
void user_rings_free(struct user_rings *r);
typedef void user_record(void *ctx, const void *data, size_t size);
/* Give away what is in them; while more and more comes, up to some megabytes. */
void user_rings_take(struct user_rings *r, user_record *take, void *ctx);
/*
 * The number of times that a ring had no room for a record as large as its largest when it was emptied; *name: the ring with
 * most of them. The kernel reports dropped records only to the program.
 */
uint64_t user_rings_full(const struct user_rings *r, const char **name);
/* How often it ran since it was loaded, for samples of any event or task; 0: the kernel does not count that. */
uint64_t user_program_runs(const struct user_program *p);
/* Append its maps and global variables, as bpf_maps_put(). */
void user_program_put_maps(const struct user_program *p, struct buf *out);

#endif
