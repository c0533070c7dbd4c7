/*
 * Prints the packets of a CoreSight trace for prec script -D. It splits the trace into one stream of bytes for each trace unit
 * (formatter.h), and packet_text.c prints the packets of each stream.
 */
#include <stdlib.h>

#include "auxtrace/cs_etm/packet_text.h"
#include "auxtrace/cs_etm/stage.h"
#include "core/base/buf.h"
#include "core/read/session.h"

struct part {			/* an AUX record */
	uint32_t cpu, tid;	/* AUX_NONE: unknown */
	uint64_t from, size;	/* .from: offset in the device's stream; .size: bytes */
	uint64_t flags;
};

struct dumper {
	struct cs_info info;
	VEC(struct part) parts;		/* sorted by .from */
	VEC(struct part) snapshots;	/* AUX records of snapshots; their .from is not usable */
	VEC(struct cs_config) configs;	/* the configurations of trace units whose trace can be read */
	const char *name;
};

void cs_read_ids(struct cs_info *info, const struct session *s)
{
	struct record rec;

	vec_for(record, &session_trace_records(s)->list)
		if (record->type == PERF_RECORD_AUX_OUTPUT_HW_ID && !session_read_trace_record(s, record, &rec) && rec.id.has_cpu)
			cs_info_set_id(info, rec.id.cpu, rec.hw_id.hw_id);
}

static void add_part(struct dumper *d, const struct record *aux)
{
	struct part p = {
		.cpu = aux->id.has_cpu ? aux->id.cpu : AUX_NONE, .tid = aux->id.has_tid ? aux->id.tid : AUX_NONE,
		.from = aux->aux.offset, .size = aux->aux.size, .flags = aux->aux.flags,
	};

	if (p.flags & PERF_AUX_FLAG_OVERWRITE)
		vec_push(&d->snapshots, p);
	else if (p.size && p.size <= UINT64_MAX - p.from)
		vec_push(&d->parts, p);
}

ORDER(by_offset, struct part, compare_numbers(a->from, b->from) ?: compare_numbers(a->size, b->size))

void *cs_dumper_new(const struct session *s, const struct words *words)
{
	struct dumper *d = xcalloc(1, sizeof(*d));
	struct record rec;

	if (cs_info_read(&d->info, words)) {
		free(d);
		return NULL;
	}
	cs_read_ids(&d->info, s);
	d->name = "trace unit";
	vec_for(c, &d->info.cpus) {
		if (c->unsupported)
			continue;
		vec_push(&d->configs, c->config);
		d->name = c->config.v7 == CS_PTM ? "PTM" : c->config.v7 ? "ETMV3" : c->config.version >= 0x50 ? "ETE" : "ETMV4I";
	}
	vec_for(record, &session_trace_records(s)->list)
		if (record->type == PERF_RECORD_AUX && !session_read_trace_record(s, record, &rec))
			add_part(d, &rec);
	vec_sort(&d->parts, by_offset);
	return d;
}

void cs_dumper_free(void *dumper)
{
	struct dumper *d = dumper;

	cs_info_release(&d->info);
	vec_free(&d->parts);
	vec_free(&d->snapshots);
	vec_free(&d->configs);
	free(d);
}

static void flush_text(void *out)
{
	ordered_text_flush(out);
}

/*
 * Prints the trace in bytes [from, from + size) of the AUXTRACE record: those of one AUX record, if one is known. The hardware
 * formatter, which mixes the bytes of several trace units, starts again at each AUX record.
 */
static void dump_part(struct ordered_text *out, const struct dumper *d, const struct trace_record *record,
		      const struct record *trace, uint64_t from, uint64_t size, bool raw)
{
	const struct cs_cpu *cpu = cs_info_cpu(&d->info, trace->auxtrace.cpu);
	uint64_t offset = trace->auxtrace.offset + from;
	struct cs_streams streams = {0};

	buf_printf(&out->buf, "\n. ... CoreSight %s Trace data: size %#llx bytes\n", d->name, (unsigned long long)size);
	if (!raw)
		cs_streams_unpack(&streams, record->payload + from, size, offset);
	else if (cpu)
		cs_streams_raw(&streams, cpu->config.id, record->payload + from, size, offset);
	cs_streams_text(&out->buf, &streams, d->configs.v, d->configs.nr, flush_text, out);
	cs_streams_release(&streams);
}

static bool is_of(const struct part *p, const struct record_auxtrace *a)
{
	if (a->cpu != AUX_NONE)
		return p->cpu == AUX_NONE || p->cpu == a->cpu;
	return p->tid == AUX_NONE || p->tid == a->tid;
}

static size_t first_from(const struct dumper *d, uint64_t offset)
{
	return bisect(i, 0, d->parts.nr, d->parts.v[i].from < offset);
}

void cs_dump_record(struct ordered_text *out, const void *dumper, const struct session *s, const struct trace_record *record)
{
	const struct dumper *d = dumper;
	const struct record_auxtrace *a;
	struct record trace;
	uint64_t size, nr = 0;

	if (!d || session_read_trace_record(s, record, &trace))
		return;
	a = &trace.auxtrace;
	size = MIN(a->size, record->payload_size);
	for (size_t i = first_from(d, a->offset); i < d->parts.nr && d->parts.v[i].from - a->offset < size; i++) {
		const struct part *p = &d->parts.v[i];
		uint64_t from = p->from - a->offset;

		if (!is_of(p, a) || p->size > size - from)
			continue;
		dump_part(out, d, record, &trace, from, p->size, p->flags & CS_FLAG_RAW);
		nr++;
	}
	vec_for(p, &d->snapshots) {
		uint64_t part = MIN(p->size, size);

		if (!part || !is_of(p, a))
			continue;
		dump_part(out, d, record, &trace, size - part, part, p->flags & CS_FLAG_RAW);
		nr++;
	}
	if (!nr && size)
		dump_part(out, d, record, &trace, 0, size, false);
}
