/*
 * Finds the decoder for the hardware trace in a recording, and attaches it to the session, so that commands get decoded samples
 * in the same way as recorded ones. Also prints the packets of the trace for prec script -D.
 */
#include "auxtrace/aux.h"

#include <stdlib.h>

#include "auxtrace/backend.h"
#include "auxtrace/stage.h"
#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/read/session.h"

static bool find_info(const struct session *s, struct record *out)
{
	const struct trace_records *records = session_trace_records(s);

	vec_for(record, &records->list)
		if (record->type == RECORD_AUXTRACE_INFO)
			return !session_read_trace_record(s, record, out);
	return false;
}

static void report_unknown(struct session *s, uint32_t type)
{
	char *where = xasprintf("'%s' (unknown, type %u)", session_file(s)->path, type);

	session_found(s, FINDING_UNKNOWN_TRACE, 1, where);
	free(where);
}

int aux_attach(bool *attached, struct session *session, const struct itrace_opts *opts, bool calls_only,
	       const struct aux_window *window)
{
	const struct aux_backend *backend;
	struct aux_stage *stage;
	struct record info;

	if (attached)
		*attached = false;
	if (opts->none || !find_info(session, &info))
		return 0;
	backend = aux_backend_of(info.auxtrace_info.type);
	if (!backend) {
		report_unknown(session, info.auxtrace_info.type);
		return 0;
	}
	stage = xcalloc(1, backend->decode->stage_size);
	stage->source = backend->decode->source;
	aux_stage_init(stage, session, opts, backend->decode->arch->kernel_start);
	if (!opts->given)
		itrace_default(&stage->opts, calls_only);
	if (backend->decode->open(stage, &info.auxtrace_info.priv, window)) {
		stage->source.close(&stage->source);
		return -1;
	}
	session_add_source(session, &stage->source);
	if (attached)
		*attached = true;
	return 0;
}

/* ---- dumps: -D ---- */

struct aux_dumper {
	const struct session *session;
	const struct aux_backend *backend;	/* NULL: unknown, or there is no trace */
	struct record info;			/* AUXTRACE_INFO */
	void *dumper;				/* the backend's */
};

struct aux_dumper *aux_dumper_new(const struct session *s)
{
	struct aux_dumper *d = xcalloc(1, sizeof(*d));

	d->session = s;
	if (find_info(s, &d->info))
		d->backend = aux_backend_of(d->info.auxtrace_info.type);
	if (d->backend && d->backend->decode->dumper_new)
		d->dumper = d->backend->decode->dumper_new(s, &d->info.auxtrace_info.priv);
	return d;
}

void aux_dumper_free(struct aux_dumper *d)
{
	if (d && d->dumper)
		d->backend->decode->dumper_free(d->dumper);
	free(d);
}

static int compare_position(const void *key, const void *element)
{
	uint64_t position = *(const uint64_t *)key;
	const struct trace_record *record = element;

	return position < record->position ? -1 : position > record->position;
}

/* Flushes the text often, because it is many times as large as the trace. */
static void dump_packets(const struct aux_dumper *d, const uint8_t *data, size_t size, struct ordered_text *out)
{
	buf_printf(&out->buf, "\n. ... %s data: size %zu bytes\n", d->backend ? d->backend->name : "AUX", size);
	for (size_t at = 0; d->backend && d->backend->decode->dump && at < size; ordered_text_flush(out))
		at = d->backend->decode->dump(&out->buf, data, size, at);
}

static void dump_trace(const struct aux_dumper *d, const struct item *item, struct ordered_text *out)
{
	const struct trace_records *records = session_trace_records(d->session);
	const struct trace_record *record = NULL;

	if (records->list.nr)
		record = bsearch(&item->position, records->list.v, records->list.nr, sizeof(*record), compare_position);
	if (!record || d->info.header.type != RECORD_AUXTRACE_INFO)
		return;
	if (d->backend && d->backend->decode->dump_record) {
		d->backend->decode->dump_record(out, d->dumper, d->session, record);
		return;
	}
	buf_putc(&out->buf, '.');
	dump_packets(d, record->payload, record->payload_size, out);
}

void aux_dump(const void *dumper, const struct item *item, struct ordered_text *out)
{
	const struct record *r = item->record;
	const struct aux_backend *backend;

	if (item->sample && item->sample->aux_size) {
		dump_packets(dumper, item->sample->aux, item->sample->aux_size, out);	/* PERF_SAMPLE_AUX */
	} else if (r->header.type == RECORD_AUXTRACE) {
		dump_trace(dumper, item, out);
	} else if (r->header.type == RECORD_AUXTRACE_INFO) {
		backend = aux_backend_of(r->auxtrace_info.type);
		if (backend)
			backend->decode->dump_info(&out->buf, &r->auxtrace_info.priv);
	}
}
