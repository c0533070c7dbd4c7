/*
 * Messages to the user, all on stderr. They say what failed first, on what, and why:
 *
 *	prec: cannot open 'x.data': Permission denied
 *
 * lowercase, no full stop, the subject in quotes. Safe from any thread.
 * Layer: base
 */
#ifndef CORE_BASE_LOG_H
#define CORE_BASE_LOG_H

#include "core/base/macros.h"

/* Print an error; always returns -1, so that a function can `return error(...)`. */
int error(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Something the user should know though the work goes on; silent after log_set_level(-1). */
void warning(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* What the program decided for the user (a clamp, a fallback); silent after log_set_level(-1). */
void info(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Details for -v (level 1), -vv (level 2). */
void debug(int level, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print an error, run the hook of log_at_die() once, exit with status 1. */
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));

/* -1: errors only (-q), 0: normal, 1 and up: -v. */
void log_set_level(int level);
int log_level(void);

/* What die() does before it exits: the recorder finishes its file there. NULL: nothing. */
void log_at_die(void (*hook)(void *), void *arg);

/*
 * Progress of long work, shown on stderr only where that is a terminal, the level is not below 0
 * and a second has passed. @what is borrowed for the call. progress(NULL, 0, 0) wipes the line.
 */
void progress(const char *what, uint64_t done, uint64_t total);

#endif
