/*
 * Adds call chains to a tree (chain.h), from the outermost caller inwards. The outer frames that a chain shares with the chain
 * added before it need no search in the tree. addr_key.h converts addresses to keys.
 */
#include "core/model/chain.h"

#include "core/perfdata/abi.h"
#include "core/model/addr_key.h"
#include "core/model/machine.h"

#define UNKNOWN UINT32_MAX	/* no address key has this number */

void chain_table_init(struct chain_table *t)
{
	*t = (struct chain_table){0};
	vec_push(&t->nodes, (struct chain_node){0});
}

void chain_table_seal(struct chain_table *t)
{
	index_release(&t->by_node);
	vec_free(&t->last);
	vec_free(&t->waiting);
}

void chain_table_release(struct chain_table *t)
{
	vec_free(&t->nodes);
	chain_table_seal(t);
}

/* Hashes the path to a node: the parent's hash and the node's address key. The parent may have no number yet. */
static uint32_t hash_of(uint32_t parent_hash, uint32_t addr_key)
{
	return (uint32_t)hash_pair(parent_hash, addr_key);
}

static uint32_t push(struct chain_table *t, uint32_t parent, uint32_t addr_key, uint32_t hash)
{
	uint32_t pos;

	index_for(at, &t->by_node, hash)
		if (t->nodes.v[at].addr_key == addr_key && t->nodes.v[at].parent == parent)
			return at;
	pos = (uint32_t)t->nodes.nr;
	index_add(&t->by_node, hash, pos);
	vec_push(&t->nodes, ((struct chain_node){ addr_key, parent, t->nodes.v[parent].depth + 1, hash }));
	return pos;
}

uint32_t chain_push(struct chain_table *t, uint32_t parent, uint32_t addr_key)
{
	return push(t, parent, addr_key, hash_of(t->nodes.v[parent].hash, addr_key));
}

uint32_t chain_space(const struct task_context *context, uint16_t cpumode)
{
	switch (cpumode & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return context->kernel_space;
	case PERF_RECORD_MISC_USER:
		return context->user_space;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return context->guest_kernel_space;
	case PERF_RECORD_MISC_GUEST_USER:
		return context->guest_user_space;
	default:
		return SPACE_NONE;
	}
}

uint16_t chain_marker_cpumode(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	default:
		return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
	}
}

/*
 * A chain is recorded from the leaf, but nodes are made from the root. So chain_intern() walks the chain backwards, and meets the
 * marker of a context only after the frames of the context. At each marker, space_before() searches ahead for the next marker.
 */

/* Words [0, end) hold the @max_depth innermost frames. */
static uint64_t frames_end(const struct words *chain, unsigned max_depth)
{
	unsigned depth = 0;
	uint64_t i;

	for (i = 0; i < chain->nr && depth < max_depth; i++)
		depth += words_at(chain, i) < CHAIN_CONTEXT_MAX;
	return i;
}

/* The space of the frames that end before word @end: by the marker in front of them, or the sample's cpumode. */
static uint32_t space_before(const struct words *chain, uint64_t end, const struct task_context *context, uint16_t cpumode)
{
	for (uint64_t i = end; i-- > 0; ) {
		uint64_t word = words_at(chain, i);

		if (word >= CHAIN_CONTEXT_MAX)
			return chain_space(context, chain_marker_cpumode(word));
	}
	return chain_space(context, cpumode);
}

struct interning {			/* the state of chain_intern(), which adds frames from the root on */
	struct chain_table *table;
	struct addr_key_table *addr_keys;
	uint32_t node;			/* the node of the frames so far */
	size_t depth;			/* number of frames so far */
	size_t first;			/* index in table->waiting of the first frame of this chain */
	bool alike;			/* the frames so far are those of the last chain */
};

/* Drops the frames so far: they are the callers of an address where nothing is mapped, and meaningless. */
static void drop_callers(struct interning *in)
{
	in->node = CHAIN_ROOT;
	in->depth = 0;
	in->table->waiting.nr = in->first;
}

/* While the chain is equal to the last one, the node is taken from there, without a search. */
static void next_frame(struct interning *in, uint32_t space, uint64_t ip, bool calls)
{
	struct chain_frame frame = { .ip = ip, .space = space, .calls = calls };
	struct chain_table *t = in->table;

	if (in->alike && in->depth < t->last.nr) {
		const struct chain_step *step = &t->last.v[in->depth];

		if (step->ip == ip && step->space == space && step->calls == calls) {
			in->node = step->node;
			in->depth++;
			return;
		}
	}
	in->alike = false;
	if (!addr_keys_recall(in->addr_keys, space, ip, calls, &frame.addr_key))
		frame.addr_key = UNKNOWN;
	else if (addr_key_is_unmapped(in->addr_keys, frame.addr_key))
		drop_callers(in);
	frame.parent = in->node;
	in->node = CHAIN_WAITING | (uint32_t)t->waiting.nr;
	vec_push(&t->waiting, frame);
	t->last.nr = in->depth++;
	vec_push(&t->last, ((struct chain_step){ ip, space, in->node, calls }));
}

/* The first frame of a context was interrupted, or entered the kernel: it is not a caller. */
static bool is_first(const struct words *chain, uint64_t i)
{
	return !i || words_at(chain, i - 1) >= CHAIN_CONTEXT_MAX;
}

uint32_t chain_intern(struct chain_table *t, struct addr_key_table *addr_keys, const struct words *chain,
		      const struct task_context *context, uint16_t cpumode, bool unwound, unsigned max_depth)
{
	uint64_t end = frames_end(chain, max_depth);
	uint32_t space = space_before(chain, end, context, cpumode);
	struct interning in = { .table = t, .addr_keys = addr_keys, .node = CHAIN_ROOT, .alike = true };

	if (t->settled) {
		t->waiting.nr = 0;
		t->settled = false;
	}
	in.first = t->waiting.nr;
	for (uint64_t i = end; i-- > 0; ) {
		uint64_t word = words_at(chain, i);
		bool calls = !is_first(chain, i) && !(unwound && space == context->user_space);

		if (word < CHAIN_CONTEXT_MAX)
			next_frame(&in, space, word, calls);
		else
			space = space_before(chain, i, context, cpumode);
	}
	return in.node;
}

/* Each step is done for all frames, so that their memory is prefetched together. */
void chains_settle(struct chain_table *t, struct addr_key_table *addr_keys)
{
	uint32_t pos;

	vec_for(f, &t->waiting) {
		uint32_t parent = f->parent & ~CHAIN_WAITING;

		if (f->addr_key == UNKNOWN)
			f->addr_key = addr_keys_frame(addr_keys, f->space, f->ip, f->calls);
		f->hash = hash_of(f->parent & CHAIN_WAITING ? t->waiting.v[parent].hash : t->nodes.v[parent].hash, f->addr_key);
		index_expect(&t->by_node, f->hash);
	}
	vec_for(f, &t->waiting) {
		pos = index_at(&t->by_node, f->hash, f->hash);
		if (pos < INDEX_OTHER)
			__builtin_prefetch(&t->nodes.v[pos]);
	}
	vec_for(f, &t->waiting)
		f->node = push(t, chain_settled(t, f->parent), f->addr_key, f->hash);
	vec_for(step, &t->last)
		step->node = chain_settled(t, step->node);
	t->settled = true;
}
