/*
 * Reads and writes the cache files of line_cache.h, which keep source lines and inlined functions from one run of prec to the
 * next. srcline.c reads debug information for addresses that the cache lacks.
 */
#include "core/model/line_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/byte_table.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/binary/build_id_cache.h"
#include "core/binary/dwarf_file.h"
#include "core/binary/elf_internal.h"
#include "core/model/dso.h"

#define MAGIC		"PRECLIN1"
#define FILE_MIN	(128u << 10)	/* debug information of fewer bytes is read as fast */
#define CACHE_MAX	(32u << 20)	/* bytes of one cache */
#define LINE_CACHES_MAX	(256u << 20)	/* bytes of all caches */

struct stamp { uint64_t device, inode, size, changed_ns; };	/* all 0: no such file */

/*
 * The format of a file. A file is read only on the host that wrote it, so the numbers are in the byte order of this host. A
 * checksum detects files that were cut by a full disk or a crash. The range of an address is checked when it is used.
 *
 *	struct header | addresses, each with a range of frames | frames | texts, each with its NUL
 */
struct header {
	char magic[8];
	uint64_t checksum;		/* of all bytes after this field */
	struct stamp prec, debug, alternate;
	uint32_t debug_path, alternate_path;	/* as the texts in struct kept_frame */
	uint32_t nr_places, nr_frames, text_size, zero;
};

struct place { uint64_t addr; uint32_t first, nr; };
/* .function, .file, .linkage: 1 + the offset of the text; 0: none */
struct kept_frame { uint32_t function, file, linkage, line, discriminator, first_line; };

struct line_cache {
	struct buf file;		/* as read; the following members point into it */
	const struct header *header;
	const struct place *places;
	const struct kept_frame *frames;
	const char *texts;
};

/* ---- the files ---- */

static struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){ st->st_dev, st->st_ino, (uint64_t)st->st_size,
			       (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec };
}

static struct stamp stamp_at(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) ? stamp_of(&st) : (struct stamp){0};
}

static bool same_stamp(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size && a->changed_ns == b->changed_ns;
}

/* The directory of all caches. Returns a descriptor, owned by the caller, or -errno. */
static int open_directory(bool make)
{
	struct build_id_cache c;
	int err = build_id_cache_open(&c, make), fd;

	if (err)
		return err;
	fd = build_id_cache_lines(&c, make);
	build_id_cache_close(&c);
	return fd;
}

static int read_cache(const struct dso *dso, struct buf *out)
{
	char name[BUILD_ID_TEXT];
	int dir = open_directory(false), fd, err = 0;
	struct stat st;
	int64_t n;

	if (dir < 0)
		return dir;
	fd = openat(dir, build_id_text(&dso->build_id, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(dir);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > CACHE_MAX) {
		close(fd);
		return -EINVAL;
	}
	n = read_at(fd, buf_room(out, (size_t)st.st_size + 1), (size_t)st.st_size, 0);
	if (n != st.st_size)
		err = -EIO;
	else
		out->len = (size_t)n;
	if (!err)
		futimens(fd, NULL);	/* so that measure() finds that the cache was used */
	close(fd);
	return err;
}

/* ---- reading ---- */

static bool is_whole(struct line_cache *c)
{
	const struct header *h = (const void *)c->file.data;
	uint64_t size;

	if (c->file.len < sizeof(*h) || memcmp(h->magic, MAGIC, sizeof(h->magic)))
		return false;
	size = sizeof(*h) + (uint64_t)h->nr_places * sizeof(struct place) + (uint64_t)h->nr_frames * sizeof(struct kept_frame) +
	       h->text_size;
	if (size != c->file.len || !h->text_size || c->file.data[size - 1] ||
	    h->checksum != hash_bytes(&h->prec, c->file.len - offsetof(struct header, prec)))
		return false;
	c->header = h;
	c->places = (const void *)(h + 1);
	c->frames = (const void *)(c->places + h->nr_places);
	c->texts = (const void *)(c->frames + h->nr_frames);
	return true;
}

static const char *text_at(const struct line_cache *c, uint32_t at)
{
	return at && at <= c->header->text_size ? c->texts + at - 1 : NULL;
}

static bool is_of(const struct line_cache *c, const struct dso *dso)
{
	const struct header *h = c->header;
	const char *path = text_at(c, h->debug_path);
	struct stamp prec = stamp_at("/proc/self/exe"), debug = stamp_at(dso->dwarf_file);
	struct stamp alternate = stamp_at(text_at(c, h->alternate_path));

	return path && str_eq(path, dso->dwarf_file) && same_stamp(&h->prec, &prec) && same_stamp(&h->debug, &debug) &&
	       same_stamp(&h->alternate, &alternate);
}

struct line_cache *line_cache_read(const struct dso *dso)
{
	struct line_cache *c;

	if (!dso->build_id.size || !dso->dwarf_file)
		return NULL;
	c = xcalloc(1, sizeof(*c));
	if (!read_cache(dso, &c->file) && is_whole(c) && is_of(c, dso)) {
		debug(1, "'%s': lines of %u addresses are known", dso->path, c->header->nr_places);
		return c;
	}
	line_cache_free(c);
	return NULL;
}

static struct frames frames_at(const struct line_cache *c, const struct place *place)
{
	struct frame *v = place->nr ? xcalloc(place->nr, sizeof(*v)) : NULL;

	for (uint32_t i = 0; i < place->nr; i++) {
		const struct kept_frame *f = &c->frames[place->first + i];

		v[i] = (struct frame){
			.function = text_at(c, f->function), .file = text_at(c, f->file), .linkage = text_at(c, f->linkage),
			.line = f->line, .discriminator = f->discriminator, .first_line = f->first_line,
		};
	}
	return (struct frames){ v, place->nr };
}

static bool is_within(const struct line_cache *c, const struct place *place)
{
	return place->nr <= c->header->nr_frames && place->first <= c->header->nr_frames - place->nr;
}

bool line_cache_find(const struct line_cache *c, uint64_t addr, struct frames *out)
{
	uint32_t at = c ? bisect(i, 0, c->header->nr_places, c->places[i].addr < addr) : 0;

	if (!c || at == c->header->nr_places || c->places[at].addr != addr || !is_within(c, &c->places[at]))
		return false;
	*out = frames_at(c, &c->places[at]);
	return true;
}

void line_cache_free(struct line_cache *c)
{
	if (!c)
		return;
	buf_release(&c->file);
	free(c);
}

/* ---- writing ---- */

struct writer {
	VEC(struct place) places;
	VEC(struct kept_frame) frames;
	struct byte_table texts;
	const struct line_cache *old;
	size_t next;			/* index of the next place of .old */
};

static uint32_t add_text(struct writer *w, const char *text)
{
	uint32_t number;

	if (!text)
		return 0;
	number = byte_table_add(&w->texts, text, strlen(text) + 1);
	return (uint32_t)(number ? w->texts.ends.v[number - 1] : 0) + 1;
}

static void add_place(struct writer *w, uint64_t addr, const struct frames *frames)
{
	vec_push(&w->places, (struct place){ addr, (uint32_t)w->frames.nr, frames->nr });
	for (uint32_t i = 0; i < frames->nr; i++) {
		const struct frame *f = &frames->v[i];

		vec_push(&w->frames, (struct kept_frame){
			add_text(w, f->function), add_text(w, f->file), add_text(w, f->linkage), f->line, f->discriminator,
			f->first_line,
		});
	}
}

/* Adds the places of .old with addresses below @end. */
static void add_old(struct writer *w, uint64_t end)
{
	for (; w->old && w->next < w->old->header->nr_places && w->old->places[w->next].addr < end; w->next++) {
		const struct place *place = &w->old->places[w->next];
		struct frames frames;

		if (!is_within(w->old, place))
			continue;
		frames = frames_at(w->old, place);
		add_place(w, place->addr, &frames);
		free((void *)(uintptr_t)frames.v);
	}
}

/* Adds an answer, in place of an old answer for this address. */
static void add_new(struct writer *w, const struct known_frames *known)
{
	add_old(w, known->addr);
	if (w->old && w->next < w->old->header->nr_places && w->old->places[w->next].addr == known->addr)
		w->next++;
	add_place(w, known->addr, &known->frames);
}

static void put_cache(struct writer *w, const struct dso *dso, const struct dwarf_file *debug, struct buf *out)
{
	struct header h = { .magic = MAGIC, .prec = stamp_at("/proc/self/exe") };
	struct stat st;

	if (!fstat(debug->file->fd, &st))
		h.debug = stamp_of(&st);
	h.debug_path = add_text(w, dso->dwarf_file);
	if (debug->alternate_file && !fstat(debug->alternate_file->fd, &st)) {
		h.alternate = stamp_of(&st);
		h.alternate_path = add_text(w, debug->alternate_path);
	}
	h.nr_places = (uint32_t)w->places.nr;
	h.nr_frames = (uint32_t)w->frames.nr;
	h.text_size = (uint32_t)w->texts.bytes.len;
	buf_put(out, &h, sizeof(h));
	buf_put(out, w->places.v, w->places.nr * sizeof(*w->places.v));
	buf_put(out, w->frames.v, w->frames.nr * sizeof(*w->frames.v));
	buf_put(out, w->texts.bytes.data, w->texts.bytes.len);
	h.checksum = hash_bytes(out->data + offsetof(struct header, prec), out->len - offsetof(struct header, prec));
	memcpy(out->data, &h, sizeof(h));
}

/* Sums up the sizes of the caches; *oldest: the one that was not used for longest. */
static uint64_t measure(int dir, char oldest[BUILD_ID_TEXT], uint64_t *oldest_size)
{
	DIR *d = fdopendir(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	struct timespec first = {0};
	struct dirent *e;
	uint64_t sum = 0;
	struct stat st;

	*oldest = '\0';
	while (d && (e = readdir(d))) {
		if (strlen(e->d_name) >= BUILD_ID_TEXT || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		sum += (uint64_t)st.st_size;
		if (*oldest && (st.st_mtim.tv_sec > first.tv_sec ||
				(st.st_mtim.tv_sec == first.tv_sec && st.st_mtim.tv_nsec >= first.tv_nsec)))
			continue;
		first = st.st_mtim;
		*oldest_size = (uint64_t)st.st_size;
		strcpy(oldest, e->d_name);
	}
	if (d)
		closedir(d);
	return sum;
}

static void shrink(int dir, uint64_t max)
{
	char oldest[BUILD_ID_TEXT];
	uint64_t size, sum = measure(dir, oldest, &size);

	while (sum > max && *oldest && !unlinkat(dir, oldest, 0))
		sum = measure(dir, oldest, &size);
}

static void write_cache(const struct dso *dso, const struct buf *bytes)
{
	char name[BUILD_ID_TEXT];
	int dir = open_directory(true);

	if (dir < 0)
		return;
	if (!build_id_cache_write(dir, build_id_text(&dso->build_id, name), bytes->data, bytes->len))
		shrink(dir, LINE_CACHES_MAX);
	close(dir);
}

static bool is_worth_keeping(const struct dso *dso, const struct dwarf_file *debug)
{
	struct stat st;

	return dso->build_id.size && debug->dwarf && !debug->package && !debug->alternate_missing &&
	       !fstat(debug->file->fd, &st) && st.st_size >= FILE_MIN;
}

void line_cache_write(const struct dso *dso, const struct dwarf_file *debug, const struct line_cache *old,
		      const struct known_frames *f, size_t nr)
{
	struct writer w = { .old = old };
	struct buf bytes = {0};

	if (!is_worth_keeping(dso, debug))
		return;
	for (size_t i = 0; i < nr; i++)
		add_new(&w, &f[i]);
	add_old(&w, UINT64_MAX);
	if (w.texts.bytes.len < CACHE_MAX)
		put_cache(&w, dso, debug, &bytes);
	if (bytes.len && bytes.len <= CACHE_MAX)
		write_cache(dso, &bytes);
	buf_release(&bytes);
	vec_free(&w.places);
	vec_free(&w.frames);
	byte_table_release(&w.texts);
}

int line_caches_remove(void)
{
	int dir = open_directory(false);

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	shrink(dir, 0);
	close(dir);
	return 0;
}
