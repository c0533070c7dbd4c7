/*
 * Finds the symbols of a report's addresses in parallel, and groups the addresses of each file by function or source line. Such
 * a group is called a location.
 */
#include "core/hists/location.h"

#include <pthread.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/perfdata/abi.h"
#include "core/model/interpreter.h"
#include "core/model/python.h"
#include "core/model/addr_key.h"
#include "core/model/machine.h"
#include "core/model/srcline.h"
#include "core/unwind/caller.h"

#define BATCH 512	/* address keys that a worker takes at a time */

struct found {				/* an address key, looked up */
	struct addr_location at;
	char level;
};

/* A group: the address keys of a file, or all that are in no file. Groups share no locations. */
struct key_group {
	uint32_t first, nr;		/* of resolving.order */
	struct locations own;		/* .list and .inlines of this group's address keys */
	struct index by_address;	/* index of .own.list */
};

struct resolving {
	const struct addr_key_table *addr_keys;
	const struct machine *machine;
	const struct location_opts *opts;
	VEC(struct key_group) groups;	/* the largest first */
	uint32_t *order;		/* numbers of address keys, by group */
	struct found *found;		/* parallel to .order */
	struct locations *out;		/* until the groups are joined, .addr_keys have numbers of .own.list of their group */
	pthread_mutex_t texts;		/* protects .out->texts */
};

/* ---- one file after the other ---- */

ORDER(compare_groups, struct key_group, compare_numbers(b->nr, a->nr) ?: compare_numbers(a->first, b->first))

/* 1 + the number of the dso in which @a is, 0: in none; see owner_of_dso(). */
static uint32_t file_of(const struct addr_key *a)
{
	return a->owner & owner_of_dso(0) && a->owner != SPACE_NONE ? (a->owner ^ owner_of_dso(0)) + 1 : 0;
}

/* The largest groups come first, so that no worker begins one when the others are done. */
static void group_by_file(struct resolving *r)
{
	size_t nr = r->addr_keys->list.nr, nr_files = (size_t)machine_nr_dsos(r->machine) + 1;
	uint32_t *at = xcalloc(nr_files, sizeof(*at)), sum = 0;

	for (size_t i = 0; i < nr; i++)
		at[file_of(&r->addr_keys->list.v[i])]++;
	for (uint32_t f = 0; f < nr_files; f++)
		if (at[f])
			vec_push(&r->groups, ((struct key_group){ .first = f, .nr = at[f] }));
	vec_sort(&r->groups, compare_groups);
	vec_for(g, &r->groups) {
		at[g->first] = sum;
		g->first = sum;
		sum += g->nr;
	}
	r->order = xmalloc(MAX(nr, 1) * sizeof(*r->order));
	for (uint32_t i = 0; i < nr; i++)
		r->order[at[file_of(&r->addr_keys->list.v[i])]++] = i;
	free(at);
}

/* ---- resolving ---- */

static bool kernel_dso(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF;
}

static char level_of_dso(const struct dso *dso)
{
	if (dso->kind == DSO_GUEST)
		return 'g';
	return kernel_dso(dso) ? 'k' : is_python_dso(dso) ? 'p' : is_made_at_run_time(dso) ? 'j' : '.';
}

char location_level(uint16_t cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_USER:
		return '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	default:
		return 'H';
	}
}

static char level_of(const struct machine *m, const struct addr_key *a, const struct dso *dso)
{
	const struct arch *arch = machine_arch(m);

	if (dso)
		return level_of_dso(dso);
	/* The space follows from the record's cpumode, not the address: on 32-bit Arm, user space calls code at 0xffff0fa0. */
	if (a->space != SPACE_NONE)
		return machine_space_is_kernel(m, a->space) ? 'k' : '.';
	if (a->mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN)	/* also for a frame of a chain */
		return arch && arch->kernel_start && a->ip >= arch->kernel_start ? 'k' : '.';
	return location_level(a->mode);
}

static bool wants_inlines(const struct location_opts *o, const struct addr_key *a)
{
	return o->inlines && (a->in_chain || o->sample_inlines);
}

/* Debug information has the inlined functions of files, and a JIT compiler may write those of the code that it makes. */
static bool may_have_inlines(const struct dso *dso)
{
	return dso->kind == DSO_USER || dso->kind == DSO_JIT || dso->kind == DSO_ANON;
}

static void find(struct resolving *r, size_t i)
{
	uint32_t number = r->order[i];
	const struct addr_key *a = &r->addr_keys->list.v[number];

	machine_resolve(r->machine, a->space, a->ip, &r->found[i].at);
	r->found[i].level = level_of(r->machine, a, r->found[i].at.dso);
	r->out->broken[number] = is_broken_caller(r->machine, a);
}

/* Looks up the first address of a group, which loads the file. Otherwise several workers would wait for one file. */
static void load_file(void *ctx, unsigned worker, size_t group)
{
	struct resolving *r = ctx;

	find(r, r->groups.v[group].first);
}

static void find_batch(void *ctx, unsigned worker, size_t batch)
{
	struct resolving *r = ctx;
	size_t nr = r->addr_keys->list.nr, end = MIN((batch + 1) * BATCH, nr);

	if (!worker)
		progress("naming addresses", batch * BATCH, 2 * nr, PROGRESS_THINGS);
	for (size_t i = batch * BATCH; i < end; i++)
		find(r, i);
}

static uint64_t offset_of(const struct addr_location *at)
{
	return at->symbol ? at->addr - at->symbol->start : 0;
}

static struct location location_of(const struct found *found, uint64_t ip)
{
	const struct addr_location *at = &found->at;
	struct location location = { .dso = at->dso, .addr = ip, .own_addr = at->addr, .ip = ip, .level = found->level };

	if (at->symbol) {
		location.name = at->symbol->name;
		location.made = at->symbol->made;
		location.addr = location.own_addr = at->symbol->start;
		location.size = at->symbol->end - at->symbol->start;
	} else if (at->dso && at->dso->kind != DSO_KERNEL && at->dso->kind != DSO_BPF) {
		location.addr = at->file_addr;
	}
	if (at->map)
		location.map_size = at->map->end - at->map->start;
	return location;
}

/* Called by one worker per file, because the lines of a file are behind a lock. */
static struct frames frames_of(const struct resolving *r, const struct addr_key *a, const struct found *found)
{
	struct addr_location at = found->at;
	bool inlines = wants_inlines(r->opts, a) && at.symbol && may_have_inlines(at.dso);

	if (!at.dso || !(r->opts->lines || inlines))
		return (struct frames){0};
	/* Looks up the call instead of the return address, where another line or inlined function may begin. */
	if (a->calls && at.addr)
		at.addr--;
	return addr_location_frames(&at);
}

/* Compares the names of symbols by pointer, and those of inlined functions by text. */
static bool same_location(const struct location *a, const struct location *b)
{
	if (a->dso != b->dso || a->addr != b->addr || a->inlined != b->inlined || a->level != b->level || a->line != b->line ||
	    a->file != b->file || a->line_number != b->line_number || a->offset != b->offset)
		return false;
	return a->inlined ? str_eq(a->name, b->name) : a->name == b->name;
}

/* The number of the location in @g that equals @found, which is added if it is new. */
static uint32_t join(struct key_group *g, const struct location *found)
{
	struct locations *s = &g->own;
	uint64_t name = found->inlined ? hash_bytes(found->name, strlen(found->name)) : (uintptr_t)found->name;
	uint64_t line = (uint64_t)found->line_number << 32 | (found->line + found->file);
	uint64_t h = hash_pair((uintptr_t)found->dso ^ name << 1, found->addr + found->offset + line);
	uint32_t pos;

	index_for(at, &g->by_address, h) {
		struct location *known = &s->list.v[at];

		if (!same_location(known, found))
			continue;
		known->ip = MIN(known->ip, found->ip);
		known->map_size = MAX(known->map_size, found->map_size);
		known->size = MAX(known->size, found->size);
		return at;
	}
	pos = (uint32_t)s->list.nr;
	index_add(&g->by_address, h, pos);
	vec_push(&s->list, *found);
	s->list.v[pos].function = pos;
	return pos;
}

/* ---- lines ---- */

static uint32_t add_text(struct resolving *r, struct buf *text)
{
	uint32_t number;

	pthread_mutex_lock(&r->texts);
	number = byte_table_add(&r->out->texts, text->data, text->len) + 1;
	pthread_mutex_unlock(&r->texts);
	text->len = 0;
	return number;
}

/* Writes the line: the compiler's file and line, or as perf does the offset in the function, or in the dso. */
static void put_line(const char *file, uint32_t line, const struct addr_location *at, struct buf *out)
{
	if (file)
		buf_printf(out, "%s:%u", file, line);
	else if (at->symbol && !at->symbol->made)
		buf_printf(out, "%s+%llu", at->symbol->name, (unsigned long long)offset_of(at));
	else if (at->dso)
		buf_printf(out, "%s[%llx]", at->dso->name, (unsigned long long)at->addr);
	else
		buf_puts(out, "??:0");
}

static void find_line(struct resolving *r, struct location *location, const struct frame *f, const struct addr_location *at)
{
	const char *file = f ? f->file : NULL, *name = file && !r->opts->full_paths ? strrchr(file, '/') : NULL;
	struct buf text = {0};

	file = name ? name + 1 : file;
	if (file) {
		buf_puts(&text, file);
		location->line_number = f->line;
	}
	if (file || r->opts->line_texts)
		location->file = add_text(r, &text);
	if (r->opts->line_texts) {
		put_line(file, location->line_number, at, &text);
		location->line = add_text(r, &text);
	}
	buf_release(&text);
}

/* As join(), but distinguishes the line, from frame @f, and the address. .function is the location of the whole function. */
static uint32_t join_exact(struct resolving *r, struct key_group *g, struct location location, const struct frame *f,
			  const struct addr_location *at)
{
	const struct location_opts *o = r->opts;
	uint32_t all = join(g, &location), pos;

	if (!o->lines && !o->offsets)
		return all;
	if (o->lines)
		find_line(r, &location, f, at);
	if (o->offsets && !location.inlined)
		location.offset = offset_of(at);
	pos = join(g, &location);
	g->own.list.v[pos].function = all;
	return pos;
}

const char *locations_text(const struct locations *s, uint32_t number, size_t *n)
{
	*n = 0;
	return number ? byte_table_get(&s->texts, number - 1, n) : "";
}

bool locations_know_line(const struct locations *s, const struct location *location)
{
	size_t n;

	locations_text(s, location->file, &n);
	return n > 0;
}

/* The last of @frames is the function that the symbol names, which is at @location. */
static void join_inlines(struct resolving *r, struct key_group *g, struct named_addr_key *a, struct location location,
			 const struct frames *frames, const struct addr_location *at)
{
	a->inlines = (uint32_t)g->own.inlines.nr;
	location.inlined = true;
	location.addr = location.own_addr = 0;
	for (uint32_t i = 0; i + 1 < frames->nr; i++) {
		location.name = frames->v[i].function;
		if (!location.name)
			continue;
		vec_push(&g->own.inlines, join_exact(r, g, location, &frames->v[i], at));
		a->nr_inlines++;
	}
}

/* ---- naming ---- */

static struct named_addr_key name_key(struct resolving *r, struct key_group *g, const struct addr_key *a, const struct found *found)
{
	const struct location_opts *o = r->opts;
	struct location location = location_of(found, a->ip);
	struct frames frames = frames_of(r, a, found);
	const struct frame *innermost = frames.nr ? &frames.v[0] : NULL;
	struct named_addr_key named = {
		.location = join_exact(r, g, location, innermost, &found->at), .addr = found->at.addr,
	};

	named.frame = named.location;
	if (o->call_lines && o->inlines && frames.nr > 1)
		named.frame = join_exact(r, g, location, innermost + frames.nr - 1, &found->at);
	if (wants_inlines(o, a) && location.name && may_have_inlines(location.dso))
		join_inlines(r, g, &named, location, &frames, &found->at);
	named.own = o->sample_inlines && named.nr_inlines ? g->own.inlines.v[named.inlines] : named.location;
	return named;
}

static void name_group(void *ctx, unsigned worker, size_t number)
{
	struct resolving *r = ctx;
	struct key_group *g = &r->groups.v[number];
	uint64_t nr = r->addr_keys->list.nr;

	if (r->opts->offsets) {		/* nearly every address is a location of its own */
		vec_reserve(&g->own.list, g->nr + g->nr / 8);
		index_reserve(&g->by_address, g->nr + g->nr / 8);
	}
	for (uint32_t i = g->first; i < g->first + g->nr; i++) {
		uint32_t key = r->order[i];

		if (!worker && i % BATCH == 0)
			progress("naming addresses", nr + i, 2 * nr, PROGRESS_THINGS);
		r->out->addr_keys.v[key] = name_key(r, g, &r->addr_keys->list.v[key], &r->found[i]);
	}
	index_release(&g->by_address);
}

/* ---- joining what the groups have ---- */

static void add_location(struct locations *s, const struct location *location)
{
	vec_push(&s->list, *location);
	s->list.v[s->list.nr - 1].function = (uint32_t)s->list.nr - 1;
}

/* Adds the locations of @g to @s, with new numbers. */
static void append(struct locations *s, struct key_group *g, const uint32_t *order)
{
	uint32_t locations = (uint32_t)s->list.nr, inlines = (uint32_t)s->inlines.nr;

	vec_for(location, &g->own.list)
		location->function += locations;
	vec_for(inlined, &g->own.inlines)
		*inlined += locations;
	vec_append(&s->list, &g->own.list);
	vec_append(&s->inlines, &g->own.inlines);
	for (uint32_t i = g->first; i < g->first + g->nr; i++) {
		struct named_addr_key *named = &s->addr_keys.v[order[i]];

		named->location += locations;
		named->own += locations;
		named->frame += locations;
		named->inlines += inlines;
	}
	locations_release(&g->own);
}

void locations_resolve(struct locations *s, const struct addr_key_table *addr_keys, const struct machine *m,
		    const struct location_opts *o)
{
	size_t nr = addr_keys->list.nr;
	struct resolving r = {
		.addr_keys = addr_keys, .machine = m, .opts = o, .out = s, .found = xmalloc(MAX(nr, 1) * sizeof(*r.found)),
		.texts = PTHREAD_MUTEX_INITIALIZER,
	};

	s->broken = xmalloc(MAX(nr, 1) * sizeof(*s->broken));
	vec_reserve(&s->addr_keys, nr);
	s->addr_keys.nr = nr;
	group_by_file(&r);
	pool_run(o->jobs, r.groups.nr, load_file, &r);
	pool_run(o->jobs, (nr + BATCH - 1) / BATCH, find_batch, &r);
	pool_run(o->jobs, r.groups.nr, name_group, &r);
	progress_end();
	free(r.found);
	vec_for(g, &r.groups)
		append(s, g, r.order);
	s->broken_location = (uint32_t)s->list.nr;
	if (nr)
		add_location(s, &(struct location){ .name = "[broken]", .level = '.' });
	vec_free(&r.groups);
	free(r.order);
}

void locations_of_files(struct locations *s, const struct machine *m)
{
	add_location(s, &(struct location){ .level = '.' });
	for (uint32_t i = 0; i < machine_nr_dsos(m); i++) {
		const struct dso *dso = machine_dso(m, i);

		add_location(s, &(struct location){ .dso = dso, .level = level_of_dso(dso) });
	}
}

void location_put_name(const struct location *s, struct buf *out)
{
	buf_puts(out, s->name);
	if (s->inlined)
		buf_puts(out, " (inlined)");
}

void location_put_addr(uint64_t addr, struct buf *out)
{
	buf_puts(out, addr ? "0x" : "");
	buf_hex0(out, addr, 16);
}

void locations_release(struct locations *s)
{
	vec_free(&s->addr_keys);
	vec_free(&s->list);
	vec_free(&s->inlines);
	free(s->broken);
	byte_table_release(&s->texts);
}

int location_compare(const struct location *a, const struct location *b)
{
	int order;

	if (!a->dso != !b->dso)
		return a->dso ? -1 : 1;
	order = a->dso ? strcmp(a->dso->name, b->dso->name) : 0;
	if (!order && a->dso)
		order = compare_numbers(a->dso->number, b->dso->number);
	if (!order && !a->name != !b->name)
		return a->name ? -1 : 1;
	if (!order)
		order = compare_numbers(a->addr, b->addr);
	if (!order && a->inlined && b->inlined)
		order = strcmp(a->name, b->name);
	if (!order)
		order = a->inlined - b->inlined;
	return order ? order : a->level - b->level;
}
