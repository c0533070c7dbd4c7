/*
 * Reads the packets of an Intel PT trace and calls a handler for each (packet_handlers.c). Stops at the end of the range that the
 * caller gave. After damaged bytes, goes on at the next PSB packet.
 */
#include "auxtrace/intel_pt/flow.h"

#include <errno.h>

#include "auxtrace/intel_pt/flow_impl.h"

/* SKD007: true if the second byte of a CYC is the first byte of an OVF, which came in place of the CYC's other bytes. */
static bool cyc_hides_overflow(const struct pt_flow *f, const struct pt_packet *p, const uint8_t *data, size_t left)
{
	return f->config.errata & PT_SKD007 && p->type == PT_CYC && p->size == 2 && left > 2 && data[1] == 0x02 &&
	       data[2] == 0xf3;
}

/* SKZ84: true if reserved bits of a TMA are set. */
static bool is_bad_tma(const struct pt_flow *f, const struct pt_packet *p, const uint8_t *data, size_t left)
{
	return f->config.errata & PT_SKZ84 && p->type == PT_TMA && left > p->size && (data[4] || data[6] & 0xfe);
}

/*
 * True if a PSB begins inside the packet of @n bytes at @at, which may be a PSB itself: then the packet is invalid. A CYC that ends
 * in 02 and the TNT 82 after it look like the beginning of the PSB after them, so enough bytes are read to see the difference.
 */
static bool hides_psb(const uint8_t *data, size_t size, size_t at, size_t n)
{
	size_t next = at + n;

	if (size - next < 2 || (data[next] ^ data[next + 1]) != (0x02 ^ 0x82))
		return false;
	return pt_find_psb(data, MIN(size, next + PT_PSB_SIZE + 1), at + 1) < next;
}

/* Handles the packet at @at, if it is valid. Returns the offset of the next packet, or @at. */
static size_t step(struct pt_flow *f, const uint8_t *data, size_t size, size_t at)
{
	struct pt_packet p;
	int n = pt_packet_read(&p, data + at, size - at, f->item_size);

	if (n < 0 || hides_psb(data, size, at, (size_t)n)) {
		place_lose_sync(f, n == -ERANGE ? PT_GAP_TRUNCATED : PT_GAP_PACKET);
		return at;
	}
	if (cyc_hides_overflow(f, &p, data + at, size - at)) {
		p.value &= 0x1f;
		n = 1;
	}
	if (is_bad_tma(f, &p, data + at, size - at))
		return at + n + 1;
	flow_on_packet(f, &p);
	return at + n;
}

/* Reads the PSB+ at @at, if there is one, only to follow the program up to its address. */
static void find_psb_address(struct pt_flow *f, const uint8_t *data, size_t size, size_t at, uint64_t base)
{
	if (pt_find_psb(data, MIN(size, at + PT_PSB_SIZE), at) != at)
		return;
	f->in_psb_lookahead = true;
	f->sync_lost = false;
	do {
		f->state.offset = base + at;
		at = step(f, data, size, at);
	} while (f->in_psb && at < size);
	f->in_psb_lookahead = f->sync_lost = false;
}

static size_t resync(struct pt_flow *f, const uint8_t *data, size_t size, size_t at)
{
	at = pt_find_psb(data, size, at);
	f->sync_lost = false;
	f->synced = at < size;
	return at;
}

size_t pt_flow_advance(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base)
{
	size_t at = from;

	if (!f->synced)
		at = pt_find_psb(data, size, at);
	while (at < to || (f->in_psb && at < size)) {
		uint8_t b = data[at];

		f->state.offset = base + at;
		if (!(b & 1) && b > 2 && f->state.ip && !f->nr_bits && !f->inconsistent) {
			f->nr_bits = 30 - (unsigned)__builtin_clz(b);	/* below the stop bit, above bit 0 */
			f->bits = (uint64_t)b << (63 - f->nr_bits);
			walk_tnt(f);
			at++;
		} else if (f->sync_lost) {
			at = resync(f, data, size, at);
		} else {
			at = step(f, data, size, at);
		}
	}
	return at;
}

void pt_flow_decode(struct pt_flow *f, const uint8_t *data, size_t size, size_t from, size_t to, uint64_t base)
{
	size_t at = pt_flow_advance(f, data, size, from, to, base);

	if (to < size && at == to && f->synced)
		find_psb_address(f, data, size, to, base);
	if (f->unverified.left)
		place_end_unverified(f);
}

/* --- Life ------------------------------------------------------------------- */

struct pt_flow *pt_flow_new(const struct pt_flow_config *config)
{
	struct pt_flow *f = xcalloc(1, sizeof(*f));

	f->config = *config;
	f->detailed = config->sink->block || config->sink->branch;
	f->next_sample = config->period && config->sink->sample ? config->period : UINT64_MAX;
	path_init(&f->path);
	pt_flow_reset(f);
	return f;
}

void pt_flow_free(struct pt_flow *f)
{
	if (!f)
		return;
	block_arena_release(&f->superblocks);
	path_release(&f->path);
	free(f);
}

void pt_flow_reset(struct pt_flow *f)
{
	f->lost = (struct pt_lost){0};
	path_end(&f->path);
	f->path.given_up = false;
	f->stop = f->detailed ? 0 : f->next_sample;
	place_restart(f);
}

void pt_flow_sample_at(struct pt_flow *f, uint64_t insns)
{
	if (!f->config.period || !f->config.sink->sample)
		return;
	f->next_sample = insns;
	f->stop = f->detailed ? 0 : insns;
}

void pt_flow_sample_later(struct pt_flow *f)
{
	const struct pt_sink *sink = f->config.sink;

	if (!f->config.period || !sink->sample || sink->event || f->detailed)
		return;
	path_begin(&f->path, &f->state);
	f->next_sample = UINT64_MAX;
	f->stop = f->state.insns;
}

bool pt_flow_sample_now(struct pt_flow *f, uint64_t insns)
{
	path_end(&f->path);
	if (f->path.given_up)
		return false;
	insns = path_replay(&(struct path_replay){ .path = &f->path, .cache = f->config.cache, .sink = f->config.sink,
						   .ctx = f->config.ctx, .first = insns, .period = f->config.period });
	pt_flow_sample_at(f, insns);
	return true;
}

const struct pt_lost *pt_flow_lost(const struct pt_flow *f)
{
	return &f->lost;
}

const struct pt_state *pt_flow_state(const struct pt_flow *f)
{
	return &f->state;
}
