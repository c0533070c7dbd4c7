/*
 * Prints the name and the fields of ETMv3 and PTM packets for prec script -D, in OpenCSD's wording. cs_packet_text()
 * (packet_text.h) calls v7_packet_text() for these packets.
 * Layer: auxtrace
 */
#ifndef AUXTRACE_CS_ETM_V7_TEXT_H
#define AUXTRACE_CS_ETM_V7_TEXT_H

struct buf;
struct cs_config;
struct cs_history;
struct cs_packet;

/* As cs_packet_text(), for a unit whose config has .v7; @h is NULL for atoms without cycle counts. */
void v7_packet_text(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, const struct cs_config *c);

#endif
