/*
 * Implements the option --native. 'merged' removes the interpreter's functions from call chains with Python or Java code. 'none'
 * keeps only the Python functions of a chain, or its outermost frame if it has none. On interpreted Java code it acts as
 * 'merged'.
 */
#include "core/read/native_frames.h"

#include "core/perfdata/abi.h"
#include "core/perfdata/sample.h"
#include "core/model/python.h"
#include "core/read/item.h"

/* True if the chain has a marked frame (is_interpreted_in_loop()) at an address from @from on. */
static bool has_loops(const struct words *chain, uint64_t from)
{
	for (uint64_t i = 0; i < chain->nr; i++)
		if (is_interpreted_in_loop(words_at(chain, i)) && words_at(chain, i) - PYTHON_IN_LOOP >= from)
			return true;
	return false;
}

/*
 * Copies the frames; without @loops, leaves out the loop's frame before each marked frame. In a damaged chain, another Python frame
 * or a context marker may be there, and is kept.
 */
static void put_frames(const struct words *chain, bool loops, struct frame_words *out)
{
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t word = words_at(chain, i);

		if (is_interpreted_in_loop(word)) {
			word -= PYTHON_IN_LOOP;
			if (!loops && i && !is_interpreted(out->v.v[out->v.nr - 1]) && out->v.v[out->v.nr - 1] < CHAIN_CONTEXT_MAX)
				out->v.nr--;
		}
		vec_push(&out->v, word);
	}
}

static void put_interpreted(const struct words *chain, struct frame_words *out)
{
	vec_push(&out->v, (uint64_t)PERF_CONTEXT_USER);
	for (uint64_t i = 0; i < chain->nr; i++) {
		uint64_t word = words_at(chain, i);

		if (is_interpreted_in_loop(word))
			word -= PYTHON_IN_LOOP;
		if (is_interpreted(word))
			vec_push(&out->v, word);
	}
}

static void put_outermost(const struct words *chain, struct frame_words *out)
{
	uint64_t last = chain->nr, marker = CHAIN_CONTEXT_MAX;

	while (last && words_at(chain, last - 1) >= CHAIN_CONTEXT_MAX)
		last--;
	for (uint64_t i = last; i-- > 0 && marker == CHAIN_CONTEXT_MAX;)
		if (words_at(chain, i) >= CHAIN_CONTEXT_MAX)
			marker = words_at(chain, i);
	if (marker != CHAIN_CONTEXT_MAX)
		vec_push(&out->v, marker);
	if (last)
		vec_push(&out->v, words_at(chain, last - 1));
}

/* Sets the sample's address to the innermost frame of its chain. */
static void move_to_first(struct item *item, struct sample *s, const struct frame_words *chain)
{
	for (size_t i = 0; i < chain->v.nr; i++) {
		if (chain->v.v[i] < CHAIN_CONTEXT_MAX) {
			s->ip = chain->v.v[i];
			return;
		}
		item->cpumode = chain->v.v[i] == (uint64_t)PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	}
}

void native_frames_choose(enum native_frames wanted, struct item *item, struct sample *s, struct frame_words *room)
{
	/* Java's compiled methods are neither interpreted nor native. */
	if (wanted == NATIVE_NONE && has_loops(&s->chain, JAVA_BASE))
		wanted = NATIVE_MERGED;
	if (!s->chain.nr || (wanted != NATIVE_NONE && !has_loops(&s->chain, 0)))
		return;
	room->v.nr = 0;
	if (wanted != NATIVE_NONE)
		put_frames(&s->chain, wanted == NATIVE_ALL, room);
	else
		put_interpreted(&s->chain, room);
	if (wanted == NATIVE_NONE && room->v.nr == 1) {
		room->v.nr = 0;
		put_outermost(&s->chain, room);
	}
	/* A sample in the loop was recorded with the address of the Python function. */
	if (wanted == NATIVE_NONE || (wanted == NATIVE_ALL && is_interpreted(s->ip)))
		move_to_first(item, s, room);
	s->chain = (struct words){ .nr = room->v.nr, .data = (const uint8_t *)room->v.v };
}
