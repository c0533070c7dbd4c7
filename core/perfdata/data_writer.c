/*
 * Writes a perf.data, to a file or to a pipe, by appending records. compressor.c compresses the records, data_index.c makes an
 * index of them, and data_file.c reads the finished file.
 *
 * A file begins with header, ids and attrs, with a data size of 0. At the end, the sections are written after the data, and the
 * header again. A file whose recorder was killed needs the formats of its tracepoints and the sections that are known at the start,
 * so they precede the data as the records that a pipe would have. The header of a finished file skips these records, because some
 * perf commands do not expect them in a file:
 *
 *	unfinished: | header, ids, attrs | data: FEATURE records, TRACING_DATA record, records ...
 *	finished:   | header, ids, attrs | these records | data: records ... | sections (one is the payload of TRACING_DATA)
 *
 */
#include "core/perfdata/data_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/base/wire.h"
#include "core/perfdata/complete_records.h"
#include "core/perfdata/compressor.h"
#include "core/perfdata/data_index.h"
#include "core/perfdata/event_table.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/own_sections.h"
#include "core/perfdata/record.h"

#define HEADER_SIZE	104u
#define STREAM_HEADER	16u
#define TRACING_HEADER_SIZE 12u	/* a record's header, and the u32 size of what follows it */

struct section { uint64_t offset, size; };

struct data_writer {
	int fd;
	bool stream, failed;
	bool may_be_killed;
	bool part;			/* the file is a part of a directory: it has only records */
	char *path;			/* owned */
	uint64_t data_offset, data_size;
	uint64_t calls;
	struct complete_records kept;		/* the records that the last append wrote although it failed */
	uint32_t attr_size;
	struct section attrs;
	uint64_t events_end;		/* where ids and attrs end */
	struct section tracing;		/* the payload of the TRACING_DATA record in front of the data; size 0: no such record */
	bool written[FEATURE_BITS];	/* stream: sections that have been written */
	struct compressor *compressor;		/* owned; NULL: not compressed */
	struct data_index_maker *index;		/* owned; NULL: there will be none */
	struct buf packed;
	bool cut;			/* a write failed, which breaks the zstd stream: later records are not compressed */
};

/* ---- plain writing ---- */

/* Waits until @fd can be written. Another process may have made standard output non-blocking; then a full pipe is no error. */
static bool wait_for_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

/* Write all of @parts, which are used up. Returns 0 or -errno; *done: the bytes that were written. */
static int write_parts(struct data_writer *w, struct iovec *parts, int nr, uint64_t *done)
{
	unsigned interrupted = 0;

	while (nr) {
		ssize_t n = writev(w->fd, parts, MIN(nr, IOV_MAX));

		w->calls++;
		if (interrupted_call(n, &interrupted) || (n < 0 && errno == EAGAIN && wait_for_room(w->fd)))
			continue;
		if (n < 0)
			return -errno;
		*done += (uint64_t)n;
		for (; nr && (size_t)n >= parts->iov_len; parts++, nr--)
			n -= (ssize_t)parts->iov_len;
		if (nr) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int write_at(struct data_writer *w, const void *p, size_t n, uint64_t offset)
{
	unsigned interrupted = 0;

	while (n) {
		ssize_t done = pwrite(w->fd, p, n, (off_t)offset);

		if (interrupted_call(done, &interrupted))
			continue;
		if (done < 0)
			return -errno;
		p = (const char *)p + done;
		n -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

/* ---- the parts of a file ---- */

static void put_u64(struct buf *b, uint64_t v)
{
	buf_put(b, &v, sizeof(v));
}

static void put_section(struct buf *b, struct section s)
{
	put_u64(b, s.offset);
	put_u64(b, s.size);
}

/* @has NULL: the file has no sections. */
static int write_header(struct data_writer *w, uint64_t data_size, const bool *has)
{
	uint64_t bits[FEATURE_BITS / 64] = {0};
	struct buf b = {0};
	int err;

	for (unsigned i = 0; has && i < FEATURE_OWN; i++)
		if (has[i])
			bits[i / 64] |= 1ull << i % 64;
	put_u64(&b, FILE_MAGIC);
	put_u64(&b, HEADER_SIZE);
	put_u64(&b, w->attr_size + sizeof(struct section));
	put_section(&b, w->attrs);
	put_section(&b, (struct section){ w->data_offset, data_size });
	put_section(&b, (struct section){ 0, 0 });	/* event types: not since 3.4 */
	buf_put(&b, bits, sizeof(bits));
	err = write_at(w, b.data, b.len, 0);
	buf_release(&b);
	return err;
}

static void put_attr(struct buf *b, const struct event_attr *from, uint32_t size)
{
	struct event_attr attr = *from;
	struct wire wire = wire_writer(buf_room(b, size), size);

	attr.size = size;
	attr_pass(&wire, &attr, size);
	b->len += size;
}

/* Puts the ids of all events, then the attrs, each with the offset and size of its ids, in the order of perf's files. */
static void put_events(struct data_writer *w, struct buf *b, const struct event_table *events)
{
	uint64_t ids_offset = HEADER_SIZE;

	vec_for(ev, &events->events)
		buf_put(b, (*ev)->ids.v, (*ev)->ids.nr * sizeof(uint64_t));
	w->attrs.offset = HEADER_SIZE + b->len;
	vec_for(ev, &events->events) {
		struct section ids = { ids_offset, (*ev)->ids.nr * sizeof(uint64_t) };

		put_attr(b, &(*ev)->attr, w->attr_size);
		put_section(b, ids);
		ids_offset += ids.size;
	}
	w->attrs.size = HEADER_SIZE + b->len - w->attrs.offset;
	w->events_end = HEADER_SIZE + b->len;
}

static int begin_file(struct data_writer *w, const struct event_table *events)
{
	struct buf body = {0};
	int err;

	put_events(w, &body, events);
	w->data_offset = w->events_end;
	err = write_header(w, 0, NULL);
	if (!err)
		err = write_at(w, body.data, body.len, HEADER_SIZE);
	buf_release(&body);
	if (!err && lseek(w->fd, (off_t)w->data_offset, SEEK_SET) < 0)
		err = -errno;
	return err;
}

/* ---- the records of a stream ---- */

static void put_attr_record(struct data_writer *w, struct buf *b, const struct event *ev)
{
	size_t size = sizeof(struct record_header) + w->attr_size + ev->ids.nr * sizeof(uint64_t);
	struct record_header h = { .type = RECORD_HEADER_ATTR, .size = (uint16_t)size };

	buf_put(b, &h, sizeof(h));
	put_attr(b, &ev->attr, w->attr_size);
	buf_put(b, ev->ids.v, ev->ids.nr * sizeof(uint64_t));
}

static void put_update(struct buf *b, const struct event *ev, uint64_t what, const void *data, size_t size)
{
	struct record rec = { .header.type = RECORD_EVENT_UPDATE };
	static const char zeros[RECORD_ALIGN];
	struct buf padded = {0};

	buf_put(&padded, data, size);
	buf_put(&padded, zeros, round_up(size, RECORD_ALIGN) - size);
	rec.event_update = (struct record_event_update){
		.type = what, .id = ev->ids.nr ? ev->ids.v[0] : 0, .data = padded.data, .size = padded.len };
	record_append(b, NULL, &rec);
	buf_release(&padded);
}

static void put_updates(struct buf *b, const struct event *ev)
{
	if (ev->unit && *ev->unit)
		put_update(b, ev, EVENT_UPDATE_UNIT, ev->unit, strlen(ev->unit) + 1);
	if (ev->scale != 1.0)
		put_update(b, ev, EVENT_UPDATE_SCALE, &ev->scale, sizeof(ev->scale));
	if (ev->name)
		put_update(b, ev, EVENT_UPDATE_NAME, ev->name, strlen(ev->name) + 1);
}

/* An attr and its ids must fit into one record. */
static bool ids_fit(const struct data_writer *w, const struct event_table *events)
{
	vec_for(ev, &events->events)
		if (sizeof(struct record_header) + w->attr_size + 8 * (*ev)->ids.nr > UINT16_MAX)
			return false;
	return true;
}

static int begin_stream(struct data_writer *w, const struct event_table *events)
{
	struct buf b = {0};
	uint64_t done = 0;
	int err;

	if (!ids_fit(w, events))
		return -E2BIG;
	put_u64(&b, FILE_MAGIC);
	put_u64(&b, STREAM_HEADER);
	vec_for(ev, &events->events)
		put_attr_record(w, &b, *ev);
	vec_for(ev, &events->events)
		put_updates(&b, *ev);
	w->data_offset = STREAM_HEADER;
	w->data_size = b.len - STREAM_HEADER;
	err = write_parts(w, &(struct iovec){ b.data, b.len }, 1, &done);
	buf_release(&b);
	return err;
}

/* ---- opening ---- */

static int start_packing(struct data_writer *w, int level)
{
	if (!level)
		return 0;
	w->compressor = compressor_new(level);
	return w->compressor ? 0 : error("cannot compress with zstd, level %d", level);
}

/* Writes the section COMPRESSED. A reader of a stream needs it before the first COMPRESSED record. */
static int write_packing(struct data_writer *w, struct event_table *events)
{
	struct features f = {0};

	if (!w->compressor)
		return 0;
	compressor_features(w->compressor, &f);
	return data_writer_write_header(w, &f, events);
}

int data_writer_open(struct data_writer **out, const struct data_writer_opts *opts, struct event_table *events)
{
	struct data_writer *w = xcalloc(1, sizeof(*w));
	int err;

	w->stream = str_eq(opts->path, "-");
	w->path = xstrdup(w->stream ? "standard output" : opts->path);
	w->attr_size = event_table_attr_size(events);
	w->may_be_killed = opts->may_be_killed;
	if (!w->stream && !opts->fd)
		w->fd = new_file_at(AT_FDCWD, opts->path, 0600);
	else if ((w->fd = fcntl(w->stream ? STDOUT_FILENO : opts->fd, F_DUPFD_CLOEXEC, 0)) < 0)
		w->fd = -errno;
	err = w->fd < 0 ? w->fd : w->stream ? begin_stream(w, events) : begin_file(w, events);
	if (err)
		error("cannot write '%s': %s", w->path, strerror(-err));
	if (err || start_packing(w, opts->zstd_level) || write_packing(w, events)) {
		data_writer_close(w);
		return -1;
	}
	if (opts->index && !w->stream && !opts->zstd_level)
		w->index = data_index_begin(events);
	*out = w;
	return 0;
}

int data_writer_open_part(struct data_writer **out, const char *path, int zstd_level)
{
	struct data_writer *w = xcalloc(1, sizeof(*w));

	w->part = true;
	w->path = xstrdup(path);
	w->fd = new_file_at(AT_FDCWD, path, 0600);
	if (w->fd < 0)
		error("cannot create '%s': %s", path, strerror(-w->fd));
	if (w->fd < 0 || start_packing(w, zstd_level)) {
		data_writer_close(w);
		return -1;
	}
	*out = w;
	return 0;
}

/* ---- appending ---- */

/* Truncates the file after the data. */
static void cut_back(struct data_writer *w)
{
	off_t end = (off_t)data_writer_offset(w);

	/* Data in a pipe cannot be taken back. */
	if (w->stream || ftruncate(w->fd, end) || lseek(w->fd, end, SEEK_SET) < 0)
		w->failed = true;
}

/* Removes an incomplete record: of the @done bytes of @parts that were written, the file keeps complete records. */
static void keep_complete(struct data_writer *w, const struct iovec *parts, int nr_parts, uint64_t done)
{
	w->kept = complete_records(parts, nr_parts, done);
	w->data_size += w->kept.bytes;
	if (w->index)
		data_index_give_up(w->index);
	cut_back(w);
}

int data_writer_append_plain(struct data_writer *w, const struct iovec *parts, int nr_parts)
{
	VEC(struct iovec) left = {0};
	uint64_t size = 0, done = 0;
	int err;

	w->kept = (struct complete_records){0};
	if (w->failed)
		return -EIO;
	for (int i = 0; i < nr_parts; i++) {
		vec_push(&left, parts[i]);
		size += parts[i].iov_len;
	}
	err = write_parts(w, left.v, nr_parts, &done);
	vec_free(&left);
	if (err)
		keep_complete(w, parts, nr_parts, done);
	else
		w->data_size += size;
	if (w->index && !err)
		data_index_add(w->index, parts, nr_parts);
	return err;
}

/* Keeps COMPRESSED records up to the last that ends with a complete record: a zstd stream cannot continue after a hole. */
static void keep_covered(struct data_writer *w, const struct iovec *parts, int nr_parts)
{
	struct complete_records whole = {0};
	uint64_t covered, packed = 0;
	struct record_header h;

	for (uint64_t nr = w->kept.records; nr; nr--) {
		covered = compressor_covers(parts, nr_parts, nr);
		whole = complete_records(parts, nr_parts, covered);
		if (whole.bytes != covered) {
			whole = (struct complete_records){0};
			continue;
		}
		for (; nr; nr--) {
			memcpy(&h, w->packed.data + packed, sizeof(h));
			packed += h.size;
		}
		break;
	}
	w->data_size -= w->kept.bytes - packed;
	if (w->kept.bytes != packed)
		cut_back(w);
	w->kept = whole;
}

static int append_packed(struct data_writer *w, const struct iovec *parts, int nr_parts)
{
	int err = compressor_put(w->compressor, parts, nr_parts, &w->packed);

	w->kept = (struct complete_records){0};
	if (!err)
		err = data_writer_append_plain(w, &(struct iovec){ w->packed.data, w->packed.len }, 1);
	if (err)
		keep_covered(w, parts, nr_parts);
	w->packed.len = 0;
	w->cut = w->cut || err;
	return err;
}

uint64_t data_writer_kept_samples(const struct data_writer *w)
{
	return w->kept.samples;
}

int data_writer_appendv(struct data_writer *w, const struct iovec *parts, int nr_parts)
{
	if (!w->compressor || w->cut)
		return data_writer_append_plain(w, parts, nr_parts);
	return append_packed(w, parts, nr_parts);
}

int data_writer_append(struct data_writer *w, const void *records, size_t size)
{
	return data_writer_appendv(w, &(struct iovec){ (void *)(uintptr_t)records, size }, 1);
}

uint64_t data_writer_size(const struct data_writer *w)
{
	return w->data_size;
}

uint64_t data_writer_offset(const struct data_writer *w)
{
	return w->data_offset + w->data_size;
}

void data_writer_count_part(struct data_writer *w, const struct data_writer *part)
{
	if (w->compressor)
		compressor_count(w->compressor, part->compressor);
}

uint64_t data_writer_calls(const struct data_writer *w)
{
	return w->calls;
}

/* ---- the sections ---- */

/* Appends the bytes of section @number. */
static int put_feature(struct buf *b, unsigned number, struct features *f, struct event_table *events)
{
	struct wire w = { .mode = WIRE_SIZE };
	int err = feature_pass(&w, number, f, events);
	size_t size = w.size;

	if (err)
		return err;
	w = wire_writer(buf_room(b, size), size);
	err = feature_pass(&w, number, f, events);
	if (!err)
		b->len += size;
	return err;
}

/* Writes ids and attrs again: some fields, such as a breakpoint's address, are known only when the workload runs. */
static int write_events_again(struct data_writer *w, const struct event_table *events)
{
	struct data_writer as_before = *w;
	struct buf b = {0};
	int err = 0;

	put_events(&as_before, &b, events);
	if (as_before.events_end == w->events_end)
		err = write_at(w, b.data, b.len, HEADER_SIZE);
	buf_release(&b);
	return err;
}

/* Appends prec's own sections, which the header does not list, and their table. @at: the file offset of @b. */
static int put_own_sections(struct buf *b, uint64_t at, struct features *f, struct event_table *events)
{
	struct own_trailer trailer = { .magic = OWN_SECTIONS_MAGIC };
	struct buf table = {0};
	int err = 0;

	for (unsigned i = FEATURE_OWN; i < FEATURE_BITS && !err; i++) {
		size_t start;

		if (!f->has[i])
			continue;
		if (!trailer.nr)
			put_u64(b, OWN_SECTIONS_MAGIC);
		start = b->len;
		err = put_feature(b, i, f, events);
		put_u64(&table, i);
		put_section(&table, (struct section){ at + start, b->len - start });
		trailer.nr++;
	}
	if (!err && trailer.nr) {
		struct wire wire;

		trailer.table = at + b->len;
		buf_put(b, table.data, table.len);
		trailer.file_size = at + b->len + OWN_TRAILER_SIZE;
		wire = wire_writer(buf_room(b, OWN_TRAILER_SIZE), OWN_TRAILER_SIZE);
		own_trailer_pass(&wire, &trailer);
		b->len += OWN_TRAILER_SIZE;
	}
	buf_release(&table);
	return err;
}

static void set_index(struct features *f, void *bytes, uint64_t size)
{
	f->data_index = bytes;
	f->data_index_size = size;
	f->has[FEATURE_DATA_INDEX] = bytes;
}

static int finish_file(struct data_writer *w, struct features *f, struct event_table *events)
{
	uint64_t nr = 0, start, end = data_writer_offset(w), index_size = 0, index_size_before = f->data_index_size;
	void *index = w->index ? data_index_end(w->index, &index_size) : NULL, *index_before = f->data_index;
	VEC(struct section) table = {0};
	struct buf bytes = {0};
	int err = 0, header_err;

	/* Features that were read from a file have the index of that file, and own it. */
	set_index(f, index, index_size);
	for (unsigned i = 0; i < FEATURE_OWN; i++)
		nr += f->has[i];
	for (unsigned i = 0; i < FEATURE_OWN && !err; i++) {
		if (!f->has[i])
			continue;
		if (i == FEATURE_TRACING_DATA && w->tracing.size) {
			vec_push(&table, w->tracing);
			continue;
		}
		start = bytes.len;
		err = put_feature(&bytes, i, f, events);
		vec_push(&table, (struct section){ end + nr * sizeof(struct section) + start, bytes.len - start });
	}
	if (!err)
		err = put_own_sections(&bytes, end + nr * sizeof(struct section), f, events);
	if (!err)
		err = write_at(w, table.v, table.nr * sizeof(*table.v), end);
	if (!err)
		err = write_at(w, bytes.data, bytes.len, end + table.nr * sizeof(*table.v));
	if (err && ftruncate(w->fd, (off_t)end))
		warning("cannot cut '%s' back to its data: %s", w->path, strerror(errno));
	if (!err)
		err = write_events_again(w, events);
	/* Writes the header also on a full disk, as its bytes exist and perf reads nothing of a file without a data size. */
	header_err = write_header(w, w->data_size, err ? NULL : f->has);
	set_index(f, index_before, index_size_before);
	free(index);
	vec_free(&table);
	buf_release(&bytes);
	return err ? err : header_err;
}

/* TRACING_DATA has a record of its own, whose payload follows it. */
static int put_tracing_data(struct buf *b, const struct features *f)
{
	uint32_t size = (uint32_t)round_up(f->tracing_data_size, RECORD_ALIGN);
	struct record_header h = { .type = RECORD_TRACING_DATA, .size = TRACING_HEADER_SIZE };

	buf_put(b, &h, sizeof(h));
	buf_put(b, &size, sizeof(size));
	buf_put(b, f->tracing_data, f->tracing_data_size);
	buf_fill(b, '\0', size - f->tracing_data_size);
	return 0;
}

static int put_build_ids(struct buf *b, const struct features *f)
{
	int err = 0;

	for (size_t i = 0; i < f->build_ids.nr && !err; i++) {
		const struct feature_build_id *id = &f->build_ids.v[i];
		struct record rec = { .header = { .type = RECORD_BUILD_ID, .misc = id->misc | RECORD_MISC_BUILD_ID_SIZE } };

		rec.build_id.pid = (uint32_t)id->pid;
		rec.build_id.size = id->id.size;
		rec.build_id.filename = id->filename;
		memcpy(rec.build_id.build_id, id->id.data, BUILD_ID_MAX);
		err = record_append(b, NULL, &rec);
	}
	return err;
}

static int put_feature_record(struct buf *b, unsigned number, struct features *f, struct event_table *events)
{
	struct record rec = { .header.type = RECORD_HEADER_FEATURE };
	struct buf bytes = {0};
	int err = put_feature(&bytes, number, f, events);

	if (!err) {
		/* perf 6.1 takes any bytes after the cores of the topology for dies, even padding. */
		if (number != FEATURE_CPU_TOPOLOGY || f->has_dies)
			buf_fill(&bytes, '\0', round_up(bytes.len, RECORD_ALIGN) - bytes.len);
		rec.feature = (struct record_feature){ .id = number, .data = bytes.data, .size = bytes.len };
		err = record_append(b, NULL, &rec);
		if (err) {	/* too large for a record, so a stream lacks it */
			debug(1, "section %s does not fit into a record and is left out", feature_name(number));
			err = 0;
		}
	}
	buf_release(&bytes);
	return err;
}

static int put_any(struct buf *b, unsigned number, struct features *f, struct event_table *events)
{
	if (number == FEATURE_TRACING_DATA)
		return put_tracing_data(b, f);
	if (number == FEATURE_BUILD_ID)
		return put_build_ids(b, f);
	return put_feature_record(b, number, f, events);
}

/* Leaves out prec's own sections: in a stream, unlike a file, perf stops at a section that it does not know. */
static int stream_features(struct data_writer *w, struct features *f, struct event_table *events)
{
	struct buf b = {0};
	int err = 0;

	for (unsigned i = 0; i < FEATURE_OWN && !err; i++) {
		if (!f->has[i] || w->written[i])
			continue;
		err = put_any(&b, i, f, events);
		w->written[i] = true;
	}
	if (!err)
		err = data_writer_append_plain(w, &(struct iovec){ b.data, b.len }, 1);
	buf_release(&b);
	return err;
}

static int put_early_features(const struct data_writer *w, struct buf *b, struct features *f, struct event_table *events)
{
	int err = 0;

	for (unsigned i = 0; w->may_be_killed && i < FEATURE_BITS && !err; i++)
		if (f->has[i] && i != FEATURE_TRACING_DATA)
			err = put_feature_record(b, i, f, events);
	return err;
}

/*
 * Writes records in front of the data. TRACING_DATA takes 12 bytes and a multiple of 8. If it is among the records, they start 4
 * bytes past a multiple of 8, so that the data after them are aligned.
 */
static int begin_with_sections(struct data_writer *w, struct features *f, struct event_table *events)
{
	bool tracing = f->has[FEATURE_TRACING_DATA];
	struct buf records = {0}, pad = {0};
	uint64_t done = 0, start;
	int err = put_early_features(w, &records, f, events);

	if (err || (!records.len && !tracing)) {
		buf_release(&records);
		return err;
	}
	start = round_up(w->data_offset, RECORD_ALIGN) + (tracing ? RECORD_ALIGN / 2 : 0);
	buf_fill(&pad, '\0', (size_t)(start - w->data_offset));
	if (tracing) {
		w->tracing.offset = start + records.len + TRACING_HEADER_SIZE;
		w->tracing.size = f->tracing_data_size;
		put_tracing_data(&records, f);
	}
	err = write_parts(w, (struct iovec[]){ { pad.data, pad.len }, { records.data, records.len } }, 2, &done);
	w->data_offset = start;
	if (!err)
		err = write_header(w, 0, NULL);
	w->data_offset += records.len;
	buf_release(&records);
	buf_release(&pad);
	return err;
}

int data_writer_write_header(struct data_writer *w, struct features *f, struct event_table *events)
{
	int err = w->stream ? stream_features(w, f, events) : begin_with_sections(w, f, events);

	return err ? error("cannot write to %s: %s", w->path, strerror(-err)) : 0;
}

int data_writer_finish(struct data_writer *w, struct features *f, struct event_table *events)
{
	int err;

	if (w->part)
		return 0;
	if (w->compressor)
		compressor_features(w->compressor, f);
	err = w->stream ? stream_features(w, f, events) : finish_file(w, f, events);
	if (err)
		return error("cannot write the end of '%s': %s; its data is readable", w->path, strerror(-err));
	return 0;
}

int data_writer_close(struct data_writer *w)
{
	int err = 0;

	if (!w)
		return 0;
	/* A network file system may report a full disk only here. */
	if (w->fd >= 0 && close(w->fd) && errno != EINTR)
		err = error("cannot close '%s': %s; what was written last may be lost", w->path, strerror(errno));
	compressor_free(w->compressor);
	data_index_free(w->index);
	buf_release(&w->packed);
	free(w->path);
	free(w);
	return err;
}
