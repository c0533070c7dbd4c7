/*
 * Finds the decoder for the hardware trace in a recording, and attaches the decoder to the session, so that commands read
 * decoded samples like recorded ones. Also prints the trace's packets for prec script -D.
 * Layer: auxtrace
 */
#include "auxtrace/aux.h"

#include <stdlib.h>

#include "auxtrace/backend.h"
#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/read/session.h"
#include "core/read/source.h"

struct aux {
	struct session *session;	/* borrowed */
	const struct aux_backend *backend;
	struct item_source *source;	/* NULL: there is nothing to decode */
};

/* Reads the first AUXTRACE_INFO record. Returns whether there is one. */
static bool find_info(const struct session *s, struct record *out)
{
	const struct trace_records *records = session_trace_records(s);

	vec_for(record, &records->list)
		if (record->type == RECORD_AUXTRACE_INFO)
			return !session_read_trace_record(s, record, out);
	return false;
}

static void report_unknown(struct session *s, const struct aux_backend *backend, uint32_t type)
{
	char *where = xasprintf("'%s' (%s, type %u)", session_file(s)->path, backend ? backend->name : "unknown", type);

	session_found(s, FINDING_UNKNOWN_TRACE, 1, where);
	free(where);
}

int aux_attach(struct aux **out, struct session *session, const struct itrace_opts *opts, bool calls_only,
	       const struct aux_window *window)
{
	struct itrace_opts chosen = *opts;
	struct item_source *source = NULL;
	const struct aux_backend *backend;
	struct record info;
	int err;

	*out = NULL;
	if (chosen.none || !find_info(session, &info))
		return 0;
	backend = aux_backend_of(info.auxtrace_info.type);
	if (!backend || !backend->decode) {
		report_unknown(session, backend, info.auxtrace_info.type);
		return 0;
	}
	if (!chosen.given)
		itrace_default(&chosen, calls_only);
	err = backend->decode->open(&source, &(struct aux_input){ .session = session, .info = &info.auxtrace_info.priv,
								  .opts = &chosen, .window = window });
	if (err)
		return err;
	if (!source)
		return 0;
	source->findings = backend->decode->findings;
	session_add_source(session, source);
	*out = xcalloc(1, sizeof(**out));
	**out = (struct aux){ .session = session, .backend = backend, .source = source };
	return 0;
}

void aux_detach(struct aux *a)
{
	if (!a)
		return;
	session_remove_source(a->session, a->source);
	a->backend->decode->close(a->source);
	free(a);
}

/* ---- dumps: -D ---- */

struct aux_dumper {
	const struct session *session;
	const struct aux_backend *backend;	/* NULL: unknown, or there is no trace */
	struct record info;			/* AUXTRACE_INFO */
	void *dumper;				/* the backend's */
};

static const struct aux_decode_ops *ops_of(const struct aux_backend *b)
{
	return b ? b->decode : NULL;
}

struct aux_dumper *aux_dumper_new(const struct session *s)
{
	struct aux_dumper *d = xcalloc(1, sizeof(*d));
	const struct aux_decode_ops *ops;

	d->session = s;
	if (!find_info(s, &d->info))
		return d;
	d->backend = aux_backend_of(d->info.auxtrace_info.type);
	ops = ops_of(d->backend);
	if (ops && ops->dumper_new)
		d->dumper = ops->dumper_new(s, &d->info.auxtrace_info.priv);
	return d;
}

void aux_dumper_free(struct aux_dumper *d)
{
	const struct aux_decode_ops *ops = d ? ops_of(d->backend) : NULL;

	if (ops && ops->dumper_free)
		ops->dumper_free(d->dumper);
	free(d);
}

static int compare_position(const void *key, const void *element)
{
	uint64_t position = *(const uint64_t *)key;
	const struct trace_record *record = element;

	return position < record->position ? -1 : position > record->position;
}

/* Flushes the text often, because it is many times as large as the trace. */
static void dump_packets(const struct aux_decode_ops *ops, const uint8_t *data, size_t size, struct ordered_text *out)
{
	for (size_t at = 0; ops && ops->dump && at < size; ordered_text_flush(out))
		at = ops->dump(&out->buf, data, size, at);
}

static void dump_trace(const struct aux_dumper *d, const struct item *item, struct ordered_text *out)
{
	const struct trace_records *records = session_trace_records(d->session);
	const struct aux_decode_ops *ops = ops_of(d->backend);
	const struct trace_record *record = NULL;

	if (records->list.nr)
		record = bsearch(&item->position, records->list.v, records->list.nr, sizeof(*record), compare_position);
	if (!record || d->info.header.type != RECORD_AUXTRACE_INFO)
		return;
	if (ops && ops->dump_record) {
		ops->dump_record(out, d->dumper, d->session, record);
		return;
	}
	buf_printf(&out->buf, ".\n. ... %s data: size %llu bytes\n", d->backend ? d->backend->name : "AUX",
		   (unsigned long long)record->payload_size);
	dump_packets(ops, record->payload, record->payload_size, out);
}

/* Dumps the trace in a sample (PERF_SAMPLE_AUX). */
static void dump_sample(const struct aux_dumper *d, const struct sample *sample, struct ordered_text *out)
{
	const struct aux_decode_ops *ops = ops_of(d->backend);

	buf_printf(&out->buf, "\n. ... %s data: size %llu bytes\n", d->backend ? d->backend->name : "AUX",
		   (unsigned long long)sample->aux_size);
	dump_packets(ops, sample->aux, sample->aux_size, out);
}

void aux_dump(const void *dumper, const struct item *item, struct ordered_text *out)
{
	const struct record *r = item->record;
	const struct aux_decode_ops *ops;

	if (item->sample && item->sample->aux_size) {
		dump_sample(dumper, item->sample, out);
		return;
	}
	if (r->header.type == RECORD_AUXTRACE) {
		dump_trace(dumper, item, out);
		return;
	}
	if (r->header.type != RECORD_AUXTRACE_INFO)
		return;
	ops = ops_of(aux_backend_of(r->auxtrace_info.type));
	if (ops && ops->dump_info)
		ops->dump_info(&out->buf, &r->auxtrace_info.priv);
}
