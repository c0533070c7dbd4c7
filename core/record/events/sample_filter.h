/*
 * Parses filters of samples, which --filter sets for events that are neither tracepoints nor hardware trace.
 * core/record/bpf/filter_program.h compiles a filter to BPF.
 *
 * The grammar is
 *
 *	filter	= any { "," any }		all of them must hold; the comma binds weakest
 *	any	= all { "||" all }
 *	all	= one { "&&" one }		perf has neither && nor parentheses
 *	one	= "(" filter ")" | term operator number
 *
 * Operators are == != < <= > >= and & (any of these bits). Numbers are decimal, or hexadecimal after 0x. K, M and G after a number
 * multiply it by powers of 1024.
 */
#ifndef CORE_RECORD_EVENTS_SAMPLE_FILTER_H
#define CORE_RECORD_EVENTS_SAMPLE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"

/* A term is a value that is known when a sample is taken. */
enum filter_term {
	FILTER_IP, FILTER_PID, FILTER_TID, FILTER_CPU, FILTER_PERIOD, FILTER_ADDR, FILTER_UID, FILTER_GID, FILTER_CGROUP,
	NR_FILTER_TERMS,
};

enum filter_operator { FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE, FILTER_BITS };

enum filter_node_kind { FILTER_TEST, FILTER_AND, FILTER_OR };

struct filter_node {
	uint8_t kind;			/* enum filter_node_kind */
	uint8_t term, operator;		/* TEST: enum filter_term; enum filter_operator. The right side is .value */
	uint64_t value;
	uint32_t left, right;		/* AND, OR: numbers of the operands' nodes, which come earlier in the list */
};

#define FILTER_MAX_NODES 1000u

struct sample_filter { VEC(struct filter_node) nodes; };	/* the last node is the root; vec_free(&filter.nodes) */

/* Parses @text. Returns 0, or -EINVAL with the reason in *why, which the caller frees. */
int sample_filter_parse(struct sample_filter *out, const char *text, char **why);
/* True if @text is an address filter of hardware trace ("filter main @ ./a"). */
bool filter_is_of_addresses(const char *text);

#endif
