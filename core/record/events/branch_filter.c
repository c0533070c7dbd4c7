/* Translates the branch types of -j, such as "any_call,u", to PERF_SAMPLE_BRANCH_* bits by a table. Layer: events */
#include "core/record/events/branch_filter.h"

#include <errno.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/ui/suggest.h"
#include "core/perfdata/abi.h"

#define BRANCH_COUNTERS	(1u << 19)	/* Linux 6.8 */
#define LEVELS		(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

static const struct { const char *name; uint64_t bit; } filters[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "call_stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", 1u << 18 },			/* PRIV_SAVE, Linux 6.1 */
	{ "counter", BRANCH_COUNTERS },
};

static uint64_t find(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if (strlen(filters[i].name) == n && !strncmp(filters[i].name, s, n))
			return filters[i].bit;
	return 0;
}

static char *unknown(const char *s, size_t n)
{
	struct names known = {0};
	struct buf b = {0};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		names_add(&known, filters[i].name);
	buf_printf(&b, "unknown kind of branch '%.*s'", (int)n, s);
	names_suggest(&b, s, n, &known);
	names_release(&known);
	buf_str(&b);
	return b.data;
}

int branch_filter_parse(const char *text, const char *separators, uint64_t *out, char **what)
{
	uint64_t bits = 0;

	for (const char *s = text;; s++) {
		size_t n = strcspn(s, separators);
		uint64_t bit = find(s, n);

		if (!bit) {
			*what = unknown(s, n);
			return -EINVAL;
		}
		bits |= bit;
		s += n;
		if (!*s)
			break;
	}
	if (!(bits & ~LEVELS))
		bits |= PERF_SAMPLE_BRANCH_ANY;
	*out = bits;
	return 0;
}
