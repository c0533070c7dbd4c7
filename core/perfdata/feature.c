/*
 * Reads and writes the feature sections of a perf.data. For each section, one function lists its fields, and serves both for
 * reading and for writing. feature_print.c prints the sections.
 */
#include "core/perfdata/feature.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/printable.h"
#include "core/base/wire.h"
#include "core/perfdata/event_table.h"

#define NAME_ALIGN	64u	/* strings are padded to a multiple of it */
#define VERSION_1	1u

/* ---- reading and writing of strings, counts and versions ---- */

static void text_read(struct wire *w, char **s)
{
	const void *p;
	uint32_t len;

	wire_u32(w, &len);
	wire_bytes(w, &p, len);
	free(*s);
	*s = p && !w->bad ? printable_text(xstrndup(p, len)) : NULL;
}

/* A string: u32 length with padding, the bytes and the padding. Reading gives an owned copy, NULL if it is cut. */
static void text(struct wire *w, char **s)
{
	const void *p = *s ? *s : "";
	size_t n;
	uint32_t len;

	if (wire_reading(w)) {
		text_read(w, s);
		return;
	}
	n = strlen(p) + 1;
	len = (uint32_t)round_up(n, NAME_ALIGN);
	wire_u32(w, &len);
	wire_bytes(w, &p, n);
	wire_zeros(w, len - n);
}

/* As wire_count(), but the number is u32. */
static uint32_t count32(struct wire *w, size_t nr, size_t least)
{
	uint32_t v = (uint32_t)nr;

	wire_u32(w, &v);
	if (wire_reading(w) && v > wire_left(w) / least)
		w->bad = true;
	return w->bad ? 0 : v;
}

/* Pass a version; any other than VERSION_1 is bad. */
static void version32(struct wire *w)
{
	uint32_t v = VERSION_1;

	wire_u32(w, &v);
	w->bad |= v != VERSION_1;
}

static void version64(struct wire *w)
{
	uint64_t v = VERSION_1;

	wire_u64(w, &v);
	w->bad |= v != VERSION_1;
}

/* Loops over the items of a list. Reading appends a zeroed item first, and stops after the first bad one, which is kept. */
#define EACH(w, i, nr, vec)									\
	for (uint64_t i = 0; i < (nr) && !(w)->bad && list_room(w, vec); i++)

#define list_room(w, vec) ({							\
	if (wire_reading(w)) {							\
		vec_reserve(vec, 1);						\
		memset(&(vec)->v[(vec)->nr++], 0, sizeof(*(vec)->v));		\
	}									\
	true;									\
})

#define STRINGS(w, vec) do {						\
	uint32_t nr_strings = count32(w, (vec)->nr, 4);			\
	EACH(w, i, nr_strings, vec)					\
		text(w, &(vec)->v[i]);					\
} while (0)

/* ---- the sections ---- */

#define MAY_IGNORE __attribute__((unused))
#define SECTION(name) \
	static void name(struct wire *w MAY_IGNORE, struct features *f MAY_IGNORE, struct event_table *events MAY_IGNORE)

SECTION(hostname) { text(w, &f->hostname); }
SECTION(osrelease) { text(w, &f->osrelease); }
SECTION(perf_version) { text(w, &f->version); }
SECTION(arch_name) { text(w, &f->arch); }
SECTION(cpudesc) { text(w, &f->cpudesc); }
SECTION(cpuid) { text(w, &f->cpuid); }
SECTION(boot_id) { text(w, &f->boot_id); }
SECTION(empty) {}

SECTION(bpf_prog_info)
{
	feature_bpf_programs_pass(w, &f->bpf);
}

SECTION(bpf_btf)
{
	feature_bpf_btf_pass(w, &f->bpf);
}

/* prec does not use it. */
SECTION(cpu_domain_info)
{
	if (wire_reading(w))
		wire_zeros(w, wire_left(w));
}

/* Passes *size bytes. Reading replaces *bytes by an owned copy; NULL, and *size 0: they are cut. */
static void copied(struct wire *w, void **bytes, uint64_t *size)
{
	const void *p = *bytes;

	wire_bytes(w, &p, *size);
	if (!wire_reading(w))
		return;
	free(*bytes);
	*size = w->bad ? 0 : *size;
	*bytes = w->bad ? NULL : xmalloc(MAX(*size, 1));
	if (*size)
		memcpy(*bytes, p, *size);
}

/* Passes the rest of the section as bytes. */
static void whole(struct wire *w, void **bytes, uint64_t *size)
{
	if (wire_reading(w))
		*size = wire_left(w);
	copied(w, bytes, size);
}

SECTION(tracing_data) { whole(w, &f->tracing_data, &f->tracing_data_size); }
SECTION(archive) { whole(w, &f->archive, &f->archive_size); }
SECTION(data_index) { whole(w, &f->data_index, &f->data_index_size); }

/* An entry is a record of its own: header, pid, 20 bytes of id and its size, the padded name. */
#define BUILD_ID_ENTRY	36u	/* before the name */
#define BUILD_ID_ROOM	24u	/* of the id, its size byte and padding */

static void build_id_entry_read(struct wire *w, struct feature_build_id *b)
{
	uint32_t type, pid;
	uint16_t size;
	uint8_t id[BUILD_ID_ROOM];
	const void *name;

	wire_u32(w, &type);
	wire_u16(w, &b->misc);
	wire_u16(w, &size);
	wire_u32(w, &pid);
	wire_copy(w, id, sizeof(id));
	if (size < BUILD_ID_ENTRY)
		w->bad = true;
	wire_bytes(w, &name, w->bad ? 0 : size - BUILD_ID_ENTRY);
	b->pid = (int32_t)pid;
	b->id.size = b->misc & RECORD_MISC_BUILD_ID_SIZE ? MIN(id[BUILD_ID_MAX], BUILD_ID_MAX) : BUILD_ID_MAX;
	memcpy(b->id.data, id, BUILD_ID_MAX);
	b->filename = name && !w->bad ? xstrndup(name, size - BUILD_ID_ENTRY) : NULL;
}

static void build_id_entry_write(struct wire *w, const struct feature_build_id *b)
{
	const char *filename = b->filename ? b->filename : "";
	/* The entry's size is 16 bits wide: of the longest names the end, and the NUL, are left out. */
	size_t padded = MIN(round_up(strlen(filename) + 1, NAME_ALIGN), UINT16_MAX - BUILD_ID_ENTRY);
	size_t n = MIN(strlen(filename) + 1, padded);
	uint32_t type = 0, pid = (uint32_t)b->pid;
	uint16_t size = (uint16_t)(BUILD_ID_ENTRY + padded), misc = b->misc | RECORD_MISC_BUILD_ID_SIZE;
	uint8_t id[BUILD_ID_ROOM] = {0};
	const void *name = filename;

	memcpy(id, b->id.data, BUILD_ID_MAX);
	id[BUILD_ID_MAX] = b->id.size;
	wire_u32(w, &type);
	wire_u16(w, &misc);
	wire_u16(w, &size);
	wire_u32(w, &pid);
	wire_copy(w, id, sizeof(id));
	wire_bytes(w, &name, n);
	wire_zeros(w, padded - n);
}

SECTION(build_ids)
{
	if (!wire_reading(w)) {
		vec_for(b, &f->build_ids)
			build_id_entry_write(w, b);
		return;
	}
	while (!w->bad && wire_left(w)) {
		struct feature_build_id b = {0};

		build_id_entry_read(w, &b);
		if (w->bad)
			free(b.filename);
		else
			vec_push(&f->build_ids, b);
	}
}

SECTION(nrcpus)
{
	wire_u32(w, &f->nr_cpus_avail);
	wire_u32(w, &f->nr_cpus_online);
}

SECTION(total_mem) { wire_u64(w, &f->total_mem_kb); }
SECTION(cmdline) { STRINGS(w, &f->cmdline); }

/* The event of a description: the event with its first id, else a new one if the table was empty, else the event at @place. */
static struct event *described(struct event_table *t, uint32_t place, const struct words *ids, bool was_empty,
			       const struct event_attr *attr)
{
	struct event *ev = ids->nr ? event_by_id(t, words_at(ids, 0)) : NULL;

	if (ev)
		return ev;
	if (was_empty) {
		t->nr_predescribed++;
		return event_table_add(t, attr);
	}
	return place < t->events.nr ? t->events.v[place] : NULL;
}

static void event_desc_read(struct wire *w, struct event_table *t, uint32_t place, uint32_t attr_size, bool was_empty)
{
	struct event_attr attr;
	struct words ids;
	struct event *ev;
	char *name = NULL;
	uint32_t nr_ids;

	if (attr_pass(w, &attr, attr_size)) {
		w->bad = true;
		return;
	}
	wire_zeros(w, attr_size - attr.size);
	wire_u32(w, &nr_ids);
	text_read(w, &name);
	wire_words(w, &ids, nr_ids);
	ev = w->bad ? NULL : described(t, place, &ids, was_empty, &attr);
	for (uint64_t i = 0; ev && i < ids.nr; i++)
		event_table_add_id(t, ev, words_at(&ids, i));
	if (ev && !ev->name && name && *name) {
		ev->name = name;
		name = NULL;
	}
	free(name);
}

static void event_desc_write(struct wire *w, struct event *ev, uint32_t attr_size)
{
	struct event_attr attr = ev->attr;
	struct words ids = { .data = (const uint8_t *)ev->ids.v };
	uint32_t nr_ids = (uint32_t)ev->ids.nr;
	char *name = (char *)(uintptr_t)ev->name;

	attr.size = attr_size;
	attr_pass(w, &attr, attr_size);
	wire_u32(w, &nr_ids);
	text(w, &name);
	wire_words(w, &ids, nr_ids);
}

SECTION(event_desc)
{
	uint32_t nr = count32(w, events->events.nr, ATTR_SIZE_VER0 + 8), attr_size = event_table_attr_size(events);
	bool was_empty = !events->events.nr;

	wire_u32(w, &attr_size);
	for (uint32_t i = 0; i < nr && !w->bad; i++)
		if (wire_reading(w))
			event_desc_read(w, events, i, attr_size, was_empty);
		else
			event_desc_write(w, events->events.v[i], attr_size);
}

/* The number of CPU entries: from NRCPUS, else as many as the section has room for. */
static uint64_t nr_cpus(struct wire *w, const struct features *f, size_t each)
{
	uint64_t nr = f->nr_cpus_avail;

	if (!wire_reading(w))
		return f->cpu_topology.nr;
	if (!nr)
		nr = wire_left(w) / each;
	return nr <= wire_left(w) / each ? nr : 0;
}

SECTION(cpu_topology)
{
	uint64_t nr;

	STRINGS(w, &f->core_siblings);
	STRINGS(w, &f->thread_siblings);
	nr = nr_cpus(w, f, 8);		/* none before Linux 3.20 */
	EACH(w, i, nr, &f->cpu_topology) {
		wire_u32(w, &f->cpu_topology.v[i].core);
		wire_u32(w, &f->cpu_topology.v[i].socket);
	}
	/* Dies: since Linux 5.3. In a pipe's record, fewer bytes than that are padding. */
	if (wire_reading(w) ? wire_left(w) < 4 + 4 * f->cpu_topology.nr : !f->has_dies)
		return;
	f->has_dies = true;
	STRINGS(w, &f->die_siblings);
	if (wire_reading(w) && wire_left(w) / 4 < f->cpu_topology.nr)
		w->bad = true;
	vec_for(cpu, &f->cpu_topology)
		wire_u32(w, &cpu->die);
}

SECTION(numa_topology)
{
	uint32_t nr = count32(w, f->numa.nr, 24);

	EACH(w, i, nr, &f->numa) {
		struct feature_node *n = &f->numa.v[i];

		wire_u32(w, &n->node);
		wire_u64(w, &n->mem_total_kb);
		wire_u64(w, &n->mem_free_kb);
		text(w, &n->cpus);
	}
}

SECTION(pmu_mappings)
{
	uint32_t nr = count32(w, f->pmus.nr, 8);

	EACH(w, i, nr, &f->pmus) {
		wire_u32(w, &f->pmus.v[i].type);
		text(w, &f->pmus.v[i].name);
	}
}

/* Fills .groups, for writing, with the event table's groups of more than one event. */
static void groups_of_events(struct features *f, const struct event_table *events)
{
	if (!events || f->groups.nr)
		return;
	vec_for(ev, &events->events)
		if ((*ev)->leader == (*ev)->number && (*ev)->nr_members > 1)
			vec_push(&f->groups, (struct feature_group){
				.name = xstrdup((*ev)->group_name ? (*ev)->group_name : "{anon_group}"),
				.leader = (*ev)->number, .nr_members = (*ev)->nr_members });
}

static void group_events(const struct feature_group *g, struct event_table *events)
{
	size_t nr = events->events.nr;
	struct event *leader;

	if (g->leader >= nr || g->nr_members > nr - g->leader || !g->nr_members)
		return;
	leader = events->events.v[g->leader];
	leader->nr_members = g->nr_members;
	if (!leader->group_name && g->name && !str_eq(g->name, "{anon_group}"))
		leader->group_name = xstrdup(g->name);
	for (uint32_t i = 0; i < g->nr_members; i++)
		events->events.v[g->leader + i]->leader = g->leader;
}

SECTION(group_desc)
{
	uint32_t nr;

	if (!wire_reading(w))
		groups_of_events(f, events);
	nr = count32(w, f->groups.nr, 12);
	EACH(w, i, nr, &f->groups) {
		struct feature_group *g = &f->groups.v[i];

		text(w, &g->name);
		wire_u32(w, &g->leader);
		wire_u32(w, &g->nr_members);
		if (wire_reading(w) && !w->bad && events)
			group_events(g, events);
	}
}

/* The index of AUXTRACE records: perf writes their number, then two words each; simpleperf leaves the number out. */
SECTION(auxtrace)
{
	const size_t entry = 2 * sizeof(uint64_t);
	uint64_t nr = wire_reading(w) && wire_left(w) % entry == 0 ? wire_left(w) / entry : wire_count(w, f->auxtrace.nr, entry);

	EACH(w, i, nr, &f->auxtrace) {
		wire_u64(w, &f->auxtrace.v[i].file_offset);
		wire_u64(w, &f->auxtrace.v[i].size);
	}
}

SECTION(cache)
{
	uint32_t nr;

	version32(w);
	nr = count32(w, f->caches.nr, 28);
	EACH(w, i, nr, &f->caches) {
		struct feature_cache *c = &f->caches.v[i];

		wire_u32(w, &c->level);
		wire_u32(w, &c->line_size);
		wire_u32(w, &c->sets);
		wire_u32(w, &c->ways);
		text(w, &c->type);
		text(w, &c->size);
		text(w, &c->map);
	}
}

SECTION(sample_time)
{
	wire_u64(w, &f->first_sample);
	wire_u64(w, &f->last_sample);
}

static void mem_node(struct wire *w, struct feature_mem_node *n)
{
	uint64_t nr_bits = n->nr_bits, nr_words;

	wire_u64(w, &n->node);
	wire_u64(w, &n->nr_bits);
	wire_u64(w, &nr_bits);		/* repeated in the bitmap */
	nr_words = nr_bits / 64 + !!(nr_bits % 64);
	if (wire_reading(w) && nr_words > wire_left(w) / 8)
		w->bad = true;
	EACH(w, i, nr_words, &n->bits)
		wire_u64(w, &n->bits.v[i]);
	n->nr_bits = MIN(nr_bits, 64 * n->bits.nr);
}

SECTION(mem_topology)
{
	uint64_t nr;

	version64(w);
	wire_u64(w, &f->mem_block_size);
	nr = wire_count(w, f->mem_nodes.nr, 24);
	EACH(w, i, nr, &f->mem_nodes)
		mem_node(w, &f->mem_nodes.v[i]);
}

SECTION(clockid) { wire_u64(w, &f->clockid_res); }
SECTION(dir_format) { wire_u64(w, &f->dir_version); }

/* prec's own: u64 version, u64 nr, {u32 event, s32 cpu, s32 tid, u32 0, u64 lost}[nr], then the gaps in the same way. */
SECTION(losses)
{
	uint64_t nr;

	version64(w);
	nr = wire_count(w, f->losses.by_event.nr, 24);
	EACH(w, i, nr, &f->losses.by_event) {
		struct feature_loss *l = &f->losses.by_event.v[i];

		wire_u32(w, &l->event);
		wire_u32(w, (uint32_t *)&l->cpu);
		wire_u32(w, (uint32_t *)&l->tid);
		wire_zeros(w, sizeof(uint32_t));
		wire_u64(w, &l->lost);
	}
	wire_u64(w, &f->losses.nr_gaps);
	wire_u64(w, &f->losses.gap_ns);
	nr = wire_count(w, f->losses.gaps.nr, 32);
	EACH(w, i, nr, &f->losses.gaps) {
		struct feature_gap *g = &f->losses.gaps.v[i];

		wire_u32(w, (uint32_t *)&g->cpu);
		wire_u32(w, (uint32_t *)&g->tid);
		wire_u64(w, &g->from);
		wire_u64(w, &g->to);
		wire_u64(w, &g->lost);
	}
}

/* prec's own: u64 version, seen, dumped, missed, after_ns, nr, {u64 time, s32 pid, s32 tid, text}[nr]. */
SECTION(triggers)
{
	uint64_t nr;
	struct feature_triggers *t = &f->triggers;

	version64(w);
	wire_u64(w, &t->seen);
	wire_u64(w, &t->dumped);
	wire_u64(w, &t->missed);
	wire_u64(w, &t->after_ns);
	nr = wire_count(w, t->dumps.nr, 20);
	EACH(w, i, nr, &t->dumps) {
		struct feature_trigger *d = &t->dumps.v[i];

		wire_u64(w, &d->time);
		wire_u32(w, (uint32_t *)&d->pid);
		wire_u32(w, (uint32_t *)&d->tid);
		text(w, &d->text);
	}
}

/* prec's own: u64 version, u64 number of names left out, u64 nr, {u32 pid, u32 fd, u64 time, text name}[nr]. */
SECTION(descriptors)
{
	uint64_t nr;

	version64(w);
	wire_u64(w, &f->descriptors_left_out);
	nr = wire_count(w, f->descriptors.nr, 20);
	EACH(w, i, nr, &f->descriptors) {
		struct feature_descriptor *d = &f->descriptors.v[i];

		wire_u32(w, &d->pid);
		wire_u32(w, &d->fd);
		wire_u64(w, &d->to);
		text(w, &d->name);
	}
}

/* prec's own: u64 version, u64 nr, {u64 count, u64 count of all, text name, text where}[nr]. */
SECTION(found)
{
	uint64_t nr;

	version64(w);
	nr = wire_count(w, f->found.nr, 24);
	EACH(w, i, nr, &f->found) {
		struct feature_found *found = &f->found.v[i];

		wire_u64(w, &found->count);
		wire_u64(w, &found->of);
		text(w, &found->name);
		text(w, &found->where);
	}
}

/* prec's own: u64 version, u64 unpacked size, u64 packed size, the packed bytes. */
static void packed_table(struct wire *w, struct feature_packed *t)
{
	version64(w);
	wire_u64(w, &t->size);
	wire_u64(w, &t->packed_size);
	copied(w, &t->packed, &t->packed_size);
}

SECTION(python) { packed_table(w, &f->python); }
SECTION(java) { packed_table(w, &f->java); }

/* prec's own: u64 version, u64 nr, {u64 pid, u64 unpacked size, u64 packed size, the packed bytes}[nr]. */
SECTION(jit_maps)
{
	uint64_t nr;

	version64(w);
	nr = wire_count(w, f->jit_maps.nr, 24);
	EACH(w, i, nr, &f->jit_maps) {
		struct feature_jit_map *map = &f->jit_maps.v[i];

		wire_u64(w, &map->pid);
		wire_u64(w, &map->size);
		wire_u64(w, &map->packed_size);
		copied(w, &map->packed, &map->packed_size);
	}
}

/* prec's own: u64 version, u32 source, u32 event, then the words of struct feature_coverage; the last may be missing. */
SECTION(balance)
{
	struct feature_coverage *b = &f->coverage;
	uint64_t *const words[] = { &b->charged_ns, &b->period_ns, &b->samples, &b->idle, &b->lost, &b->unwritten,
				    &b->throttled_ns, &b->counted_ns, &b->wall_ns, &b->recorder_ns, &b->bytes, &b->wakeups };

	version64(w);
	wire_u32(w, &b->source);
	wire_u32(w, &b->event);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		wire_u64(w, words[i]);
	if (!wire_reading(w) || wire_left(w))
		wire_u64(w, &b->all_unwritten);
}

/* prec's own: u32 version, u32 method of measuring time off the CPU. */
SECTION(off_cpu)
{
	version32(w);
	wire_u32(w, &f->off_cpu);
}

SECTION(compressed)
{
	wire_u32(w, &f->comp_version);
	wire_u32(w, &f->comp_type);
	wire_u32(w, &f->comp_level);
	wire_u32(w, &f->comp_ratio);
	wire_u32(w, &f->comp_mmap_len);
}

/* The capabilities of a PMU: pairs of a name and a value. */
static void caps(struct wire *w, struct feature_pmu_caps *c)
{
	uint32_t nr = count32(w, c->names.nr, 8);

	EACH(w, i, nr, &c->names) {
		list_room(w, &c->values);
		text(w, &c->names.v[i]);
		text(w, &c->values.v[i]);
		if (w->bad && wire_reading(w)) {	/* drop an incomplete pair */
			free(c->names.v[--c->names.nr]);
			free(c->values.v[--c->values.nr]);
		}
	}
}

/* The capabilities of the core PMU of machines with one kind of CPU. The section has no name; they are kept as those of "cpu". */
SECTION(cpu_pmu_caps)
{
	struct feature_pmu_caps none = {0}, *c = f->has_cpu_caps ? &f->pmu_caps.v[0] : &none;

	if (!wire_reading(w)) {
		caps(w, c);
		return;
	}
	if (f->has_cpu_caps)
		return;
	none.pmu = xstrdup("cpu");
	caps(w, &none);
	vec_reserve(&f->pmu_caps, 1);
	memmove(f->pmu_caps.v + 1, f->pmu_caps.v, f->pmu_caps.nr++ * sizeof(*f->pmu_caps.v));
	f->pmu_caps.v[0] = none;
	f->has_cpu_caps = true;
}

SECTION(clock_data)
{
	version32(w);
	wire_u32(w, &f->clock_id);
	wire_u64(w, &f->clock_wall_ns);
	wire_u64(w, &f->clockid_time_ns);
}

SECTION(hybrid_topology)
{
	uint32_t nr = count32(w, f->hybrid.nr, 8);

	EACH(w, i, nr, &f->hybrid) {
		text(w, &f->hybrid.v[i].pmu);
		text(w, &f->hybrid.v[i].cpus);
	}
}

/* The capabilities of several PMUs: the list of each, then its name. */
SECTION(pmu_caps)
{
	size_t skip = f->has_cpu_caps ? 1 : 0;
	uint32_t nr = count32(w, f->pmu_caps.nr - skip, 8);

	EACH(w, i, nr, &f->pmu_caps) {
		struct feature_pmu_caps *c = wire_reading(w) ? &f->pmu_caps.v[f->pmu_caps.nr - 1] : &f->pmu_caps.v[skip + i];

		caps(w, c);
		text(w, &c->pmu);
	}
}

SECTION(e_machine)
{
	wire_u32(w, &f->e_machine);
	wire_u32(w, &f->e_flags);
}

SECTION(cache_line) { wire_u32(w, &f->cache_line_size); }

static const struct section {
	const char *name;
	void (*pass)(struct wire *w, struct features *f, struct event_table *events);
} sections[] = {
	[FEATURE_TRACING_DATA]		= { "TRACING_DATA", tracing_data },
	[FEATURE_BUILD_ID]		= { "BUILD_ID", build_ids },
	[FEATURE_HOSTNAME]		= { "HOSTNAME", hostname },
	[FEATURE_OSRELEASE]		= { "OSRELEASE", osrelease },
	[FEATURE_VERSION]		= { "VERSION", perf_version },
	[FEATURE_ARCH]			= { "ARCH", arch_name },
	[FEATURE_NRCPUS]		= { "NRCPUS", nrcpus },
	[FEATURE_CPUDESC]		= { "CPUDESC", cpudesc },
	[FEATURE_CPUID]			= { "CPUID", cpuid },
	[FEATURE_TOTAL_MEM]		= { "TOTAL_MEM", total_mem },
	[FEATURE_CMDLINE]		= { "CMDLINE", cmdline },
	[FEATURE_EVENT_DESC]		= { "EVENT_DESC", event_desc },
	[FEATURE_CPU_TOPOLOGY]		= { "CPU_TOPOLOGY", cpu_topology },
	[FEATURE_NUMA_TOPOLOGY]		= { "NUMA_TOPOLOGY", numa_topology },
	[FEATURE_BRANCH_STACK]		= { "BRANCH_STACK", empty },
	[FEATURE_PMU_MAPPINGS]		= { "PMU_MAPPINGS", pmu_mappings },
	[FEATURE_GROUP_DESC]		= { "GROUP_DESC", group_desc },
	[FEATURE_AUXTRACE]		= { "AUXTRACE", auxtrace },
	[FEATURE_STAT]			= { "STAT", empty },
	[FEATURE_CACHE]			= { "CACHE", cache },
	[FEATURE_SAMPLE_TIME]		= { "SAMPLE_TIME", sample_time },
	[FEATURE_MEM_TOPOLOGY]		= { "MEM_TOPOLOGY", mem_topology },
	[FEATURE_CLOCKID]		= { "CLOCKID", clockid },
	[FEATURE_DIR_FORMAT]		= { "DIR_FORMAT", dir_format },
	[FEATURE_BPF_PROG_INFO]		= { "BPF_PROG_INFO", bpf_prog_info },
	[FEATURE_BPF_BTF]		= { "BPF_BTF", bpf_btf },
	[FEATURE_COMPRESSED]		= { "COMPRESSED", compressed },
	[FEATURE_CPU_PMU_CAPS]		= { "CPU_PMU_CAPS", cpu_pmu_caps },
	[FEATURE_CLOCK_DATA]		= { "CLOCK_DATA", clock_data },
	[FEATURE_HYBRID_TOPOLOGY]	= { "HYBRID_TOPOLOGY", hybrid_topology },
	[FEATURE_PMU_CAPS]		= { "PMU_CAPS", pmu_caps },
	[FEATURE_CPU_DOMAIN_INFO]	= { "CPU_DOMAIN_INFO", cpu_domain_info },
	[FEATURE_E_MACHINE]		= { "E_MACHINE", e_machine },
	[FEATURE_CLN_SIZE]		= { "CLN_SIZE", cache_line },
	[FEATURE_LOSSES]		= { "LOSSES", losses },
	[FEATURE_BALANCE]		= { "BALANCE", balance },
	[FEATURE_OFF_CPU]		= { "OFF_CPU", off_cpu },
	[FEATURE_BOOT_ID]		= { "BOOT_ID", boot_id },
	[FEATURE_ARCHIVE]		= { "ARCHIVE", archive },
	[FEATURE_TRIGGERS]		= { "TRIGGERS", triggers },
	[FEATURE_DESCRIPTORS]		= { "DESCRIPTORS", descriptors },
	[FEATURE_FOUND]			= { "FOUND", found },
	[FEATURE_JIT_MAPS]		= { "JIT_MAPS", jit_maps },
	[FEATURE_PYTHON]		= { "PYTHON", python },
	[FEATURE_JAVA]			= { "JAVA", java },
	[FEATURE_DATA_INDEX]		= { "DATA_INDEX", data_index },
};

const char *feature_name(unsigned number)
{
	return number < ARRAY_SIZE(sections) ? sections[number].name : NULL;
}

static bool is_text(unsigned number)
{
	switch (number) {
	case FEATURE_HOSTNAME: case FEATURE_OSRELEASE: case FEATURE_VERSION: case FEATURE_ARCH: case FEATURE_CPUDESC:
	case FEATURE_CPUID:
		return true;
	default:
		return false;
	}
}

int feature_pass(struct wire *w, unsigned number, struct features *f, struct event_table *events)
{
	if (!feature_name(number))
		return -ENOTSUP;
	/* perf may leave the section empty (CPUDESC of some Arm machines). */
	if (wire_reading(w) && !wire_left(w) && is_text(number))
		return 0;
	sections[number].pass(w, f, events);
	if (w->bad)
		return -EINVAL;
	f->has[number] = true;
	return 0;
}

#define FREE_EACH(vec, ...) do {	\
	vec_for(item, vec) {		\
		__VA_ARGS__;		\
	}				\
	vec_free(vec);			\
} while (0)

static void caps_release(struct feature_pmu_caps *c)
{
	FREE_EACH(&c->names, free(*item));
	FREE_EACH(&c->values, free(*item));
	free(c->pmu);
}

void features_release(struct features *f)
{
	free(f->hostname);
	free(f->osrelease);
	free(f->version);
	free(f->arch);
	free(f->cpudesc);
	free(f->cpuid);
	free(f->boot_id);
	free(f->tracing_data);
	free(f->archive);
	free(f->data_index);
	FREE_EACH(&f->cmdline, free(*item));
	FREE_EACH(&f->build_ids, free(item->filename));
	FREE_EACH(&f->core_siblings, free(*item));
	FREE_EACH(&f->thread_siblings, free(*item));
	FREE_EACH(&f->die_siblings, free(*item));
	vec_free(&f->cpu_topology);
	FREE_EACH(&f->numa, free(item->cpus));
	FREE_EACH(&f->pmus, free(item->name));
	FREE_EACH(&f->groups, free(item->name));
	vec_free(&f->auxtrace);
	feature_bpf_release(&f->bpf);
	vec_free(&f->losses.by_event);
	vec_free(&f->losses.gaps);
	FREE_EACH(&f->triggers.dumps, free(item->text));
	FREE_EACH(&f->descriptors, free(item->name));
	FREE_EACH(&f->found, free(item->name); free(item->where));
	FREE_EACH(&f->jit_maps, free(item->packed));
	free(f->python.packed);
	free(f->java.packed);
	FREE_EACH(&f->caches, free(item->type); free(item->size); free(item->map));
	FREE_EACH(&f->mem_nodes, vec_free(&item->bits));
	FREE_EACH(&f->pmu_caps, caps_release(item));
	FREE_EACH(&f->hybrid, free(item->pmu); free(item->cpus));
	*f = (struct features){0};
}
