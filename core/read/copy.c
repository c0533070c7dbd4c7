/*
 * Copies the valid records of a recording into a new file, for prec verify --repair and prec archive. redact_records.c removes
 * private data if prec archive --redact requests it.
 */
#include "core/read/copy.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/new_file.h"
#include "core/read/item_reader.h"
#include "core/read/redact_records.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/perfdata/data_writer.h"
#include "core/perfdata/redact.h"
#include "core/tracepoint/tracing_data.h"

#define UNWIND_MAX	1024		/* frames of a stack that is redacted to its call chain */
#define WRITE_AT	(1u << 20)	/* bytes of records that are written at once */

struct copying {
	struct session *session;
	const struct copy_opts *opts;
	struct data_writer *writer;
	struct event_table events;	/* the events that are written: borrowed from the session, or changed copies */
	struct features features;	/* borrowed from the session's, but for .auxtrace */
	struct buf records;		/* not written yet */
	struct buf tracing;		/* the descriptions of tracepoints, if they were damaged */
	size_t next_trace;		/* index in the session's trace records of the first that was not passed yet */
	struct copied *copied;
};

/* True for records that are not copied: their contents are in the new header, or belong to a stream, directory or compression. */
static bool is_framing(uint32_t type)
{
	switch (type) {
	case RECORD_HEADER_ATTR: case RECORD_EVENT_TYPE: case RECORD_TRACING_DATA: case RECORD_BUILD_ID: case RECORD_EVENT_UPDATE:
	case RECORD_HEADER_FEATURE: case RECORD_COMPRESSED: case RECORD_COMPRESSED2: case RECORD_FINISHED_ROUND:
		return true;
	}
	return false;
}

/* The last kind of hardware trace that perf 6.1 knows, HiSilicon PTT. At a later kind, perf stops. */
#define LAST_TRACE_TYPE 6

static bool is_strange_trace(const struct copying *c, const struct record *r)
{
	return !c->opts->all_records && r->header.type == RECORD_AUXTRACE_INFO &&
	       (!r->auxtrace_info.type || r->auxtrace_info.type > LAST_TRACE_TYPE);
}

/* perf 6.1 stops at a record of an unknown type. It knows types of the kernel up to AUX_OUTPUT_HW_ID, and these of its own. */
static bool is_known_to_all(const struct copying *c, uint32_t type)
{
	return c->opts->all_records || type <= PERF_RECORD_AUX_OUTPUT_HW_ID ||
	       (type >= RECORD_HEADER_ATTR && type <= RECORD_FINISHED_INIT);
}

static int flush(struct copying *c)
{
	int err = data_writer_append(c->writer, c->records.data, c->records.len);

	c->records.len = 0;
	return err;
}

/* The trace that belongs to the AUXTRACE record at @position; NULL: there is none. */
static const struct trace_record *trace_at(struct copying *c, uint64_t position)
{
	const struct trace_records *t = session_trace_records(c->session);

	while (c->next_trace < t->list.nr && t->list.v[c->next_trace].position < position)
		c->next_trace++;
	if (c->next_trace == t->list.nr || t->list.v[c->next_trace].position != position)
		return NULL;
	return &t->list.v[c->next_trace];
}

static int copy_trace(struct copying *c, const struct item *item)
{
	const struct trace_record *trace = trace_at(c, item->position);
	uint64_t size = item->record->auxtrace.size;
	struct iovec parts[2];
	int err;

	if (!trace || trace->payload_size < size) {
		c->copied->left_out++;
		return 0;
	}
	err = flush(c);
	if (err)
		return err;
	vec_push(&c->features.auxtrace,
		 (struct feature_auxtrace_entry){ data_writer_offset(c->writer), item->record->header.size });
	parts[0] = (struct iovec){ (void *)(uintptr_t)item->bytes, item->record->header.size };
	parts[1] = (struct iovec){ (void *)(uintptr_t)trace->payload, size };
	c->copied->records++;
	return data_writer_append_plain(c->writer, parts, 2);
}

/* The kernel writes whole words; perf stops at a record of another size. The sample's data are in front, and are kept. */
static void put_whole_words(struct copying *c, const struct item *item)
{
	uint16_t size = item->record->header.size, whole = c->opts->all_records ? size : size & ~(RECORD_ALIGN - 1u);
	size_t at = c->records.len;

	buf_put(&c->records, item->bytes, whole);
	memcpy(c->records.data + at + offsetof(struct record_header, size), &whole, sizeof(whole));
}

static int copy_item(struct copying *c, const struct item *item)
{
	uint32_t type = item->record->header.type;
	size_t at = c->records.len;

	if (c->opts->redactor && !redact_item(c->opts->redactor, &c->events, item, &c->records))
		return 0;
	if (!c->opts->redactor && type == RECORD_AUXTRACE)
		return copy_trace(c, item);
	if (!c->opts->redactor)
		put_whole_words(c, item);
	/* perf drops samples with unknown ids. Redacting has rewritten a sample with the last of its two ids in both places. */
	if (item->event && c->records.len > at && (c->opts->redactor || !c->opts->all_records))
		event_own_ids(&c->events, c->events.events.v[item->event->number], c->records.data + at);
	*(item->sample ? &c->copied->samples : &c->copied->records) += 1;
	return c->records.len >= WRITE_AT ? flush(c) : 0;
}

static int copy_chunk(struct copying *c, struct item_reader *r, size_t number)
{
	struct chunk *chunk = &c->session->scan.chunks.chunks.v[number];

	for (struct chunk_cursor each = {0}; chunk_next(chunk, &each);) {
		const struct item *item = NULL;
		int err;

		if (is_framing(each.header.type))
			continue;
		if (is_known_to_all(c, each.header.type))
			item = item_read(r, 0, each.record, chunk_position(number, each.at));
		if (!item || (each.header.size % RECORD_ALIGN && !item->sample && !c->opts->all_records) ||
		    is_strange_trace(c, item->record) || (!item->event && each.header.type < RECORD_HEADER_ATTR)) {
			c->copied->left_out++;
			continue;
		}
		err = copy_item(c, item);
		if (err)
			return err;
	}
	chunk_release(chunk);
	return 0;
}

static int copy_chunks(struct copying *c)
{
	struct item_reader *r = xcalloc(1, sizeof(*r));
	int err = 0;

	item_reader_init(r, c->session, c->opts->redactor ? UNWIND_MAX : 0);
	for (size_t i = 0; !err && i < c->session->scan.chunks.chunks.nr; i++) {
		progress("copying", i, c->session->scan.chunks.chunks.nr, PROGRESS_THINGS);
		err = copy_chunk(c, r, i);
	}
	progress_end();
	item_reader_release(r);
	free(r);
	return err ? err : flush(c);
}

/* Describes a tracepoint without a description, which perf would reject. Owned by the caller; *system: @name up to the colon. */
static char *make_format(const char *name, uint64_t id, char **system)
{
	const char *colon = strchr(name, ':');
	char *word = xstrdup(colon ? colon + 1 : name), *format;

	*system = colon ? xstrndup(name, (size_t)(colon - name)) : xstrdup("unknown");
	for (char *c = word; *c; c++)
		*c = isalnum((unsigned char)*c) ? *c : '_';
	format = xasprintf("name: %s\nID: %llu\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\n"
			   "print fmt: \"its description was damaged\"\n", word, (unsigned long long)id);
	free(word);
	return format;
}

/* Replaces descriptions that are damaged or lack a tracepoint: keeps the whole ones, and writes names for the others. */
static void repair_tracing(struct copying *c)
{
	const struct tracing_data *t = &c->session->tracing;
	VEC(struct trace_text) made = {0};

	vec_for(e, &c->session->file->events.events) {
		char *system, *text;

		if ((*e)->attr.type != PERF_TYPE_TRACEPOINT || tracing_data_event(t, (*e)->attr.config))
			continue;
		text = make_format((*e)->name, (*e)->attr.config, &system);
		vec_push(&made, (struct trace_text){ system, text, strlen(text) });
	}
	if (made.nr || c->session->tracing_damaged) {
		tracing_data_repair(t, made.v, made.nr, &c->tracing);
		c->features.tracing_data = c->tracing.data;
		c->features.tracing_data_size = c->tracing.len;
		c->features.has[FEATURE_TRACING_DATA] = true;
	}
	vec_for(m, &made) {
		free((char *)(uintptr_t)m->system);
		free((char *)(uintptr_t)m->text);
	}
	vec_free(&made);
}

/* Chooses the sections of the new file. */
static void copy_features(struct copying *c)
{
	static const enum feature gone[] = {
		FEATURE_AUXTRACE, FEATURE_DIR_FORMAT, FEATURE_COMPRESSED, FEATURE_STAT, FEATURE_BPF_PROG_INFO, FEATURE_BPF_BTF,
	};

	c->features = *session_features(c->session);
	c->features.auxtrace = (__typeof__(c->features.auxtrace)){0};
	for (size_t i = 0; i < ARRAY_SIZE(gone); i++)
		c->features.has[gone[i]] = false;
	for (unsigned i = 0; i < FEATURE_BITS; i++)
		c->features.has[i] &= feature_name(i) != NULL;
	c->features.has[FEATURE_EVENT_DESC] = true;	/* streams say names by records */
	if (!c->opts->redactor && !c->opts->all_records)
		repair_tracing(c);
	c->features.build_ids = (__typeof__(c->features.build_ids)){0};
	vec_append(&c->features.build_ids, &session_features(c->session)->build_ids);
	for (size_t i = 0; i < c->opts->nr_build_ids; i++)
		vec_push(&c->features.build_ids, c->opts->build_ids[i]);
	c->features.has[FEATURE_BUILD_ID] = c->features.build_ids.nr;
	if (c->opts->redactor) {
		redact_features(&c->features);
		vec_for(id, &c->features.build_ids)
			id->filename = (char *)(uintptr_t)redact_mapped(c->opts->redactor, id->filename);
	}
	if (!c->opts->archive)
		return;
	c->features.archive = (void *)(uintptr_t)c->opts->archive;
	c->features.archive_size = c->opts->archive_size;
	c->features.has[FEATURE_ARCHIVE] = true;
}

/* perf requires that all events, or none, have trailers in records other than samples: if they differ, none gets them. */
static bool trailers_differ(const struct event_table *t)
{
	vec_for(e, &t->events)
		if ((*e)->attr.sample_id_all != t->events.v[0]->attr.sample_id_all)
			return true;
	return false;
}

static struct event_table without_trailers(const struct event_table *t)
{
	struct event_table out = copied_events(t);

	vec_for(e, &out.events)
		(*e)->attr.sample_id_all = 0;
	return out;
}

static int write_all_parts(struct copying *c, int fd, const char *path)
{
	int err;

	if (data_writer_open(&c->writer, &(struct data_writer_opts){ .path = path, .fd = fd }, &c->events))
		return -1;
	err = data_writer_write_header(c->writer, &c->features, &c->events);
	if (!err) {
		err = copy_chunks(c);
		if (err)
			error("cannot write '%s': %s", path, strerror(-err));
	}
	c->features.has[FEATURE_AUXTRACE] = c->features.auxtrace.nr;
	if (!err)
		err = data_writer_finish(c->writer, &c->features, &c->events);
	return data_writer_close(c->writer) || err ? -1 : 0;
}

/* Gives the file the time of the recording, from which readers take when it was recorded. */
static void keep_time(const struct session *s, const struct new_file *f)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW } };
	struct stat st;

	if (stat(s->file->path, &st))
		return;
	times[1] = st.st_mtim;
	if (futimens(f->fd, times))
		debug(1, "cannot set the time of '%s': %s", f->path, strerror(errno));
}

static int write_file(struct copying *c, const char *path)
{
	struct new_file f;
	int err;

	if (new_file_open(&f, path, 0600))
		return -1;
	err = write_all_parts(c, f.fd, path);
	if (!err && c->opts->keep_time)
		keep_time(c->session, &f);
	if (!err && (err = new_file_place(&f)))
		error("cannot write '%s': %s", path, strerror(-err));
	new_file_release(&f);
	return err ? -1 : 0;
}

/* The events that are in the file, without the events of sources at the end of @t. Borrowed. */
static struct event_table recorded_events(const struct event_table *t)
{
	struct event_table out = *t;

	while (out.events.nr && out.events.v[out.events.nr - 1]->made)
		out.events.nr--;
	return out;
}

int session_copy(struct session *s, const char *path, const struct copy_opts *opts, struct copied *out)
{
	struct copying c = { .session = s, .opts = opts, .copied = out };
	const struct event_table events = recorded_events(&s->file->events);
	bool owned = opts->redactor || trailers_differ(&events);
	int err;

	*out = (struct copied){0};
	copy_features(&c);
	c.events = opts->redactor ? redacted_events(&events) : owned ? without_trailers(&events) : events;
	err = str_eq(path, "-") ? write_all_parts(&c, 0, path) : write_file(&c, path);
	if (owned)
		copied_events_release(&c.events);
	vec_free(&c.features.auxtrace);
	vec_free(&c.features.build_ids);
	buf_release(&c.records);
	buf_release(&c.tracing);
	return err;
}
