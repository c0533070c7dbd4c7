/* The logger: the one place that keeps mutable state for the whole program. Layer: base */
#include "core/base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/fit.h"
#include "core/base/terminal.h"

#define PROGRESS_AFTER_MS	1000	/* what takes no longer is not worth a line */
#define PROGRESS_EVERY_MS	100	/* it is shown so often, */
#define PROGRESS_RATE_MS	300	/* and how fast it is once a step took so long */

static struct {
	pthread_mutex_t lock;
	int level;
	void (*at_die)(void *);
	void *at_die_arg;
	char *step;		/* owned; the work whose progress is told, NULL: none */
	uint64_t work_began, step_began, progress_at;	/* ms; 0: not yet. progress_at: when the line was shown last */
	bool progress_shown;	/* the terminal's last line is ours to wipe */
} logger = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void wipe_progress(void)
{
	if (logger.progress_shown)
		fputs("\r\033[K", stderr);
	logger.progress_shown = false;
}

static void message(const char *kind, const char *fmt, va_list ap)
{
	pthread_mutex_lock(&logger.lock);
	wipe_progress();
	fprintf(stderr, "prec: %s", kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	pthread_mutex_unlock(&logger.lock);
}

#define MESSAGE(kind, fmt) do {			\
	va_list ap;				\
	va_start(ap, fmt);			\
	message(kind, fmt, ap);			\
	va_end(ap);				\
} while (0)

int error(const char *fmt, ...)
{
	MESSAGE("", fmt);
	return -1;
}

void warning(const char *fmt, ...)
{
	if (logger.level >= 0)
		MESSAGE("warning: ", fmt);
}

void info(const char *fmt, ...)
{
	if (logger.level >= 0)
		MESSAGE("", fmt);
}

void debug(int level, const char *fmt, ...)
{
	if (logger.level >= level)
		MESSAGE("", fmt);
}

void die(const char *fmt, ...)
{
	void (*hook)(void *) = logger.at_die;

	MESSAGE("", fmt);
	logger.at_die = NULL;
	if (hook)
		hook(logger.at_die_arg);
	exit(1);
}

void log_set_level(int level)
{
	logger.level = level;
}

int log_level(void)
{
	return logger.level;
}

void log_at_die(void (*hook)(void *), void *arg)
{
	logger.at_die = hook;
	logger.at_die_arg = arg;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void put_quantity(struct buf *out, uint64_t n, enum progress_unit unit)
{
	put_amount(out, n);
	if (unit == PROGRESS_BYTES)
		buf_puts(out, n < 10000 ? " B" : "B");
}

static void put_progress(struct buf *out, const char *what, uint64_t done, uint64_t total, enum progress_unit unit, uint64_t ms)
{
	buf_puts(out, what);
	if (!done && !total) {
		buf_puts(out, ": nothing has come yet");
		return;
	}
	buf_puts(out, ": ");
	if (total)
		buf_printf(out, "%.0f %% of ", 100.0 * (double)MIN(done, total) / (double)total);
	put_quantity(out, total ? total : done, unit);
	if (!done || ms < PROGRESS_RATE_MS)
		return;
	buf_puts(out, ", ");
	put_quantity(out, (uint64_t)((double)done * 1000 / (double)ms), unit);
	buf_puts(out, "/s");
	if (total > done)
		buf_printf(out, ", %.0f s left", (double)(total - done) / (double)done * (double)ms / 1000 + 0.5);
}

/* The lock is held. */
static void show_progress(const char *what, uint64_t done, uint64_t total, enum progress_unit unit, uint64_t now)
{
	struct buf line = {0};
	struct terminal t;

	terminal_look(&t, STDERR_FILENO, &(struct terminal_opts){0});
	if (logger.level < 0 || !t.is_terminal || t.dumb)
		return;
	put_progress(&line, what, done, total, unit, now - logger.step_began);
	fprintf(stderr, "\r\033[K%.*s", (int)t.width - 1, buf_str(&line));
	fflush(stderr);
	buf_release(&line);
	logger.progress_shown = true;
}

void progress(const char *what, uint64_t done, uint64_t total, enum progress_unit unit)
{
	uint64_t now = now_ms();

	pthread_mutex_lock(&logger.lock);
	if (!logger.work_began)
		logger.work_began = now;
	if (!logger.step || strcmp(logger.step, what) != 0) {
		free(logger.step);
		logger.step = xstrdup(what);
		logger.step_began = now;
	}
	if (now - logger.work_began >= PROGRESS_AFTER_MS && now - logger.progress_at >= PROGRESS_EVERY_MS) {
		logger.progress_at = now;
		show_progress(what, done, total, unit, now);
	}
	pthread_mutex_unlock(&logger.lock);
}

void progress_end(void)
{
	pthread_mutex_lock(&logger.lock);
	wipe_progress();
	free(logger.step);
	logger.step = NULL;
	pthread_mutex_unlock(&logger.lock);
}
