/*
 * Implements prec archive --redact for records. Drops raw data, registers, stacks and hardware trace from samples, replaces
 * names and paths in records, and leaves out other records and feature sections that may hold private data.
 */
#include "core/read/redact_records.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/read/item.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/record.h"
#include "core/perfdata/redact.h"

/* Raw data, copies of registers and stacks, traces: they may hold private data. */
#define SECRET_TYPES	((uint64_t)PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR | \
			 PERF_SAMPLE_AUX)

/* ---- events ---- */

struct event_table copied_events(const struct event_table *t)
{
	struct event_table out = *t;

	memset(&out.events, 0, sizeof(out.events));
	vec_for(ev, &t->events)
		vec_push(&out.events, memcpy(xmalloc(sizeof(**ev)), *ev, sizeof(**ev)));
	return out;
}

struct event_table redacted_events(const struct event_table *t)
{
	struct event_table out = copied_events(t);

	vec_for(ev, &out.events) {
		struct event_attr *a = &(*ev)->attr;

		a->sample_type &= ~SECRET_TYPES;
		a->sample_regs_user = a->sample_regs_intr = 0;
		a->sample_stack_user = a->aux_sample_size = 0;
		sample_layout_of(&(*ev)->layout, a);
	}
	return out;
}

void copied_events_release(struct event_table *t)
{
	vec_for(ev, &t->events)
		free(*ev);
	vec_free(&t->events);
}

/* ---- records ---- */

/* Writes a sample. Unwound chains have addresses of calls; + 1 makes them return addresses, as in the kernel's chains. */
static void put_sample(const struct item *item, const struct event *clean, struct buf *out)
{
	struct record rec = *item->record;
	struct words *chain = &rec.sample.chain;
	uint64_t *ips = NULL;
	bool user = false;

	rec.header.size = 0;
	rec.sample = *item->sample;
	if (item->unwound && chain->nr) {
		ips = xmalloc(chain->nr * sizeof(*ips));
		for (uint64_t i = 0; i < chain->nr; i++) {
			ips[i] = words_at(chain, i);
			if (ips[i] >= CHAIN_CONTEXT_MAX)
				user = ips[i] == PERF_CONTEXT_USER;
			else if (user && i && words_at(chain, i - 1) < CHAIN_CONTEXT_MAX)
				ips[i]++;
		}
		chain->data = (const uint8_t *)ips;
	}
	record_append(out, &clean->layout, &rec);
	free(ips);
}

/* True if records of this type hold no names. */
static bool is_harmless(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_LOST: case PERF_RECORD_EXIT: case PERF_RECORD_THROTTLE: case PERF_RECORD_UNTHROTTLE: case PERF_RECORD_FORK:
	case PERF_RECORD_READ: case PERF_RECORD_LOST_SAMPLES: case PERF_RECORD_SWITCH: case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_NAMESPACES: case PERF_RECORD_BPF_EVENT: case PERF_RECORD_TEXT_POKE:
	case RECORD_ID_INDEX: case RECORD_TIME_CONV: case RECORD_FINISHED_INIT:
		return true;
	}
	return false;
}

/* Replaces the names in @rec. Returns false if the record must be left out. */
static bool rename_record(struct redactor *r, struct record *rec)
{
	switch (rec->header.type) {
	case PERF_RECORD_MMAP: case PERF_RECORD_MMAP2:
		rec->mmap.filename = redact_mapped(r, rec->mmap.filename);
		return true;
	case PERF_RECORD_COMM:
		rec->comm.comm = redact_thread(r, rec->comm.comm);
		return true;
	case PERF_RECORD_KSYMBOL:
		rec->ksymbol.name = redact_function(r, rec->ksymbol.name, false);
		return true;
	case PERF_RECORD_CGROUP:
		rec->cgroup.path = redact_cgroup(r, rec->cgroup.path);
		return true;
	}
	return false;
}

bool redact_item(struct redactor *r, const struct event_table *events, const struct item *item, struct buf *out)
{
	const struct event *clean = item->event ? events->events.v[item->event->number] : NULL;
	struct record rec;

	if (item->sample) {
		put_sample(item, clean, out);
		return true;
	}
	if (is_harmless(item->record->header.type)) {
		buf_put(out, item->bytes, item->record->header.size);
		return true;
	}
	rec = *item->record;
	rec.header.size = 0;
	return rename_record(r, &rec) && !record_append(out, clean ? &clean->layout : NULL, &rec);
}

/* ---- sections ---- */

void redact_features(struct features *f)
{
	static const enum feature secret[] = {
		FEATURE_HOSTNAME, FEATURE_CMDLINE, FEATURE_TRACING_DATA, FEATURE_BOOT_ID, FEATURE_AUXTRACE, FEATURE_BPF_PROG_INFO,
		FEATURE_BPF_BTF, FEATURE_TRIGGERS, FEATURE_DESCRIPTORS, FEATURE_JIT_MAPS, FEATURE_FOUND,
		FEATURE_PYTHON, FEATURE_JAVA,
	};

	for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
		f->has[secret[i]] = false;
}
