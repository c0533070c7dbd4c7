/* The event of a record: by its id wherever the events keep it, and for records without one. */
#include "core/perfdata/event_table.h"

#include "core/base/buf.h"
#include "core/perfdata/record.h"
#include "tests/unit/check.h"

#define BASE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static struct event *add(struct event_table *t, uint64_t type, bool all, uint64_t id)
{
	struct event_attr attr = { .type = 1, .sample_type = type, .sample_id_all = all };
	struct event *ev = event_table_add(t, &attr);

	event_table_add_id(t, ev, id);
	return ev;
}

/* The event that a record of @ev's layout with @id comes out as. */
static struct event *round_trip(struct event_table *t, struct event *ev, uint32_t type, uint64_t id)
{
	struct record r = { .header.type = type };
	struct buf b = {0};
	struct event *got;

	if (type == PERF_RECORD_SAMPLE) {
		r.sample.id = id;
		r.sample.cpu = 0x77;
	} else {
		if (type == PERF_RECORD_COMM)
			r.comm.comm = "x";
		r.id.id = id;
		r.id.cpu = 0x77;
		r.id.stream_id = 0x99;
	}
	CHECK(!record_append(&b, &ev->layout, &r));
	got = event_of_record(t, b.data);
	buf_release(&b);
	return got;
}

static void each_finds_itself(uint64_t first_type, uint64_t second_type, bool same)
{
	struct event_table t = {0};
	struct event *a = add(&t, first_type, true, 11), *b = add(&t, second_type, true, 22);

	event_table_finish(&t);
	CHECK(t.same_layout == same, "types %" PRIx64 " %" PRIx64, first_type, second_type);
	CHECK(round_trip(&t, a, PERF_RECORD_SAMPLE, 11) == a);
	CHECK(round_trip(&t, b, PERF_RECORD_SAMPLE, 22) == b);
	CHECK(round_trip(&t, a, PERF_RECORD_COMM, 11) == a);
	CHECK(round_trip(&t, b, PERF_RECORD_COMM, 22) == b);
	CHECK(round_trip(&t, b, PERF_RECORD_COMM, 0) == a, "a synthesized record has id 0");
	CHECK(!round_trip(&t, a, PERF_RECORD_SAMPLE, 33), "nobody's");
	CHECK(round_trip(&t, a, RECORD_FINISHED_ROUND, 0) == a);
	event_table_release(&t);
}

/* Machine-wide records with an unknown id are the first event's if all have the same trailers; losses are not. */
static void of_nobody(void)
{
	struct event_table t = {0};
	struct event *a = add(&t, BASE | PERF_SAMPLE_ID, true, 11);
	struct event *b = add(&t, BASE | PERF_SAMPLE_ID | PERF_SAMPLE_CALLCHAIN, true, 22);

	event_table_finish(&t);
	CHECK(round_trip(&t, b, PERF_RECORD_COMM, 33) == a);
	CHECK(!round_trip(&t, b, PERF_RECORD_LOST_SAMPLES, 33));
	event_table_release(&t);
	a = add(&t, BASE | PERF_SAMPLE_IDENTIFIER, true, 11);
	b = add(&t, BASE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU, true, 22);
	event_table_finish(&t);
	CHECK(t.same_layout && !round_trip(&t, b, PERF_RECORD_COMM, 33), "trailers differ");
	event_table_release(&t);
}

static void put_word(struct buf *b, size_t at, uint64_t v)
{
	memcpy(b->data + at, &v, sizeof(v));
}

/* In a record with @first in PERF_SAMPLE_IDENTIFIER and @last in _ID both become @want, and nothing else changes. */
static void own_ids(struct event_table *t, uint32_t type, uint64_t first, uint64_t last, uint64_t want)
{
	struct record r = { .header.type = type, .sample = { .id = 7 } };
	struct buf b = {0}, whole = {0};
	const struct event *ev;
	size_t id_at, identifier_at;

	if (type == PERF_RECORD_COMM)
		r = (struct record){ .header.type = type, .comm.comm = "x", .id.id = 7 };
	CHECK(!record_append(&b, &t->events.v[0]->layout, &r));
	identifier_at = type == PERF_RECORD_SAMPLE ? 8 : b.len - 8;
	id_at = type == PERF_RECORD_SAMPLE ? 8 + 4 * 8 : b.len - 4 * 8;
	buf_put(&whole, b.data, b.len);
	put_word(&b, identifier_at, first);
	put_word(&b, id_at, last);
	put_word(&whole, identifier_at, want);
	put_word(&whole, id_at, want);
	ev = event_of_record(t, b.data);
	CHECK(ev);
	if (ev)
		event_own_ids(t, ev, b.data);
	CHECK(!memcmp(whole.data, b.data, b.len), "type %u, ids %" PRIu64 " and %" PRIu64, type, first, last);
	buf_release(&b);
	buf_release(&whole);
}

static void ids_become_own(void)
{
	const uint64_t type = BASE | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	struct event_table t = {0};
	struct event *a = add(&t, type, true, 11);

	event_table_add_id(&t, a, 12);
	event_table_finish(&t);
	own_ids(&t, PERF_RECORD_SAMPLE, 12, 12, 12);
	own_ids(&t, PERF_RECORD_SAMPLE, 33, 12, 12);
	own_ids(&t, PERF_RECORD_SAMPLE, 33, 44, 11);
	own_ids(&t, PERF_RECORD_COMM, 33, 12, 12);
	own_ids(&t, PERF_RECORD_COMM, 0, 0, 0);
	add(&t, type, true, 22);
	event_table_finish(&t);
	own_ids(&t, PERF_RECORD_SAMPLE, 12, 33, 12);
	own_ids(&t, PERF_RECORD_SAMPLE, 12, 22, 12);
	own_ids(&t, PERF_RECORD_SAMPLE, 22, 12, 22);
	own_ids(&t, PERF_RECORD_COMM, 22, 33, 22);
	own_ids(&t, PERF_RECORD_COMM, 33, 44, 11);
	own_ids(&t, PERF_RECORD_COMM, 0, 33, 0);
	event_table_release(&t);
}

static void one_event_owns_all(void)
{
	struct event_table t = {0};
	struct event *a = add(&t, BASE, false, 5);
	uint8_t tiny[8] = { PERF_RECORD_SAMPLE, 0, 0, 0, 0, 0, 8, 0 };

	event_table_finish(&t);
	CHECK(event_of_record(&t, tiny) == a);
	CHECK_TEXT(a->name, "cpu-clock");
	event_table_release(&t);
	CHECK(!event_of_record(&t, tiny), "an empty table");
}

/* A record too short for the place of its id may not be read beyond its end (a sanitizer sees it). */
static void short_records(void)
{
	struct event_table t = {0};
	uint8_t *tiny = xcalloc(1, 8);

	add(&t, BASE | PERF_SAMPLE_ID, true, 1);
	add(&t, BASE | PERF_SAMPLE_ID, true, 2);
	event_table_finish(&t);
	tiny[6] = 8;
	for (uint8_t type = 1; type < 23; type++) {
		tiny[0] = type;
		event_of_record(&t, tiny);
	}
	free(tiny);
	event_table_release(&t);
}

static void many_ids(void)
{
	struct event_table t = {0};
	struct event *ev[7];

	for (size_t i = 0; i < ARRAY_SIZE(ev); i++)
		ev[i] = add(&t, BASE | PERF_SAMPLE_IDENTIFIER, true, 1000000 + i);
	for (uint64_t id = 0; id < 10000; id++)
		event_table_add_id(&t, ev[id % 7], id * 3);
	event_table_finish(&t);
	for (uint64_t id = 0; id < 30000; id++)
		CHECK(event_by_id(&t, id) == (id % 3 ? NULL : ev[id / 3 % 7]), "id %" PRIu64, id);
	event_table_add_id(&t, ev[1], 0);
	CHECK(event_by_id(&t, 0) == ev[0], "the first owner keeps an id");
	CHECK(event_id_info(&t, 3)->cpu == -1 && event_id_info(&t, 3)->event == 1);
	event_table_release(&t);
}

/* The memo of samples agrees with event_of_record() for each, be they too short for an id or unknown. */
static void memo(void)
{
	struct event_memo memo = {0};
	struct event_table t = {0};
	struct event *ev[3];
	uint64_t state = 1;

	for (size_t i = 0; i < ARRAY_SIZE(ev); i++)
		ev[i] = add(&t, BASE | PERF_SAMPLE_IDENTIFIER, true, 100 + i);
	for (uint64_t id = 103; id < 160; id++)
		event_table_add_id(&t, ev[id % 3], id);
	event_table_finish(&t);
	for (int i = 0; i < 10000; i++) {
		uint16_t size = random_below(&state, 10) ? 16 : 8;
		uint64_t id = random_below(&state, 8) ? 100 + random_below(&state, 64) : random_below(&state, 4) * 16;
		uint8_t *record = xcalloc(1, size);	/* the heap, so that a sanitizer sees the edge */

		record[0] = PERF_RECORD_SAMPLE;
		memcpy(record + 6, &size, sizeof(size));
		if (size == 16)
			memcpy(record + 8, &id, sizeof(id));
		CHECK(event_of_sample(&memo, &t, record, size) == event_of_record(&t, record), "id %" PRIu64, id);
		free(record);
	}
	event_table_release(&t);
}

static void file_attr_size(void)
{
	struct event_table t = {0};
	struct event *ev = add(&t, BASE, true, 1);

	CHECK(event_table_attr_size(&t) == 128);
	ev->attr.config3 = 1;
	CHECK(event_table_attr_size(&t) == 136);
	ev->attr.config4 = 1;
	CHECK(event_table_attr_size(&t) == 144);
	event_table_release(&t);
}

int main(void)
{
	const uint64_t id = PERF_SAMPLE_ID, identifier = PERF_SAMPLE_IDENTIFIER;
	const uint64_t more = PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID;

	each_finds_itself(BASE | identifier, BASE | identifier | more, true);
	each_finds_itself(BASE | id, BASE | id, true);
	each_finds_itself(BASE | id | more, BASE | id | more, true);
	each_finds_itself(BASE | id | more, BASE | id, false);
	each_finds_itself(BASE | id, BASE | PERF_SAMPLE_ADDR | id, false);
	each_finds_itself(BASE | identifier, BASE | id | more, false);
	of_nobody();
	ids_become_own();
	one_event_owns_all();
	short_records();
	many_ids();
	memo();
	file_attr_size();
	return checks_done();
}
