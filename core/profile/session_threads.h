/*
 * Adds threads of a recording to its profile (profile.h). A thread is added once, with its process and its names, as soon as a
 * sample, a wait or another row of the profile refers to it.
 * Layer: profile
 */
#ifndef CORE_PROFILE_SESSION_THREADS_H
#define CORE_PROFILE_SESSION_THREADS_H

#include <stdint.h>

struct profile_builder;
struct session;
struct task_context;

struct session_threads;

/* Borrows both arguments until session_threads_free(). */
struct session_threads *session_threads_new(const struct session *s, struct profile_builder *b);
void session_threads_free(struct session_threads *t);

/* The builder's number of a thread, by the machine's number (struct thread). */
uint32_t session_thread(struct session_threads *t, uint32_t number);
/* Returns the thread that had @tid at @time, with its name at that time. @pid UINT32_MAX: unknown. Borrowed until the next call. */
const struct task_context *session_thread_context(struct session_threads *t, uint32_t pid, uint32_t tid, uint64_t time);

#endif
