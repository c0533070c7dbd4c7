/*
 * Reads the packets of ETMv3 and PTM, the trace units of ARMv7 processors. history.h adds the part of an address that a packet
 * leaves out. packet.h reads the packets of ETMv4 and ETE.
 * Source: ETMv3.5 (IHI 0014), chapter 7; PFT v1.1 (IHI 0035), chapter 4.
 */
#ifndef AUXTRACE_CS_ETM_V7_PACKET_H
#define AUXTRACE_CS_ETM_V7_PACKET_H

#include <stddef.h>
#include <stdint.h>

struct cs_config;
struct cs_packet;

/* The instruction set in an I-sync or a long address; 0: none given. */
enum v7_isa { V7_SAME_ISA, V7_ARM, V7_THUMB, V7_THUMBEE, V7_JAZELLE };

/* The reason of an I-sync packet. */
enum v7_reason { V7_PERIODIC, V7_TRACE_ENABLED, V7_RESTARTED, V7_DEBUG_EXIT };

/* As cs_packet_read() and cs_packet_sync(), for a unit whose config has .v7. */
int v7_packet_read(struct cs_packet *out, const uint8_t *p, size_t n, const struct cs_config *c);
size_t v7_packet_sync(const uint8_t *p, size_t from, size_t n);

#endif
