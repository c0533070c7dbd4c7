/*
 * Turning the byte order around, on purpose without core/perfdata's codecs: it is what they are tested against.
 * A body is a string of field widths; '.' is a byte that stays, '*' is words of 8 to the end.
 */
#include "tests/lib/swap.h"

#include <stdbool.h>
#include <string.h>

#include "core/perfdata/attr.h"
#include "core/perfdata/feature.h"
#include "core/perfdata/own_sections.h"

static uint64_t get(const uint8_t *p, unsigned width)
{
	uint64_t v = 0;

	memcpy(&v, p, width);
	return v;
}

static uint8_t *turn(uint8_t *p, unsigned width)
{
	for (unsigned i = 0; i < width / 2; i++) {
		uint8_t b = p[i];

		p[i] = p[width - 1 - i];
		p[width - 1 - i] = b;
	}
	return p + width;
}

static uint8_t *turn_words(uint8_t *p, uint64_t nr)
{
	while (nr--)
		p = turn(p, 8);
	return p;
}

static uint8_t *turn_fields(uint8_t *p, uint8_t *end, const char *widths)
{
	for (; *widths; widths++) {
		unsigned width = *widths == '*' ? 8 : *widths == '.' ? 1 : (unsigned)(*widths - '0');

		if (*widths == '*')
			return turn_words(p, (uint64_t)(end - p) / 8);
		if (p + width > end)
			return p;
		p = turn(p, width);
	}
	return p;
}

/* Put the fields of a bitfield word where a big-endian compiler has them: from the top bit down. */
static uint64_t from_the_top(uint64_t v, const uint8_t *widths, size_t nr)
{
	unsigned to = 64, from = 0;
	uint64_t out = 0;

	for (size_t i = 0; i < nr; i++) {
		to -= widths[i];
		out |= (v >> from & ((1ull << widths[i]) - 1)) << to;
		from += widths[i];
	}
	return out;
}

static void turn_bitfield(uint8_t *p, const uint8_t *widths, size_t nr)
{
	uint64_t v = from_the_top(get(p, 8), widths, nr);

	memcpy(p, &v, 8);
	turn(p, 8);
}

void foreign_attr(uint8_t *p, size_t size)
{
	uint8_t flags[64], *end = p + size, *q;
	size_t nr = 0;

	for (unsigned bit = 0; bit < 64; bit += flags[nr++])
		flags[nr] = bit == 15 ? 2 : 1;		/* precise_ip has two bits */
	q = turn_fields(p, end, "448888");		/* type to read_format */
	turn_bitfield(q, flags, nr);
	q = turn_fields(q + 8, end, "44888");		/* wakeup, bp_type, bp_addr, bp_len, branch_sample_type */
	q = turn_fields(q, end, "844");			/* regs_user, stack, clockid */
	q = turn_fields(q, end, "8422");		/* regs_intr, aux_watermark, max_stack */
	q = turn_fields(q, end, "4");			/* aux_sample_size */
	if (q + 4 <= end) {				/* aux_action: three bits, from the top */
		uint32_t v = (uint32_t)get(q, 4), out = 0;

		for (unsigned i = 0; i < 32; i++)
			out |= (v >> i & 1) << (31 - i);
		memcpy(q, &out, 4);
		q = turn(q, 4);
	}
	turn_fields(q, end, "*");
}

static const char *body_of(unsigned type, unsigned misc)
{
	static const char *const bodies[RECORD_MAX] = {
		[1] = "44888", [2] = "88", [3] = "44", [4] = "44448", [5] = "888", [6] = "888", [7] = "44448", [8] = "44*",
		[10] = "448884488" "44", [11] = "888", [12] = "44", [13] = "8", [15] = "44", [16] = "44*", [17] = "8422",
		[18] = "224", [19] = "8", [20] = "822", [21] = "8", [22] = "*", [67] = "4", [69] = "*", [70] = "44*",
		[71] = "8884444", [72] = "44444488", [79] = "88888", [83] = "8", [66] = "4",
	};
	if (type == 10 && misc & 1 << 14)
		return "44888" "........................" "44";
	return type < RECORD_MAX && bodies[type] ? bodies[type] : "";
}

static unsigned trailer_size(const struct event_attr *a)
{
	const uint64_t bits = 1 << 1 | 1 << 2 | 1 << 6 | 1 << 9 | 1 << 7 | 1 << 16;

	return a && a->sample_id_all ? 8 * (unsigned)__builtin_popcountll(a->sample_type & bits) : 0;
}

static void turn_trailer(uint8_t *p, const struct event_attr *a)
{
	static const struct { unsigned bit; const char *widths; } fields[] = {
		{ 1, "44" }, { 2, "8" }, { 6, "8" }, { 9, "8" }, { 7, "44" }, { 16, "8" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (a->sample_type >> fields[i].bit & 1)
			p = turn_fields(p, p + 8, fields[i].widths);
}

static uint8_t *counted(uint8_t *p, unsigned each, unsigned more)
{
	uint64_t nr = get(p, 8);

	return turn_words(p, 1 + more + each * nr);
}

static uint8_t *branches(uint8_t *p, const struct event_attr *a)
{
	static const uint8_t flags[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t nr = get(p, 8);

	p = turn_words(p, 1 + (a->branch_sample_type >> 17 & 1));
	for (uint64_t i = 0; i < nr; i++) {
		p = turn_words(p, 2);
		turn_bitfield(p, flags, sizeof(flags));
		p += 8;
	}
	return a->branch_sample_type >> 19 & 1 ? turn_words(p, nr) : p;
}

static uint8_t *registers(uint8_t *p, uint64_t mask)
{
	uint64_t abi = get(p, 8);

	return turn_words(p, 1 + (abi ? (unsigned)__builtin_popcountll(mask) : 0));
}

static uint8_t *sized_bytes(uint8_t *p, unsigned width, bool with_second)
{
	uint64_t n = get(p, width);

	p = turn(p, width) + n;
	return n && with_second ? turn(p, 8) : p;
}

static uint8_t *read_values(uint8_t *p, const struct event_attr *a)
{
	unsigned f = (unsigned)a->read_format, times = (f & 1) + (f >> 1 & 1), each = 1 + (f >> 2 & 1) + (f >> 4 & 1);

	return f >> 3 & 1 ? counted(p, each, times) : turn_words(p, times + each);
}

static void turn_sample(uint8_t *p, const struct event_attr *a)
{
	const uint64_t t = a->sample_type;
#define HAS(bit) (t >> (bit) & 1)
	p = turn_words(p, HAS(16) + HAS(0));
	if (HAS(1))
		p = turn_fields(p, p + 8, "44");
	p = turn_words(p, HAS(2) + HAS(3) + HAS(6) + HAS(9));
	if (HAS(7))
		p = turn_fields(p, p + 8, "44");
	p = turn_words(p, HAS(8));
	p = HAS(4) ? read_values(p, a) : p;
	p = HAS(5) ? counted(p, 1, 0) : p;
	p = HAS(10) ? sized_bytes(p, 4, false) : p;
	p = HAS(11) ? branches(p, a) : p;
	p = HAS(12) ? registers(p, a->sample_regs_user) : p;
	p = HAS(13) ? sized_bytes(p, 8, true) : p;
	p = turn_words(p, HAS(14) + HAS(24) + HAS(15) + HAS(17));
	p = HAS(18) ? registers(p, a->sample_regs_intr) : p;
	p = turn_words(p, HAS(19) + HAS(21) + HAS(22) + HAS(23));
	if (HAS(20))
		sized_bytes(p, 8, false);
#undef HAS
}

/* ---- sections: 'S' a string, '#' a count of what is in parentheses ---- */

static uint8_t *turn_section(uint8_t *p, uint8_t *end, const char *format)
{
	for (; *format && *format != ')'; format++) {
		uint64_t n;

		if (*format == 'S') {
			p = sized_bytes(p, 4, false);
		} else if (*format == '#') {
			n = get(p, 4);
			p = turn(p, 4);
			while (n--)
				p = turn_section(p, end, format + 2);
			format = strchr(format, ')');
		} else {
			p = turn_fields(p, end, (const char[]){ *format, 0 });
		}
	}
	return p;
}

static void turn_event_desc(uint8_t *p)
{
	uint64_t nr = get(p, 4), attr_size = get(p + 4, 4), nr_ids;

	turn(p, 4);
	p = turn(p + 4, 4);
	while (nr--) {
		foreign_attr(p, attr_size);
		p += attr_size;
		nr_ids = get(p, 4);
		p = sized_bytes(turn(p, 4), 4, false);
		p = turn_words(p, nr_ids);
	}
}

static void turn_feature(unsigned number, uint8_t *p, uint8_t *end)
{
	static const char *const formats[FEATURE_MAX] = {
		[FEATURE_HOSTNAME] = "S", [FEATURE_OSRELEASE] = "S", [FEATURE_VERSION] = "S", [FEATURE_ARCH] = "S",
		[FEATURE_CPUDESC] = "S", [FEATURE_CPUID] = "S", [FEATURE_NRCPUS] = "44", [FEATURE_TOTAL_MEM] = "8",
		[FEATURE_CMDLINE] = "#(S)", [FEATURE_PMU_MAPPINGS] = "#(4S)", [FEATURE_GROUP_DESC] = "#(S44)",
		[FEATURE_NUMA_TOPOLOGY] = "#(488S)", [FEATURE_SAMPLE_TIME] = "88", [FEATURE_CLOCKID] = "8",
		[FEATURE_CLOCK_DATA] = "4488", [FEATURE_CACHE] = "4#(4444SSS)", [FEATURE_COMPRESSED] = "44444",
	};

	if (number == FEATURE_EVENT_DESC)
		turn_event_desc(p);
	else if (number == FEATURE_BOOT_ID)
		turn_section(p, end, "S");
	else if (number < FEATURE_MAX && formats[number])
		turn_section(p, end, formats[number]);
}

void foreign_record(uint8_t *p, const struct event_attr *attr)
{
	unsigned type = (unsigned)get(p, 4), misc = (unsigned)get(p + 4, 2), size = (unsigned)get(p + 6, 2);
	unsigned trailer = type < RECORD_HEADER_ATTR ? trailer_size(attr) : 0;
	uint8_t *end = p + size;

	if (type == PERF_RECORD_SAMPLE) {
		turn_sample(p + 8, attr);
	} else if (type == RECORD_HEADER_ATTR) {
		unsigned attr_size = (unsigned)get(p + 12, 4);

		foreign_attr(p + 8, attr_size);
		turn_fields(p + 8 + attr_size, end, "*");
	} else if (type == RECORD_HEADER_FEATURE) {
		turn_feature((unsigned)get(p + 8, 8), p + 16, end);
		turn(p + 8, 8);
	} else if (type == RECORD_EVENT_UPDATE) {
		turn_fields(p + 8, end, get(p + 8, 8) == EVENT_UPDATE_SCALE ? "888" : "88");
	} else {
		turn_fields(p + 8, end - trailer, body_of(type, misc));
		if (trailer)
			turn_trailer(end - trailer, attr);
	}
	turn_fields(p, p + 8, "422");
}

/* ---- the whole file ---- */

struct known { uint64_t id; struct event_attr attr; };
struct events { struct known v[32]; size_t nr; };

static void know(struct events *e, const uint8_t *attr, size_t size, const uint8_t *ids, uint64_t nr_ids)
{
	for (uint64_t i = 0; i < (nr_ids ? nr_ids : 1) && e->nr < sizeof(e->v) / sizeof(e->v[0]); i++) {
		struct known *k = &e->v[e->nr++];

		memset(k, 0, sizeof(*k));
		memcpy(&k->attr, attr, size < sizeof(k->attr) ? size : sizeof(k->attr));
		k->id = nr_ids ? get(ids + 8 * i, 8) : 0;
	}
}

/* The event of a record: by IDENTIFIER, or else all events have the layout of the first. */
static const struct event_attr *attr_of(const struct events *e, const uint8_t *p, uint64_t size)
{
	uint64_t id = 0;

	if (!e->nr)
		return NULL;
	if (e->v[0].attr.sample_type & PERF_SAMPLE_IDENTIFIER && size >= 16)
		id = get(get(p, 4) == PERF_RECORD_SAMPLE ? p + 8 : p + size - 8, 8);
	for (size_t i = 0; i < e->nr; i++)
		if (e->v[i].id == id)
			return &e->v[i].attr;
	return &e->v[0].attr;
}

static void turn_records(uint8_t *p, const uint8_t *end, struct events *e)
{
	for (uint64_t size; end - p >= 8; p += size) {
		size = get(p + 6, 2);
		if (size < 8 || size > (uint64_t)(end - p))
			return;
		if (get(p, 4) == RECORD_HEADER_ATTR) {
			uint64_t attr_size = get(p + 12, 4);

			know(e, p + 8, attr_size, p + 8 + attr_size, (size - 8 - attr_size) / 8);
		}
		foreign_record(p, attr_of(e, p, size));
	}
}

static void turn_features(uint8_t *file, uint8_t *table)
{
	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		uint64_t offset, n;

		if (!(file[72 + i / 8] >> i % 8 & 1))
			continue;
		offset = get(table, 8);
		n = get(table + 8, 8);
		turn_feature(i, file + offset, file + offset + n);
		table = turn_words(table, 2);
	}
}

/* Behind what the header names: core/perfdata/own_sections.h. */
static void turn_own_sections(uint8_t *file, size_t size)
{
	uint8_t *trailer = file + size - OWN_TRAILER_SIZE, *e;

	if (size < OWN_TRAILER_SIZE || get(trailer + 24, 8) != OWN_SECTIONS_MAGIC)
		return;
	for (e = file + get(trailer, 8); e < trailer; e = turn_words(e, 3)) {
		uint8_t *p = file + get(e + 8, 8);

		turn_feature((unsigned)get(e, 8), p, p + get(e + 16, 8));
	}
	turn_words(trailer, 4);
}

static void know_attrs(struct events *e, const uint8_t *file)
{
	uint64_t each = get(file + 16, 8), offset = get(file + 24, 8), n = get(file + 32, 8);

	for (const uint8_t *p = file + offset; p < file + offset + n; p += each)
		know(e, p, each - 16, file + get(p + each - 16, 8), get(p + each - 8, 8) / 8);
}

static void turn_attrs(uint8_t *file)
{
	uint64_t each = get(file + 16, 8), offset = get(file + 24, 8), n = get(file + 32, 8);

	for (uint8_t *p = file + offset; p < file + offset + n; p += each) {
		turn_words(file + get(p + each - 16, 8), get(p + each - 8, 8) / 8);
		turn_words(p + each - 16, 2);
		foreign_attr(p, each - 16);
	}
}

void foreign_file(uint8_t *file, size_t size)
{
	uint64_t data = get(file + 40, 8), data_size = get(file + 48, 8);
	struct events events = { .nr = 0 };

	if (get(file + 8, 8) == 16) {
		turn_records(file + 16, file + size, &events);
		turn_words(file, 2);
		return;
	}
	know_attrs(&events, file);
	turn_records(file + data, file + data + (data_size ? data_size : size - data), &events);
	if (data_size)
		turn_features(file, file + data + data_size);
	if (data_size)
		turn_own_sections(file, size);
	turn_attrs(file);
	turn_words(file, 13);
}
