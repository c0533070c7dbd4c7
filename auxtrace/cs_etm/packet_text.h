/*
 * Prints CoreSight packets in the words of OpenCSD, as perf script -D does.
 * Layer: auxtrace
 */
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
/*
 * All packets of the streams that are of one of the @nr @configs, in the order in which they end in the trace, one
 * a line: "\tIdx:<offset>; ID:<id>;\t<packet>". It is some 40 times as long as the trace: @some, unless NULL, is called with
 * @ctx after some lines, and may take what is in @out.
 */
void cs_streams_text(struct buf *out, const struct cs_streams *s, const struct cs_config *configs, size_t nr,
		     void (*some)(void *ctx), void *ctx);

#endif
