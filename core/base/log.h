/*
 * Prints messages and a progress line for the user on standard error, and ends the program after a fatal error. core/ui/finding.h
 * reports the problems of a recording.
 */
#ifndef CORE_BASE_LOG_H
#define CORE_BASE_LOG_H

#include "core/base/macros.h"

/* Any thread may print. Messages: lowercase, no full stop, the object in quotes: prec: cannot open 'x.data': Permission denied */

/* Print an error; always returns -1, so that a function can `return error(...)`. */
int error(const char *fmt, ...) PRINTF_LIKE(1, 2);
#define OPTIONS_USAGE	129	/* the exit status of wrong usage, as perf's */
/* Prints an error in a command line; always returns OPTIONS_USAGE. */
int usage_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Print something the user should know although the work goes on; silent after log_set_level(-1). */
void warning(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Reports a decision of the program (a clamp, a fallback); silent after log_set_level(-1). */
void info(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Details for -v (level 1), -vv (level 2). */
void debug(int level, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Print an error, run the hook of log_at_die() once, exit with status 1. */
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) __attribute__((noreturn));

/* -1: errors only (-q), 0: normal, 1 and up: -v. */
void log_set_level(int level);
int log_level(void);

/* For phase.h. Adds CPU time, in ns, of work that was, or could be, spread over several threads. log_shared() returns the sum. */
void log_add_shared(uint64_t cpu_ns);
uint64_t log_shared(void);

/* Sets the hook that die() calls before it exits. The recorder's hook finishes its file. NULL: no hook. */
void log_at_die(void (*hook)(void *), void *arg);
/* Runs before a signal ends the program (a fault, a truncated file), in any thread; only signal-safety(7) functions. NULL: none. */
void log_at_crash(void (*hook)(void *), void *arg);
/* Runs the hook of log_at_crash(), only once. Signal handlers call it. */
void log_run_at_crash(void);

enum progress_unit { PROGRESS_BYTES, PROGRESS_THINGS };

/*
 * Shows a line on standard error, if that is a terminal that can erase it, the level is not below 0, and the first call was 1 s
 * ago. Another @what, borrowed for the call, begins a step. @total 0: unknown. Any thread; cheap enough for each microsecond.
 */
void progress(const char *what, uint64_t done, uint64_t total, enum progress_unit unit);
/* Writes the text of the progress line into the @size bytes at @to, to be shown elsewhere. False: no step is going on. */
bool progress_current(char *to, size_t size);
/* Ends the step, and erases the line. */
void progress_end(void);

#endif
