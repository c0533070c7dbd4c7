/* From branches and callers to one chain. Layer: hists */
#include "core/hists/branch_history.h"

#include <string.h>

#include "core/read/item.h"
#include "core/perfdata/abi.h"
#include "core/perfdata/sample.h"

#define KERNEL_FROM	(1ull << 63)	/* addresses from here on are the kernel's, on all 64-bit architectures */
#define CALL_MAX	8		/* bytes of a call instruction, as perf takes them to be */
#define LOOP_MAX	64		/* branches of a loop that is looked for */

/* Each is the first of its context: nothing has called it, and where it is is what it says. */
static void put_address(struct branch_history *h, uint64_t ip)
{
	vec_push(&h->words, ip >= KERNEL_FROM ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
	vec_push(&h->words, ip);
}

/* True if the last @length branches repeat those before. */
static bool is_repeated(const struct branch_history *h, size_t length)
{
	const struct branch_pair *end = h->branches.v + h->branches.nr;

	return 2 * length <= h->branches.nr && !memcmp(end - length, end - 2 * length, length * sizeof(*end));
}

static void add_branch(struct branch_history *h, uint64_t from, uint64_t to)
{
	vec_push(&h->branches, ((struct branch_pair){ from, to }));
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

/* The first caller that no branch comes from. A return address is after its call; where chains were unwound it is the call's. */
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

/* Callers go on as they were recorded, in their context, which may be that of the address before: it was called from there. */
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

struct words branch_history_of(struct branch_history *h, const struct item *item)
{
	const struct sample *s = item->sample;

	h->branches.nr = h->words.nr = 0;
	for (uint64_t i = 0; i < s->branch_nr; i++)
		add_branch(h, words_at(&s->branches, 3 * i), words_at(&s->branches, 3 * i + 1));
	vec_for(branch, &h->branches) {
		put_address(h, branch->to);
		put_address(h, branch->from);
	}
	put_callers(h, &s->chain, callers_begin(s));
	return (struct words){ .nr = h->words.nr, .data = (const uint8_t *)h->words.v };
}

void branch_history_release(struct branch_history *h)
{
	vec_free(&h->branches);
	vec_free(&h->words);
}
