/*
 * Makes the samples of an additional event, "wall-time", which divide a thread's lifetime into time on the CPU and waits.
 * wait_samples.h supplies the waits. cmd/input.c calls it.
 */
#ifndef CORE_SCHED_WALL_H
#define CORE_SCHED_WALL_H

struct event;
struct session;

#define WALL_EVENT "wall-time"

/*
 * Returns the event whose samples show what threads did on the CPU: the first one that counts time, or else the first one from
 * which no waits are made. NULL: there is none. Borrowed.
 */
const struct event *session_on_cpu_event(const struct session *s);
/*
 * Adds the event, after session_add_waits() and before the passes. Its samples on the CPU are made from those of
 * session_on_cpu_event(). Owned by the session. NULL if there are no waits. The periods of a thread's samples add up to its
 * lifetime in ns. The thread's time on the CPU is divided among its samples on the CPU, in proportion to their periods. A wait
 * becomes one sample for the time off the CPU, and another for the time in which the thread was ready to run (WAIT_READY, waits.h).
 */
const struct event *session_add_wall(struct session *s);

#endif
