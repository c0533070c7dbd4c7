/* Address keys to locations: collect, resolve in parallel, join those that are one. Layer: hists */
#include "core/hists/location.h"

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

/* ---- resolving ---- */

struct naming {
	const struct addr_key_table *addr_keys;
	const struct machine *machine;
	const struct location_opts *opts;
	struct found {
		struct location location;
		struct frames frames;
		uint64_t addr, offset;		/* of the address: in the file's terms, and from the function's start */
		bool broken;			/* see struct named_addr_key */
	} *found;				/* of each address key */
	struct key_list { VEC(uint32_t) list; } *busy;	/* of each worker: address keys whose file another worker was at */
	struct key_list left;			/* these, of all workers */
};

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
	/* The record's cpumode decided the space: on 32-bit Arm user space calls the kernel's page at 0xffff0fa0. */
	if (a->space != SPACE_NONE)
		return machine_space_is_kernel(m, a->space) ? 'k' : '.';
	if (a->mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN)	/* of a frame in a chain, too */
		return arch && arch->kernel_start && a->ip >= arch->kernel_start ? 'k' : '.';
	return location_level(a->mode);
}

static bool wants_inlines(const struct location_opts *o, const struct addr_key *a)
{
	return o->inlines && (a->in_chain || o->sample_inlines);
}

/* With @busy it does not wait for another worker that looks in the same file, but sets it. */
static struct found find(const struct naming *n, const struct addr_key *a, bool *busy)
{
	struct found found = { .location = { .addr = a->ip, .own_addr = a->ip, .ip = a->ip }, .addr = a->ip };
	struct location *location = &found.location;
	struct addr_location al;

	machine_resolve(n->machine, a->space, a->ip, &al);
	location->dso = al.dso;
	location->level = level_of(n->machine, a, al.dso);
	if (al.symbol) {
		location->name = al.symbol->name;
		location->made = al.symbol->made;
		location->addr = al.symbol->start;
		found.offset = al.addr - al.symbol->start;
		location->size = al.symbol->end - al.symbol->start;
	} else if (al.dso && al.dso->kind != DSO_KERNEL && al.dso->kind != DSO_BPF) {
		location->addr = al.file_addr;
	}
	if (al.dso) {
		found.addr = al.addr;
		location->own_addr = al.addr - found.offset;
		location->map_size = al.map->end - al.map->start;
	}
	found.broken = is_broken_caller(n->machine, a);
	/* After a call another line may begin, or another function that was inlined. */
	if (a->calls && al.addr)
		al.addr--;
	if (!al.dso || !(n->opts->lines || (wants_inlines(n->opts, a) && al.symbol && al.dso->kind == DSO_USER)))
		return found;
	if (busy)
		*busy = !addr_location_try_frames(&al, &found.frames);
	else
		found.frames = addr_location_frames(&al);
	return found;
}

static void resolve_batch(void *ctx, unsigned worker, size_t batch)
{
	struct naming *n = ctx;
	size_t end = MIN((batch + 1) * BATCH, n->addr_keys->list.nr);

	if (!worker)
		progress("naming addresses", batch * BATCH, n->addr_keys->list.nr, PROGRESS_THINGS);
	for (size_t i = batch * BATCH; i < end; i++) {
		bool busy = false;

		n->found[i] = find(n, &n->addr_keys->list.v[i], &busy);
		if (busy)
			vec_push(&n->busy[worker].list, (uint32_t)i);
	}
}

static void resolve_left(void *ctx, unsigned worker, size_t batch)
{
	struct naming *n = ctx;
	size_t end = MIN((batch + 1) * BATCH, n->left.list.nr);

	(void)worker;
	for (size_t i = batch * BATCH; i < end; i++)
		n->found[n->left.list.v[i]] = find(n, &n->addr_keys->list.v[n->left.list.v[i]], NULL);
}

static void resolve_all(struct naming *n, unsigned jobs)
{
	n->busy = xcalloc(MAX(jobs, 1), sizeof(*n->busy));
	pool_run(jobs, (n->addr_keys->list.nr + BATCH - 1) / BATCH, resolve_batch, n);
	for (unsigned i = 0; i < jobs; i++) {
		vec_append(&n->left.list, &n->busy[i].list);
		vec_free(&n->busy[i].list);
	}
	pool_run(jobs, (n->left.list.nr + BATCH - 1) / BATCH, resolve_left, n);
	vec_free(&n->left.list);
	free(n->busy);
}

/* A symbol's name is one pointer; inlined functions are one where their names read the same. */
static bool same_location(const struct location *a, const struct location *b)
{
	if (a->dso != b->dso || a->addr != b->addr || a->inlined != b->inlined || a->level != b->level || a->line != b->line ||
	    a->file != b->file || a->line_number != b->line_number || a->offset != b->offset)
		return false;
	return a->inlined ? str_eq(a->name, b->name) : a->name == b->name;
}

/* The number of the location that is the same as @found; added if new. */
static uint32_t join(struct locations *s, const struct location *found)
{
	uint64_t name = found->inlined ? hash_bytes(found->name, strlen(found->name)) : (uintptr_t)found->name;
	uint64_t line = (uint64_t)found->line_number << 32 | (found->line + found->file);
	uint64_t h = hash_pair((uintptr_t)found->dso ^ name << 1, found->addr + found->offset + line);
	uint32_t pos;

	for (size_t i = index_first(&s->by_address, h); (pos = index_at(&s->by_address, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || !same_location(&s->list.v[pos], found))
			continue;
		s->list.v[pos].ip = MIN(s->list.v[pos].ip, found->ip);
		s->list.v[pos].map_size = MAX(s->list.v[pos].map_size, found->map_size);
		s->list.v[pos].size = MAX(s->list.v[pos].size, found->size);
		return pos;
	}
	pos = (uint32_t)s->list.nr;
	index_add(&s->by_address, h, pos);
	vec_push(&s->list, *found);
	s->list.v[pos].function = pos;
	return pos;
}

/* ---- lines ---- */

static uint32_t add_text(struct locations *s, struct buf *text)
{
	uint32_t number = byte_table_add(&s->texts, text->data, text->len) + 1;

	text->len = 0;
	return number;
}

/* Writes the line: the compiler's file and line, or as perf does the offset in the function, or in the dso. */
static void put_line(const char *file, uint32_t line, const struct found *found, struct buf *out)
{
	if (file)
		buf_printf(out, "%s:%u", file, line);
	else if (found->location.name && !found->location.made)
		buf_printf(out, "%s+%llu", found->location.name, (unsigned long long)found->offset);
	else if (found->location.dso)
		buf_printf(out, "%s[%llx]", found->location.dso->name, (unsigned long long)found->addr);
	else
		buf_puts(out, "??:0");
}

static void find_line(struct locations *s, const struct location_opts *o, struct location *location, const struct frame *f,
		      const struct found *found)
{
	const char *file = f ? f->file : NULL, *name = file && !o->full_paths ? strrchr(file, '/') : NULL;
	struct buf text = {0};

	file = name ? name + 1 : file;
	if (file) {
		buf_puts(&text, file);
		location->line_number = f->line;
	}
	if (file || o->line_texts)
		location->file = add_text(s, &text);
	if (o->line_texts) {
		put_line(file, location->line_number, found, &text);
		location->line = add_text(s, &text);
	}
	buf_release(&text);
}

/* As join(), with the line that the function's frame @f says, and the address; it names the location of all of it. */
static uint32_t join_exact(struct locations *s, const struct location_opts *o, struct location location, const struct frame *f,
			  const struct found *found)
{
	uint32_t all = join(s, &location), pos;

	if (!o->lines && !o->offsets)
		return all;
	if (o->lines)
		find_line(s, o, &location, f, found);
	if (o->offsets && !location.inlined)
		location.offset = found->offset;
	pos = join(s, &location);
	s->list.v[pos].function = all;
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

/* The last of the frames is the function that the symbol names. */
static void join_inlines(struct locations *s, const struct location_opts *o, struct named_addr_key *a, const struct found *found)
{
	a->inlines = (uint32_t)s->inlines.nr;
	for (uint32_t i = 0; o->inlines && i + 1 < found->frames.nr; i++) {
		struct location location = found->location;

		if (!found->frames.v[i].function)
			continue;
		location.name = found->frames.v[i].function;
		location.inlined = true;
		location.addr = location.own_addr = 0;
		vec_push(&s->inlines, join_exact(s, o, location, &found->frames.v[i], found));
		a->nr_inlines++;
	}
}

void locations_resolve(struct locations *s, const struct addr_key_table *addr_keys, const struct machine *m,
		    const struct location_opts *o)
{
	size_t nr = addr_keys->list.nr;
	struct naming n = { .addr_keys = addr_keys, .machine = m, .opts = o };
	bool any_broken = false;

	n.found = xmalloc(MAX(nr, 1) * sizeof(*n.found));
	vec_reserve(&s->addr_keys, nr);
	if (o->offsets) {	/* nearly each address is a location */
		vec_reserve(&s->list, nr + nr / 8);
		index_reserve(&s->by_address, nr + nr / 8);
	}
	resolve_all(&n, o->jobs);
	progress_end();
	for (size_t i = 0; i < nr; i++) {
		const struct found *found = &n.found[i];
		const struct frame *innermost = found->frames.nr ? &found->frames.v[0] : NULL;
		struct named_addr_key named = {
			.location = join_exact(s, o, found->location, innermost, found), .addr = found->addr,
			.broken = found->broken,
		};

		named.frame = named.location;
		any_broken |= found->broken;
		if (o->call_lines && o->inlines && found->frames.nr > 1)
			named.frame = join_exact(s, o, found->location, innermost + found->frames.nr - 1, found);
		if (wants_inlines(o, &addr_keys->list.v[i]) && found->location.name && found->location.dso->kind == DSO_USER)
			join_inlines(s, o, &named, found);
		named.own = o->sample_inlines && named.nr_inlines ? s->inlines.v[named.inlines] : named.location;
		vec_push(&s->addr_keys, named);
	}
	if (any_broken)
		s->broken = join(s, &(struct location){ .name = "[broken]", .level = '.' });
	free(n.found);
}

uint32_t locations_of_dso(struct locations *s, const struct dso *dso)
{
	return join(s, &(struct location){ .dso = dso, .level = dso ? level_of_dso(dso) : '.' });
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
	index_release(&s->by_address);
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
