/* Sites to spots: collect, resolve in parallel, join those that are one. Layer: profile */
#include "core/profile/spot.h"

#include <string.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/pool.h"
#include "core/format/abi.h"
#include "core/model/machine.h"
#include "core/model/site.h"
#include "core/model/srcline.h"

#define BATCH 512	/* sites that a worker takes at a time */

/* ---- resolving ---- */

struct naming {
	const struct site_table *sites;
	const struct machine *machine;
	const struct spot_opts *opts;
	struct found {
		struct spot spot;
		struct frames frames;
		uint64_t addr, offset;		/* of the address: in the file's terms, and from the function's start */
	} *found;				/* of each site */
};

static bool kernel_dso(const struct dso *dso)
{
	return dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE || dso->kind == DSO_BPF;
}

char spot_level(uint16_t cpumode)
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

static char level_of(const struct machine *m, const struct site *a, const struct dso *dso)
{
	const struct arch *arch = machine_arch(m);

	if (dso)
		return kernel_dso(dso) ? 'k' : '.';
	if (a->mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN)	/* of a frame in a chain, too */
		return arch && arch->kernel_start && a->ip >= arch->kernel_start ? 'k' : '.';
	return spot_level(a->mode);
}

static struct found find(const struct naming *n, const struct site *a)
{
	struct found found = { .spot = { .addr = a->ip, .ip = a->ip }, .addr = a->ip };
	struct spot *spot = &found.spot;
	struct place place;

	machine_resolve(n->machine, a->space, a->ip, &place);
	spot->dso = place.dso;
	spot->level = level_of(n->machine, a, place.dso);
	if (place.symbol) {
		spot->name = place.symbol->name;
		spot->addr = place.symbol->start;
		found.offset = place.addr - place.symbol->start;
		spot->size = place.symbol->end - place.symbol->start;
	} else if (place.dso && !kernel_dso(place.dso)) {
		spot->addr = place.file_addr;
	}
	if (place.dso) {
		found.addr = place.addr;
		spot->map_size = place.map->end - place.map->start;
	}
	/* Behind a call another line may begin, or another function that was inlined. */
	if (a->calls && place.addr)
		place.addr--;
	if (place.dso && (n->opts->lines || (n->opts->inlines && a->in_chain && place.symbol && place.dso->kind == DSO_USER)))
		found.frames = place_frames(&place);
	return found;
}

static void resolve_batch(void *ctx, unsigned worker, size_t batch)
{
	struct naming *n = ctx;
	size_t end = MIN((batch + 1) * BATCH, n->sites->list.nr);

	(void)worker;
	for (size_t i = batch * BATCH; i < end; i++)
		n->found[i] = find(n, &n->sites->list.v[i]);
}

/* A symbol's name is one pointer; inlined functions are one where their names read the same. */
static bool same_spot(const struct spot *a, const struct spot *b)
{
	if (a->dso != b->dso || a->addr != b->addr || a->inlined != b->inlined || a->level != b->level || a->line != b->line ||
	    a->offset != b->offset)
		return false;
	return a->inlined ? str_eq(a->name, b->name) : a->name == b->name;
}

/* The number of the spot that is the same as @found; added if new. */
static uint32_t join(struct spots *s, const struct spot *found)
{
	uint64_t name = found->inlined ? hash_bytes(found->name, strlen(found->name)) : (uintptr_t)found->name;
	uint64_t h = hash_pair((uintptr_t)found->dso ^ name << 1, found->addr + found->line + found->offset);
	uint32_t pos;

	for (size_t i = index_first(&s->by_place, h); (pos = index_at(&s->by_place, i, h)) != INDEX_END; i++) {
		if (pos == INDEX_OTHER || !same_spot(&s->list.v[pos], found))
			continue;
		s->list.v[pos].ip = MIN(s->list.v[pos].ip, found->ip);
		s->list.v[pos].map_size = MAX(s->list.v[pos].map_size, found->map_size);
		return pos;
	}
	pos = (uint32_t)s->list.nr;
	index_add(&s->by_place, h, pos);
	vec_push(&s->list, *found);
	s->list.v[pos].function = pos;
	return pos;
}

/* ---- lines ---- */

static uint32_t add_text(struct spots *s, struct buf *text)
{
	uint32_t number = blobs_add(&s->texts, text->data, text->len) + 1;

	text->len = 0;
	return number;
}

/* The line that the compiler says, or as perf has it the place in the function, or in the file. */
static void find_line(struct spots *s, const struct spot_opts *o, struct spot *spot, const struct frame *f,
		      const struct found *found)
{
	const char *name = f && f->file && !o->full_paths ? strrchr(f->file, '/') : NULL;
	struct buf text = {0};

	if (f && f->file) {
		name = name ? name + 1 : f->file;
		buf_puts(&text, name);
		spot->file = add_text(s, &text);
		spot->line_number = f->line;
		buf_printf(&text, "%s:%u", name, f->line);
	} else {
		spot->file = add_text(s, &text);
		if (found->spot.name)
			buf_printf(&text, "%s+%llu", found->spot.name, (unsigned long long)found->offset);
		else if (found->spot.dso)
			buf_printf(&text, "%s[%llx]", found->spot.dso->name, (unsigned long long)found->addr);
		else
			buf_puts(&text, "??:0");
	}
	spot->line = add_text(s, &text);
	buf_release(&text);
}

/* As join(), with the line that the function's frame @f says, and the address; it names the spot of all of it. */
static uint32_t join_exact(struct spots *s, const struct spot_opts *o, struct spot spot, const struct frame *f,
			  const struct found *found)
{
	uint32_t all = join(s, &spot), pos;

	if (!o->lines && !o->offsets)
		return all;
	if (o->lines)
		find_line(s, o, &spot, f, found);
	if (o->offsets && !spot.inlined)
		spot.offset = found->offset;
	pos = join(s, &spot);
	s->list.v[pos].function = all;
	return pos;
}

const char *spots_text(const struct spots *s, uint32_t number, size_t *n)
{
	*n = 0;
	return number ? blobs_get(&s->texts, number - 1, n) : "";
}

bool spots_know_line(const struct spots *s, const struct spot *spot)
{
	size_t n;

	spots_text(s, spot->file, &n);
	return n > 0;
}

/* The last of the frames is the function that the symbol names. */
static void join_inlines(struct spots *s, const struct spot_opts *o, struct named_site *a, const struct found *found)
{
	a->inlines = (uint32_t)s->inlines.nr;
	for (uint32_t i = 0; o->inlines && i + 1 < found->frames.nr; i++) {
		struct spot spot = found->spot;

		if (!found->frames.v[i].function)
			continue;
		spot.name = found->frames.v[i].function;
		spot.inlined = true;
		spot.addr = 0;
		vec_push(&s->inlines, join_exact(s, o, spot, &found->frames.v[i], found));
		a->nr_inlines++;
	}
}

void spots_name(struct spots *s, const struct site_table *sites, const struct machine *m, const struct spot_opts *o)
{
	size_t nr = sites->list.nr;
	struct naming n = { .sites = sites, .machine = m, .opts = o };

	n.found = xmalloc(MAX(nr, 1) * sizeof(*n.found));
	pool_run(o->jobs, (nr + BATCH - 1) / BATCH, resolve_batch, &n);
	for (size_t i = 0; i < nr; i++) {
		const struct found *found = &n.found[i];
		const struct frame *innermost = found->frames.nr ? &found->frames.v[0] : NULL;
		struct named_site named = { .spot = join_exact(s, o, found->spot, innermost, found), .addr = found->addr };

		named.frame = named.spot;
		if (o->call_lines && o->inlines && found->frames.nr > 1)
			named.frame = join_exact(s, o, found->spot, innermost + found->frames.nr - 1, found);
		if (sites->list.v[i].in_chain && found->spot.name && found->spot.dso->kind == DSO_USER)
			join_inlines(s, o, &named, found);
		vec_push(&s->sites, named);
	}
	free(n.found);
}

uint32_t spots_of_dso(struct spots *s, const struct dso *dso)
{
	return join(s, &(struct spot){ .dso = dso, .level = dso && kernel_dso(dso) ? 'k' : '.' });
}

void spot_put_name(const struct spot *s, struct buf *out)
{
	buf_puts(out, s->name);
	if (s->inlined)
		buf_puts(out, " (inlined)");
}

void spot_put_addr(uint64_t addr, struct buf *out)
{
	buf_puts(out, addr ? "0x" : "");
	buf_hex0(out, addr, 16);
}

void spots_release(struct spots *s)
{
	vec_free(&s->sites);
	vec_free(&s->list);
	vec_free(&s->inlines);
	index_release(&s->by_place);
	blobs_release(&s->texts);
}

int spot_compare(const struct spot *a, const struct spot *b)
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
