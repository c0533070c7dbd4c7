/* Reads the records of a jitdump, the file in which a JIT compiler writes its code with names, source lines and unwind tables. */
#include "core/model/jitdump.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/intern.h"
#include "core/base/util.h"
#include "core/base/wire.h"
#include "core/model/dso.h"

#define MAGIC		0x4a695444u	/* "JiTD" */
#define VERSION		1
#define HEADER_SIZE	40u
#define PREFIX_SIZE	16u
#define ARCH_TIMES	1u		/* flag in the header: times are of the processor's counter */

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

/* ---- records ---- */

struct dump {				/* being read */
	struct jitdump *j;
	struct dso *dso;
	struct strtab *strings;
	bool monotonic;
	const uint8_t *bytes;
	uint64_t offset;		/* offset of .bytes in the dump */
	const uint8_t *whole;		/* the end of the last complete code record */
	uint64_t now;			/* the time of the record, or of the dump's map if times are of another clock */
	bool has_times;
};

static void add_change(struct dump *d, uint64_t addr, uint64_t size, uint64_t at)
{
	if (size && addr + size > addr)
		vec_push(&d->j->changes, (struct jit_change){ d->now, addr, size, at });
}

/* Takes over .pending_lines, as the lines of a piece of code are in a record before the code's. */
static void load_lines(struct jitdump *j, uint64_t addr, uint64_t size, uint64_t at)
{
	vec_for(l, &j->pending_lines)
		if (l->at - addr < size)
			vec_push(&j->lines, (struct jit_line){ l->at - addr + at, l->file, l->line });
	j->pending_lines.nr = 0;
}

static void read_load(struct dump *d, struct wire *w)
{
	uint64_t addr, size, index, at;
	const char *name = NULL;
	struct dso *dso = d->dso;

	wire_zeros(w, 16);	/* pid, tid, vma */
	wire_u64(w, &addr);
	wire_u64(w, &size);
	wire_u64(w, &index);
	if (!w->bad && wire_left(w) && memchr(w->pos, '\0', wire_left(w))) {
		name = (const char *)w->pos;
		w->pos += strlen(name) + 1;
	}
	if (!name || !size || size > wire_left(w))
		return;
	at = (uint64_t)(w->pos - d->bytes) + d->offset;
	add_change(d, addr, size, at);
	vec_push(&d->j->codes, (struct jit_code){ index, size, at, d->j->frame_at, d->j->frame_size });
	d->j->frame_size = 0;
	load_lines(d->j, addr, size, at);
	symbols_add(&dso->symbols, &(struct symbol){
		.start = at, .end = at + size, .name = symbols_keep(&dso->symbols, name, strlen(name)),
		.binding = SYMBOL_GLOBAL, .function = true,
	});
}

static void read_move(struct dump *d, struct wire *w)
{
	uint64_t from, to, size, index;

	wire_zeros(w, 16);	/* pid, tid, vma */
	wire_u64(w, &from);
	wire_u64(w, &to);
	wire_u64(w, &size);
	wire_u64(w, &index);
	if (w->bad)
		return;
	/* The last code with this index. */
	for (size_t i = d->j->codes.nr; i; i--) {
		const struct jit_code *code = &d->j->codes.v[i - 1];

		if (code->index != index)
			continue;
		add_change(d, from, code->size, 0);
		add_change(d, to, code->size, code->at);
		return;
	}
}

/* "\xff" stands for the name of the entry before. */
static void read_lines(struct dump *d, struct wire *w)
{
	uint64_t code, nr, addr;
	uint32_t line, discriminator;
	const char *file = NULL;

	wire_u64(w, &code);
	wire_u64(w, &nr);
	for (uint64_t i = 0; i < nr && !w->bad && wire_left(w) > 16; i++) {
		const char *name;
		size_t n;

		wire_u64(w, &addr);
		wire_u32(w, &line);
		wire_u32(w, &discriminator);
		name = (const char *)w->pos;
		n = strnlen(name, wire_left(w));
		if (n == wire_left(w))
			return;
		w->pos += n + 1;
		if (!str_eq(name, "\xff"))
			file = intern_printable(d->strings, name);
		if (file)
			vec_push(&d->j->pending_lines, (struct jit_line){ addr, file, line });
	}
}

/* Reads .eh_frame and .eh_frame_hdr of the next code. */
static void read_unwinding(struct dump *d, struct wire *w)
{
	uint64_t size, header, mapped;

	wire_u64(w, &size);
	wire_u64(w, &header);
	wire_u64(w, &mapped);
	d->j->frame_size = !w->bad && size <= wire_left(w) && header <= size ? size - header : 0;
	d->j->frame_at = d->j->frames.nr;
	for (uint64_t i = 0; i < d->j->frame_size; i++)
		vec_push(&d->j->frames, w->pos[i]);
}

/* Returns false if nothing more can be read. */
static bool read_record(struct dump *d, struct wire *w, const uint8_t *end)
{
	struct wire body = *w;
	uint32_t id, size;
	uint64_t time;

	wire_u32(&body, &id);
	wire_u32(&body, &size);
	wire_u64(&body, &time);
	if (body.bad || size < PREFIX_SIZE || size > (uint64_t)(end - w->pos))
		return false;
	if (d->has_times && time > d->now)
		d->now = time;
	body.end = w->pos + size;
	w->pos += size;
	switch (id) {
	case CODE_LOAD:
		read_load(d, &body);
		d->whole = w->pos;
		break;
	case CODE_MOVE:
		read_move(d, &body);
		d->whole = w->pos;
		break;
	case CODE_DEBUG_INFO:
		read_lines(d, &body);
		break;
	case CODE_UNWINDING_INFO:
		read_unwinding(d, &body);
		break;
	case CODE_CLOSE:
		d->whole = w->pos;
		break;
	}
	return id != CODE_CLOSE;
}

/* Returns true if this is the dump of process @pid. @same_numbers false: the process may have another pid in the dump. */
static bool read_header(struct dump *d, struct wire *w, uint32_t pid, bool same_numbers)
{
	uint32_t magic, version, size, pad, own;
	uint64_t time, flags;

	wire_u32(w, &magic);
	w->swap = magic == __builtin_bswap32(MAGIC);
	wire_u32(w, &version);
	wire_u32(w, &size);
	wire_u32(w, &d->j->machine);
	wire_u32(w, &pad);
	wire_u32(w, &own);
	wire_u64(w, &time);
	wire_u64(w, &flags);
	if (w->bad || (magic != MAGIC && !w->swap) || version != VERSION || size < HEADER_SIZE || size - HEADER_SIZE > wire_left(w))
		return false;
	w->pos += size - HEADER_SIZE;
	d->whole = w->pos;
	d->j->swap = w->swap;
	d->has_times = d->j->has_times = d->monotonic && !(flags & ARCH_TIMES);
	return own == pid || !same_numbers;
}

ORDER(compare_lines, struct jit_line, compare_numbers(a->at, b->at))

size_t jitdump_read(struct jitdump *j, struct dso *dso, const void *bytes, size_t n, const struct jit_source *source)
{
	struct dump d = { .j = j, .dso = dso, .strings = source->strings, .monotonic = source->monotonic, .bytes = bytes,
			  .now = source->time, .offset = source->offset, .whole = bytes, .has_times = j->has_times };
	struct wire w = wire_reader(bytes, n);

	w.swap = j->swap;
	if (!source->offset && !read_header(&d, &w, source->pid, !source->any_pid))
		return 0;
	while (wire_left(&w) >= PREFIX_SIZE && read_record(&d, &w, w.end))
		;
	vec_sort(&j->lines, compare_lines);
	return (size_t)(d.whole - d.bytes);
}

ORDER(compare_changes, struct jit_change, compare_numbers(a->addr, b->addr))

bool jitdump_is_mixed(const struct jitdump *j)
{
	VEC(struct jit_change) sorted = {0};
	bool mixed = false;

	if (j->has_times || j->changes.nr < 2)
		return false;
	vec_for(c, &j->changes)
		vec_push(&sorted, *c);
	vec_sort(&sorted, compare_changes);
	for (size_t i = 1; i < sorted.nr; i++)
		mixed |= sorted.v[i].addr - sorted.v[i - 1].addr < sorted.v[i - 1].size;
	vec_free(&sorted);
	return mixed;
}

const struct jit_line *jitdump_line(const struct jitdump *j, const struct symbols *symbols, uint64_t at)
{
	const struct symbol *symbol = symbols_find(symbols, at);
	size_t nr = j ? bisect(i, 0, j->lines.nr, j->lines.v[i].at <= at) : 0;

	return nr && symbol && j->lines.v[nr - 1].at >= symbol->start ? &j->lines.v[nr - 1] : NULL;
}

const struct jit_place *jitdump_place(const struct jitdump *j, uint64_t at)
{
	size_t nr = bisect(i, 0, j->places.nr, j->places.v[i].at <= at);

	return nr && at - j->places.v[nr - 1].at < j->places.v[nr - 1].size ? &j->places.v[nr - 1] : NULL;
}

void jitdump_free(struct jitdump *j)
{
	if (!j)
		return;
	vec_free(&j->changes);
	vec_free(&j->codes);
	vec_free(&j->lines);
	vec_free(&j->pending_lines);
	vec_free(&j->frames);
	vec_free(&j->places);
	vec_free(&j->inlined);
	free(j);
}
