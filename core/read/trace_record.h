/*
 * Lists the records that decoders of hardware trace need: the trace's parameters, its bytes, and which thread ran when. The
 * first pass over a recording collects them.
 */
#ifndef CORE_READ_TRACE_RECORD_H
#define CORE_READ_TRACE_RECORD_H

#include <stdint.h>

#include "core/base/vec.h"

struct trace_record {
	/* AUXTRACE_INFO, AUXTRACE, AUX, ITRACE_START, SWITCH*, TIME_CONV, AUX_OUTPUT_HW_ID, and SAMPLE if it has trace. */
	uint32_t type;
	uint64_t time;			/* ns; 1 + .position if records have no times */
	uint64_t position;
	/* Trace data as in the file: the bytes after an AUXTRACE record, or the trace in a sample. */
	const uint8_t *payload;
	uint64_t payload_size;
};

struct trace_records {
	VEC(struct trace_record) list;		/* in file order */
};

#endif
