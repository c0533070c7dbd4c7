/*
 * Lists the events of this machine for `prec list`. It tries to open generic events and vendor events, and reads the names of all
 * other events from sysfs and tracefs.
 */
#include "core/record/open/event_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/record/events/event_symbol.h"
#include "core/record/events/pmu.h"
#include "core/record/events/tracefs.h"
#include "core/record/events/vendor_event.h"
#include "core/tracepoint/tracepoint.h"
#include "core/record/open/event_open.h"

static void add(struct event_list *out, enum listed_kind kind, char *name, const char *pmu, char *encoding)
{
	struct listed_event e = { .kind = kind, .name = name, .pmu = pmu ? xstrdup(pmu) : NULL, .encoding = encoding };

	vec_push(&out->list, e);
}

struct trace_event *event_list_format(const char *name)
{
	const char *colon = strchr(name, ':');
	char *at = colon ? tracefs_path() : NULL, *system, *path;
	struct trace_event *event = NULL;
	struct buf text = {0};

	if (!at)
		return NULL;
	system = xstrndup(name, (size_t)(colon - name));
	path = xasprintf("%s/events/%s/%s/format", at, system, colon + 1);
	if (read_file(path, &text) || trace_event_parse(&event, system, text.data, text.len))
		event = NULL;
	buf_release(&text);
	free(path);
	free(system);
	free(at);
	return event;
}

/* True if the kernel knows the event, even if this user may not open it. */
static bool is_there(const struct event_attr *asked)
{
	struct event_attr a = *asked;
	int fd;

	a.size = ATTR_SIZE_VER0;
	a.disabled = a.exclude_kernel = a.exclude_hv = 1;
	fd = event_open(&a, 0, -1, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || fd == -EACCES || fd == -EPERM;
}

static struct word word_of(const char *s)
{
	return (struct word){ .s = s, .n = strlen(s) };
}

static void list_symbols(struct event_list *out, enum listed_kind kind, uint32_t type)
{
	for (size_t i = 0; i < nr_event_symbols; i++) {
		const struct event_symbol *s = &event_symbols[i];
		struct event_attr a = { .type = s->type, .config = s->config };

		if (s->type != type || !is_there(&a))
			continue;
		add(out, kind, s->alias ? xasprintf("%s OR %s", s->name, s->alias) : xstrdup(s->name), NULL,
		    xasprintf("type=%u,config=0x%llx", s->type, (unsigned long long)s->config));
	}
}

static void list_caches(struct event_list *out)
{
	struct names names = {0};

	cache_event_names(&names);
	vec_for(name, &names.list) {
		struct event_attr a = {0};

		if (!cache_find(word_of(*name), &a) || !is_there(&a))
			continue;
		add(out, LISTED_CACHE, xstrdup(*name), NULL,
		    xasprintf("type=%u,config=0x%llx", a.type, (unsigned long long)a.config));
	}
	names_release(&names);
}

static void list_pmu(struct event_list *out, const struct pmu *pmu)
{
	struct names names = {0};

	pmu_names(pmu, "events", &names);
	vec_for(name, &names.list) {
		char *text = pmu_event_text(pmu, word_of(*name));

		add(out, LISTED_PMU, xasprintf("%s/%s/", pmu->name, *name), pmu->name,
		    text ? xasprintf("%s/%s/", pmu->name, text) : NULL);
		free(text);
	}
	names_release(&names);
}

static void list_pmus(struct event_list *out)
{
	struct pmus pmus;

	pmus_read(&pmus);
	vec_for(pmu, &pmus.list)
		list_pmu(out, pmu);
	pmus_release(&pmus);
}

static void add_vendors(void *ctx, const char *pmu, const char *name, const char *text)
{
	struct event_attr a = { .type = PERF_TYPE_RAW };
	struct event_list *out = ctx;

	/* Another machine's events cannot be tried. */
	if (!vendor_event_find(word_of(name), NULL, &a) || (!getenv("LIBPFM_FORCE_PMU") && !is_there(&a)))
		return;
	add(out, LISTED_VENDOR, xstrdup(name), pmu, xasprintf("type=%u,config=0x%llx", a.type, (unsigned long long)a.config));
	out->list.v[out->list.nr - 1].text = xstrdup(text);
}

/* Lists the forms of events that have no names: raw numbers, breakpoints and uprobes. */
static void list_forms(struct event_list *out)
{
	struct pmus pmus;

	pmus_read(&pmus);
	vec_for(pmu, &pmus.list)
		if (pmu->core)
			add(out, LISTED_OTHER, xstrdup("rNNN"), pmu->name, xasprintf("%s/config=0xNNN/", pmu->name));
	if (pmu_named(&pmus, "breakpoint")) {
		add(out, LISTED_OTHER, xstrdup("mem:ADDRESS[/LENGTH][:rwx]"), "breakpoint", NULL);
		add(out, LISTED_OTHER, xstrdup("mem:SYMBOL[+OFFSET][/LENGTH][:rwx]"), "breakpoint", NULL);
	}
	if (pmu_named(&pmus, "uprobe"))
		add(out, LISTED_OTHER, xstrdup("u:PATH:FUNCTION[+OFFSET][%return]"), "uprobe",
		    xstrdup("uprobe/path=PATH,offset=OFFSET,retprobe=0/"));
	pmus_release(&pmus);
}

ORDER(by_name, struct tracepoint, strcmp(a->name, b->name))

static int list_tracepoints(struct event_list *out, char **why)
{
	struct tracepoints found = {0};
	int nr = tracepoints_find(&found, "*:*", why);

	if (nr > 0)
		vec_sort(&found.list, by_name);
	vec_for(t, &found.list)
		add(out, LISTED_TRACEPOINT, xstrdup(t->name), NULL,
		    xasprintf("type=%u,config=0x%llx", PERF_TYPE_TRACEPOINT, (unsigned long long)t->id));
	tracepoints_release(&found);
	return nr < 0 ? -1 : 0;
}

int event_list_read(struct event_list *out, enum listed_kind kind, char **why)
{
	switch (kind) {
	case LISTED_HARDWARE: list_symbols(out, kind, PERF_TYPE_HARDWARE); return 0;
	case LISTED_SOFTWARE: list_symbols(out, kind, PERF_TYPE_SOFTWARE); return 0;
	case LISTED_CACHE: list_caches(out); return 0;
	case LISTED_PMU: list_pmus(out); return 0;
	case LISTED_VENDOR: vendor_events_list(add_vendors, out); return 0;
	case LISTED_OTHER: list_forms(out); return 0;
	case LISTED_TRACEPOINT: return list_tracepoints(out, why);
	case NR_LISTED_KINDS: break;
	}
	return 0;
}

void event_list_release(struct event_list *l)
{
	vec_for(e, &l->list) {
		free(e->name);
		free(e->pmu);
		free(e->encoding);
		free(e->text);
	}
	vec_free(&l->list);
}

/* ---- PMUs ---- */

static void print_files(struct buf *out, const struct pmu *pmu, const char *folder)
{
	struct names names = {0};

	pmu_names(pmu, folder, &names);
	vec_for(name, &names.list) {
		char *path = xasprintf("%s/%s", folder, *name), *text = pmu_file(pmu, path);

		buf_printf(out, "    %s %s = %s\n", str_eq(folder, "caps") ? "can" : "term", *name, text ? text : "?");
		free(path);
		free(text);
	}
	names_release(&names);
}

void event_list_pmus(struct buf *out)
{
	struct pmus pmus;

	pmus_read(&pmus);
	vec_for(pmu, &pmus.list) {
		char *cpus = pmu_file(pmu, pmu->core ? "cpus" : "cpumask");

		buf_printf(out, "  %s//\n    type = %u\n", pmu->name, pmu->type);
		if (cpus && *cpus)
			buf_printf(out, "    cpus = %s\n", cpus);
		print_files(out, pmu, "format");
		print_files(out, pmu, "caps");
		free(cpus);
	}
	pmus_release(&pmus);
}
