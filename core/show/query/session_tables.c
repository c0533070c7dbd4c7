/*
 * Implements two SQL tables of prec query about a whole recording: 'recording' has values of the file's header, such as the host
 * name, and 'findings' has the problems found in the recording.
 */
#include "core/show/query/query_impl.h"

#include "core/base/buf.h"
#include "core/read/session.h"
#include "core/perfdata/feature.h"

/* ---- recording: a row for each fact ---- */

static const struct fact { const char *name; } facts[] = {
	{ "hostname" }, { "os_release" }, { "arch" }, { "cpu" }, { "boot_id" }, { "command" }, { "first_time" }, { "last_time" },
	{ "samples" }, { "bytes" },
};

static void put_command(const struct features *f, sqlite3_context *out)
{
	struct buf text = {0};

	for (size_t i = 0; i < f->cmdline.nr; i++)
		buf_printf(&text, "%s%s", i ? " " : "", f->cmdline.v[i] ? f->cmdline.v[i] : "");
	if (text.len)
		put_text(out, &text);
	buf_release(&text);
}

static void fact_value(const struct query_row *r, sqlite3_context *out)
{
	const struct features *f = session_features(r->query->opts.session);
	const struct session_counts *c = session_counts(r->query->opts.session);
	bool timed = c->first_time <= c->last_time;

	switch (r->number) {
	case 0: put_static_text(out, f->hostname); break;
	case 1: put_static_text(out, f->osrelease); break;
	case 2: put_static_text(out, f->arch); break;
	case 3: put_static_text(out, f->cpudesc); break;
	case 4: put_static_text(out, f->boot_id); break;
	case 5: put_command(f, out); break;
	case 6: if (timed) sqlite3_result_int64(out, (sqlite3_int64)c->first_time); break;
	case 7: if (timed) sqlite3_result_int64(out, (sqlite3_int64)c->last_time); break;
	case 8: sqlite3_result_int64(out, (sqlite3_int64)c->by_type[PERF_RECORD_SAMPLE]); break;
	case 9: sqlite3_result_int64(out, (sqlite3_int64)c->bytes); break;
	}
}

static struct query_list list_facts(struct query *q)
{
	return (struct query_list){ facts, ARRAY_SIZE(facts), sizeof(*facts) };
}

static const struct query_column fact_columns[] = {
	{ "name", "hostname, os_release, arch, cpu, boot_id, command, first_time, last_time, samples, bytes", "TEXT",
	  MEMBER(fact, name) },
	{ "value", "text or number", "", .put = fact_value },
};

const struct query_table recording_table = {
	.name = "recording", .about = "where and how it was recorded", .columns = fact_columns,
	.nr_columns = ARRAY_SIZE(fact_columns), .list = list_facts,
};

static const struct finding *finding_at(const struct query_row *r) { return r->item; }

static void finding_code(const struct query_row *r, sqlite3_context *out)
{
	put_static_text(out, finding_name(finding_at(r)->code));
}

static void put_severity(const struct query_row *r, sqlite3_context *out)
{
	put_static_text(out, finding_severity_name(finding_severity(finding_at(r))));
}

static void put_share(const struct query_row *r, sqlite3_context *out)
{
	if (finding_at(r)->share >= 0)
		sqlite3_result_double(out, finding_at(r)->share);
}

static void put_sentence(const struct query_row *r, sqlite3_context *out)
{
	struct buf text = {0};

	finding_sentence(finding_at(r), &text);
	put_text(out, &text);
	buf_release(&text);
}

static struct query_list list_findings(struct query *q)
{
	if (!q->session_found) {
		q->session_found = xcalloc(1, sizeof(*q->session_found));
		findings_merge(q->session_found, profile_findings(q->profile));
		session_findings(q->opts.session, q->session_found);
		findings_sort(q->session_found);
	}
	return QUERY_LIST(&q->session_found->list);
}

static const struct query_column finding_columns[] = {
	{ "code", "as prec(1) has it", "TEXT", .put = finding_code },
	{ "severity", "note, warning, damage", "TEXT", .put = put_severity },
	{ "count", "how many of what the sentence names", "INTEGER", MEMBER(finding, count) },
	{ "of", "of how many", "INTEGER", MEMBER(finding, of), .rule = RULE_NOT_0 },
	{ "share", "of the samples that it concerns, 0 to 1", "REAL", .put = put_share },
	{ "place", "file, event, thread", "TEXT", MEMBER(finding, where) },
	{ "sentence", "what is wrong", "TEXT", .put = put_sentence },
};

const struct query_table findings_table = {
	.name = "findings", .about = "what is wrong with the recording", .columns = finding_columns,
	.nr_columns = ARRAY_SIZE(finding_columns), .parts = PART_PROFILE | PART_CODE | PART_STACKS, .list = list_findings,
};
