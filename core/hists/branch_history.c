/*
 * Joins a sample's branch stack and its recorded call chain to one chain, for prec report --branch-history. bucket.c, which sums
 * equal samples, uses it as the sample's call chain.
 */
#include "core/hists/branch_history.h"

#include <string.h>

#include "core/read/item.h"
#include "core/perfdata/abi.h"
#include "core/perfdata/branch_flags.h"
#include "core/perfdata/sample.h"

#define KERNEL_FROM	(1ull << 63)	/* kernel addresses are at or above this on all 64-bit architectures */
#define CALL_MAX	8		/* bytes of a call instruction, as perf takes them to be */
#define LOOP_MAX	64		/* maximum number of branches in a loop */

/* Appends an address after its own context marker, because the address before may be in the other of kernel and user space. */
static void put_address(struct branch_history *h, uint64_t ip)
{
	vec_push(&h->words, ip >= KERNEL_FROM ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
	vec_push(&h->words, ip);
}

/* True if the last @length branches repeat the ones before them. */
static bool is_repeated(const struct branch_history *h, size_t length)
{
	const struct taken_branch *end = h->branches.v + h->branches.nr;

	for (const struct taken_branch *b = end - length; b < end; b++)
		if (b->from != b[-(ptrdiff_t)length].from || b->to != b[-(ptrdiff_t)length].to)
			return false;
	return true;
}

static void add_branch(struct branch_history *h, const struct taken_branch *branch)
{
	vec_push(&h->branches, *branch);
	for (size_t length = 1; length <= LOOP_MAX && 2 * length <= h->branches.nr; length++)
		if (is_repeated(h, length)) {
			h->branches.nr -= length;
			return;
		}
}

static bool is_marker(const struct words *chain, uint64_t i)
{
	return words_at(chain, i) >= CHAIN_CONTEXT_MAX;
}

/* The first caller that no branch covers. Callers are return addresses, or in unwound chains addresses of calls. */
static uint64_t callers_begin(const struct sample *s)
{
	uint64_t at = 0;

	while (at < s->chain.nr && is_marker(&s->chain, at))
		at++;
	at += at < s->chain.nr;
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		uint64_t from = words_at(&s->branches, 3 * i);

		while (at < s->chain.nr && is_marker(&s->chain, at))
			at++;
		if (at < s->chain.nr && from <= words_at(&s->chain, at) && words_at(&s->chain, at) - from <= CALL_MAX)
			at++;
	}
	return at;
}

/* Appends the callers from @from on, after their context marker. The marker is left out if the last branch has an equal one. */
static void put_callers(struct branch_history *h, const struct words *chain, uint64_t from)
{
	uint64_t marker = from;

	while (marker > 0 && !is_marker(chain, marker - 1))
		marker--;
	if (from < chain->nr && marker && !is_marker(chain, from) && words_at(chain, marker - 1) != h->words.v[h->words.nr - 2])
		vec_push(&h->words, words_at(chain, marker - 1));
	for (uint64_t i = from; i < chain->nr; i++)
		vec_push(&h->words, words_at(chain, i));
}

static void add_branches(struct branch_history *h, const struct sample *s)
{
	h->branches.nr = 0;
	for (uint64_t i = 0; i < s->branch_nr; i++)
		add_branch(h, &(struct taken_branch){ words_at(&s->branches, 3 * i), words_at(&s->branches, 3 * i + 1),
						      words_at(&s->branches, 3 * i + 2) });
}

/*
 * The branches come first, the newest at the beginning, and then the callers of the call chain. A caller is left out if the call
 * that it made is one of the branches, because the chain would have it twice.
 */
struct words branch_history_of(struct branch_history *h, const struct item *item)
{
	const struct sample *s = item->sample;

	h->words.nr = 0;
	add_branches(h, s);
	vec_for(branch, &h->branches) {
		put_address(h, branch->to);
		put_address(h, branch->from);
	}
	put_callers(h, &s->chain, callers_begin(s));
	return (struct words){ .nr = h->words.nr, .data = (const uint8_t *)h->words.v };
}

void branch_history_sums(struct branch_history *h, const struct item *item, uint64_t out[NR_BRANCH_SUMS])
{
	memset(out, 0, NR_BRANCH_SUMS * sizeof(*out));
	add_branches(h, item->sample);
	vec_for(branch, &h->branches) {
		out[BRANCH_ENDS] += 2;
		out[BRANCH_ENDS_PREDICTED] += (branch->flags & BRANCH_PREDICTED) != 0;
		out[BRANCH_ENDS_ABORT] += (branch->flags & BRANCH_ABORT) != 0;
		out[BRANCH_ENDS_CYCLES] += BRANCH_CYCLES(branch->flags);
	}
}

void branch_history_release(struct branch_history *h)
{
	vec_free(&h->branches);
	vec_free(&h->words);
}
