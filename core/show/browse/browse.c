/*
 * Runs the main loop of the terminal browser of prec report, prec diff and prec top: reads keys and signals, and shows the
 * screen. act.c acts on the keys, and draw.c draws the screen.
 */
#include "core/show/browse/browse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/ui/terminal.h"
#include "core/show/browse/editor.h"
#include "core/show/browse/filters.h"
#include "core/show/browse/reload.h"
#include "core/show/browse/screen.h"
#include "core/show/browse/tty_signals.h"
#include "core/show/browse/views.h"

#define DRAW_AGAIN_MS	100	/* while a thread works, the screen is drawn again after this, to show progress */
#define AGE_MS		1000	/* the age of the profile on the screen is drawn again after this */
#define PATIENCE_MS	100	/* the screen is opened before the profile is read if reading takes longer than this */

enum job_kind { JOB_NONE, JOB_LOAD, JOB_ANNOTATE };

/* Reading the profile and annotating a function take long and run in a second thread, so the loop can still answer keys. */
struct job {			/* the work of a thread; the loop reads the result only after the thread has finished */
	enum job_kind kind;		/* JOB_NONE: nothing */
	pthread_t thread;
	const struct browse_source *source;
	int done[2];			/* a pipe: the thread writes a byte when it has finished */
	int result;
	struct browse_input input;	/* JOB_LOAD: this and .model */
	struct model model;
	uint32_t function;		/* JOB_ANNOTATE: this and all members below */
	uint64_t selected;
	struct profile_sum *weights;	/* owned */
	struct buf text;
	struct code_lines lines;
};

struct loop {
	const struct browse_opts *opts;
	struct browser browser;
	struct canvas canvas;
	struct screen *screen;
	struct job job;
	struct tty_signals signals;
	/* Descriptors. .stderr_before: standard error as it was; .messages: a file of the messages since then. Below 0: none. */
	int stderr_before, messages;
	int signal;			/* the signal that ends the process; 0: none */
	bool must_stop, is_spoilt;	/* .must_stop: after Ctrl-Z; .is_spoilt: the screen must be fitted and drawn again */
	bool is_lost;			/* the terminal went away */
	bool must_write;		/* write the recording that is shown as soon as no thread is reading */
	/* CLOCK_MONOTONIC, ns. .next_load: when to read the profile again; .loaded: when this was last done; 0: never. */
	uint64_t next_load, loaded;
	bool may_hold_keys;		/* ncurses may have keys that it has read but not returned: an Esc, or half a character */
};

/* Holds back messages on standard error until the terminal is restored. */
static void keep_messages(struct loop *l)
{
	fflush(stderr);
	l->stderr_before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	l->messages = memfd_create("messages", MFD_CLOEXEC);
	if (l->stderr_before >= 0 && l->messages >= 0)
		dup2(l->messages, STDERR_FILENO);
}

/* Like show_messages(), can be called in a signal handler. */
static void copy_messages(int from, int to)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	for (; (n = pread(from, text, sizeof(text), at)) > 0; at += n)
		if (write(to, text, (size_t)n) < 0)
			return;
}

static void show_messages(struct loop *l)
{
	if (l->stderr_before >= 0 && l->messages >= 0) {
		dup2(l->stderr_before, STDERR_FILENO);
		copy_messages(l->messages, STDERR_FILENO);
	}
	if (l->stderr_before >= 0)
		close(l->stderr_before);
	if (l->messages >= 0)
		close(l->messages);
	l->stderr_before = l->messages = -1;
}

/* Restores the terminal before the program ends by a fault or for lack of memory. Runs in any thread and in a signal handler. */
static void give_back(void *arg)
{
	struct loop *l = arg;

	screen_leave(l->screen);
	show_messages(l);
}

static void watch_faults(struct loop *l)
{
	log_at_die(give_back, l);
	log_at_crash(give_back, l);
}

static void end_watching(void)
{
	log_at_die(NULL, NULL);
	log_at_crash(NULL, NULL);
}

/* ---- jobs ---- */

static void *run_job(void *arg)
{
	struct job *j = arg;
	ssize_t n;

	if (j->kind == JOB_LOAD) {
		j->result = j->source->load(j->source->ctx, &j->input);
		if (!j->result)
			model_init(&j->model, j->input.profile);
		if (!j->result && j->input.compared)
			model_find_sides(&j->model);
	} else {
		j->result = j->source->annotate(j->source->ctx, j->function, j->weights, &j->text, &j->lines);
	}
	n = write(j->done[1], "", 1);
	(void)n;
	return NULL;
}

static void start_job(struct loop *l, enum job_kind kind)
{
	l->job.kind = kind;
	if (pthread_create(&l->job.thread, NULL, run_job, &l->job))
		die("cannot start a thread to read the recording");
}

static void start_annotating(struct loop *l)
{
	struct browser *b = &l->browser;

	if (l->job.kind != JOB_NONE) {	/* the view asks again after the job */
		b->is_annotating = l->job.kind == JOB_ANNOTATE;
		return;
	}
	l->job.function = b->views[VIEW_ANNOTATE].chosen;
	l->job.selected = b->selected;
	l->job.weights = selection_of_all_events(&b->model, &b->filters);
	start_job(l, JOB_ANNOTATE);
}

static void end_annotating(struct loop *l)
{
	free(l->job.weights);
	l->job.kind = JOB_NONE;
	browser_annotated(&l->browser, l->job.function, l->job.selected, l->job.result ? NULL : &l->job.text,
			  &l->job.lines);
	l->job.text.len = 0;
}

/* Shows the profile that was read. If reading it again failed, the old one stays. Returns below 0 if there is nothing to show. */
static int end_loading(struct loop *l)
{
	struct job *j = &l->job;
	bool was_loaded = l->browser.input.profile;
	int ms = j->source->wait_ms ? j->source->wait_ms(j->source->ctx) : -1;

	l->next_load = ms < 0 ? 0 : now_ns() + (uint64_t)ms * 1000000;
	if (!j->result || ms < 0)
		l->loaded = ms < 0 ? 0 : now_ns();
	if (!j->result && was_loaded)
		browser_reload(&l->browser, &j->input, &j->model);
	else if (!j->result)
		browser_load(&l->browser, &j->input, &j->model);
	if (!j->result && j->source->retire)
		j->source->retire(j->source->ctx);
	return was_loaded ? 0 : j->result;
}

static int end_job(struct loop *l)
{
	char byte;
	ssize_t n = read(l->job.done[0], &byte, 1);

	(void)n;
	pthread_join(l->job.thread, NULL);
	if (l->job.kind == JOB_ANNOTATE) {
		end_annotating(l);
		return 0;
	}
	l->job.kind = JOB_NONE;
	return end_loading(l);
}

/* ---- the screen ---- */

static void draw(struct loop *l)
{
	char doing[200];
	/* Progress of reading again is not shown. */
	bool loads = l->job.kind == JOB_LOAD && !l->browser.input.profile;
	bool is_doing = (loads || l->job.kind == JOB_ANNOTATE) && progress_current(doing, sizeof(doing));

	l->browser.age = l->loaded ? (unsigned)((now_ns() - l->loaded) / 1000000000) : 0;
	browser_draw(&l->browser, &l->canvas, is_doing ? doing : loads ? "reading the recording" :
		     l->job.kind == JOB_ANNOTATE ? "reading the function's code" : NULL);
	screen_show(l->screen, &l->canvas);
}

static void fit(struct loop *l)
{
	screen_resize(l->screen, &l->canvas);
	browser_resize(&l->browser, l->canvas.width, l->canvas.height);
}

/* ---- requests ---- */

/* Writes the rows to a new file prec.hist.N, as perf report writes perf.hist.N. */
static void print_rows(struct browser *b)
{
	struct buf text = {0};
	char name[32];
	int fd = -1;

	for (unsigned i = 0; i < 1000 && fd < 0; i++) {
		snprintf(name, sizeof(name), "prec.hist.%u", i);
		fd = new_file_at(AT_FDCWD, name, 0666);
		if (fd < 0 && fd != -EEXIST)
			break;
	}
	browser_print(b, &text);
	if (fd < 0 || write(fd, text.data, text.len) != (ssize_t)text.len)
		browser_say(b, "cannot write '%s'", name);
	else
		browser_say(b, "the rows were written to '%s'", name);
	if (fd >= 0)
		close(fd);
	buf_release(&text);
}

/* Writes the recording to a new file. If a thread is working, notes that this must be done afterwards. */
static void write_recording(struct loop *l)
{
	const struct browse_source *source = l->job.source;
	struct buf said = {0};

	if (l->job.kind == JOB_NONE) {
		source->write(source->ctx, &said);
		browser_say(&l->browser, "%s", buf_str(&said));
		buf_release(&said);
	} else {
		l->must_write = true;
	}
}

/* ---- the editor ---- */

/* Waits until the editor ends. ^C and ^Z go to the editor meanwhile. */
static void await_editor(struct loop *l, pid_t pid)
{
	int number, status = 0;

	while (waitpid(pid, &status, WUNTRACED) < 0 ? errno == EINTR : WIFSTOPPED(status)) {
		if (!WIFSTOPPED(status))
			continue;
		tty_signals_stop();
		kill(pid, SIGCONT);
	}
	while ((number = tty_signals_next(&l->signals)))
		if (tty_signal_ends(number) && number != SIGINT && number != SIGQUIT)
			l->signal = number;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		browser_say(&l->browser, "the editor has ended with status %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		browser_say(&l->browser, "the editor was ended by signal %d", WTERMSIG(status));
}

static void run_editor(struct loop *l, const char *editor, const char *path, uint32_t line)
{
	pid_t pid;

	screen_suspend(l->screen);
	pid = editor_start(editor, path, line, l->stderr_before, &l->signals.mask_before);
	if (pid < 0)
		browser_say(&l->browser, "cannot start the editor: %s", strerror(errno));
	else
		await_editor(l, pid);
	screen_resume(l->screen);
	fit(l);
}

/* Finds the source line that the editor is to open. Returns false after a message if no line is known. */
static bool find_place(struct loop *l)
{
	const struct browse_source *source = l->job.source;
	struct browser *b = &l->browser;
	struct profile_sum *weights;
	bool found;

	if (b->edit.path.len)
		return true;
	weights = selection_of_all_events(&b->model, &b->filters);
	found = source->place && source->place(source->ctx, b->edit.function, weights, &b->edit.path, &b->edit.line);
	free(weights);
	if (!found)
		browser_say(b, "no line of the function is known: its file has no debug information (-g)");
	return found;
}

static void edit(struct loop *l)
{
	struct browser *b = &l->browser;
	const char *editor = editor_of_user();
	int err;

	if (l->job.kind != JOB_NONE) {
		browser_say(b, "the recording is being read: once more, please");
		return;
	}
	if (!find_place(l))
		return;
	err = editor_can_open(buf_str(&b->edit.path));
	if (err)
		browser_say(b, "line %u cannot be opened: %s: '%s'", b->edit.line,
			    err == -EINVAL ? "no regular file" : strerror(-err), buf_str(&b->edit.path));
	else if (!editor)
		browser_say(b, "set VISUAL or EDITOR to open line %u of '%s'", b->edit.line, buf_str(&b->edit.path));
	else
		run_editor(l, editor, buf_str(&b->edit.path), b->edit.line);
}

static void grant(struct loop *l)
{
	struct browser *b = &l->browser;

	switch (b->request) {
	case REQUEST_ANNOTATE:
		start_annotating(l);
		break;
	case REQUEST_COPY:
		screen_copy(l->screen, buf_str(&b->command));
		break;
	case REQUEST_PRINT:
		print_rows(b);
		break;
	case REQUEST_WRITE:
		write_recording(l);
		break;
	case REQUEST_EDIT:
		edit(l);
		break;
	case REQUEST_REDRAW:
		screen_spoil(l->screen);
		break;
	case REQUEST_NONE: case REQUEST_QUIT:
		break;
	}
	if (b->request != REQUEST_QUIT)
		b->request = REQUEST_NONE;
}

/* ---- events ---- */

static void on_signals(struct loop *l)
{
	int number;

	while ((number = tty_signals_next(&l->signals)))
		if (tty_signal_ends(number))
			l->signal = number;
		else if (number == SIGTSTP)
			l->must_stop = true;
		else
			l->is_spoilt = true;
}

/* Stops until the program continues in the foreground or ends. An orphaned process group cannot stop and goes on. */
static void stop(struct loop *l)
{
	bool was_stopped;

	screen_suspend(l->screen);
	do {
		was_stopped = tty_signals_stop();
		on_signals(l);
	} while (was_stopped && !l->signal && !screen_is_ours(l->screen));
	l->must_stop = false;
	l->is_spoilt = true;
}

static void act_on_signals(struct loop *l)
{
	if (!l->signal && (l->must_stop || !screen_is_ours(l->screen)))
		stop(l);
	if (!l->is_spoilt || l->signal)
		return;
	l->is_spoilt = false;
	screen_resume(l->screen);
	fit(l);
}

static void on_keys(struct loop *l)
{
	int key;

	while (l->browser.request != REQUEST_QUIT && (key = screen_key(l->screen)) >= 0) {
		if (key)
			browser_key(&l->browser, key);
		grant(l);
	}
}

/* Returns the timeout of poll(2) in ms: the time until something must be drawn or read again. */
static int patience(const struct loop *l)
{
	uint64_t now = now_ns();

	if (l->job.kind != JOB_NONE || l->may_hold_keys)
		return DRAW_AGAIN_MS;
	if (!l->next_load)
		return -1;
	return l->next_load > now ? (int)MIN((l->next_load - now) / 1000000 + 1, AGE_MS) : DRAW_AGAIN_MS;
}

static void load_again(struct loop *l)
{
	if (l->job.kind != JOB_NONE)
		return;
	if (l->must_write)
		write_recording(l);
	l->must_write = false;
	if (!l->next_load || now_ns() < l->next_load || !browser_may_reload(&l->browser))
		return;
	l->next_load = 0;
	l->job.input = (struct browse_input){0};
	start_job(l, JOB_LOAD);
}

/* Returns below 0 if reading failed. */
static int await(struct loop *l)
{
	struct pollfd fds[] = {
		{ .fd = screen_fd(l->screen), .events = POLLIN }, { .fd = l->signals.fd, .events = POLLIN },
		{ .fd = l->job.done[0], .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), patience(l)) < 0 && errno != EINTR)
		return -error("cannot wait for keys");
	if (fds[1].revents) {
		on_signals(l);
		act_on_signals(l);
	}
	if (l->signal)		/* the terminal may be another's */
		return 0;
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		l->is_lost = true;
	else if (fds[0].revents || l->may_hold_keys)
		on_keys(l);
	l->may_hold_keys = fds[0].revents || fds[1].revents;
	return fds[2].revents ? end_job(l) : 0;
}

static int run(struct loop *l)
{
	int err = 0;

	fit(l);
	/* Grants the first view's request. */
	grant(l);
	while (!err && !l->signal && !l->is_lost && l->browser.request != REQUEST_QUIT) {
		draw(l);
		err = await(l);
		grant(l);
		load_again(l);
	}
	return err;
}

/* ---- beginning and end ---- */

/* Waits briefly before the screen is opened, so that errors look as in text mode. Below 0 if reading failed. */
static int load_soon(struct loop *l)
{
	struct pollfd fd = { .fd = l->job.done[0], .events = POLLIN };

	start_job(l, JOB_LOAD);
	return poll(&fd, 1, PATIENCE_MS) > 0 ? end_job(l) : 0;
}

static void release(struct loop *l)
{
	browser_release(&l->browser);
	canvas_release(&l->canvas);
	buf_release(&l->job.text);
	code_lines_release(&l->job.lines);
	close(l->job.done[0]);
	close(l->job.done[1]);
	tty_signals_release(&l->signals);
}

/* Ends the process now if a signal asks for it or if a thread still works, whose result is no longer needed and may take long. */
static void end_now(struct loop *l)
{
	int number = l->signal ? l->signal : l->is_lost ? SIGHUP : 0;

	if (number) {
		signal(number, SIG_DFL);
		raise(number);
		pthread_sigmask(SIG_SETMASK, &l->signals.mask_before, NULL);
	}
	if (l->job.kind != JOB_NONE)
		_exit(0);
}

int browse(const struct browse_opts *opts, const struct browse_source *source)
{
	struct loop l = { .opts = opts, .job.source = source };
	int err;

	if (pipe2(l.job.done, O_CLOEXEC))
		return error("cannot make a pipe: %s", strerror(errno));
	tty_signals_install(&l.signals);
	browser_init(&l.browser, opts, browse_views);
	keep_messages(&l);
	watch_faults(&l);
	err = load_soon(&l);
	if (!err) {
		l.screen = screen_open(opts->colors);
		err = l.screen ? run(&l) : error("the terminal cannot show a browser: --stdio prints text");
	}
	end_watching();
	screen_close(l.screen);
	l.screen = NULL;
	fflush(stderr);
	show_messages(&l);
	end_now(&l);
	release(&l);
	return err ? -1 : 0;
}

int browse_is_wanted(const struct terminal *t, bool tui, bool stdio, const char *text)
{
	bool possible = t->is_terminal && !t->dumb && screen_is_possible();

	if (!tui)
		return !stdio && !text && possible;
	if (text)
		return error("the browser does not show what %s asks for: leave out one of the two", text);
	if (!possible)
		info("standard output is no terminal that can show the browser: text is printed");
	return possible;
}
