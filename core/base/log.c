/*
 * Prints messages and the progress line on standard error. This is the only file of prec with global variables that change.
 */
#include "core/base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/digits.h"

#define PROGRESS_AFTER_MS	1000	/* work that is shorter gets no progress line */
#define PROGRESS_EVERY_MS	100	/* time between two updates of the line */
#define PROGRESS_RATE_MS	300	/* the line has no speed until a step has taken this long */

static struct {
	pthread_mutex_t lock;
	int level;
	void (*at_die)(void *);
	void *at_die_arg;
	void (*at_crash)(void *);	/* atomic */
	void *at_crash_arg;
	char *step;		/* owned; @what of progress(); NULL: no step is going on */
	uint64_t done, total;	/* of the step */
	enum progress_unit unit;
	uint64_t work_began, step_began, progress_at;	/* ms; 0: not yet. progress_at: when the line was shown last */
	bool progress_shown;	/* the terminal's last line is the progress line, to be erased before a message */
	uint64_t shared_ns;	/* atomic */
} logger = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void wipe_progress(void)
{
	if (logger.progress_shown)
		fputs("\r\033[K", stderr);
	logger.progress_shown = false;
}

/* True for control characters of a terminal, except newlines and tabs; @before: the byte before it, which may begin UTF-8. */
static bool is_control(uint8_t byte, uint8_t before)
{
	if (byte < 0x20)
		return byte != '\n' && byte != '\t';
	return byte == 0x7f || (byte >= 0x80 && byte <= 0x9f && (before < 0x80 || before == 0xc2));
}

/* A message may quote text from a file, so control characters are escaped. */
static void put_message(const char *fmt, va_list ap)
{
	char *text;
	uint8_t before = 0;

	if (vasprintf(&text, fmt, ap) < 0) {
		fputs(fmt, stderr);
		return;
	}
	for (const uint8_t *p = (const uint8_t *)text; *p; before = *p++)
		fprintf(stderr, is_control(*p, before) ? "\\x%02x" : "%c", *p);
	free(text);
}

static void message(const char *kind, const char *fmt, va_list ap)
{
	pthread_mutex_lock(&logger.lock);
	wipe_progress();
	fprintf(stderr, "prec: %s", kind);
	put_message(fmt, ap);
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

int usage_error(const char *fmt, ...)
{
	MESSAGE("", fmt);
	return OPTIONS_USAGE;
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

void log_add_shared(uint64_t cpu_ns)
{
	__atomic_add_fetch(&logger.shared_ns, cpu_ns, __ATOMIC_RELAXED);
}

uint64_t log_shared(void)
{
	return __atomic_load_n(&logger.shared_ns, __ATOMIC_RELAXED);
}

void log_at_die(void (*hook)(void *), void *arg)
{
	logger.at_die = hook;
	logger.at_die_arg = arg;
}

void log_at_crash(void (*hook)(void *), void *arg)
{
	logger.at_crash_arg = arg;
	__atomic_store_n(&logger.at_crash, hook, __ATOMIC_RELEASE);
}

void log_run_at_crash(void)
{
	void (*hook)(void *) = __atomic_exchange_n(&logger.at_crash, NULL, __ATOMIC_ACQ_REL);

	if (hook)
		hook(logger.at_crash_arg);
}

static uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

/* Appends text to the @size bytes at @to, of which *len are used; cuts text that does not fit. */
static void PRINTF_LIKE(4, 5) add(char *to, size_t size, size_t *len, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(to + *len, size - *len, fmt, ap);
	va_end(ap);
	*len = n < 0 ? *len : MIN(*len + (size_t)n, size - 1);
}

static void add_quantity(char *to, size_t size, size_t *len, uint64_t n)
{
	char text[AMOUNT_ROOM];

	add(to, size, len, "%s%s", amount_text(text, n), logger.unit != PROGRESS_BYTES ? "" : n < 10000 ? " B" : "B");
}

/* Call it with the lock held. */
static void progress_text(char *to, size_t size, uint64_t now)
{
	uint64_t done = logger.done, total = logger.total, ms = now - logger.step_began;
	size_t len = 0;

	add(to, size, &len, "%s: ", logger.step);
	if (!done && !total) {
		add(to, size, &len, "nothing has come yet");
		return;
	}
	if (total)
		add(to, size, &len, "%.0f %% of ", 100.0 * (double)MIN(done, total) / (double)total);
	add_quantity(to, size, &len, total ? total : done);
	if (!done || ms < PROGRESS_RATE_MS)
		return;
	add(to, size, &len, ", ");
	add_quantity(to, size, &len, (uint64_t)((double)done * 1000 / (double)ms));
	add(to, size, &len, "/s");
	if (total > done)
		add(to, size, &len, ", %.0f s left", (double)(total - done) / (double)done * (double)ms / 1000 + 0.5);
}

/* The width of the terminal on standard error; 0: it is no terminal, or one that cannot wipe a line. */
static unsigned progress_width(void)
{
	const char *term = getenv("TERM");
	struct winsize size;

	if (logger.level < 0 || !term || !*term || !strcmp(term, "dumb") || ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col ? size.ws_col : 80;
}

/* Call it with the lock held. */
static void show_progress(uint64_t now)
{
	unsigned width = progress_width();
	char line[200];

	logger.progress_at = now;
	if (!width)
		return;
	progress_text(line, sizeof(line), now);
	fprintf(stderr, "\r\033[K%.*s", (int)width - 1, line);
	fflush(stderr);
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
		logger.step = strdup(what);
		logger.step_began = now;
	}
	logger.done = done;
	logger.total = total;
	logger.unit = unit;
	if (logger.step && now - logger.work_began >= PROGRESS_AFTER_MS && now - logger.progress_at >= PROGRESS_EVERY_MS)
		show_progress(now);
	pthread_mutex_unlock(&logger.lock);
}

bool progress_current(char *to, size_t size)
{
	bool is_shown;

	pthread_mutex_lock(&logger.lock);
	is_shown = logger.step;
	if (is_shown)
		progress_text(to, size, now_ms());
	pthread_mutex_unlock(&logger.lock);
	return is_shown;
}

void progress_end(void)
{
	pthread_mutex_lock(&logger.lock);
	wipe_progress();
	free(logger.step);
	logger.step = NULL;
	pthread_mutex_unlock(&logger.lock);
}
