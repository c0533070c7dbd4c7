/* Prints CoreSight packets for prec script -D. The wording is that of perf script -D, which prints packets with OpenCSD. */
#ifndef AUXTRACE_CS_ETM_PACKET_TEXT_H
#define AUXTRACE_CS_ETM_PACKET_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct cs_config;
struct cs_history;
struct cs_packet;
struct cs_streams;

/* Appends @pkt, after cs_history_add(@h), without its position and ID. */
void cs_packet_text(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h,
		    const struct cs_config *c);
/* The same for a unit whose config has .v7; @h is NULL for atoms without cycle counts. */
void v7_packet_text(struct buf *out, const struct cs_packet *pkt, const struct cs_history *h, const struct cs_config *c);
/*
 * Appends all packets of the streams that have one of the @nr @configs, in the order in which the packets end in the trace, one per
 * line: "\tIdx:<offset>; ID:<id>;\t<packet>". The text is some 40 times as long as the trace. So @some, unless NULL, is called with
 * @ctx after some lines, and may empty @out.
 */
void cs_streams_text(struct buf *out, const struct cs_streams *s, const struct cs_config *configs, size_t nr,
		     void (*some)(void *ctx), void *ctx);

#endif
