/*
 * Creates and frees a machine (machine.h), and makes it ready for queries (machine_seal()). machine_set_*() store facts about the
 * recorded system, such as the architecture, the release of the kernel, and the clock.
 */
#include "core/model/machine_state.h"

#include <stdlib.h>

#include "core/base/util.h"
#include "core/perfdata/archive.h"
#include "core/binary/debuginfod.h"
#include "core/model/jitdump.h"

#define PROT_CODE	5u		/* PROT_READ | PROT_EXEC */

/* ---- names of threads, numbered ---- */

uint32_t comms_number(struct comms *c, const char *interned)
{
	uint64_t h = hash_u64((uintptr_t)interned);

	index_for(pos, &c->by_name, h)
		if (c->list.v[pos] == interned)
			return pos;
	index_add(&c->by_name, h, (uint32_t)c->list.nr);
	vec_push(&c->list, interned);
	return (uint32_t)c->list.nr - 1;
}

static void comms_release(struct comms *c)
{
	vec_free(&c->list);
	index_release(&c->by_name);
}

/* ---- processes ---- */

uint32_t machine_process(struct machine *m, uint32_t pid)
{
	bool made;
	uint32_t process = threads_process(&m->threads, pid, &made);

	if (made)
		m->threads.processes.v[process].image = spaces_add_image(&m->spaces, IMAGE_NONE, process, 0);
	return process;
}

/* ---- the whole ---- */

struct machine *machine_new(const struct machine_opts *opts)
{
	struct machine *m = xcalloc(1, sizeof(*m));
	uint32_t swapper;

	if (opts)
		m->opts = *opts;
	m->debuginfod = m->opts.debuginfod ? debuginfod_new() : NULL;
	m->strings = strtab_new();
	m->dsos.strings = m->strings;
	m->late.strings = strtab_new();
	pthread_mutex_init(&m->late.lock, NULL);
	pthread_mutex_init(&m->kallsyms.lock, NULL);
	pthread_mutex_init(&m->kcore.lock, NULL);
	spaces_add_image(&m->spaces, IMAGE_NONE, UINT32_MAX, 0);
	guests_init(m);
	/* The idle task has no COMM record. perf gives it this name, too. */
	swapper = threads_new_life(&m->threads, machine_process(m, 0), 0, 0);
	threads_name(&m->threads, swapper, comms_number(&m->comms, intern(m->strings, "swapper")), 0);
	return m;
}

/* Lists for each process the times from which it is in each of its spaces. */
static void list_spaces(struct machine *m)
{
	m->threads.spaces.list.nr = 0;
	for (size_t i = 0; i < m->spaces.images.nr; i++) {
		const struct image *image = &m->spaces.images.v[i];

		if (image->owner == UINT32_MAX)
			continue;
		/* A process whose image has no maps is in the space of its parent, if any. */
		if (!image->nr_spaces)
			vec_push(&m->threads.spaces.list, (struct since){ image->time, image->owner, image->base });
		for (uint32_t n = 0; n < image->nr_spaces; n++) {
			uint32_t space = image->first_space + n;

			vec_push(&m->threads.spaces.list, (struct since){ m->spaces.from.v[space], image->owner, space });
		}
	}
}

static void forget_late(struct late *l)
{
	vec_for(thread, &l->threads)
		free(*thread);
	vec_free(&l->threads);
	index_release(&l->by_id);
	comms_release(&l->comms);
}

/* Adds to @image the code up to @time; UINT64_MAX: all. */
static void apply_jit_changes(struct jitdump *j, struct spaces *spaces, uint32_t image, uint64_t time)
{
	for (; j->applied < j->changes.nr && j->changes.v[j->applied].time <= time; j->applied++) {
		const struct jit_change *c = &j->changes.v[j->applied];
		struct map map = {
			.start = c->addr, .end = c->addr + c->size, .pgoff = c->at, .time = c->time, .prot = PROT_CODE,
			.dso = c->at ? j->dso : NULL,
		};

		spaces_add_map(spaces, image, &map);
	}
}

void machine_apply_jit(struct machine *m, uint64_t time)
{
	vec_for(it, &m->jitdumps) {
		struct jitdump *j = *it;

		if (j->applied == j->changes.nr || j->changes.v[j->applied].time > time)
			continue;
		if (j->pid)
			j->process = machine_process(m, j->pid);
		apply_jit_changes(j, &m->spaces, m->threads.processes.v[j->process].image, time);
	}
}

void machine_join_early(struct machine *m)
{
	if (m->early.runs)
		pthread_join(m->early.thread, NULL);
	m->early.runs = false;
}

bool machine_seal(struct machine *m)
{
	if (m->sealed)
		return false;
	m->sealed = true;
	machine_apply_jit(m, UINT64_MAX);
	forget_late(&m->late);
	spaces_seal(&m->spaces);
	pokes_seal(&m->pokes);
	list_spaces(m);
	threads_seal(&m->threads);
	return true;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	machine_join_early(m);
	guests_release(m);
	dsos_release(&m->dsos);
	spaces_release(&m->spaces);
	threads_release(&m->threads);
	comms_release(&m->comms);
	cgroups_release(&m->cgroups);
	pokes_release(&m->pokes);
	strtab_free(m->strings);
	forget_late(&m->late);
	strtab_free(m->late.strings);
	pthread_mutex_destroy(&m->late.lock);
	pthread_mutex_destroy(&m->kallsyms.lock);
	pthread_mutex_destroy(&m->kcore.lock);
	kcore_release(&m->kcore.found);
	kallsyms_release(&m->kallsyms.all);
	free(m->kallsyms.path);
	free(m->kallsyms.hidden);
	free(m->release);
	free(m->kcore_dir);
	free(m->recording_dir);
	vec_free(&m->jitdumps);
	debuginfod_free(m->debuginfod);
	if (m->archive)
		archive_release(m->archive);
	free(m->archive);
	free(m);
}

void machine_set_arch(struct machine *m, const struct arch *arch)
{
	m->arch = arch;
}

const struct arch *machine_arch(const struct machine *m)
{
	return m->arch;
}

void machine_set_clock(struct machine *m, uint64_t wall_ns, uint64_t time, bool copied)
{
	m->clock.copied = copied;
	m->clock.wall_ns = wall_ns;
	m->clock.time = time;
}

static void set_text(char **text, const char *given)
{
	free(*text);
	*text = given ? xstrdup(given) : NULL;
}

void machine_set_facts(struct machine *m, const struct machine_facts *facts)
{
	m->opts.this_host = facts->this_host;
	m->monotonic = facts->monotonic;
	set_text(&m->recording_dir, facts->dir);
	set_text(&m->kcore_dir, facts->kcore_dir);
	set_text(&m->release, facts->release);
}

static void forget_names(struct dso *dso)
{
	symbols_release(&dso->symbols);
	dso->symbols = (struct symbols){0};
	free(dso->why);
	dso->why = NULL;
	free((char *)(uintptr_t)dso->symbols_from);
	dso->symbols_from = NULL;
	dso->state = DSO_UNLOADED;
	dso->loaded = dso->requested = false;
}

void machine_set_jit_maps(struct machine *m, const struct feature_jit_map *maps, size_t nr)
{
	vec_for(dso, &m->dsos.list)
		if ((*dso)->kind == DSO_ANON && (*dso)->loaded)
			forget_names(*dso);
	m->jit_maps = maps;
	m->nr_jit_maps = nr;
}

uint32_t machine_nr_spaces(const struct machine *m)
{
	return (uint32_t)m->spaces.image_of.nr;
}

uint32_t machine_nr_dsos(const struct machine *m)
{
	return (uint32_t)m->dsos.list.nr;
}

struct dso *machine_dso(const struct machine *m, uint32_t number)
{
	return m->dsos.list.v[number];
}

bool machine_has_jitdumps(const struct machine *m)
{
	return m->jitdumps.nr;
}

uint64_t machine_nr_inconsistent(const struct machine *m)
{
	return m->nr_inconsistent;
}
