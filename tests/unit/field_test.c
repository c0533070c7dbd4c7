/* -F: what lists mean, what is refused, and what is left out because it was not recorded. */
#include <stdio.h>
#include <string.h>

#include "core/base/log.h"
#include "core/perfdata/event_table.h"
#include "core/show/script/field.h"
#include "tests/unit/check.h"

#define DEFAULT_ADDRESS (FIELD_BIT(IP) | FIELD_BIT(SYM) | FIELD_BIT(SYMOFF) | FIELD_BIT(DSO))
#define BASE_SAMPLE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static struct output_fields choice_of(const char *const *args)
{
	struct output_fields c;

	output_fields_init(&c);
	for (; *args; args++)
		CHECK(output_fields_parse(&c, *args) == 0);
	return c;
}
#define CHOICE(...) choice_of((const char *const[]){ __VA_ARGS__, NULL })

static bool is_refused(const char *arg)
{
	struct output_fields c;

	output_fields_init(&c);
	return output_fields_parse(&c, arg) == -1;
}

static void test_lists(void)
{
	struct output_fields c = CHOICE("comm,tid,ip");

	CHECK(c.chosen[KIND_HARDWARE] == (FIELD_BIT(COMM) | FIELD_BIT(TID) | FIELD_BIT(IP)));
	CHECK(c.chosen[KIND_TRACEPOINT] == c.chosen[KIND_HARDWARE]);

	c = CHOICE("comm", "tid");
	CHECK(c.chosen[KIND_SOFTWARE] == FIELD_BIT(TID));

	c = CHOICE("bpf-output");
	CHECK(c.chosen[KIND_SOFTWARE] == FIELD_BIT(BPF_OUTPUT));
	CHECK(c.chosen[KIND_HARDWARE] == 0);
}

static void test_changes(void)
{
	struct output_fields plain, c = CHOICE("+srcline,-period,-comm");

	output_fields_init(&plain);
	CHECK(c.chosen[KIND_SOFTWARE] ==
	      ((plain.chosen[KIND_SOFTWARE] | FIELD_BIT(SRCLINE)) & ~(FIELD_BIT(PERIOD) | FIELD_BIT(COMM))));
	CHECK(c.asked[KIND_SOFTWARE] == FIELD_BIT(SRCLINE));

	c = CHOICE("comm,ip", "+sym");
	CHECK(c.chosen[KIND_RAW] == (FIELD_BIT(COMM) | FIELD_BIT(IP) | FIELD_BIT(SYM)));
}

static void test_kinds(void)
{
	struct output_fields plain, c = CHOICE("sw:ip");

	output_fields_init(&plain);
	CHECK(c.chosen[KIND_SOFTWARE] == FIELD_BIT(IP));
	CHECK(c.chosen[KIND_HARDWARE] == plain.chosen[KIND_HARDWARE]);

	c = CHOICE("sw:+addr");
	CHECK(c.chosen[KIND_SOFTWARE] == (plain.chosen[KIND_SOFTWARE] | FIELD_BIT(ADDR)));
	CHECK(!(c.chosen[KIND_HARDWARE] & FIELD_BIT(ADDR)));

	c = CHOICE("sw:");
	CHECK(c.chosen[KIND_SOFTWARE] == 0);
}

static void test_refused(void)
{
	CHECK(is_refused(""));
	CHECK(is_refused("nonsense"));
	CHECK(is_refused("comm,"  "nonsense"));
	CHECK(is_refused("+comm,tid"));
	CHECK(is_refused("comm,+tid"));
	CHECK(is_refused("what:comm"));
	CHECK(is_refused("sw:trace"));
	CHECK(is_refused("com"));
	CHECK(is_refused("commx"));
}

/* ---- against events ---- */

static struct event_table table;

static struct event *add_event(uint32_t type, uint64_t config, uint64_t sample_type)
{
	struct event_attr attr = { .type = type, .size = ATTR_SIZE_VER7, .config = config, .sample_type = sample_type };

	return event_table_add(&table, &attr);
}

static int apply(struct output_fields c, bool chains, uint64_t *masks)
{
	struct field_facts facts = { .events = &table, .chains = chains };

	return output_fields_apply(&c, &facts, masks);
}

static void test_defaults_follow_the_recording(void)
{
	struct output_fields plain;
	uint64_t masks[3];

	output_fields_init(&plain);
	add_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, BASE_SAMPLE);
	add_event(PERF_TYPE_TRACEPOINT, 7, BASE_SAMPLE | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN);
	event_table_finish(&table);

	CHECK(apply(plain, true, masks) == 0);
	CHECK(!(masks[0] & FIELD_BIT(CPU)));
	CHECK((masks[0] & DEFAULT_ADDRESS) == DEFAULT_ADDRESS);
	CHECK(masks[1] & FIELD_BIT(CPU) && masks[1] & FIELD_BIT(TRACE));
	CHECK((masks[1] & DEFAULT_ADDRESS) == DEFAULT_ADDRESS);

	CHECK(apply(plain, false, masks) == 0);
	CHECK(!(masks[1] & DEFAULT_ADDRESS));
}

static void test_what_was_asked_must_be_there(void)
{
	uint64_t masks[3];

	/* One event of the two has it: printed there, and missing from the other. */
	CHECK(apply(CHOICE("comm,cpu"), false, masks) == 0);
	CHECK(!(masks[0] & FIELD_BIT(CPU)) && masks[1] & FIELD_BIT(CPU));
	/* None has it, or none of the kind that was asked for. */
	CHECK(apply(CHOICE("comm,addr"), false, masks) == -1);
	CHECK(apply(CHOICE("sw:cpu"), false, masks) == -1);
	CHECK(apply(CHOICE("trace:cpu"), false, masks) == 0);
	/* A kind of which there are no events. */
	CHECK(apply(CHOICE("hw:addr"), false, masks) == -1);
	/* Fields that need others, or the header. */
	CHECK(apply(CHOICE("ip,symoff"), false, masks) == -1);
	CHECK(apply(CHOICE("comm,srcline"), false, masks) == -1);
	CHECK(apply(CHOICE("+tod"), false, masks) == -1);
}

static void test_kind_of_event(void)
{
	struct event ev = { .attr.type = PERF_TYPE_BREAKPOINT };

	CHECK(event_kind(&ev) == KIND_BREAKPOINT);
	ev.attr.type = 42;
	CHECK(event_kind(&ev) == KIND_OTHER);
	ev.attr.type = 0x80000000u;
	CHECK(event_kind(&ev) == KIND_SYNTH);
}

static void test_table(void)
{
	for (unsigned i = 0; i < FIELD_MAX; i++) {
		CHECK(fields[i].name);
		CHECK(!fields[i].needs || fields[i].needs_name);
		CHECK(!(fields[i].defaults & fields[i].never));
		for (unsigned j = 0; j < i; j++)
			CHECK(strcmp(fields[i].name, fields[j].name) != 0);
	}
}

int main(void)
{
	test_table();
	test_lists();
	test_changes();
	test_kinds();
	test_refused();
	test_kind_of_event();
	test_defaults_follow_the_recording();
	test_what_was_asked_must_be_there();
	event_table_release(&table);
	return checks_done();
}
