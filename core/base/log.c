/* The logger: the one place that keeps mutable state for the whole program. Layer: base */
#include "core/base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock;
	int level;
	void (*at_die)(void *);
	void *at_die_arg;
	time_t first_progress;	/* when the work shown began; 0: none */
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

void progress(const char *what, uint64_t done, uint64_t total)
{
	time_t now = time(NULL);

	if (logger.level < 0 || !isatty(STDERR_FILENO))
		return;
	pthread_mutex_lock(&logger.lock);
	if (!what) {
		wipe_progress();
		logger.first_progress = 0;
	} else if (!logger.first_progress) {
		logger.first_progress = now;
	} else if (now > logger.first_progress) {
		fprintf(stderr, "\r\033[K%s: %3.0f %%", what, total ? 100.0 * done / total : 100.0);
		fflush(stderr);
		logger.progress_shown = true;
	}
	pthread_mutex_unlock(&logger.lock);
}
