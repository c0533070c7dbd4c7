/* Merges the machine-code frames and the Python frames of a sample into one call chain. */
#include "core/record/live/python_merge.h"

#include <linux/perf_event.h>

#include "core/model/python.h"
#include "core/record/live/python_process.h"

bool python_is_loop(const struct python_stack *s, uint64_t ip)
{
	vec_for(r, &s->loop->list)
		if (ip - r->from < r->to - r->from)
			return true;
	return false;
}

/* Returns the index of the first frame after PERF_CONTEXT_USER, or chain->nr if there is none. */
static uint64_t user_from(const struct words *chain)
{
	for (uint64_t i = 0; i < chain->nr; i++)
		if (words_at(chain, i) == (uint64_t)PERF_CONTEXT_USER)
			return i + 1;
	return chain->nr;
}

static size_t count_loops(const struct python_stack *s, const struct words *chain, uint64_t from)
{
	size_t nr = 0;

	for (uint64_t i = from; i < chain->nr; i++)
		nr += python_is_loop(s, words_at(chain, i));
	return nr;
}

static size_t count_entries(const struct python_stack *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		nr += !!(s->frames[i] & PYTHON_FRAME_ENTRY);
	return nr;
}

static void put_frame(const struct python_stack *s, size_t i, struct python_chain *out)
{
	vec_push(&out->ips, s->frames[i] & ~PYTHON_FRAME_ENTRY);
}

/* Puts the interpreter loop's frame @ip and the Python frames that it runs, from index @i on. Returns the next index. */
static size_t put_call(const struct python_stack *s, size_t i, uint64_t ip, struct python_chain *out)
{
	size_t first = i;

	vec_push(&out->ips, ip);
	while (i < s->nr) {
		put_frame(s, i, out);
		if (s->frames[i++] & PYTHON_FRAME_ENTRY)
			break;
	}
	if (i > first)
		out->ips.v[out->ips.nr - (i - first)] += PYTHON_IN_LOOP;
	return i;
}

static void put_each(const struct python_stack *s, const struct words *chain, uint64_t from, bool first_is_bare,
		     struct python_chain *out)
{
	size_t next = 0;

	for (uint64_t i = from; i < chain->nr; i++) {
		uint64_t ip = words_at(chain, i);

		if (!python_is_loop(s, ip) || first_is_bare) {
			first_is_bare &= !python_is_loop(s, ip);
			vec_push(&out->ips, ip);
			continue;
		}
		next = put_call(s, next, ip, out);
	}
}

void python_merge(const struct python_stack *s, const struct words *chain, struct python_chain *out)
{
	uint64_t from = user_from(chain);
	size_t loops = count_loops(s, chain, from), entries = count_entries(s), first;

	out->ips.nr = 0;
	for (uint64_t i = 0; i < from; i++)
		vec_push(&out->ips, words_at(chain, i));
	if (s->nr && s->frames[s->nr - 1] & PYTHON_FRAME_ENTRY && (loops == entries || loops == entries + 1)) {
		put_each(s, chain, from, loops > entries, out);
		return;
	}
	if (!from || words_at(chain, from - 1) != (uint64_t)PERF_CONTEXT_USER)
		vec_push(&out->ips, (uint64_t)PERF_CONTEXT_USER);
	if (from < chain->nr)
		vec_push(&out->ips, words_at(chain, from));
	first = out->ips.nr;
	for (size_t i = 0; i < s->nr; i++)
		put_frame(s, i, out);
	if (s->nr && from < chain->nr && python_is_loop(s, words_at(chain, from)))
		out->ips.v[first] += PYTHON_IN_LOOP;
}
