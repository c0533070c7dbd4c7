/* Header records of a stream. */
#include "core/read/stream.h"

#include "core/base/util.h"
#include "core/perfdata/data_file.h"
#include "core/perfdata/record.h"
#include "tests/unit/check.h"

/* A stream that describes @t's events before their attrs has each of them once, by the described name. */
static void test_described_first(void)
{
	struct data_file file = { .stream = true };
	struct event_table t = {0};
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = 112, .sample_type = PERF_SAMPLE_IP };
	uint8_t section[1024], bytes[256];
	struct record rec = { .header.type = RECORD_HEADER_FEATURE };
	struct wire w = wire_writer(section, sizeof(section));
	struct features f = {0};

	for (unsigned i = 0; i < 2; i++) {
		attr.config = i;
		event_table_add(&t, &attr)->name = xstrdup(i ? "two" : "one");
	}
	CHECK(!feature_pass(&w, FEATURE_EVENT_DESC, &f, &t));
	rec.feature.id = FEATURE_EVENT_DESC;
	rec.feature.data = section;
	rec.feature.size = w.size;
	CHECK(!stream_header(&file, NULL, &rec, NULL, 0));
	CHECK(file.events.events.nr == 2, "%zu events are described", file.events.events.nr);
	for (unsigned i = 0; i < 3; i++) {	/* the third is one that was not described */
		attr.config = i;
		attr.sample_type |= PERF_SAMPLE_TIME;
		w = wire_writer(bytes, sizeof(bytes));
		CHECK(!attr_pass(&w, &attr, attr.size));
		rec = (struct record){ .header.type = RECORD_HEADER_ATTR };
		rec.payload.data = bytes;
		rec.payload.size = w.size;
		CHECK(!stream_header(&file, NULL, &rec, NULL, 0));
	}
	CHECK(file.events.events.nr == 3, "%zu events", file.events.events.nr);
	for (unsigned i = 0; i < MIN(file.events.events.nr, 3); i++) {
		const struct event *ev = file.events.events.v[i];

		CHECK(ev->attr.config == i && ev->layout.time_at >= 0, "event %u", i);
		CHECK(i == 2 ? !ev->name : str_eq(ev->name, i ? "two" : "one"), "name of event %u", i);
	}
	event_table_release(&file.events);
	event_table_release(&t);
}

int main(void)
{
	test_described_first();
	return checks_done();
}
