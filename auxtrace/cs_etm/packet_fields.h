/*
 * Defines struct cs_packet, one decoded packet of an ETMv3, PTM, ETMv4 or ETE. The functions of packet.h and v7_packet.h fill it.
 * Source: ETMv3.5 (IHI 0014), PFT v1.1 (IHI 0035), ETMv4 (IHI 0064), Arm ARM (DDI 0487) for ETE.
 */
#ifndef AUXTRACE_CS_ETM_PACKET_FIELDS_H
#define AUXTRACE_CS_ETM_PACKET_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

enum cs_packet_type {
	CS_ASYNC, CS_DISCARD, CS_OVERFLOW, CS_TRACE_INFO, CS_TRACE_ON,
	CS_TIMESTAMP, CS_TIMESTAMP_MARKER, CS_CYCLES_1, CS_CYCLES_2, CS_CYCLES_3,
	CS_ATOM,
	CS_ADDRESS, CS_ADDRESS_MATCH, CS_CONTEXT,
	CS_SOURCE, CS_SOURCE_MATCH,		/* ETE: the address of a taken branch */
	CS_EXCEPTION, CS_EXCEPTION_RETURN, CS_PE_RESET,
	CS_TRANS_START, CS_TRANS_COMMIT, CS_TRANS_FAIL,
	CS_COMMIT, CS_CANCEL_1, CS_CANCEL_1_MISPREDICT, CS_CANCEL_2, CS_CANCEL_3, CS_MISPREDICT,
	CS_Q, CS_EVENT, CS_IGNORE, CS_INSTRUMENTATION,
	/* Additional types of ARMv7; see v7_packet.h. */
	V7_ISYNC, V7_BRANCH, V7_WAYPOINT, V7_CYCLES, V7_TRIGGER, V7_VMID, V7_CONTEXT_ID, V7_EXCEPTION_ENTRY,
	CS_DATA_SYNC, CS_DATA_SYNC_UNNUMBERED,	/* with data trace only */
	CS_COND_INSN_1, CS_COND_INSN_2, CS_COND_INSN_3, CS_COND_FLUSH,
	CS_COND_RESULT_1, CS_COND_RESULT_2, CS_COND_RESULT_3, CS_COND_RESULT_4,
	CS_RESERVED,		/* a header that means nothing */
	CS_RESERVED_CONFIG,	/* a header that means nothing in this configuration */
	CS_BAD,			/* an extension or A-sync that does not go on as it must */
};

struct cs_packet {
	uint8_t type;		/* enum cs_packet_type */
	uint8_t size;		/* bytes */
	uint8_t header;
	uint8_t atoms;		/* how many, up to 24; cancels and mispredicts may have some, too */
	uint32_t taken;		/* bit n: atom n is E; the oldest is bit 0 */

	/* Addresses: of CS_ADDRESS, CS_SOURCE, CS_Q. */
	uint8_t address_bits;	/* how many low bits of the address are in .address; 0: it is entry .match of the history */
	uint8_t match;		/* number of an address in the history (history.h) */
	uint8_t is;		/* instruction set: 1 is T32 */
	bool has_address;
	uint64_t address;

	/* Context, also with an address. */
	bool has_context;
	bool context_updated;	/* the context is in the fields below; otherwise it is as before */
	uint8_t el;		/* exception level */
	bool sf, ns, nse;	/* .sf: AArch64; .ns: non-secure; .nse: root state, or with .ns, realm state */
	bool has_vmid, has_cid;
	uint32_t vmid, cid;

	uint8_t time_bits;	/* CS_TIMESTAMP: how many low bits are in .time */
	uint64_t time;		/* a timestamp; CS_INSTRUMENTATION: a value, from exception level .el */
	bool has_cycles;
	uint32_t cycles;	/* CS_CYCLES_*: as read, without the threshold; cs_history_add() adds it */

	bool has_commit;
	uint32_t commit;	/* P0 elements committed by CS_COMMIT, CS_CYCLES_* */
	uint32_t cancel;	/* P0 elements cancelled, in CS_CANCEL_* */
	uint32_t count;		/* CS_Q: instructions; CS_TRACE_INFO: speculation depth */
	bool has_count;
	uint32_t info, threshold;	/* CS_TRACE_INFO: .info: the first field; .threshold: the cycle count threshold */

	uint16_t exception;	/* CS_EXCEPTION: number */
	uint8_t returns;	/* E1:E0. Return address: 0: none; 1: in a packet; 2: in one, and a branch target; 3: reserved */

	/* ARMv7 only */
	bool v7;
	uint8_t isa;		/* enum v7_isa; 0: as before */
	uint8_t reason;		/* V7_ISYNC: enum v7_reason */
	bool hyp;		/* Hyp mode, if .context_updated */
	bool has_exception;	/* V7_BRANCH: .exception has its number */
	bool cancels;		/* with .has_exception: the instruction before the exception was not executed */
	uint8_t gray_bits;	/* CS_TIMESTAMP: bits of a full time in Gray code; 0: .time is not in Gray code */
};

#endif
