/* Format files parsed, compiled and run: what each construct of a print format makes of known bytes. */
#include "core/base/buf.h"
#include "core/tracepoint/trace_program.h"
#include "core/tracepoint/tracepoint.h"
#include "tests/unit/check.h"

static const char fields[] =
	"name: hit\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"		/* -2 */
	"\tfield:u32 u;\toffset:12;\tsize:4;\tsigned:0;\n"		/* 0x80000003 */
	"\tfield:unsigned long l;\toffset:16;\tsize:8;\tsigned:0;\n"	/* 0xffffffffffffffff */
	"\tfield:char comm[8];\toffset:24;\tsize:8;\tsigned:0;\n"	/* "abc" */
	"\tfield:u8 bytes[4];\toffset:32;\tsize:4;\tsigned:0;\n"	/* 1 2 254 255 */
	"\tfield:__data_loc char[] s;\toffset:36;\tsize:4;\tsigned:0;\n"	/* "dynamic" */
	"\tfield:__rel_loc u16[] r;\toffset:40;\tsize:4;\tsigned:0;\n"	/* 1 2 3 */
	"\tfield:u8 ip6[16];\toffset:44;\tsize:16;\tsigned:0;\n"	/* fe80::1 */
	"\tfield:u64 z;\toffset:60;\tsize:8;\tsigned:0;\n"		/* 0 */
	"\n";

static const uint8_t raw[] = {
	7, 0, 0, 0, 42, 0, 0, 0,
	0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0x80,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	'a', 'b', 'c', 0, 'x', 'x', 'x', 'x', 1, 2, 254, 255,
	68, 0, 8, 0, 32, 0, 6, 0,
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	0, 0, 0, 0, 0, 0, 0, 0,
	'd', 'y', 'n', 'a', 'm', 'i', 'c', 0, 1, 0, 2, 0, 3, 0,
};

#define FAILED "[FAILED TO PARSE] "
#define BY_NAME FAILED "i=-2 u=2147483651 l=0xffffffffffffffff comm=abc bytes=ARRAY[01, 02, fe, ff] s=dynamic " \
	"r=ARRAY[01, 00, 02, 00, 03, 00] ip6=ARRAY[fe, 80, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 01] z=0"

static const struct { const char *print, *want; } cases[] = {
	{ "\"plain\"", "plain" },
	{ "\"%d %u %x %lx %ld\", REC->i, REC->i, REC->i, REC->l, REC->l", "-2 4294967294 fffffffe ffffffffffffffff -1" },
	{ "\"%hhd %hu %5d|%-5d|%05d|%#x\", REC->u, REC->u, REC->i, REC->i, REC->i, REC->u", "3 3    -2|-2   |-0002|0x80000003" },
	{ "\"100%% %c%c\", 'a', REC->comm[1]", "100% ab" },
	{ "\"%s %s %10s|%.2s\", REC->comm, __get_str(s), REC->comm, __get_str(s)", "abc dynamic        abc|dy" },
	{ "\"%s\" \" and %d\", \"a\" \"b\", (1 + 2) * 3", "ab and 9" },
	/* The tree of operators, and what a sign means. */
	{ "\"%d %d %d\", 1 + 2 * 3 << 1, 7 & 3 | 8 ^ 1, -7 / 2", "14 11 -3" },
	{ "\"%d %d %d\", REC->i < 0, REC->l > 0, (s32)REC->u < 0", "1 1 1" },
	{ "\"%d %d %d %d\", REC->i < 9U, REC->i < 9UL, REC->i < (unsigned int)9, REC->i < 9", "0 0 0 1" },
	{ "\"%d %d %d\", REC->i < (1 ? 9U : 8), REC->i / 2u > 9, (REC->i << 1u) < 0", "0 1 1" },
	{ "\"%d\", REC->i == -2 ? REC->u == 3 ? 1 : 2 : 3", "2" },
	{ "\"%d\", !(REC->u & 2) ? (REC->i > 0 ? 1 : 0) : 5", "5" },
	{ "\"%d %d %d\", 1 / 0, 1 % 0, ~0", "0 0 -1" },
	{ "\"%u %d\", (unsigned char)REC->i, (signed char)254", "254 -2" },
	{ "\"%u %u\", (u8)REC->l, (unsigned int)((REC->u) & ((1U << 20) - 1))", "255 3" },
	{ "\"%d %d\", sizeof(u64), __get_dynamic_array_len(r) / sizeof(u16)", "8 3" },
	{ "\"%d\", __builtin_expect(!!(REC->u), 1)", "1" },
	{ "\"%d\", (REC)->i", "-2" },
	/* Tables: the kernel's constants of unknown value match nothing. */
	{ "\"%s\", __print_symbolic(REC->bytes[1], { 1, \"one\" }, { 2, \"two\" })", "two" },
	{ "\"%s\", __print_symbolic(REC->bytes[2], { 1, \"one\" })", "0xfe" },
	{ "\"%s\", __print_symbolic(REC->i, { (-2), \"minus\" }, { 1, \"one\" })", "minus" },
	{ "\"%s|%s\", __print_symbolic(REC->l, { SOME, \"some\" }), __print_symbolic(REC->z, { SOME, \"some\" })",
	  "0xffffffffffffffff|0x0" },
	{ "\"%s\", __print_symbolic(REC->bytes[0], { TIMER_SOFTIRQ, \"timer\" })", "timer" },
	{ "\"%s\", __print_flags(REC->u, \"|\", { 1, \"a\" }, { 2, \"b\" }, { 4, \"c\" })", "a|b|0x80000000" },
	{ "\"%s\", __print_flags(REC->z, \"|\", { 1, \"a\" })", "" },
	{ "\"%s\", __print_flags(REC->z, \"|\", { 0, \"none\" }, { 1, \"a\" })", "" },
	{ "\"%s\", REC->z ? __print_flags(REC->z, \"|\", { 1, \"a\" }) : \"none\"", "none" },
	{ "\"%s\", __print_flags(REC->u & (2 | 4), \"|\", { 1, \"a\" }, { 2, \"b\" })", "b" },
	/* Bytes. */
	{ "\"%s %s\", __print_hex(REC->bytes, 4), __print_hex_str(REC->bytes, 2)", "01 02 fe ff 0102" },
	{ "\"%s\", __print_hex(REC->bytes, 1000000)", "01 02 fe ff" },
	{ "\"%s\", __print_array(__get_rel_dynamic_array(r), __get_rel_dynamic_array_len(r) / 2, 2)", "{0x1,0x2,0x3}" },
	{ "\"%s %s\", __get_rel_bitmask(r), __get_cpumask(s)",
	  "00020001 2,5-6,8,11-14,17-19,21-22,24,29-30,32,34-35,37-38,40,43,45-46,48-49,53-54" },
	{ "\"%*pbl\", 16, REC->bytes", "0,9" },
	{ "\"%pI6c %pI4 %pM\", REC->ip6, REC->bytes, REC->ip6", "fe80::1 1.2.254.255 fe:80:00:00:00:00" },
	{ "\"%p %p %pS %ps\", REC->l, REC->z, REC->l, REC->l", "0xffffffffffffffff (nil) f+0x1 f" },
	{ "\"two\nlines %d\", REC->i", "two\nlines -2" },
	/* Unsupported formats are printed by name. */
	{ "\"%d\", jiffies_to_msecs(REC->i)", BY_NAME },
	{ "\"%d\", ({ int a; a; })", BY_NAME },
	{ "\"%d\", REC->no_such", BY_NAME },
	{ "\"%d", BY_NAME },
	{ "\"%d\"", BY_NAME },
	{ "\"%y\", REC->i", BY_NAME },
	{ "\"%d\", REC->i REC->u", BY_NAME },
	{ "", BY_NAME },
};

static const char *function(void *ctx, uint64_t addr, uint64_t *offset)
{
	(void)ctx, (void)addr;
	*offset = 1;
	return "f";
}

/* Parse the fields with this print format; NULL: it is refused. Owned by the caller. */
static struct trace_event *make(const char *print)
{
	char *text = xasprintf("%sprint fmt: %s\n", fields, print);
	struct trace_event *ev = NULL;

	if (!trace_event_parse(&ev, "test", text, strlen(text)))
		trace_event_compile(ev);
	free(text);
	return ev;
}

static void drop(struct trace_event *ev)
{
	trace_event_forget_program(ev);
	trace_event_free(ev);
}

static void test_printing(void)
{
	static const struct trace_names names = { .function = function };
	const struct trace_data d = { .bytes = raw, .size = sizeof(raw), .long_size = 8 };
	struct buf out = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_event *ev = make(cases[i].print);

		CHECK(ev != NULL, "%s", cases[i].print);
		if (!ev)
			continue;
		out.len = 0;
		trace_event_print(ev, &d, &names, &out);
		CHECK_TEXT(buf_str(&out), cases[i].want);
		drop(ev);
	}
	buf_release(&out);
}

static void test_fields(void)
{
	struct trace_event *ev = make("\"\"");
	const struct trace_data d = { .bytes = raw, .size = sizeof(raw), .long_size = 8 };
	const struct trace_data swapped = { .bytes = raw, .size = sizeof(raw), .swap = true, .long_size = 8 };
	const struct trace_field *f = trace_event_field(ev, "u");

	CHECK(ev->id == 7 && ev->nr_common == 2 && ev->fields.nr == 11);
	CHECK_TEXT(ev->name, "hit");
	CHECK(f && trace_field_number(&d, f) == 0x80000003 && trace_field_number(&swapped, f) == 0x03000080);
	CHECK(!trace_event_field(ev, "common"));
	f = trace_event_field(ev, "r");
	CHECK(f && f->location == TRACE_REL_LOC && f->element_size == 2 && trace_field_number(&d, f) == 1);
	drop(ev);
}

/* Cut at every byte, whatever prints: nothing is read after the end (the sanitizers watch). */
static void test_cut(void)
{
	struct buf out = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_event *ev = make(cases[i].print);

		for (uint32_t size = 0; ev && size <= sizeof(raw); size++) {
			uint8_t *copy = xmalloc(size ? size : 1);
			struct trace_data d = { .bytes = copy, .size = size, .long_size = 8 };

			memcpy(copy, raw, size);
			out.len = 0;
			trace_event_print(ev, &d, &(struct trace_names){0}, &out);
			free(copy);
		}
		if (ev)
			drop(ev);
	}
	buf_release(&out);
}

/* Deep nests and endless lists end in a fallback, soon and without a deep stack. */
static void test_hostile(void)
{
	static const char *const repeated[] = { "(", "-", "!", "1?", "1+", "1*(", "REC->bytes[", "(u8)", "__print_hex(" };
	const size_t times = 100000;

	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		size_t n = strlen(repeated[i]);
		char *text = xmalloc(times * n + 16), *at = text + sprintf(text, "\"%%d\", ");
		struct trace_event *ev;

		for (size_t k = 0; k < times; k++, at += n)
			memcpy(at, repeated[i], n);
		strcpy(at, "1");
		ev = make(text);
		CHECK(ev && !ev->program, "%s", repeated[i]);
		drop(ev);
		free(text);
	}
}

/* Fields that lie about where they are and how long. */
static void test_lies(void)
{
	static const char lies[] =
		"name: x\nformat:\n\tfield:int a;\toffset:4294967295;\tsize:4;\tsigned:1;\n"
		"\tfield:char b[4294967295];\toffset:4;\tsize:4294967295;\tsigned:1;\n"
		"\tfield:__data_loc char[] c;\toffset:0;\tsize:4;\tsigned:0;\n"
		"\tfield:u64 d[0];\toffset:1;\tsize:0;\tsigned:0;\n"
		"print fmt: \"%d %s %s %d %d\", REC->a, REC->b, __get_str(c), REC->d[3], REC->b[-1]\n";
	static const uint8_t bytes[8] = { 0xff, 0xff, 0xff, 0xff, 'x', 'y' };
	struct trace_data d = { .bytes = bytes, .size = sizeof(bytes), .long_size = 8 };
	struct trace_event *ev;
	struct buf out = {0};

	CHECK(trace_event_parse(&ev, "test", lies, sizeof(lies) - 1) == 0);
	trace_event_compile(ev);
	trace_event_print(ev, &d, &(struct trace_names){0}, &out);
	CHECK_TEXT(buf_str(&out), "0 xy  0 0");
	drop(ev);
	buf_release(&out);
	CHECK(trace_event_parse(&ev, "test", "name: x\n", 8) != 0, "without fields");
	CHECK(trace_event_parse(&ev, "test", "", 0) != 0, "nothing");
}

int main(void)
{
	test_printing();
	test_fields();
	test_cut();
	test_hostile();
	test_lies();
	return checks_done();
}
