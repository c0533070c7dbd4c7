/*
 * Makes samples of one more event, "wall-time": their periods (ns) add up to the lifetime of each thread. Time on the CPU is
 * spread over the thread's samples there, in proportion to their periods. Time off the CPU is the thread's waits, with the time
 * in which it was ready as a part of its own (WAIT_READY).
 * Layer: sched
 */
#ifndef CORE_SCHED_WALL_H
#define CORE_SCHED_WALL_H

struct event;
struct session;

#define WALL_EVENT "wall-time"

/*
 * The event whose samples show what threads did on the CPU: the first that counts time, or else the first that is not a source of
 * waits. NULL: there is none. Borrowed.
 */
const struct event *session_on_cpu_event(const struct session *s);
/*
 * Adds the event, after session_add_waits() and before the passes. Its samples on the CPU are made from those of
 * session_on_cpu_event(). Owned by the session. NULL if there are no waits.
 */
const struct event *session_add_wall(struct session *s);

#endif
