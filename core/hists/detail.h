/*
 * Packs the less common values of a sample, such as its weight or memory access, into a byte string, the sample's detail.
 * bucket.c calls detail_put() for each sample. The columns of the report read the values.
 *
 * A bucket has the number of its detail, and equal details are stored once. A detail has only those of the following parts that the
 * report's columns need:
 *
 *	| u64 of each key that has a function word() (key.h) | u64 of each part of the sample's weight |
 *	| u64: number of threads that ran at the time of the sample | u64: time for which the thread was ready to run |
 *	| u64 of each sum of the sample's branches | access (mem_key.h) |
 *	| fields of a tracepoint (trace_key.h) |
 *
 */
#ifndef CORE_HISTS_DETAIL_H
#define CORE_HISTS_DETAIL_H

#include <stddef.h>
#include <stdint.h>

#include "core/hists/mem_key.h"

struct bucket_key;
struct buf;
struct byte_table;
struct key;
struct key_context;
struct layout;
struct locations;
struct machine;
struct sample_view;
struct session;
struct trace_keys;

struct detail_plan {		/* describes the details of all samples of a report; borrows what it points to */
	const struct layout *layout;
	unsigned needs;			/* NEED_*: those in NEED_DETAIL decide which parts a detail has */
	const struct machine *machine;	/* sealed */
	const struct trace_keys *traces;
};

/* For bucket_opts.describe: appends the detail of @v. @plan is a struct detail_plan. */
void detail_put(const void *plan, const struct sample_view *v, struct buf *out);

/* The offset in a detail of a part that is not words of keys; @part: its flag NEED_*, or NEED_MEM. */
size_t detail_at(const struct detail_plan *p, unsigned part);

/* Initializes @v for the keys of plan @p; @details are those of the samples of @s. Borrows all; detail_context_release(). */
void detail_context_init(struct key_context *v, const struct session *s, const struct detail_plan *p,
			 const struct byte_table *details, const struct locations *locations);
void detail_context_release(struct key_context *v);

/* The value of a key with .value, .place without KEY_BY_ADDRESS, .member or .source. */
uint64_t key_value(const struct key *k, const struct key_context *c, const struct bucket_key *bucket);
/* The value of @k in @bucket, or with KEY_BY_ADDRESS at @location. *word: number of words of keys before @k; adds that of @k. */
uint64_t detail_value(const struct key_context *v, const struct key *k, const struct bucket_key *bucket, uint32_t location,
		      unsigned *word);
/* The @n-th word, counted from 0, of detail @number. */
uint64_t detail_word(const struct byte_table *details, uint32_t number, unsigned n);

#endif
