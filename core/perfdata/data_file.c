/*
 * Opens a perf.data, finds its header, events, data and feature sections, and checks that they are inside the file. core/read reads
 * the records in the data section.
 */
#include "core/perfdata/data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "core/base/wire.h"
#include "core/perfdata/own_sections.h"
#include "core/perfdata/pipe_reader.h"
#include "core/perfdata/recording_path.h"

#define STREAM_HEADER		16	/* bytes of a stream's header: the magic, and this size */
#define HEADER_NO_FEATURES	72	/* before Linux 2.6.35 */
#define HEADER_SIZE		104
#define EVENT_TYPE_SIZE		72	/* u64 id, 64 bytes of name: where files up to 3.3 kept tracepoint names */
#define EVENT_TYPE_NAME		64
#define SECTION_SIZE		16

struct section { uint64_t offset, size; };

struct file_header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[FEATURE_BITS / 64];
};

/* ---- parts of the file ---- */

/* No offset from the header is used before it was checked against the file's size. */
static bool inside(const struct data_file *f, const struct section *s)
{
	return s->offset <= f->size && s->size <= f->size - s->offset;
}

/* A part to be read in the file's byte order: part_end() when done. A copy, if reading swaps the bytes in place. */
struct part {
	struct wire w;
	uint8_t *copy;		/* owned; NULL: the map itself */
};

static struct part part_of(const struct data_file *f, const struct section *s)
{
	struct part p = {0};

	if (f->swap) {
		p.copy = xmalloc(MAX(s->size, 1));
		memcpy(p.copy, f->map + s->offset, s->size);
	}
	p.w = wire_reader(p.copy ? p.copy : f->map + s->offset, s->size);
	p.w.swap = f->swap;
	return p;
}

static void part_end(struct part *p)
{
	free(p->copy);
}

static void damaged(struct data_file *f, const char *what, const struct section *s)
{
	char *where = xasprintf("'%s': %s at offset %#" PRIx64 ", %#" PRIx64 " bytes, %s", f->path, what, s->offset, s->size,
				inside(f, s) ? "cannot be read" : "is beyond the end of the file");

	findings_add(&f->findings, FINDING_DAMAGED_HEADER, 1, 0, where);
	free(where);
}

/* ---- the header ---- */

static void section_pass(struct wire *w, struct section *s)
{
	wire_u64(w, &s->offset);
	wire_u64(w, &s->size);
}

static bool has_feature(const struct file_header *h, unsigned number)
{
	return h->features[number / 64] >> number % 64 & 1;
}

/* The feature bits are C longs: if a 32-bit machine had the other byte order, their halves are swapped. Each perf sets HOSTNAME. */
static void turn_halves(struct file_header *h)
{
	if (has_feature(h, FEATURE_HOSTNAME))
		return;
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
	if (has_feature(h, FEATURE_HOSTNAME))
		return;
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
}

static void header_pass(struct wire *w, struct file_header *h)
{
	wire_u64(w, &h->size);
	wire_u64(w, &h->attr_size);
	section_pass(w, &h->attrs);
	section_pass(w, &h->data);
	section_pass(w, &h->event_types);
	if (h->size < HEADER_SIZE)
		return;
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		wire_u64(w, &h->features[i]);
	if (w->swap)
		turn_halves(h);
}

/* Version 1 has one magic in both byte orders; the header's size, which is small, distinguishes them. */
static int read_magic(struct data_file *f)
{
	uint64_t magic, size;

	if (f->size < STREAM_HEADER)
		return error("'%s' is no perf.data: it has %" PRIu64 " bytes, a header has at least %d", f->path, f->size,
			     STREAM_HEADER);
	memcpy(&magic, f->map, 8);
	memcpy(&size, f->map + 8, 8);
	if (magic == FILE_MAGIC_V1) {
		f->v1 = true;
		f->swap = size > UINT32_MAX;
	} else if (magic == FILE_MAGIC_SWAP) {
		f->swap = true;
	} else if (magic != FILE_MAGIC) {
		return error("'%s' is no perf.data: it does not begin with PERFILE2", f->path);
	}
	return 0;
}

static int read_header(struct data_file *f, struct file_header *h)
{
	struct section all = { 0, MIN(f->size, HEADER_SIZE) };
	struct part p;
	bool bad;

	if (read_magic(f))
		return -1;
	*h = (struct file_header){0};
	p = part_of(f, &all);
	p.w.pos += 8;
	header_pass(&p.w, h);
	bad = p.w.bad;
	part_end(&p);
	f->stream = h->size == STREAM_HEADER;
	if (f->stream)
		return 0;
	if (h->size != HEADER_NO_FEATURES && h->size < HEADER_SIZE)
		return error("'%s': the header at offset 0x8 says it has %" PRIu64 " bytes; %d, %d and %d are known", f->path,
			     h->size, STREAM_HEADER, HEADER_NO_FEATURES, HEADER_SIZE);
	if (bad)
		return error("'%s' is cut inside its header: %" PRIu64 " bytes", f->path, f->size);
	return 0;
}

/* ---- events ---- */

/* Reads the ids of an event. The lists of events may overlap, so *room limits the sum of their sizes to the size of the file. */
static void read_ids(struct data_file *f, struct event *ev, const struct section *s, uint64_t *room)
{
	struct part p;
	uint64_t id;

	if (!inside(f, s) || s->size % 8 || s->size > *room) {
		damaged(f, "the list of an event's ids", s);
		return;
	}
	*room -= s->size;
	p = part_of(f, s);
	for (uint64_t i = 0; i < s->size / 8; i++) {
		wire_u64(&p.w, &id);
		event_table_add_id(&f->events, ev, id);
	}
	part_end(&p);
}

static int read_attr(struct data_file *f, struct wire *w, uint64_t attr_size, uint64_t *ids_room)
{
	size_t end = w->size + attr_size;
	struct event_attr attr;
	struct section ids;
	struct event *ev;

	if (attr_pass(w, &attr, attr_size - SECTION_SIZE))
		return -1;
	section_pass(w, &ids);		/* right after the attr's own size, even if entries are larger */
	ev = event_table_add(&f->events, &attr);
	read_ids(f, ev, &ids, ids_room);
	wire_zeros(w, end - w->size);
	return w->bad ? -1 : 0;
}

static int read_attrs(struct data_file *f, const struct file_header *h)
{
	const struct section *s = &h->attrs;
	uint64_t nr, room = f->size;
	struct part p;

	if (!inside(f, s))
		return error("'%s': the events at offset %#" PRIx64 ", %#" PRIx64 " bytes, are beyond the end of the file",
			     f->path, s->offset, s->size);
	if (h->attr_size < ATTR_SIZE_VER0 + SECTION_SIZE || h->attr_size % 8 || h->attr_size > UINT16_MAX)
		return error("'%s': the header at offset 0x10 says an event has %" PRIu64 " bytes; expected %d or more", f->path,
			     h->attr_size, ATTR_SIZE_VER0 + SECTION_SIZE);
	nr = s->size / h->attr_size;
	if (!nr)
		return error("'%s' has no events: nothing at offset %#" PRIx64, f->path, s->offset);
	p = part_of(f, s);
	for (uint64_t i = 0; i < nr; i++)
		if (read_attr(f, &p.w, h->attr_size, &room)) {
			part_end(&p);
			return error("'%s': event %" PRIu64 " at offset %#" PRIx64 " is damaged: its size does not fit %" PRIu64
				     " bytes", f->path, i, s->offset + i * h->attr_size, h->attr_size - SECTION_SIZE);
		}
	part_end(&p);
	return 0;
}

static void name_tracepoints(struct data_file *f, uint64_t id, const char *name)
{
	vec_for(ev, &f->events.events)
		if (!(*ev)->name && (*ev)->attr.type == PERF_TYPE_TRACEPOINT && (*ev)->attr.config == id)
			(*ev)->name = printable_text(xstrndup(name, EVENT_TYPE_NAME));
}

/* Files up to perf 3.3 hold the names of tracepoints in a list of their own. */
static void read_event_types(struct data_file *f, const struct file_header *h)
{
	const struct section *s = &h->event_types;
	const void *name;
	struct part p;
	uint64_t id;

	if (!s->size)
		return;
	if (!inside(f, s)) {
		damaged(f, "the list of event names", s);
		return;
	}
	p = part_of(f, s);
	for (uint64_t i = 0; i < s->size / EVENT_TYPE_SIZE; i++) {
		wire_u64(&p.w, &id);
		wire_bytes(&p.w, &name, EVENT_TYPE_NAME);
		if (name && *(const char *)name)
			name_tracepoints(f, id, name);
	}
	part_end(&p);
}

/* ---- data and features ---- */

/* A recorder that was killed leaves size 0: then everything to the end is data. */
static int find_data(struct data_file *f, const struct file_header *h)
{
	uint64_t left;

	if (h->data.offset > f->size)
		return error("'%s': the data at offset %#" PRIx64 " is beyond the end of the file (%" PRIu64 " bytes)", f->path,
			     h->data.offset, f->size);
	left = f->size - h->data.offset;
	f->data_offset = h->data.offset;
	f->promised_size = h->data.size;
	f->data_size = h->data.size && h->data.size < left ? h->data.size : left;
	return 0;
}

static void read_feature(struct data_file *f, unsigned number, const struct section *s)
{
	const char *name = feature_name(number);
	char what[64];
	struct part p;
	int err;

	if (!name)
		return;
	snprintf(what, sizeof(what), "section %s", name);
	if (!inside(f, s)) {
		damaged(f, what, s);
		return;
	}
	p = part_of(f, s);
	err = feature_pass(&p.w, number, &f->features, &f->events);
	part_end(&p);
	if (err)
		damaged(f, what, s);
}

/* Reads the table after the data: {offset, size} for each bit set, in order. Returns the end of the last section. */
static uint64_t read_features(struct data_file *f, const struct file_header *h)
{
	struct section table = { .offset = f->data_offset + f->data_size }, s;
	uint64_t end;
	struct part p;

	for (unsigned i = 0; i < FEATURE_BITS; i++)
		table.size += has_feature(h, i) ? SECTION_SIZE : 0;
	if (!inside(f, &table)) {
		damaged(f, "the table of sections", &table);
		table.size = f->size - table.offset;
	}
	end = table.offset + table.size;
	p = part_of(f, &table);
	for (unsigned i = 0; i < FEATURE_BITS && wire_left(&p.w) >= SECTION_SIZE; i++) {
		if (!has_feature(h, i))
			continue;
		section_pass(&p.w, &s);
		read_feature(f, i, &s);
		if (inside(f, &s))
			end = MAX(end, s.offset + s.size);
	}
	part_end(&p);
	return end;
}

/* True if there is a trailer. @begin: the earliest offset of prec's own sections. */
static bool read_own_trailer(const struct data_file *f, uint64_t begin, struct own_trailer *t)
{
	struct section at = { f->size - OWN_TRAILER_SIZE, OWN_TRAILER_SIZE };
	struct part p;

	if (f->size < begin || f->size - begin < OWN_TRAILER_SIZE)
		return false;
	p = part_of(f, &at);
	own_trailer_pass(&p.w, t);
	part_end(&p);
	return t->magic == OWN_SECTIONS_MAGIC && t->file_size == f->size && t->nr <= FEATURE_BITS - FEATURE_OWN &&
	       t->table >= begin && t->table <= at.offset && at.offset - t->table == t->nr * OWN_ENTRY_SIZE;
}

static void own_sections_cut(struct data_file *f, uint64_t begin)
{
	struct section s = { begin, f->size - begin }, first = { begin, sizeof(uint64_t) };
	uint64_t magic = 0;
	struct part p;

	if (!inside(f, &first))
		return;
	p = part_of(f, &first);
	wire_u64(&p.w, &magic);
	part_end(&p);
	if (magic == OWN_SECTIONS_MAGIC)
		damaged(f, "what is behind the header's sections", &s);
}

/* Reads prec's own sections, which are after @begin. Their numbers ascend, so no section comes twice. Skips unknown sections. */
static void read_own_sections(struct data_file *f, const struct file_header *h, uint64_t begin)
{
	uint64_t last = FEATURE_OWN - 1;
	struct section table;
	struct own_trailer t;
	struct own_entry e;
	struct part p;

	if (!read_own_trailer(f, begin, &t)) {
		own_sections_cut(f, begin);
		return;
	}
	table = (struct section){ t.table, t.nr * OWN_ENTRY_SIZE };
	p = part_of(f, &table);
	for (uint64_t i = 0; i < t.nr; i++) {
		struct section s;

		own_entry_pass(&p.w, &e);
		s = (struct section){ e.offset, e.size };
		if (e.number <= last || e.number >= FEATURE_BITS || e.offset < begin || e.offset > t.table ||
		    e.size > t.table - e.offset) {
			damaged(f, "a section behind the header's", &s);
			break;
		}
		last = e.number;
		if (!has_feature(h, (unsigned)e.number))
			read_feature(f, (unsigned)e.number, &s);
	}
	part_end(&p);
}

static int read_file_parts(struct data_file *f, const struct file_header *h)
{
	if (find_data(f, h) || read_attrs(f, h))
		return -1;
	if (!data_file_cut(f))
		read_own_sections(f, h, read_features(f, h));
	read_event_types(f, h);
	event_table_finish(&f->events);
	return 0;
}

/* ---- the parts of a directory ---- */

static int add_part(struct data_file *f, char *owned_path)
{
	int fd = open_regular(owned_path), err = 0;
	struct data_part p = { .path = owned_path };
	struct stat st = {0};

	if (fd < 0 || fstat(fd, &st))
		err = error("cannot open '%s': %s", owned_path, strerror(fd < 0 ? -fd : errno));
	if (!err && st.st_size) {
		void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (map == MAP_FAILED)
			err = error("cannot map '%s': %s", owned_path, strerror(errno));
		p.data = map;
		p.size = (uint64_t)st.st_size;
	}
	if (fd >= 0)
		close(fd);
	if (err || !p.size)
		free(owned_path);
	else
		vec_push(&f->parts, p);
	return err;
}

/* Adds the other files of a directory, also if the user gave the path of its "data". A killed recorder leaves no DIR_FORMAT. */
static int read_directory(struct data_file *f)
{
	bool named = f->features.has[FEATURE_DIR_FORMAT] && f->features.dir_version;
	struct part_numbers numbers = {0};
	char *slash, *dir;
	int err;

	if (!named && !(f->directory && !f->promised_size))
		return 0;
	if (named && f->features.dir_version != DIR_VERSION)
		return error("'%s' is part of a directory of version %" PRIu64 "; version %d is known", f->path,
			     f->features.dir_version, DIR_VERSION);
	slash = strrchr(f->path, '/');
	dir = slash ? xstrndup(f->path, (size_t)(slash - f->path)) : xstrdup(".");
	err = recording_parts(dir, &numbers);
	if (err)
		error("cannot look into '%s': %s", dir, strerror(-err));
	vec_for(number, &numbers.list)
		if (!err)
			err = add_part(f, recording_part_path(dir, *number));
	if (!err && !numbers.list.nr)
		findings_add(&f->findings, FINDING_MISSING_PARTS, 1, 0, f->path);
	vec_free(&numbers.list);
	free(dir);
	return err;
}

static int read_parts(struct data_file *f)
{
	struct file_header h;

	if (read_header(f, &h))
		return -1;
	if (!f->stream && read_file_parts(f, &h))
		return -1;
	if (f->stream) {
		f->data_offset = STREAM_HEADER;
		f->data_size = f->promised_size = f->size - STREAM_HEADER;
	}
	vec_push(&f->parts, (struct data_part){ .path = f->path, .data = f->map + f->data_offset, .size = f->data_size,
						.offset = f->data_offset });
	return f->stream ? 0 : read_directory(f);
}

/* ---- opening ---- */

/* Opens the file "data" in the directory in place of the directory. */
static int open_in_directory(struct data_file *f)
{
	char *path = recording_data_path(f->path);
	int fd = open_regular(path);

	if (fd < 0) {
		error("cannot open '%s': %s; a directory is a recording only with a file 'data' in it", path, strerror(-fd));
		free(path);
		return -1;
	}
	free(f->path);
	f->path = path;
	f->directory = true;
	close(f->fd);
	f->fd = fd;
	return 0;
}

static bool is_pipe(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) || S_ISCHR(st->st_mode);
}

static int open_any(struct data_file *f, struct stat *st)
{
	f->fd = str_eq(f->path, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
				       open(f->path, O_RDONLY | O_CLOEXEC | link_flags(f->path));
	if (f->fd < 0)
		return error("cannot open '%s': %s", f->path,
			     errno == ELOOP ? "it is another user's symbolic link" : strerror(errno));
	if (fstat(f->fd, st))
		return error("cannot look at '%s': %s", f->path, strerror(errno));
	return S_ISDIR(st->st_mode) ? open_in_directory(f) : 0;
}

/* Maps the file. Returns 0, or -1 after printing why it cannot be mapped. */
static int map_file(struct data_file *f)
{
	struct stat st;
	void *map;

	if (fstat(f->fd, &st))
		return error("cannot look at '%s': %s", f->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error("'%s' is neither a file nor a pipe", f->path);
	if (!st.st_size)
		return error("'%s' is empty: nothing was recorded, or the recorder failed to start", f->path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, f->fd, 0);
	if (map == MAP_FAILED)
		return error("cannot map '%s': %s", f->path, strerror(errno));
	f->map = map;
	f->size = (uint64_t)st.st_size;
	f->inode = st.st_ino;
	f->mtime = st.st_mtime;
	f->copied = st.st_ctim.tv_sec > st.st_mtim.tv_sec + 1;
	f->written_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	return 0;
}

/* Reads the header in the pipe. True if it is the header of a stream. */
static bool begins_stream(struct data_file *f)
{
	const uint8_t *head = NULL;
	uint64_t magic, header_size;
	size_t size = 0;

	while (size < STREAM_HEADER && pipe_reader_read(f->pipe_reader) > 0)
		head = pipe_reader_rest(f->pipe_reader, &size);
	if (size < STREAM_HEADER)
		return false;
	memcpy(&magic, head, 8);
	memcpy(&header_size, head + 8, 8);
	f->swap = magic == FILE_MAGIC_SWAP;
	f->stream = (magic == FILE_MAGIC && header_size == STREAM_HEADER) ||
		    (f->swap && __builtin_bswap64(header_size) == STREAM_HEADER);
	return f->stream;
}

static int open_live(struct data_file *f)
{
	struct stat st;

	if (open_any(f, &st))
		return -1;
	if (!is_pipe(&st))
		return map_file(f) || read_parts(f) ? -1 : 0;
	f->pipe_reader = pipe_reader_new(f->fd);
	if (!begins_stream(f))
		return data_file_settle(f);
	pipe_reader_consume(f->pipe_reader, STREAM_HEADER);
	f->data_offset = STREAM_HEADER;
	vec_push(&f->parts, (struct data_part){ .path = f->path, .offset = STREAM_HEADER });
	return 0;
}

int data_file_settle(struct data_file *f)
{
	int fd = pipe_reader_spool(f->pipe_reader);

	pipe_reader_free(f->pipe_reader);
	f->pipe_reader = NULL;
	if (fd < 0)
		return error("cannot copy '%s' to a temporary file: %s (TMPDIR chooses where)", f->path, strerror(-fd));
	close(f->fd);
	f->fd = fd;
	event_table_release(&f->events);
	features_release(&f->features);
	f->features = (struct features){0};
	f->parts.nr = 0;
	f->swap = f->v1 = f->stream = false;
	return map_file(f) || read_parts(f) ? -1 : 0;
}

int data_file_open_live(struct data_file **out, const char *path)
{
	struct data_file *f = xcalloc(1, sizeof(*f));

	f->path = xstrdup(path ? path : "perf.data");
	f->fd = -1;
	if (open_live(f)) {
		data_file_close(f);
		return -1;
	}
	*out = f;
	return 0;
}

int data_file_open(struct data_file **out, const char *path)
{
	if (data_file_open_live(out, path))
		return -1;
	if (!(*out)->pipe_reader || !data_file_settle(*out))
		return 0;
	data_file_close(*out);
	return -1;
}

bool data_file_shrank(const struct data_file *f)
{
	struct stat st;

	return !f->pipe_reader && !fstat(f->fd, &st) && S_ISREG(st.st_mode) && (uint64_t)st.st_size < f->size;
}

void data_part_close(const struct data_file *f, const struct data_part *p)
{
	if (p->path == f->path)
		return;
	if (p->whole)
		data_file_close(p->whole);
	else
		munmap((void *)(uintptr_t)p->data, p->size);
	free((char *)(uintptr_t)p->path);
}

void data_file_close(struct data_file *f)
{
	if (!f)
		return;
	vec_for(part, &f->parts)
		data_part_close(f, part);
	vec_free(&f->parts);
	findings_release(&f->findings);
	pipe_reader_free(f->pipe_reader);
	if (f->map)
		munmap((void *)(uintptr_t)f->map, f->size);
	if (f->fd >= 0)
		close(f->fd);
	event_table_release(&f->events);
	features_release(&f->features);
	free(f->path);
	free(f);
}
