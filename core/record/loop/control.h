/* Runs the commands that arrive on the control channel (--control), one per line, and answers each known command with "ack". */
#ifndef CORE_RECORD_LOOP_CONTROL_H
#define CORE_RECORD_LOOP_CONTROL_H

#include <stdbool.h>

struct control;
struct event_set;

/* Requests of the commands. */
struct control_requests {
	bool stop, snapshot;
};

/* Opens the channel "fd:IN[,OUT]" or "fifo:PATH[,PATH]" (control_free()). Prints errors; returns 0 or -1. */
int control_open(struct control **out, const char *spec);
void control_free(struct control *c);
/* Returns the file descriptor on which commands arrive. */
int control_fd(const struct control *c);
/*
 * Runs the commands that have arrived. Events of @set are enabled, disabled and listed at once; the list goes to standard error
 * if @stdout_taken. All other commands set members of @requests. Returns false if the other end was closed for good.
 */
bool control_read(struct control *c, struct event_set *set, bool stdout_taken, struct control_requests *requests);
/* Acknowledges the snapshots that control_read() requested; all other commands are acknowledged there. @c may be NULL. */
void control_answer(struct control *c);

#endif
