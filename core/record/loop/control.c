/*
 * Opens the control channel (--control), and runs each line that arrives there as a command. An unknown
 * command causes a warning, and is not acknowledged.
 */
#include "core/record/loop/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/open/event_set.h"

#define LINE_MAX_SIZE	4096	/* longer lines are discarded */

struct control {
	int in, out;			/* .out is -1 if no answers are wanted */
	bool own;			/* the descriptors are ours to close */
	struct buf text;		/* the begin of a line whose newline was not read yet */
	size_t owed;			/* the number of snapshots that must still be acknowledged */
};

/* ---- opening ---- */

static int wrong(const char *spec)
{
	return error("option '--control' needs fd:IN[,OUT] or fifo:PATH[,PATH], not '%s'", spec);
}

/* Parses the number of an inherited descriptor. One with FD_CLOEXEC was opened by prec itself, and is refused. */
static int parse_fd(const char *text, size_t n)
{
	int flags;
	char *end;
	long v = strtol(text, &end, 10);

	if (!n || end != text + n || v < 0 || v > INT32_MAX)
		return -1;
	flags = fcntl((int)v, F_GETFD);
	if (flags < 0 || flags & FD_CLOEXEC)
		return error("cannot use file descriptor %ld: %s", v, strerror(flags < 0 ? errno : EBADF));
	return (int)v;
}

/* Opens a FIFO for reading and writing. Then it never reports its end, and writers may come and go. */
static int open_fifo(const char *text, size_t n)
{
	char *path = xstrndup(text, n);
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		error("cannot open '%s': %s", path, strerror(errno));
	free(path);
	return fd;
}

int control_open(struct control **out, const char *spec)
{
	bool fifo = str_starts(spec, "fifo:");
	const char *in, *ack;
	struct control *c;

	if (!fifo && !str_starts(spec, "fd:"))
		return wrong(spec);
	in = strchr(spec, ':') + 1;
	ack = strchr(in, ',');
	if (!*in || (ack && !ack[1]))
		return wrong(spec);
	c = xcalloc(1, sizeof(*c));
	*c = (struct control){ .in = -1, .out = -1, .own = fifo };
	c->in = (fifo ? open_fifo : parse_fd)(in, ack ? (size_t)(ack - in) : strlen(in));
	if (ack)
		c->out = (fifo ? open_fifo : parse_fd)(ack + 1, strlen(ack + 1));
	if (c->in < 0 || (ack && c->out < 0)) {
		control_free(c);
		return fifo ? -1 : wrong(spec);
	}
	fcntl(c->in, F_SETFL, fcntl(c->in, F_GETFL) | O_NONBLOCK);
	*out = c;
	return 0;
}

void control_free(struct control *c)
{
	if (!c)
		return;
	if (c->own && c->in >= 0)
		close(c->in);
	if (c->own && c->out >= 0)
		close(c->out);
	buf_release(&c->text);
	free(c);
}

int control_fd(const struct control *c)
{
	return c->in;
}

/* ---- commands ---- */

struct order {
	struct event_set *set;
	struct control_requests *requests;
	FILE *out;
	const char *name;		/* the word after the command; "": none */
};

static void switch_events(struct order *o, bool on)
{
	if (event_set_switch(o->set, *o->name ? o->name : NULL, on))
		warning("control: there is no event '%s'", o->name);
}

/* Lists the names of the events, with -v also their attrs, with -F their rates. */
static void list_events(struct order *o)
{
	struct buf b = {0};

	for (size_t i = 0; i < o->set->table.events.nr; i++) {
		const struct event *ev = o->set->table.events.v[i];

		b.len = 0;
		if (str_starts(o->name, "-v"))
			attr_print(&ev->attr, ": ", &b);
		else if (str_starts(o->name, "-F"))
			buf_printf(&b, "%s=%llu", ev->attr.freq ? "sample_freq" : "sample_period",
				   (unsigned long long)ev->attr.sample_period);
		fprintf(o->out, "%s%s%s\n", ev->name, b.len ? ": " : "", buf_str(&b));
	}
	fflush(o->out);
	buf_release(&b);
}

/* Writes the answer with its NUL, as perf does, because there are clients that read five bytes. */
static void answer(const struct control *c)
{
	static const char text[] = "ack\n";

	if (c->out >= 0 && write(c->out, text, sizeof(text)) < 0)
		debug(1, "control: cannot answer: %s", strerror(errno));
}

/* Runs a command. Returns false if it is unknown. */
static bool run_command(struct order *o, const char *command)
{
	if (str_eq(command, "enable") || str_eq(command, "disable"))
		switch_events(o, str_eq(command, "enable"));
	else if (str_eq(command, "evlist"))
		list_events(o);
	else if (str_eq(command, "snapshot"))
		o->requests->snapshot = true;
	else if (str_eq(command, "stop"))
		o->requests->stop = true;
	else
		return str_eq(command, "ping");
	return true;
}

static void run_line(struct control *c, struct order *o, const char *line)
{
	size_t n = strcspn(line, " ");
	char *command = xstrndup(line, n);

	o->name = line + n + strspn(line + n, " ");
	if (*line && !run_command(o, command))
		warning("control: there is no command '%s'", line);
	else if (str_eq(command, "snapshot"))
		c->owed++;	/* control_answer() */
	else if (*line)
		answer(c);
	free(command);
}

static void run_lines(struct control *c, struct order *o)
{
	char *line = (char *)(uintptr_t)buf_str(&c->text), *end;
	size_t used;

	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		run_line(c, o, line);
		line = end + 1;
	}
	used = (size_t)(line - c->text.data);
	memmove(c->text.data, line, c->text.len - used);
	c->text.len -= used;
	if (c->text.len > LINE_MAX_SIZE)
		c->text.len = 0;
}

bool control_read(struct control *c, struct event_set *set, bool stdout_taken, struct control_requests *requests)
{
	struct order o = { .set = set, .requests = requests, .out = stdout_taken ? stderr : stdout };
	unsigned interrupted = 0;
	ssize_t n;

	for (;;) {
		n = read(c->in, buf_room(&c->text, LINE_MAX_SIZE), LINE_MAX_SIZE);
		if (interrupted_call(n, &interrupted))
			continue;
		if (n <= 0)
			break;
		c->text.len += (size_t)n;
		run_lines(c, &o);
	}
	if (n < 0)
		return errno == EAGAIN;
	/* The last line may lack its newline. */
	if (c->text.len) {
		buf_putc(&c->text, '\n');
		run_lines(c, &o);
	}
	return false;
}

void control_answer(struct control *c)
{
	for (; c && c->owed; c->owed--)
		answer(c);
}
