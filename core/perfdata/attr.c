/*
 * Reads and writes perf_event_attr. attr_pass() goes through the fields in the order of linux/perf_event.h, and stops early at an
 * attr of an older kernel, which is shorter.
 */
#include "core/perfdata/attr.h"

#include <errno.h>
#include <string.h>

#include "core/base/util.h"
#include "core/base/wire.h"

#define FLAGS_AT	40
#define PRECISE_IP_BIT	15

static uint8_t reverse_bits(uint8_t b)
{
	b = (uint8_t)(b >> 4 | b << 4);
	b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
	return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

/*
 * A C bitfield starts at the lowest bit of the first byte on a little-endian machine, and at the highest on a big-endian one. So
 * bytes stay in place, and the bits of each are reversed.
 */
static void turn_bits(struct wire *w, void *word, size_t n)
{
	const void *before;
	uint8_t *p = word;

	wire_bytes(w, &before, n);
	memset(p, 0, n);
	for (size_t i = 0; before && i < n; i++) {
		p[i] = reverse_bits(((const uint8_t *)before)[i]);
		((uint8_t *)(uintptr_t)before)[i] = p[i];
	}
}

/* Reverses precise_ip again, because turn_bits() has reversed it, too: it is the only field of more than one bit. */
static void turn_precise_ip(struct wire *w, uint64_t *flags)
{
	uint64_t low = *flags >> PRECISE_IP_BIT & 1, high = *flags >> (PRECISE_IP_BIT + 1) & 1;

	if (low == high)
		return;
	*flags ^= 3ull << PRECISE_IP_BIT;
	memcpy(w->pos - sizeof(*flags), flags, sizeof(*flags));
}

static void flags_pass(struct wire *w, struct event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (char *)attr + FLAGS_AT, sizeof(flags));
	if (w->mode == WIRE_READ && w->swap) {
		turn_bits(w, &flags, sizeof(flags));
		if (!w->bad)
			turn_precise_ip(w, &flags);
	} else {
		wire_u64(w, &flags);
	}
	memcpy((char *)attr + FLAGS_AT, &flags, sizeof(flags));
}

static void aux_action_pass(struct wire *w, struct event_attr *attr)
{
	if (w->mode == WIRE_READ && w->swap)
		turn_bits(w, &attr->aux_action, sizeof(attr->aux_action));
	else
		wire_u32(w, &attr->aux_action);
}

/* The words up to ATTR_SIZE_VER0, which every attr has. */
static void first_words(struct wire *w, struct event_attr *a)
{
	wire_u64(w, &a->config);
	wire_u64(w, &a->sample_period);
	wire_u64(w, &a->sample_type);
	wire_u64(w, &a->read_format);
	flags_pass(w, a);
	wire_u32(w, &a->wakeup_events);
	wire_u32(w, &a->bp_type);
	wire_u64(w, &a->bp_addr);
}

/* Passes the word at offset @at of the attr, which newer kernels have added. */
static void later_word(struct wire *w, struct event_attr *a, size_t at)
{
	switch (at) {
	case 64: wire_u64(w, &a->bp_len); break;
	case 72: wire_u64(w, &a->branch_sample_type); break;
	case 80: wire_u64(w, &a->sample_regs_user); break;
	case 88: wire_u32(w, &a->sample_stack_user); wire_u32(w, (uint32_t *)&a->clockid); break;
	case 96: wire_u64(w, &a->sample_regs_intr); break;
	case 104: wire_u32(w, &a->aux_watermark); wire_u16(w, &a->sample_max_stack); wire_u16(w, &a->reserved_2); break;
	case 112: wire_u32(w, &a->aux_sample_size); aux_action_pass(w, a); break;
	case 120: wire_u64(w, &a->sig_data); break;
	case 128: wire_u64(w, &a->config3); break;
	case 136: wire_u64(w, &a->config4); break;
	}
}

int attr_pass(struct wire *w, struct event_attr *attr, size_t max)
{
	size_t at;

	if (w->mode == WIRE_READ)
		*attr = (struct event_attr){0};
	wire_u32(w, &attr->type);
	wire_u32(w, &attr->size);
	if (w->mode == WIRE_READ && !attr->size)
		attr->size = ATTR_SIZE_VER0;
	if (attr->size < ATTR_SIZE_VER0 || attr->size % 8 || attr->size > max)
		return -EINVAL;
	first_words(w, attr);
	for (at = ATTR_SIZE_VER0; at < MIN(attr->size, ATTR_SIZE_VER9); at += 8)
		later_word(w, attr, at);
	wire_zeros(w, attr->size - at);		/* members of newer kernels */
	return w->bad ? -EINVAL : 0;
}

bool attr_counts_time(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

_Static_assert(sizeof(struct event_attr) == ATTR_SIZE_VER9, "the kernel's layout");
_Static_assert(offsetof(struct event_attr, sig_data) == 120, "the kernel's layout");
