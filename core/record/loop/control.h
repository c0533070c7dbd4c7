/*
 * The control channel (--control): reads commands, one a line, and answers each with "ack".
 * Layer: loop
 */
#ifndef CORE_RECORD_LOOP_CONTROL_H
#define CORE_RECORD_LOOP_CONTROL_H

#include <stdbool.h>

struct control;
struct event_set;

/* Requests of the commands. */
struct control_requests {
	bool stop, snapshot;
};

/* Open "fd:IN[,OUT]" or "fifo:PATH[,PATH]". Prints errors; returns 0 or -1. Owned by the caller: control_free(). */
int control_open(struct control **out, const char *spec);
void control_free(struct control *c);
/* The descriptor to wait for. */
int control_fd(const struct control *c);
/*
 * Runs the commands that have arrived: events of @set are enabled, disabled and listed here (to standard error
 * if @stdout_taken), the rest goes into @requests. Returns false if the other end has gone for good.
 */
bool control_read(struct control *c, struct event_set *set, bool stdout_taken, struct control_requests *requests);
/*
 * Acknowledges the snapshots of control_read() after they were taken; control_read() acknowledges all other commands. @c NULL:
 * nothing.
 */
void control_answer(struct control *c);

#endif
