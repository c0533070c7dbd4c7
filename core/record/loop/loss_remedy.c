/* Chooses the advice that record prints about lost samples, and writes its text. */
#include "core/record/loop/loss_remedy.h"

#include "core/base/util.h"
#include "core/record/loop/recorder_opts.h"

#define RING_MOST	(64ull << 20)	/* larger ring buffers are not recommended */
#define ROOM		2		/* factor over the needed size */

static uint64_t ring_wanted(const struct loss_facts *f)
{
	uint64_t size = f->ring_bytes, least = MAX(MAX(f->needed_bytes, f->ring_bytes) * ROOM, DEFAULT_RING);

	while (size < least)
		size *= 2;
	return size;
}

/* Rings of the default size would have held more. */
static bool has_small_rings(const struct loss_facts *f)
{
	return f->ring_bytes < DEFAULT_RING && !f->ring_cut && ring_wanted(f) <= RING_MOST;
}

#define WAIT_LEAST	100000000u	/* ns; rings hold the samples of shorter waits for a CPU */

/* Waiting for a CPU explains most of the longest time in which records were lost. */
static bool waited(const struct loss_facts *f)
{
	return !f->urgent && f->waited_ns >= WAIT_LEAST && f->waited_ns >= f->gap_ns / 2;
}

/* True if the same ring buffer would have held all samples with smaller copies of stacks. */
static bool has_large_stacks(const struct loss_facts *f)
{
	return f->stack_bytes > REMEDY_STACK && f->needed_bytes / f->stack_bytes * REMEDY_STACK <= f->ring_bytes;
}

static enum loss_remedy loss_remedy(const struct loss_facts *f)
{
	if (has_small_rings(f))
		return REMEDY_LARGER_RINGS;
	if (waited(f))
		return REMEDY_PRIORITY;
	if (has_large_stacks(f))
		return REMEDY_SMALLER_STACKS;
	if (!f->busy && !f->ring_cut && ring_wanted(f) <= RING_MOST)
		return REMEDY_LARGER_RINGS;
	return REMEDY_LOWER_RATE;
}

char *loss_remedy_text(const struct loss_facts *f, bool is_root)
{
	switch (loss_remedy(f)) {
	case REMEDY_PRIORITY:
		return xasprintf("a real-time priority of the recorder (%srecord -r 1), which waited %.1f s for a CPU",
				 is_root ? "" : "as root: ", (double)f->waited_ns / 1e9);
	case REMEDY_SMALLER_STACKS:
		return xasprintf("copies of stacks of %u bytes (in record --call-graph), not %u", REMEDY_STACK, f->stack_bytes);
	case REMEDY_LARGER_RINGS:
		return xasprintf("larger rings than of %llu KiB (record -m %lluK)", (unsigned long long)f->ring_bytes >> 10,
				 (unsigned long long)ring_wanted(f) >> 10);
	case REMEDY_LOWER_RATE:
		break;
	}
	return xasprintf("a lower rate (record -F, -c)%s", f->ring_cut ? ", or larger rings, which the limit of locked memory "
			 "does not allow ('ulimit -l')" : "");
}
