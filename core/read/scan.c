/*
 * Walks over all records of a recording in the first pass (scan.h). In a large file, worker threads walk over parts of 8 MiB
 * with scan_piece.c. If the file has an index, scan_index.c reads it instead.
 */
#include "core/read/scan.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/pool.h"
#include "core/perfdata/data_view.h"
#include "core/read/scan_piece.h"
#include "core/read/stream.h"
#include "core/compression/zstd.h"
#include "core/model/machine.h"

#define HEADER_SIZE	sizeof(struct record_header)
#define PROGRESS_EVERY	(64u << 20)
#define RELEASE_EVERY	(16u << 20)	/* bytes: pages that were read are released in steps of this size */

struct scan_pass {
	struct scan *scan;
	struct data_file *file;
	struct machine *machine;
	struct zstd_reader *zstd;	/* NULL until a record is compressed */
	struct buf unpacked;		/* unpacked data of which no record was made yet, such as an incomplete record */
	uint64_t unpacked_from;		/* offset in the file of the last COMPRESSED record */
	uint64_t zstd_in, zstd_out;	/* bytes of the zstd stream so far: compressed, and unpacked */
	struct buf scratch;
	struct scan_samples samples;
	struct scan_opts opts;
	bool events_ready, past_start;
};

static struct record_header header_at(const uint8_t *p, bool swap)
{
	struct record_header h = record_header_of(p);

	if (swap) {
		h.type = __builtin_bswap32(h.type);
		h.misc = __builtin_bswap16(h.misc);
		h.size = __builtin_bswap16(h.size);
	}
	return h;
}

static void finish_events(struct scan_pass *w)
{
	if (!w->events_ready)
		event_table_finish(&w->file->events);
	w->events_ready = true;
}

static const struct sample_layout *layout_of(const struct scan_pass *w, const uint8_t *record)
{
	const struct event *ev = event_of_record(&w->file->events, record);

	return ev ? &ev->layout : NULL;
}

/* Finds the layout of a record in the other byte order. Its id is enough, a word, so all words of a copy are swapped. */
static const struct sample_layout *foreign_layout(struct scan_pass *w, const uint8_t *record, struct record_header h)
{
	uint64_t v;

	w->scratch.len = 0;
	buf_put(&w->scratch, record, h.size);
	memcpy(w->scratch.data, &h, HEADER_SIZE);
	for (size_t i = HEADER_SIZE; i + 8 <= h.size; i += 8) {
		memcpy(&v, w->scratch.data + i, 8);
		v = __builtin_bswap64(v);
		memcpy(w->scratch.data + i, &v, 8);
	}
	return layout_of(w, (const uint8_t *)w->scratch.data);
}

/* ---- what a native record means to the walk ---- */

static void count_lost_samples(struct session_counts *c, const struct event *ev, uint64_t lost)
{
	c->lost_samples += lost;
	if (!ev)
		return;
	while (c->lost_by_event.nr <= ev->number)
		vec_push(&c->lost_by_event, 0);
	c->lost_by_event.v[ev->number] += lost;
}

static bool is_filtered(const struct record *rec)
{
	return rec->header.type == PERF_RECORD_LOST_SAMPLES && rec->header.misc & RECORD_MISC_LOST_SAMPLES_BPF;
}

static void on_lost(struct session_counts *c, const struct record *rec, const struct event *ev)
{
	if (rec->header.type == PERF_RECORD_LOST)
		c->lost += rec->lost.lost;
	else if (is_filtered(rec))
		c->filtered_samples += rec->lost.lost;
	else
		count_lost_samples(c, ev, rec->lost.lost);
}

/* Rings are written in pieces of some length: the record before was most likely written not long before. */
static uint64_t note_untimed(struct scan *s, uint64_t position)
{
	if (!s->untimed.nr || s->untimed.v[s->untimed.nr - 1].time != s->time)
		vec_push(&s->untimed, (struct untimed){ .time = s->time, .position = position });
	return s->time;
}

static uint64_t time_of_other(struct scan *s, const struct record *rec, const struct sample_layout *l, uint64_t position)
{
	if (rec->header.type < RECORD_HEADER_ATTR && l && !(l->type & PERF_SAMPLE_TIME))
		return note_untimed(s, position);
	if (!rec->id.has_time)
		return 0;
	/* Records of the state before the recording have time 0. */
	if (rec->id.time)
		s->time = rec->id.time;
	s->newest_other = MAX(s->newest_other, rec->id.time);
	return rec->id.time;
}

/*
 * True if the record is kept for decoders of hardware trace: most types only if the recording has an AUXTRACE_INFO, TIME_CONV
 * always; none in a live stream.
 */
static bool is_trace_record(const struct scan *s, uint32_t type)
{
	uint8_t kept = record_type_of(type)->kept;

	if (s->live)
		return false;
	return kept == KEPT_ALWAYS || (kept == KEPT_WITH_TRACE && s->has_trace);
}

/* Keeps a sample for the decoders of hardware trace if it has trace. */
static void note_sample(struct scan *s, const uint8_t *record, uint64_t position, const struct sample_layout *l)
{
	struct record rec;

	if (record_read(&rec, record, l) || !rec.sample.aux_size)
		return;
	vec_push(&s->trace_records.list, (struct trace_record){
		 .type = PERF_RECORD_SAMPLE, .time = rec.sample.time, .position = position,
						.payload = rec.sample.aux, .payload_size = rec.sample.aux_size });
}

static void on_sample(struct scan_pass *w, const uint8_t *record, uint64_t position, struct record_header h)
{
	const struct event *ev = event_of_sample(&w->samples.memo, &w->file->events, record, h.size);

	w->past_start = true;
	if (ev && ev->layout.type & PERF_SAMPLE_AUX && w->scan->has_trace)
		note_sample(w->scan, record, position, &ev->layout);
	if (ev && ev->layout.time_at < 0)
		note_untimed(w->scan, position);
	if (scan_sample(&w->samples, ev, record, h.size, position))
		w->scan->time = w->samples.time;
}

/* A live stream: events are final when the first line is printed, so later descriptions come too late. */
static bool is_too_late(const struct scan *s, uint32_t type)
{
	return s->live && (type == RECORD_HEADER_ATTR || type == RECORD_EVENT_UPDATE || type == RECORD_TRACING_DATA ||
			   type == RECORD_AUXTRACE_INFO || type == RECORD_CALLCHAIN_DEFERRED);
}

/*
 * In each round, the recorder reads all rings in turn. So a record may be older than records of the previous round, but not older
 * than records of the round before that.
 */
static void on_round(struct scan_pass *w)
{
	struct scan *s = w->scan;

	w->past_start = true;
	s->settled = s->round;
	s->round = MAX(s->round, MAX(s->counts.last_time, s->newest_other));
}

static void on_other(struct scan_pass *w, const uint8_t *record, uint64_t position, const uint8_t *trailing, size_t trailing_size)
{
	const struct sample_layout *layout = layout_of(w, record);
	struct scan *s = w->scan;
	struct record rec;
	uint64_t time;
	int err = record_read(&rec, record, layout);

	if (!err && stream_is_header(rec.header.type)) {
		if (!stream_header(w->file, w->machine, &rec, trailing, trailing_size))
			return;
		err = -EINVAL;
	}
	if (err == -EINVAL) {
		damage_add(&s->counts.damaged, chunk_file_offset(&s->chunks, position), header_at(record, false));
		return;
	}
	time = time_of_other(s, &rec, layout, position);
	s->counts.cut_maps += record_is_cut_map(&rec.header);
	if (is_trace_record(s, rec.header.type))
		vec_push(&s->trace_records.list, (struct trace_record){ .type = rec.header.type, .time = time, .position = position,
							.payload = trailing, .payload_size = trailing_size });
	switch (rec.header.type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		on_lost(&s->counts, &rec, event_of_record(&w->file->events, record));
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		deferred_add(&s->deferred, &rec, position);
		break;
	default:
		if (machine_handles(rec.header.type))
			vec_push(&s->side_band, (struct order_key){ .time = time, .position = position });
	}
}

/* A whole native record, now in a chunk. */
static void on_record(struct scan_pass *w, const uint8_t *record, uint64_t position, const uint8_t *trailing, size_t trailing_size)
{
	struct record_header h = header_at(record, false);
	struct session_counts *c = &w->scan->counts;

	if (h.type >= RECORD_MAX || !record_name(h.type)) {
		c->unknown++;
		return;
	}
	c->by_type[h.type]++;
	w->scan->has_trace |= h.type == RECORD_AUXTRACE_INFO;
	if (!stream_is_header(h.type))
		finish_events(w);
	if (is_too_late(w->scan, h.type))
		w->scan->nr_late++;
	else if (h.type == PERF_RECORD_SAMPLE)
		on_sample(w, record, position, h);
	else if (h.type == RECORD_FINISHED_ROUND)
		on_round(w);
	else
		on_other(w, record, position, trailing, trailing_size);
	if (h.type >= RECORD_HEADER_ATTR)
		w->samples.memo = (struct event_memo){0};
}

/* ---- from the file to native records ---- */

static int spool_failed(void)
{
	return error("cannot unpack the recording into a temporary file: %s (TMPDIR names another directory)", strerror(errno));
}

/* Swaps a record of the other byte order, in a copy in the spool. @h: its header in native order. */
static int on_foreign(struct scan_pass *w, const uint8_t *record, struct record_header h, uint64_t offset, bool unpacked,
			const uint8_t *trailing, size_t trailing_size)
{
	const struct sample_layout *layout = foreign_layout(w, record, h);
	struct record rec;
	struct wire wire;
	uint64_t position;
	uint8_t *copy;
	int err;

	position = chunk_spool(&w->scan->chunks, record, h.size, offset, unpacked, &copy);
	if (position == UINT64_MAX)
		return spool_failed();
	wire = (struct wire){ .mode = WIRE_READ, .swap = true, .pos = copy, .end = copy + h.size };
	err = record_pass(&wire, layout, &rec);
	memcpy(copy, &h, HEADER_SIZE);
	if (err == -EINVAL) {
		/* A record that is only half swapped is useless: gives it a type that all readers skip. */
		damage_add(&w->scan->counts.damaged, offset, h);
		h.type = 0;
		memcpy(copy, &h, HEADER_SIZE);
		return 0;
	}
	on_record(w, copy, position, trailing, trailing_size);
	return 0;
}

static int unpack(struct scan_pass *w, const uint8_t *record, struct record_header h, uint64_t offset);

/*
 * Scans one record of the file, or an unpacked one (@unpacked), which must be copied. Uncompressed records in native byte order are
 * used in place. Other records are swapped or unpacked into the spool (chunk.h). So all code that runs after this sees only native
 * records in chunks.
 */
static int scan_record(struct scan_pass *w, const uint8_t *record, struct record_header h, uint64_t offset, bool unpacked,
		       const uint8_t *trailing, size_t trailing_size)
{
	uint64_t position;
	uint8_t *copy;

	if (h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2) {
		w->scan->counts.by_type[h.type]++;
		if (!unpacked)
			return unpack(w, record, h, offset);
		damage_add(&w->scan->counts.damaged, offset, h);
		return 0;
	}
	if (w->file->swap)
		return on_foreign(w, record, h, offset, unpacked, trailing, trailing_size);
	if (!unpacked) {
		position = chunk_add(&w->scan->chunks, record, h.size, offset);
		on_record(w, record, position, trailing, trailing_size);
		return 0;
	}
	position = chunk_spool(&w->scan->chunks, record, h.size, offset, true, &copy);
	if (position == UINT64_MAX)
		return spool_failed();
	on_record(w, copy, position, NULL, 0);
	return 0;
}

/* Take the whole records at the front of what was unpacked, keep the rest for the next COMPRESSED record. */
static int on_unpacked(struct scan_pass *w, uint64_t offset)
{
	const uint8_t *p = (const uint8_t *)w->unpacked.data;
	size_t done = 0, len = w->unpacked.len;

	while (len - done >= HEADER_SIZE) {
		struct record_header h = header_at(p + done, w->file->swap);

		if (h.size < HEADER_SIZE) {
			damage_add(&w->scan->counts.damaged, offset, h);
			done = len;
			break;
		}
		if (h.size > len - done)
			break;
		if (scan_record(w, p + done, h, offset, true, NULL, 0))
			return -1;
		done += h.size;
	}
	memmove(w->unpacked.data, p + done, len - done);
	w->unpacked.len -= done;
	return 0;
}

/* COMPRESSED: all that follows the header; COMPRESSED2: a size first, then padding at the end. */
static int packed_bytes(const uint8_t *record, struct record_header h, bool swap, const uint8_t **data, size_t *size)
{
	struct wire w = wire_reader(record + HEADER_SIZE, h.size - HEADER_SIZE);
	uint64_t claimed;

	*data = record + HEADER_SIZE;
	*size = h.size - HEADER_SIZE;
	if (h.type == RECORD_COMPRESSED)
		return 0;
	wire_u64(&w, &claimed);
	if (swap)
		claimed = __builtin_bswap64(claimed);
	if (w.bad || claimed > *size - 8)
		return -EINVAL;
	*data += 8;
	*size = claimed;
	return 0;
}

/*
 * A few bytes may be crafted to unpack to gigabytes. Real data unpack to at most some 1,300 times their size: equal stack copies
 * of 64 KiB at level 22. The ratio is not checked for the first 16 MiB.
 */
static bool is_blown_up(const struct scan_pass *w)
{
	return w->zstd_out > ZSTD_FREE_SIZE && w->zstd_out / ZSTD_RATIO_MAX > w->zstd_in;
}

static int unpack_some(struct scan_pass *w, const uint8_t **data, size_t *size)
{
	size_t before = w->unpacked.len, left = *size;
	int err = zstd_read(w->zstd, data, size, &w->unpacked);

	w->zstd_in += left - *size;
	w->zstd_out += w->unpacked.len - before;
	return err ? err : is_blown_up(w) ? -E2BIG : 0;
}

static struct damage packed_damage(const struct scan_pass *w, struct record_header h, uint64_t offset, bool blown_up)
{
	return (struct damage){
		.nr = 1, .offset = offset, .header = h, .kind = blown_up ? DAMAGE_RATIO : DAMAGE_ZSTD,
		.ratio = blown_up ? w->zstd_out / MAX(w->zstd_in, 1) : 0,
	};
}

static int unpack(struct scan_pass *w, const uint8_t *record, struct record_header h, uint64_t offset)
{
	const uint8_t *data;
	size_t size;
	int err = packed_bytes(record, h, w->file->swap, &data, &size);

	w->unpacked_from = offset;
	if (!err && !w->zstd) {
		w->zstd = zstd_reader_new();
		err = w->zstd ? 0 : -ENOTSUP;
	}
	while (!err && size) {
		err = unpack_some(w, &data, &size);
		if (!err && on_unpacked(w, offset))
			return -1;
	}
	if (err == -ENOTSUP)
		return error("'%s': cannot unpack its compressed records: no memory for it", w->file->path);
	if (err) {
		struct damage d = packed_damage(w, h, offset, err == -E2BIG);

		/* The next data are unpacked if they begin a frame; else they are damaged, too: the window is gone. */
		damage_merge(&w->scan->counts.damaged, &d);
		w->unpacked.len = 0;
	}
	return 0;
}

/* The number of bytes after the record that are not part of its size. */
static uint64_t trailing_of(const struct scan_pass *w, const uint8_t *record, struct record_header h)
{
	struct wire wire = wire_reader(record + HEADER_SIZE, h.size - HEADER_SIZE);
	uint64_t size;
	uint32_t size32;

	if (h.type == RECORD_AUXTRACE) {
		wire_u64(&wire, &size);
		return w->file->swap ? __builtin_bswap64(size) : size;
	}
	if (h.type == RECORD_TRACING_DATA) {
		wire_u32(&wire, &size32);
		return round_up(w->file->swap ? __builtin_bswap32(size32) : size32, RECORD_ALIGN);
	}
	return 0;
}

/* Notes where a part ends early. Only the first such part is reported. */
static void stop_at(struct scan_pass *w, size_t part, uint64_t at)
{
	struct session_counts *c = &w->scan->counts;

	if (c->cut)
		return;
	c->cut = true;
	c->cut_part = part;
	c->cut_at = at;
}

/* Adds the samples from @at of @view on at once, as scan_record() would one by one: scan_run(). */
static uint64_t on_run(struct scan_pass *w, struct data_view *view, uint64_t at, uint64_t room, uint64_t offset)
{
	uint64_t bytes;

	if (w->file->swap)
		return 0;
	finish_events(w);
	bytes = scan_run(&w->samples, view, at, room, offset);
	if (bytes) {
		w->scan->time = w->samples.time;
		w->past_start = true;
	}
	return bytes;
}

/*
 * Scans the records that begin before @to (0: all). Returns the number of bytes, in complete records, or -1. @whole: the size of
 * the mapped data, to show progress and release the pages that were read; 0: neither.
 */
static int64_t scan_records(struct scan_pass *w, const uint8_t *base, uint64_t size, uint64_t to, uint64_t offset,
			    uint64_t whole)
{
	uint64_t at = 0, released = 0, next_progress = whole ? PROGRESS_EVERY : UINT64_MAX;
	struct data_view view = {0};
	int err = 0;

	data_view_set(&view, w->file, base, size);
	while (!err && size - at >= HEADER_SIZE && (!to || at < to)) {
		struct record_header h = header_at(data_view_peek(&view, at, HEADER_SIZE), w->file->swap);
		uint64_t trailing = 0, left = size - at, run = 0;

		if (h.size < HEADER_SIZE || h.size > left)
			break;
		if (h.type == PERF_RECORD_SAMPLE)
			run = on_run(w, &view, at, to ? to - at : UINT64_MAX, offset + at);
		if (!run) {
			trailing = trailing_of(w, base + at, h);
			if (trailing > left - h.size)
				break;
			err = scan_record(w, base + at, h, offset + at, false, base + at + h.size, trailing);
		}
		at += run ? run : h.size + trailing;
		if (whole && at - released >= RELEASE_EVERY) {
			pages_release(base + released, at - released);
			released = at;
		}
		if (at >= next_progress) {
			progress("reading", at, whole, PROGRESS_BYTES);
			next_progress += PROGRESS_EVERY;
		}
	}
	data_view_release(&view);
	w->scan->counts.bytes += err ? 0 : at;
	return err ? -1 : (int64_t)at;
}

/* ---- a part in pieces, which several threads walk over (scan_piece.h) ---- */

struct piece_walk {
	const struct data_file *file;
	const struct data_part *part;
	VEC(struct scan_piece) pieces;
};

static void walk_piece(void *arg, unsigned worker, size_t number)
{
	struct piece_walk *walk = arg;
	struct scan_piece *p = &walk->pieces.v[number];

	if (!worker)
		progress("reading", p->from, walk->part->size, PROGRESS_BYTES);
	if (number)
		scan_piece_find(p, walk->file, walk->part);
	scan_piece_walk(p, walk->file, walk->part);
}

/* Scans the records of a piece that are not samples, in order, as a walk from the start would. */
static void add_others(struct scan_pass *w, const struct scan_piece *p, size_t first_chunk)
{
	struct scan *s = w->scan;
	uint64_t before = s->time, last = 0, last_at = 0;

	vec_for(other, &p->others) {
		uint64_t position = *other + chunk_position(first_chunk, 0);

		s->time = 0;
		on_record(w, chunk_record(&s->chunks, position), position, NULL, 0);
		last_at = s->time ? *other : last_at;
		last = s->time ? s->time : last;
	}
	if ((p->counts.first_time <= p->counts.last_time || p->time) && (!last || p->time_at > last_at))
		s->time = p->time;
	else
		s->time = last ? last : before;
}

static void add_piece(struct scan_pass *w, const struct scan_piece *p)
{
	size_t first_chunk = w->scan->chunks.chunks.nr;

	vec_for(chunk, &p->chunks.chunks)
		chunk_append(&w->scan->chunks, chunk);
	session_counts_add(&w->scan->counts, &p->counts);
	add_others(w, p, first_chunk);
	if (p->others.nr)
		vec_for(chunk, &p->chunks.chunks)
			chunk_release(chunk);
}

/* Returns where the walk ended: at the end, or before a record that must be read in order (*special) or cannot be read. */
static uint64_t join_pieces(struct scan_pass *w, struct piece_walk *walk, bool *special)
{
	uint64_t at = walk->pieces.v[0].from;

	*special = false;
	vec_for(p, &walk->pieces) {
		if (at >= p->to)
			continue;
		if (p->begin != at) {
			scan_piece_reset(p);
			p->begin = at;
			scan_piece_walk(p, walk->file, walk->part);
		}
		add_piece(w, p);
		at = p->end;
		*special = p->special;
		if (at < p->to)
			break;
	}
	return at;
}

/* Does the same as scan_records() for the part from @from on, with several workers. */
static int64_t add_pieces(struct scan_pass *w, const struct data_part *part, uint64_t from)
{
	struct piece_walk walk = { .file = w->file, .part = part };
	bool special;
	uint64_t at;
	int64_t taken = 0;

	finish_events(w);
	for (at = from; at < part->size; at += w->opts.piece)
		vec_push(&walk.pieces, (struct scan_piece){ .from = at, .to = MIN(at + w->opts.piece, part->size), .begin = at });
	pool_run(w->opts.jobs, walk.pieces.nr, walk_piece, &walk);
	at = join_pieces(w, &walk, &special);
	vec_for(p, &walk.pieces)
		scan_piece_release(p);
	vec_free(&walk.pieces);
	if (special)
		taken = scan_records(w, part->data + at, part->size - at, 0, part->offset + at, part->size);
	return taken < 0 ? taken : (int64_t)at + taken - (int64_t)from;
}

/* Takes the records of the part from the file's index, as scan_records() would. False: there is no usable index. */
static bool add_index(struct scan_pass *w, const struct data_part *part)
{
	struct scan_piece piece;
	bool good = scan_index_read(&piece, w->file, part);

	if (good) {
		finish_events(w);
		add_piece(w, &piece);
	}
	scan_piece_release(&piece);
	return good;
}

/* Records that describe the recording are at the start, and are taken in order. */
static int64_t scan_part(struct scan_pass *w, const struct data_part *part)
{
	bool pieces = w->opts.jobs > 1 && part->size > 2 * w->opts.piece && scan_piece_is_possible(w->file);
	uint64_t first = pieces ? w->opts.piece / 4 : 0;
	int64_t at, more;

	if (!w->opts.check_index && add_index(w, part))
		return (int64_t)part->size;
	at = scan_records(w, part->data, part->size, first, part->offset, part->size);
	if (!pieces || at < (int64_t)first || !scan_piece_is_possible(w->file))
		return at;
	more = add_pieces(w, part, (uint64_t)at);
	return more < 0 ? more : at + more;
}

static int walk_part(struct scan_pass *w, size_t number)
{
	const struct data_part *part = &w->file->parts.v[number];
	int64_t at = scan_part(w, part);

	if (at < 0)
		return -1;
	if ((uint64_t)at < part->size)
		stop_at(w, number, (uint64_t)at);
	return 0;
}

/* Ends decompression: a record that has begun and not ended is counted. */
static void end_unpacking(struct scan_pass *w)
{
	struct half_record *half = &w->scan->counts.half;

	if (w->unpacked.len && !half->bytes)
		*half = (struct half_record){ w->unpacked.len, w->unpacked_from };
	w->unpacked.len = 0;
	zstd_reader_free(w->zstd);
	w->zstd = NULL;
	w->zstd_in = w->zstd_out = 0;
}

/* Compressed data are one stream per file. */
static int walk_file(struct scan_pass *w)
{
	for (size_t i = 0; i < w->file->parts.nr; i++) {
		int err = walk_part(w, i);

		end_unpacking(w);
		if (err)
			return err;
	}
	return 0;
}

/* True if some event's records have no time, or no event has one: the order in the file must do for all then. */
static bool lacks_time(const struct event_table *t)
{
	bool timed = false;

	vec_for(ev, &t->events) {
		if (!(*ev)->attr.sample_id_all)
			return true;
		timed |= !!((*ev)->attr.sample_type & PERF_SAMPLE_TIME);
	}
	return !timed && t->events.nr;
}

static struct scan_pass pass_of(struct scan *s, struct data_file *file, struct machine *machine)
{
	return (struct scan_pass){
		.scan = s, .file = file, .machine = machine,
		.samples = { .counts = &s->counts, .chunks = &s->chunks, .events = &file->events },
	};
}

static void begin(struct scan_pass *w, struct scan *out, struct data_file *file, struct machine *machine)
{
	*w = pass_of(out, file, machine);
	*out = (struct scan){ .counts.first_time = UINT64_MAX };
	chunk_list_init(&out->chunks);
}

static void end(struct scan_pass *w)
{
	struct scan *s = w->scan;

	w->events_ready = false;
	finish_events(w);
	session_counts_extend(&s->counts, w->file->events.events.nr);
	s->by_position = lacks_time(&w->file->events);
	deferred_sort(&s->deferred);
	vec_for(record, &s->trace_records.list)
		if (s->by_position)
			record->time = record->position + 1;
	end_unpacking(w);
	buf_release(&w->unpacked);
	buf_release(&w->scratch);
}

int scan_file(struct scan *out, struct data_file *file, struct machine *machine, const struct scan_opts *opts)
{
	struct scan_pass w;
	int err;

	begin(&w, out, file, machine);
	if (file->pieces)
		return scan_read_on(out, file, machine);
	w.opts = *opts;
	err = walk_file(&w);
	if (!err && opts->check_index)
		scan_index_check(file);
	progress_end();
	end(&w);
	return err;
}

/* ---- a recorder's pieces ---- */

/* Walks over the next piece, up to its last whole record. The recorder may write the rest later. */
static int walk_piece_on(struct scan_pass *w, struct data_part *part)
{
	struct session_counts *c = &w->scan->counts;
	int64_t at;

	*c = (struct session_counts){ .first_time = UINT64_MAX };
	at = scan_records(w, part->data, part->size, 0, part->offset, part->size);
	end_unpacking(w);
	vec_push(&w->scan->of_parts, *c);
	*c = (struct session_counts){0};
	if (at < 0)
		return -1;
	part->size = (uint64_t)at;
	return 0;
}

int scan_read_on(struct scan *s, struct data_file *file, struct machine *machine)
{
	struct scan_pass w = pass_of(s, file, machine);
	int err = 0;

	session_counts_release(&s->counts);
	while (!err && s->of_parts.nr < file->parts.nr)
		err = walk_piece_on(&w, &file->parts.v[s->of_parts.nr]);
	progress_end();
	s->counts = (struct session_counts){ .first_time = UINT64_MAX };
	vec_for(c, &s->of_parts)
		session_counts_add(&s->counts, c);
	end(&w);
	return err;
}

/* ---- a walk that goes on ---- */

struct scan_pass *scan_begin(struct scan *out, struct data_file *file, struct machine *machine)
{
	struct scan_pass *w = xmalloc(sizeof(*w));

	begin(w, out, file, machine);
	return w;
}

int64_t scan_add(struct scan_pass *w, const uint8_t *data, uint64_t size, uint64_t offset)
{
	return scan_records(w, data, size, 0, offset, 0);
}

void scan_end(struct scan_pass *w, bool cut, uint64_t at)
{
	if (cut)
		stop_at(w, 0, at);
	end(w);
	free(w);
}

bool scan_past_start(const struct scan_pass *w)
{
	return w->past_start;
}

void scan_go_live(struct scan_pass *w)
{
	finish_events(w);
	w->scan->by_position = lacks_time(&w->file->events);
	w->scan->live = true;
}
