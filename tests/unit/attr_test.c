/* Attrs: every published size, both byte orders, names as perf spells them. */
#include "core/perfdata/attr.h"

#include "core/base/buf.h"
#include "core/base/wire.h"
#include "tests/lib/swap.h"
#include "tests/unit/check.h"

static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152, 256 };

static void sizes_and_orders(uint64_t *state)
{
	uint8_t native[256], foreign[256], again[256];

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct event_attr a, b;
		struct wire size = { .mode = WIRE_SIZE }, w = wire_reader(native, sizes[i]);

		for (size_t k = 0; k < sizeof(native); k++)
			native[k] = k < ATTR_SIZE_VER9 ? (uint8_t)random_u64(state) : 0;
		memcpy(native + 4, &sizes[i], 4);
		CHECK(!attr_pass(&w, &a, sizes[i]) && w.size == sizes[i], "size %u", sizes[i]);
		CHECK(!memcmp(&a, native, MIN(sizes[i], ATTR_SIZE_VER9)), "the struct is the ABI's layout; size %u", sizes[i]);
		for (size_t k = sizes[i]; k < sizeof(a); k++)
			CHECK(!((uint8_t *)&a)[k], "beyond the recorded size is zero; size %u", sizes[i]);
		CHECK(!attr_pass(&size, &a, SIZE_MAX) && size.size == sizes[i]);
		w = wire_writer(again, sizes[i]);
		CHECK(!attr_pass(&w, &a, SIZE_MAX) && !memcmp(native, again, sizes[i]), "size %u", sizes[i]);
		memcpy(foreign, native, sizeof(foreign));
		foreign_attr(foreign, MIN(sizes[i], ATTR_SIZE_VER9));
		w = wire_reader(foreign, sizes[i]);
		w.swap = true;
		CHECK(!attr_pass(&w, &b, sizes[i]) && !memcmp(&a, &b, sizeof(a)), "foreign size %u", sizes[i]);
		CHECK(!memcmp(foreign, native, sizes[i]), "swapped in place; size %u", sizes[i]);
	}
}

static void sizes_that_cannot_be(void)
{
	static const uint32_t bad[] = { 1, 8, 56, 63, 65, 100, 130, 264, UINT32_MAX };
	uint8_t p[256] = {0};
	struct event_attr a;
	struct wire w = wire_reader(p, sizeof(p));

	CHECK(!attr_pass(&w, &a, sizeof(p)) && a.size == ATTR_SIZE_VER0 && w.size == ATTR_SIZE_VER0, "size 0 is the first");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		memcpy(p + 4, &bad[i], 4);
		w = wire_reader(p, sizeof(p));
		CHECK(attr_pass(&w, &a, sizeof(p)) < 0, "size %u", bad[i]);
	}
	w = wire_reader(p, 40);
	memcpy(p + 4, &sizes[0], 4);
	CHECK(attr_pass(&w, &a, 64) < 0, "the buffer ends before the attr");
}

/* A flag's place in memory on a big-endian machine: the top bit of the first byte is `disabled`. */
static void flags_of_a_big_endian_machine(void)
{
	uint8_t p[64] = { [7] = 64, [40] = 0x80, [41] = 0x01, [42] = 0x20 };	/* disabled; precise_ip 2; sample_id_all */
	struct event_attr a;
	struct wire w = wire_reader(p, sizeof(p));

	w.swap = true;
	CHECK(!attr_pass(&w, &a, sizeof(p)));
	CHECK(a.disabled && !a.inherit && a.precise_ip == 2 && a.sample_id_all && !a.mmap_data, "%u", a.precise_ip);
}

static void expect_name(struct event_attr a, const char *want)
{
	struct buf b = {0};

	attr_name(&a, &b);
	CHECK_TEXT(buf_str(&b), want);
	buf_release(&b);
}

#define CACHE(id, op, result) ((id) | (op) << 8 | (result) << 16)

/* As perf 7.3 names such events of a file without EVENT_DESC. */
static void names(void)
{
	expect_name((struct event_attr){ .type = 0 }, "cycles");
	expect_name((struct event_attr){ .type = 0, .exclude_guest = 1 }, "cycles:H");
	expect_name((struct event_attr){ .type = 0, .exclude_host = 1 }, "cycles:G");
	expect_name((struct event_attr){ .type = 0, .precise_ip = 2 }, "cycles:pp");
	expect_name((struct event_attr){ .type = 0, .precise_ip = 2, .exclude_guest = 1 }, "cycles:ppH");
	expect_name((struct event_attr){ .type = 0, .config = 4, .exclude_kernel = 1, .exclude_hv = 1 }, "branches:u");
	expect_name((struct event_attr){ .type = 0, .config = 4, .exclude_user = 1 }, "branches:kh");
	expect_name((struct event_attr){ .type = 0, .config = 99 }, "unknown-hardware");
	expect_name((struct event_attr){ .type = 1, .config = 2, .exclude_user = 1, .exclude_hv = 1 }, "page-faults:k");
	expect_name((struct event_attr){ .type = 1, .config = 11 }, "cgroup-switches");
	expect_name((struct event_attr){ .type = 1, .config = 99 }, "unknown-software");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(0, 0, 1) }, "L1-dcache-load-misses");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(1, 2, 0) }, "L1-icache-prefetches");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(2, 1, 0) }, "LLC-stores");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(5, 0, 0) }, "branch-loads");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(9, 0, 0) }, "unknown-ext-hardware-cache-type");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(1, 9, 0) }, "unknown-ext-hardware-cache-op");
	expect_name((struct event_attr){ .type = 3, .config = CACHE(1, 1, 2) }, "unknown-ext-hardware-cache-result");
	expect_name((struct event_attr){ .type = 4, .config = 0x1a8 }, "raw 0x1a8");
	expect_name((struct event_attr){ .type = 5, .bp_addr = 0x1234, .bp_type = 3 }, "mem:0x1234:rw");
	expect_name((struct event_attr){ .type = 5, .bp_addr = 0x40, .bp_type = 4, .exclude_kernel = 1, .exclude_hv = 1 },
		    "mem:0x40:x:u");
	expect_name((struct event_attr){ .type = 77, .config = 3 }, "unknown event PMU=77 config=0x3");
}

/* The words of `perf evlist -v` of perf 7.3 for these fields. */
static void fields(void)
{
	struct event_attr a = {
		.type = 3, .size = 128, .config = 0x10002, .sample_period = 4000, .sample_type = 0x10187, .read_format = 0x14,
		.disabled = 1, .freq = 1, .precise_ip = 2, .sample_id_all = 1, .build_id = 1, .wakeup_events = 1, .bp_type = 4,
		.bp_addr = 0x1000, .bp_len = 8, .branch_sample_type = 0x9, .sample_regs_user = 0xff0fff, .sample_stack_user = 8192,
		.clockid = -1, .sample_max_stack = 127, .aux_action = AUX_ACTION_PAUSE,
	};
	struct buf b = {0};

	attr_print(&a, ": ", &b);
	CHECK_TEXT(buf_str(&b), "type: 3 (PERF_TYPE_HW_CACHE), size: 128, config: 0x10002 (PERF_COUNT_HW_CACHE_RESULT_MISS | "
		   "PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_LL), { sample_period, sample_freq }: 4000, "
		   "sample_type: IP|TID|TIME|CPU|PERIOD|IDENTIFIER, read_format: ID|LOST, disabled: 1, freq: 1, precise_ip: 2, "
		   "sample_id_all: 1, build_id: 1, { wakeup_events, wakeup_watermark }: 1, bp_type: 4, "
		   "{ bp_addr, config1 }: 0x1000, { bp_len, config2 }: 0x8, branch_sample_type: USER|ANY, "
		   "sample_regs_user: 0xff0fff, sample_stack_user: 8192, clockid: -1, sample_max_stack: 127, aux_pause: 1");
	buf_release(&b);
}

int main(void)
{
	uint64_t state = 3;

	for (int i = 0; i < 1000; i++)
		sizes_and_orders(&state);
	sizes_that_cannot_be();
	flags_of_a_big_endian_machine();
	names();
	fields();
	return checks_done();
}
