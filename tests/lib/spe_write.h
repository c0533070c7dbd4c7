/* The packets of SPE, written: an encoder that knows nothing of the reader's tables. */
#ifndef TESTS_LIB_SPE_WRITE_H
#define TESTS_LIB_SPE_WRITE_H

#include <stdint.h>

struct spe_packet;

/*
 * Write @pkt (not padding; .size is not looked at, .payload only of events and sources) to @to, which has room for 10
 * bytes. Returns the size, or -EINVAL where there is no such packet.
 */
int spe_packet_write(uint8_t *to, const struct spe_packet *pkt);

#endif
