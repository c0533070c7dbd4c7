/*
 * Reads and prints the packets of Arm SPE (Statistical Profiling Extension). record.h combines the packets of one
 * sampled operation into a record.
 * Source: Arm ARM (DDI 0487), chapter "Statistical Profiling Extension Sample Record Specification".
 */
#ifndef AUXTRACE_ARM_SPE_PACKET_H
#define AUXTRACE_ARM_SPE_PACKET_H

#include <stddef.h>
#include <stdint.h>

struct buf;

enum spe_packet_type {
	SPE_PADDING, SPE_END, SPE_TIMESTAMP, SPE_ADDRESS, SPE_COUNTER, SPE_CONTEXT, SPE_OPERATION, SPE_EVENTS,
	SPE_SOURCE,
};

/* .index of packets of type SPE_ADDRESS, SPE_COUNTER and SPE_OPERATION. SPE_PREVIOUS: the previous branch's target. */
enum spe_address { SPE_PC, SPE_TARGET, SPE_VA, SPE_PA, SPE_PREVIOUS };
enum spe_counter { SPE_TOTAL, SPE_ISSUE, SPE_TRANSLATION };	/* latencies */
enum spe_class { SPE_OTHER, SPE_LOAD_STORE, SPE_BRANCH };

/* Bit numbers in .value of packets of type SPE_EVENTS. */
enum spe_event {
	SPE_EXCEPTION, SPE_RETIRED, SPE_L1D_ACCESS, SPE_L1D_REFILL, SPE_TLB_ACCESS, SPE_TLB_REFILL, SPE_NOT_TAKEN,
	SPE_MISPREDICTED, SPE_LLC_ACCESS, SPE_LLC_REFILL, SPE_REMOTE_ACCESS, SPE_MISALIGNED,
	SPE_TRANSACTIONAL = 16, SPE_PARTIAL_PREDICATE, SPE_EMPTY_PREDICATE, SPE_L2D_ACCESS, SPE_L2D_MISS,
	SPE_MODIFIED, SPE_RECENTLY_FETCHED, SPE_SNOOPED, SPE_STREAMING, SPE_SMCU,
};

struct spe_packet {
	uint8_t type;		/* enum spe_packet_type */
	uint8_t size;		/* bytes; an Alignment packet is SPE_PADDING with all the bytes that it skips */
	uint8_t payload;	/* bytes of .value: 0, 1, 2, 4 or 8 */
	uint8_t index;		/* enum spe_address, _counter or _class; SPE_CONTEXT: 0 of CONTEXTIDR_EL1, 1 of _EL2 */
	uint64_t value;
};

/*
 * Reads the packet at offset @at of the @n bytes at @p. Alignment packets align relative to @p. Returns the packet's size;
 * -ENODATA if the data ends inside the packet, -EINVAL if the bytes are no packet.
 */
int spe_packet_read(struct spe_packet *out, const uint8_t *p, size_t at, size_t n);

/* Appends the packet as perf script -D prints it: "VA 0xffff800011223344". @midr: the processor, for its own events; 0: unknown. */
void spe_packet_text(struct buf *out, const struct spe_packet *pkt, uint64_t midr);
/*
 * Appends the packets of a buffer, from offset @at on, as perf script -D prints them: one per line, with offset and raw bytes.
 * Stops after about @enough bytes of text. Returns the offset for the next call; @n: all packets were printed.
 */
size_t spe_text(struct buf *out, const uint8_t *p, size_t n, uint64_t midr, size_t at, size_t enough);

#endif
