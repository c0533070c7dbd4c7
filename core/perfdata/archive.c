/*
 * Packs an archive (symbols, source lines and code of a recording, archive.h) into one of prec's own sections of perf.data, and
 * unpacks and checks this section when the recording is read.
 */
#include "core/perfdata/archive.h"

#include <errno.h>
#include <string.h>

#include "core/base/printable.h"
#include "core/base/wire.h"
#include "core/compression/zstd.h"

#define VERSION		1u
#define HEADER_SIZE	16u
#define LEVEL		9		/* zstd level: high, as the data are mostly names and lines, packed once a recording */
#define RATIO_MAX	3000u		/* a section that unpacks to more than this many times its size is damaged */
#define FREE_SIZE	(1u << 20)	/* RATIO_MAX does not hold for a section that unpacks to at most this size */

/* ---- texts and bytes ---- */

uint32_t archive_add_text(struct archive *a, const char *text)
{
	return text ? byte_table_add(&a->added, text, strlen(text)) + 1 : 0;
}

const char *archive_text(const struct archive *a, uint32_t number)
{
	return number && number <= a->texts.nr ? a->texts.v[number - 1] : NULL;
}

const struct archive_file *archive_find_file(const struct archive *a, const char *path)
{
	for (size_t i = 0; a && i < a->files.nr; i++) {
		const char *known = archive_text(a, a->files.v[i].path);

		if (known && str_eq(known, path))
			return &a->files.v[i];
	}
	return NULL;
}

const void *archive_keep(struct archive *a, const void *bytes, size_t n)
{
	void *copy = xmalloc(MAX(n, 1));

	memcpy(copy, bytes, n);
	vec_push(&a->kept, copy);
	return copy;
}

void archive_release(struct archive *a)
{
	vec_for(dso, &a->dsos) {
		vec_free(&dso->segments);
		vec_free(&dso->symbols);
		vec_free(&dso->places);
		vec_free(&dso->frames);
		vec_free(&dso->codes);
		vec_free(&dso->unwind);
	}
	vec_for(text, &a->own)
		free(*text);
	vec_for(bytes, &a->kept)
		free(*bytes);
	vec_free(&a->own);
	vec_free(&a->kept);
	vec_free(&a->dsos);
	vec_free(&a->files);
	vec_free(&a->texts);
	byte_table_release(&a->added);
	free(a->data);
	*a = (struct archive){0};
}

/* ---- vocabulary: each call reads, writes or measures ---- */

static void flag(struct wire *w, bool *v)
{
	uint8_t byte = *v;

	wire_u8(w, &byte);
	if (wire_reading(w))
		*v = byte;
}

static void text_number(struct wire *w, const struct archive *a, uint32_t *v)
{
	wire_u32(w, v);
	if (wire_reading(w) && *v > a->texts.nr)
		*v = 0;
}

static void bytes_of(struct wire *w, const void **bytes, uint64_t *size)
{
	wire_u64(w, size);
	if (wire_reading(w) && *size > wire_left(w)) {
		w->bad = true;
		*size = 0;
	}
	wire_bytes(w, bytes, *size);
	if (wire_reading(w) && !*bytes)
		*size = 0;
}

/* Loops over the items of a counted list. On reading, all items are first added as zeros. */
#define EACH(w, item, vec, least)								\
	for (uint64_t nr_##item = made(w, vec, least), i_##item = 0; i_##item < nr_##item; i_##item++)	\
		for (__typeof__((vec)->v) item = &(vec)->v[i_##item]; item; item = NULL)

#define made(w, vec, least) ({							\
	uint64_t nr_made = wire_count(w, (vec)->nr, least);			\
	if (wire_reading(w) && nr_made) {						\
		vec_reserve(vec, nr_made);					\
		memset((vec)->v, 0, nr_made * sizeof(*(vec)->v));		\
		(vec)->nr = nr_made;						\
	}									\
	nr_made;								\
})

/* ---- what there is ---- */

static void pass_build_id(struct wire *w, struct build_id *id)
{
	wire_u8(w, &id->size);
	wire_copy(w, id->data, BUILD_ID_MAX);
	if (wire_reading(w))
		id->size = MIN(id->size, BUILD_ID_MAX);
}

static void pass_symbol(struct wire *w, const struct archive *a, struct archive_symbol *s)
{
	wire_u64(w, &s->start);
	wire_u64(w, &s->end);
	text_number(w, a, &s->name);
	wire_u8(w, &s->binding);
	wire_u8(w, &s->flags);
}

static void pass_place(struct wire *w, const struct archive_dso *dso, struct archive_place *p)
{
	wire_u64(w, &p->addr);
	wire_u32(w, &p->first);
	wire_u32(w, &p->nr);
	if (wire_reading(w) && (p->first > dso->frames.nr || p->nr > dso->frames.nr - p->first))
		p->first = p->nr = 0;
}

static void pass_code(struct wire *w, struct archive_code *c)
{
	wire_u64(w, &c->base);
	wire_u64(w, &c->at);
	flag(w, &c->by_offset);
	bytes_of(w, &c->bytes, &c->size);
}

static void pass_unwind(struct wire *w, struct archive_unwind *u)
{
	wire_u32(w, &u->kind);
	wire_u8(w, &u->word);
	flag(w, &u->until_zero);
	flag(w, &u->arm64);
	wire_u64(w, &u->addr);
	wire_u64(w, &u->table);
	wire_u64(w, &u->table_size);
	wire_u64(w, &u->end);
	bytes_of(w, &u->bytes, &u->size);
}

static void pass_facts(struct wire *w, const struct archive *a, struct archive_dso *dso)
{
	text_number(w, a, &dso->path);
	wire_u32(w, &dso->nth);
	wire_u8(w, &dso->kind);
	wire_u8(w, &dso->state);
	wire_u8(w, &dso->elf_class);
	flag(w, &dso->is_stripped);
	flag(w, &dso->relative);
	flag(w, &dso->has_file);
	wire_u64(w, &dso->relocation);
	pass_build_id(w, &dso->build_id);
	text_number(w, a, &dso->why);
	text_number(w, a, &dso->symbols_from);
	text_number(w, a, &dso->missing_why);
	text_number(w, a, &dso->missing_help);
}

static void pass_dso(struct wire *w, const struct archive *a, struct archive_dso *dso)
{
	pass_facts(w, a, dso);
	EACH(w, s, &dso->segments, 25) {
		wire_u64(w, &s->vaddr);
		wire_u64(w, &s->offset);
		wire_u64(w, &s->size);
		flag(w, &s->can_run);
	}
	EACH(w, symbol, &dso->symbols, 22)
		pass_symbol(w, a, symbol);
	EACH(w, f, &dso->frames, 12) {
		text_number(w, a, &f->function);
		text_number(w, a, &f->file);
		wire_u32(w, &f->line);
	}
	EACH(w, place, &dso->places, 16)
		pass_place(w, dso, place);
	EACH(w, code, &dso->codes, 25)
		pass_code(w, code);
	EACH(w, unwind, &dso->unwind, 47)
		pass_unwind(w, unwind);
}

/* Reads the texts of the archive, each of which ends with a NUL. */
static void read_texts(struct wire *w, struct archive *a)
{
	uint64_t nr = wire_count(w, 0, 1), size = 0;
	const void *all = NULL;
	const char *at, *end;

	bytes_of(w, &all, &size);
	if (!all || (size && ((const char *)all)[size - 1])) {
		w->bad |= nr != 0;
		return;
	}
	end = (const char *)all + size;
	for (at = all; at < end && a->texts.nr < nr; at += strlen(at) + 1)
		vec_push(&a->texts, at);
	w->bad |= a->texts.nr != nr;
	vec_for(text, &a->texts) {
		if (is_plain_text(*text, strlen(*text)))
			continue;
		vec_push(&a->own, printable_text(xstrdup(*text)));
		*text = a->own.v[a->own.nr - 1];
	}
}

static void write_texts(struct wire *w, const struct archive *a)
{
	struct buf all = {0};
	const void *bytes;
	uint64_t size;
	size_t n;

	for (uint32_t i = 0; i < a->added.ends.nr; i++) {
		const char *text = byte_table_get(&a->added, i, &n);

		buf_put(&all, text, n);
		buf_putc(&all, '\0');
	}
	bytes = all.data;
	size = all.len;
	wire_count(w, a->added.ends.nr, 1);
	bytes_of(w, &bytes, &size);
	buf_release(&all);
}

static void pass(struct wire *w, struct archive *a)
{
	if (wire_reading(w))
		read_texts(w, a);
	else
		write_texts(w, a);
	EACH(w, dso, &a->dsos, 97)
		pass_dso(w, a, dso);
	EACH(w, file, &a->files, 12) {
		text_number(w, a, &file->path);
		bytes_of(w, &file->bytes, &file->size);
	}
	text_number(w, a, &a->hidden);
}

/* ---- packing ---- */

int archive_pack(struct archive *a, struct buf *out)
{
	struct wire w = { .mode = WIRE_SIZE };
	uint32_t version = VERSION, zero = 0;
	struct zstd_writer *z;
	struct buf plain = {0};
	uint64_t size;
	int err;

	pass(&w, a);
	size = w.size;
	w = wire_writer(buf_room(&plain, MAX(size, 1)), size);
	pass(&w, a);
	buf_put(out, &version, sizeof(version));
	buf_put(out, &zero, sizeof(zero));
	buf_put(out, &size, sizeof(size));
	z = zstd_writer_new(LEVEL);
	err = z && !w.bad ? zstd_write(z, plain.data, size, out) : -EINVAL;
	err = err ? err : zstd_end(z, out);
	zstd_writer_free(z);
	buf_release(&plain);
	return err;
}

static int unzip(const uint8_t *bytes, size_t size, uint64_t wanted, struct buf *out)
{
	struct zstd_reader *z;
	int err = 0;

	if (wanted > FREE_SIZE && wanted / RATIO_MAX > size)
		return -EINVAL;
	z = zstd_reader_new();
	while (z && size && !err && out->len <= wanted)
		err = zstd_read(z, &bytes, &size, out);
	zstd_reader_free(z);
	return z && !err && out->len == wanted ? 0 : -EINVAL;
}

int archive_unpack(struct archive *out, const void *section, size_t size)
{
	struct wire w = wire_reader(section, size);
	uint32_t version, zero;
	struct buf plain = {0};
	uint64_t wanted;
	int err;

	*out = (struct archive){0};
	wire_u32(&w, &version);
	wire_u32(&w, &zero);
	wire_u64(&w, &wanted);
	if (w.bad)
		return -EINVAL;
	if (version != VERSION)
		return -ENOTSUP;
	err = unzip((const uint8_t *)section + HEADER_SIZE, size - HEADER_SIZE, wanted, &plain);
	if (!err) {
		w = wire_reader(plain.data, plain.len);
		pass(&w, out);
		err = w.bad ? -EINVAL : 0;
	}
	out->data = plain.data;
	if (err)
		archive_release(out);
	return err;
}
