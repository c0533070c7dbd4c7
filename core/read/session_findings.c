/*
 * Turns the counts of a recording, such as lost samples and damaged records, into findings, which are messages to the user
 * (core/ui/finding.h). Adds findings about mapped files and hardware trace, and findings that the recorder stored.
 */
#include <inttypes.h>

#include "core/base/buf.h"
#include "core/ui/finding.h"
#include "core/base/log.h"
#include "core/read/session.h"
#include "core/read/session_impl.h"
#include "core/read/source.h"

/* Add with a place made by printf; nothing if @count is 0. */
#define ADD_AT(out, code, count, of, ...) do {			\
	char *where = xasprintf(__VA_ARGS__);			\
								\
	findings_add(out, code, count, of, where);		\
	free(where);						\
} while (0)

static void add_cuts(const struct session *s, struct findings *out)
{
	const struct session_counts *c = &s->scan.counts;
	const struct data_file *f = s->file;
	const struct data_part *part = &f->parts.v[c->cut_part];

	if (s->header_only || f->pieces)
		return;
	if (data_file_cut(f) && !f->promised_size)
		ADD_AT(out, FINDING_UNFINISHED, f->data_size, 0, "'%s'", f->path);
	else if (data_file_cut(f))
		ADD_AT(out, FINDING_CUT_FILE, f->promised_size - f->data_size, f->promised_size, "'%s'", f->path);
	if (c->cut)
		ADD_AT(out, FINDING_CUT_RECORD, MAX(part->size - c->cut_at, 1), 0, "offset 0x%" PRIx64 " of '%s'",
		       part->offset + c->cut_at, part->path);
}

static uint64_t nr_records(const struct session_counts *c)
{
	uint64_t nr = c->unknown;

	for (uint32_t type = 0; type < RECORD_MAX; type++)
		nr += c->by_type[type];
	return nr;
}

static void put_kind_of_damage(struct buf *b, const struct damage *d)
{
	static const char *const kinds[] = {
		[DAMAGE_FIELDS] = "which its fields do not fit",
		[DAMAGE_ZSTD] = "whose zstd stream is damaged",
		[DAMAGE_RATIO] = "whose zstd stream unpacks to more than a recording ever does",
	};

	buf_puts(b, kinds[d->kind]);
	if (d->ratio)
		buf_printf(b, ": %" PRIu64 " times its size (at most %d)", d->ratio, ZSTD_RATIO_MAX);
}

static void add_damaged_records(const struct session *s, struct findings *out)
{
	const struct damage *d = &s->scan.counts.damaged;
	const char *name = record_name(d->header.type);
	struct buf where = {0};

	buf_printf(&where, "offset 0x%" PRIx64 " of '%s': %s (%" PRIu32 ") of %" PRIu16 " bytes, ", d->offset, s->file->path,
		   name ? name : "unknown type", d->header.type, d->header.size);
	put_kind_of_damage(&where, d);
	findings_add(out, FINDING_DAMAGED_RECORDS, d->nr, 0, buf_str(&where));
	buf_release(&where);
}

/* Reports the chunks whose records do not fit the index. */
static void add_damaged_chunks(const struct session *s, struct findings *out)
{
	uint64_t nr = 0, first = 0;

	vec_for(c, &s->scan.chunks.chunks) {
		first = c->damaged && !nr ? c->offset : first;
		nr += c->damaged;
	}
	ADD_AT(out, FINDING_DAMAGED_INDEX, nr, 0, "the index has other records at offset 0x%" PRIx64 " of '%s'", first,
	       s->file->path);
}

static void add_damage(const struct session *s, struct findings *out)
{
	const struct session_counts *c = &s->scan.counts;
	uint64_t nr_samples = c->by_type[PERF_RECORD_SAMPLE];

	findings_merge(out, &s->file->findings);
	ADD_AT(out, FINDING_TRUNCATED, data_file_shrank(s->file), 0, "'%s'", s->file->path);
	if (s->tracing_damaged)
		ADD_AT(out, FINDING_DAMAGED_TRACEPOINTS, 1, 0, "%zu were read", s->tracing.events.nr);
	findings_add(out, FINDING_UNUSABLE_ARCHIVE, s->archive_unusable, 0, NULL);
	ADD_AT(out, FINDING_CUT_COMPRESSED, c->half.bytes, 0, "offset 0x%" PRIx64 " of '%s'", c->half.offset, s->file->path);
	add_damaged_records(s, out);
	add_damaged_chunks(s, out);
	findings_add(out, FINDING_NO_EVENT, c->no_event, nr_samples, NULL);
	findings_add(out, FINDING_LATE_HEADERS, s->scan.nr_late, 0, NULL);
	findings_add(out, FINDING_DISORDERED, s->nr_disordered, nr_records(c), NULL);
	findings_add(out, FINDING_UNKNOWN_RECORDS, c->unknown, nr_records(c), NULL);
	if (machine_nr_inconsistent(s->machine))
		debug(1, "'%s': %" PRIu64 " records of processes and maps contradict others", s->file->path,
		      machine_nr_inconsistent(s->machine));
}

/* "cpu-clock (CPU 0: 10, CPU 1: 2), page-faults (thread 7: 1)", as far as the recorder has kept it. */
static void put_losses(const struct session *s, struct buf *out)
{
	const struct event_table *t = &s->file->events;
	uint32_t last = UINT32_MAX;

	vec_for(l, &s->file->features.losses.by_event) {
		/* The last event is prec's side band. */
		if (l->event + 1 >= t->events.nr)
			continue;
		buf_printf(out, l->event == last ? ", " : "%s%s (", out->len ? "), " : "", t->events.v[l->event]->name);
		buf_printf(out, l->cpu >= 0 ? "CPU %d: %" PRIu64 : "thread %d: %" PRIu64, l->cpu >= 0 ? l->cpu : l->tid, l->lost);
		last = l->event;
	}
	if (out->len)
		buf_putc(out, ')');
}

/* The share of time, if the recorder has kept it; -1: unknown. */
static double throttled_share(const struct session *s)
{
	const struct feature_coverage *c = &s->file->features.coverage;
	struct coverage b;

	if (session_coverage(s, &b))
		return b.throttled / 100;
	if (!s->file->features.has[FEATURE_BALANCE] || c->source == COVERAGE_UNKNOWN || !c->charged_ns)
		return -1;
	return MIN((double)c->throttled_ns / (double)c->charged_ns, 1.0);
}

/* The number of lost side-band records, for which the recorder has a finding of its own. */
static uint64_t lost_side_band(const struct session *s)
{
	uint64_t n = 0;

	vec_for(l, &s->file->features.losses.by_event)
		if (l->event + 1 == s->file->events.events.nr)
			n += l->lost;
	return n;
}

/* A ring's LOST records include its samples, which kernels since 6.0 count again by event. */
static void add_losses(const struct session *s, struct findings *out)
{
	const struct session_counts *c = &s->scan.counts;
	uint64_t all = c->by_type[PERF_RECORD_SAMPLE] + MAX(c->lost, c->lost_samples);
	uint64_t others = c->lost > c->lost_samples ? c->lost - c->lost_samples : 0;
	uint64_t unwritten = s->file->features.coverage.all_unwritten, side_band = lost_side_band(s);
	struct buf where = {0};

	put_losses(s, &where);
	findings_add(out, FINDING_LOST_SAMPLES, c->lost_samples, c->by_type[PERF_RECORD_SAMPLE] + c->lost_samples,
		     where.len ? buf_str(&where) : NULL);
	buf_release(&where);
	findings_add(out, FINDING_LOST_RECORDS, others > side_band ? others - side_band : 0, all, NULL);
	findings_add(out, FINDING_UNWRITTEN, unwritten, c->by_type[PERF_RECORD_SAMPLE] + unwritten, NULL);
	findings_add(out, FINDING_CUT_MAPS, c->cut_maps, 0, NULL);
	findings_add_share(out, FINDING_THROTTLED, c->throttled, 0, NULL, throttled_share(s));
}

bool session_coverage(const struct session *s, struct coverage *out)
{
	const struct feature_coverage *f = &s->file->features.coverage;
	const struct session_counts *c = &s->scan.counts;

	if (!s->file->features.has[FEATURE_BALANCE] || s->header_only)
		return false;
	return coverage_of(out, f, f->event < c->samples_by_event.nr ? c->samples_by_event.v[f->event] : 0);
}

#define WHOLE_MIN	99.0	/* percent: a lower coverage is reported */

static void add_balance(const struct session *s, struct findings *out)
{
	struct buf where = {0};
	struct coverage b;

	if (!session_coverage(s, &b) || b.here >= WHOLE_MIN)
		return;
	coverage_put(&b, &where);
	findings_add_share(out, FINDING_BALANCE, 1, 0, buf_str(&where), (100 - b.here) / 100);
	buf_release(&where);
}

static void add_chains(const struct session *s, struct findings *out)
{
	chain_cuts_findings(&s->scan.counts.cuts, out);
	findings_add(out, FINDING_CHAINS_WITHOUT_USER, s->scan.counts.no_user, s->scan.counts.by_type[PERF_RECORD_SAMPLE], NULL);
}

/* True if the recorder has a finding that a BPF program dropped samples. */
static bool dropped_by_program(const struct session *s)
{
	vec_for(one, &s->file->features.found)
		if (one->name && str_eq(one->name, finding_name(FINDING_BPF_DROPPED)))
			return true;
	return false;
}

void session_without_samples(const struct session *s, struct findings *out)
{
	enum finding_code code = FINDING_NO_SAMPLES_LEFT;

	if (!s->scan.counts.by_type[PERF_RECORD_SAMPLE] && dropped_by_program(s))
		return;
	if (!s->scan.counts.by_type[PERF_RECORD_SAMPLE])
		code = event_table_only_counts(&s->file->events) ? FINDING_ONLY_COUNTED : FINDING_NO_SAMPLES;
	ADD_AT(out, code, 1, 0, "'%s'", s->file->path);
}

static bool has_code(const struct findings *f, enum finding_code code)
{
	vec_for(one, &f->list)
		if (one->code == code)
			return true;
	return false;
}

/* Adds the findings that the recorder stored in the file, except those already found in its records. */
static void add_recorders(const struct session *s, struct findings *out)
{
	struct findings found = {0};

	vec_for(one, &s->file->features.found)
		for (enum finding_code code = 0; code < FINDING_NR; code++)
			if (one->name && str_eq(finding_name(code), one->name) && !has_code(out, code))
				findings_add(&found, code, one->count, one->of, one->where && *one->where ? one->where : NULL);
	findings_merge(out, &found);
	findings_release(&found);
}

void session_findings(const struct session *s, struct findings *out)
{
	add_losses(s, out);
	add_balance(s, out);
	add_chains(s, out);
	add_cuts(s, out);
	add_damage(s, out);
	findings_merge(out, &s->found);
	machine_findings(s->machine, out);
	vec_for(source, &s->sources)
		if ((*source)->findings)
			(*source)->findings(*source, out);
	add_recorders(s, out);
}
