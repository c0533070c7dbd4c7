/*
 * The user's own program on an event, out of an object that clang made: it sees each sample before it is written, and drops those
 * for which it returns 0. With libbpf; without it bpf_object_none.c says what is missing.
 * Layer: open
 */
#ifndef CORE_OPEN_BPF_OBJECT_H
#define CORE_OPEN_BPF_OBJECT_H

#include <stdbool.h>

struct bpf_object;
struct buf;

struct user_program { struct bpf_object *object; int program; };	/* owned; a file descriptor that belongs to the object */

/*
 * Load @spec, "FILE.o" or "FILE.o:NAME" with the name of a section or a function, for event @event. Prints what is wrong; 0 or -1.
 * user_program_close() in any case.
 */
int user_program_load(struct user_program *out, const char *spec, const char *event);
void user_program_close(struct user_program *p);
/* Does the object of @spec have a map by which programs write records of their own? false too where it cannot be read. */
bool user_program_writes(const char *spec);
/* What it writes on @cpu becomes samples of the event that is @fd there. Prints what is wrong; 0 or -1. */
int user_program_write_to(const struct user_program *p, unsigned cpu, int fd);
/* Append its maps: arrays and hashes of integers entry by entry, each with a bar; of others only what they are. */
void user_program_put_maps(const struct user_program *p, struct buf *out);

#endif
