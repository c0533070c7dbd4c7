/*
 * Watches files with inotify(7), and reads the load and the pressure (PSI) at intervals, for the triggers of --on. A trigger fires
 * when a value rises above its limit, and not again while the value stays above it.
 */
#include "core/record/trigger/trigger_watch.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/trigger/trigger_spec.h"

#define LOAD_STEP_NS	1000000000u	/* the kernel computes it every 5 s */

void trigger_hits_add(struct trigger_hits *out, uint32_t spec)
{
	vec_push(&out->list, (struct trigger_hit){ .mono_ns = now_ns(), .spec = spec });
}

/* ---- files ---- */

static int watch_file(struct trigger_watch *w, const struct trigger_spec *s, uint32_t number)
{
	char *folder = xstrdup(s->path), *name = xstrdup(s->path);
	int wd, err = 0;

	if (w->files < 0)
		w->files = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	wd = inotify_add_watch(w->files, dirname(folder), IN_CREATE | IN_MOVED_TO);
	if (wd < 0)
		err = error("trigger '%s': cannot watch its folder: %s", s->text, strerror(errno));
	else
		vec_push(&w->names, (struct watched_file){ .wd = wd, .spec = number, .name = xstrdup(basename(name)) });
	free(folder);
	free(name);
	return err;
}

static void on_files(struct trigger_watch *w, struct trigger_hits *out)
{
	_Alignas(struct inotify_event) char events[4096];
	ssize_t n;

	while ((n = read(w->files, events, sizeof(events))) > 0) {
		const struct inotify_event *e;

		for (char *at = events; at < events + n; at += sizeof(*e) + e->len) {
			e = (const struct inotify_event *)at;
			vec_for(f, &w->names)
				if (f->wd == e->wd && e->len && str_eq(f->name, e->name))
					trigger_hits_add(out, f->spec);
		}
	}
}

/* ---- numbers ---- */

/* In hundredths. */
static int read_load(uint64_t *out)
{
	char *line = read_line_of("/proc/loadavg");
	double v;
	int nr = line ? sscanf(line, "%lf", &v) : 0;

	free(line);
	*out = nr == 1 ? (uint64_t)(v * 100 + 0.5) : 0;
	return nr == 1 ? 0 : -1;
}

/* The microseconds that some, or all, tasks have waited since the machine started: psi_show() in kernel/sched/psi.c. */
static int read_stalled(const struct trigger_spec *s, uint64_t *us)
{
	struct buf text = {0};
	const char *line = !read_file(s->path, &text) ? strstr(buf_str(&text), s->full ? "full " : "some ") : NULL;
	const char *total = line ? strstr(line, "total=") : NULL;
	unsigned long long v;
	int nr = total ? sscanf(total, "total=%llu", &v) : 0;

	buf_release(&text);
	*us = nr == 1 ? v : 0;
	return nr == 1 ? 0 : -1;
}

/* The pressure in the last second, in hundredths of a percent. */
static uint64_t pressure(struct watched_value *v, uint64_t stalled_us, uint64_t now)
{
	unsigned to = v->nr % (PSI_STEPS + 1), from = v->nr > PSI_STEPS ? (v->nr + 1) % (PSI_STEPS + 1) : 0;

	v->stalled_us[to] = stalled_us;
	v->at_ns[to] = now;
	v->nr++;
	if (v->nr <= PSI_STEPS || now <= v->at_ns[from])
		return 0;
	return (stalled_us - v->stalled_us[from]) * 1000 * 10000 / (now - v->at_ns[from]);
}

static void poll_value(struct watched_value *v, const struct trigger_spec *s, uint64_t now, struct trigger_hits *out)
{
	uint64_t value = 0;
	bool above;

	v->next_ns = now + (s->kind == TRIGGER_LOAD ? LOAD_STEP_NS : PSI_STEP_MS * 1000000ull);
	if (s->kind == TRIGGER_LOAD ? read_load(&value) : read_stalled(s, &value))
		return;
	if (s->kind == TRIGGER_PSI)
		value = pressure(v, value, now);
	above = value > s->limit;
	if (above && !v->above)
		trigger_hits_add(out, v->spec);
	v->above = above;
}

static int watch_value(struct trigger_watch *w, const struct trigger_spec *s, uint32_t number)
{
	uint64_t v;

	if (s->kind == TRIGGER_LOAD ? read_load(&v) : read_stalled(s, &v))
		return error("trigger '%s': cannot read %s%s", s->text, s->kind == TRIGGER_LOAD ? "/proc/loadavg" : s->path,
			     s->kind == TRIGGER_LOAD ? "" : ": the kernel keeps no pressure (CONFIG_PSI, psi=1), or not this one");
	vec_push(&w->values, (struct watched_value){ .spec = number });
	return 0;
}

/* ---- all ---- */

int trigger_watch_open(struct trigger_watch *w, const struct trigger_opts *o)
{
	int err = 0;

	w->files = -1;
	for (uint32_t i = 0; i < o->specs.nr && !err; i++) {
		const struct trigger_spec *s = &o->specs.v[i];

		if (s->kind == TRIGGER_FILE)
			err = watch_file(w, s, i);
		else if (s->kind == TRIGGER_LOAD || s->kind == TRIGGER_PSI)
			err = watch_value(w, s, i);
	}
	return err;
}

void trigger_watch_read(struct trigger_watch *w, const struct trigger_opts *o, struct trigger_hits *out)
{
	uint64_t now = now_ns();

	if (w->files >= 0)
		on_files(w, out);
	vec_for(v, &w->values)
		if (now >= v->next_ns)
			poll_value(v, &o->specs.v[v->spec], now, out);
}

void trigger_watch_release(struct trigger_watch *w)
{
	if (w->files >= 0)
		close(w->files);
	w->files = -1;
	vec_for(f, &w->names)
		free(f->name);
	vec_free(&w->names);
	vec_free(&w->values);
}
