/*
 * Translates words to bits with tables of names: the branch types of -j, such as "any_call,u", and the registers of -I. It knows
 * the registers of the host's architecture that the kernel can sample.
 */
#include "core/record/events/sample_bits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/ui/suggest.h"
#include "core/native.h"
#include "core/perfdata/abi.h"

#define BRANCH_COUNTERS	(1u << 19)	/* Linux 6.8 */
#define LEVELS		(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)
#define MAX_REGISTERS	64u

struct named_bit { const char *name; uint64_t bit; };

static const struct named_bit branches[] = {
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

/* The words that are known, and what the message about another word begins and ends with. */
struct vocabulary {
	const struct named_bit *rows;
	size_t nr;
	int (*compare)(const char *a, const char *b, size_t n);
	const char *unknown, *help;
};

static uint64_t find(const struct vocabulary *v, const char *s, size_t n)
{
	for (size_t i = 0; i < v->nr; i++)
		if (strlen(v->rows[i].name) == n && !v->compare(v->rows[i].name, s, n))
			return v->rows[i].bit;
	return 0;
}

static char *unknown(const struct vocabulary *v, const char *s, size_t n)
{
	struct names known = {0};
	struct buf b = {0};

	for (size_t i = 0; i < v->nr; i++)
		names_add(&known, v->rows[i].name);
	buf_printf(&b, "%s '%.*s'", v->unknown, (int)n, s);
	names_suggest(&b, s, n, &known);
	buf_puts(&b, v->help);
	names_release(&known);
	buf_str(&b);
	return b.data;
}

static int parse(const struct vocabulary *v, const char *text, const char *separators, uint64_t *out, char **what)
{
	uint64_t bits = 0;

	for (const char *s = text;; s++) {
		size_t n = strcspn(s, separators);
		uint64_t bit = find(v, s, n);

		if (!bit) {
			*what = unknown(v, s, n);
			return -EINVAL;
		}
		bits |= bit;
		s += n;
		if (!*s)
			break;
	}
	*out = bits;
	return 0;
}

int branch_filter_parse(const char *text, const char *separators, uint64_t *out, char **what)
{
	const struct vocabulary v = { branches, ARRAY_SIZE(branches), strncmp, "unknown kind of branch", "" };
	int err = parse(&v, text, separators, out, what);

	if (!err && !(*out & ~LEVELS))
		*out |= PERF_SAMPLE_BRANCH_ANY;
	return err;
}

/* Lists the registers of this machine. Returns their number. */
static size_t list_registers(struct named_bit out[MAX_REGISTERS])
{
	const struct arch *a = native.arch;
	size_t nr = 0;

	for (unsigned i = 0; a && i < MIN(a->nr_regs, MAX_REGISTERS); i++)
		if (native.sample_regs >> i & 1 && a->regs[i])
			out[nr++] = (struct named_bit){ a->regs[i], 1ull << i };
	return nr;
}

int sample_regs_parse(const char *text, uint64_t *mask, char **what)
{
	struct named_bit rows[MAX_REGISTERS];
	const struct vocabulary v = { rows, list_registers(rows), strncasecmp, "this machine has no register", "; '?' lists them" };

	return parse(&v, text, ",", mask, what);
}

void sample_regs_print(void)
{
	struct named_bit rows[MAX_REGISTERS];
	size_t nr = list_registers(rows);

	for (size_t i = 0; i < nr; i++)
		printf("%s%s", i ? " " : "", rows[i].name);
	printf("\n");
}
