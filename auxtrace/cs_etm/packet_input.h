/*
 * Reads the bytes of one CoreSight packet in order, and notes if the data ends inside the packet. packet.c and v7_packet.c use it.
 */
#ifndef AUXTRACE_CS_ETM_PACKET_INPUT_H
#define AUXTRACE_CS_ETM_PACKET_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct cs_config;

struct input {
	const uint8_t *p, *end;		/* borrowed */
	const struct cs_config *c;	/* borrowed */
	bool cut;			/* the data ended in the packet */
};

/* The next byte; 0, and .cut is set, at the end of the data. */
static inline uint8_t byte(struct input *in)
{
	if (in->p == in->end) {
		in->cut = true;
		return 0;
	}
	return *in->p++;
}

/* The next @nr bytes, at most 8, the lowest first. */
static inline uint64_t fixed(struct input *in, unsigned nr)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < nr; i++)
		v |= (uint64_t)byte(in) << 8 * i;
	return v;
}

#endif
