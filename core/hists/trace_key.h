/*
 * Makes the report columns for tracepoints: the whole text of an event ("trace"), or single fields. key_table.c has no table of
 * them, because recordings differ in their tracepoints.
 */
#ifndef CORE_HISTS_TRACE_KEY_H
#define CORE_HISTS_TRACE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_table;
struct buf;
struct item;
struct key;
struct session;
struct trace_keys;
struct trace_values;

/* @raw: show the whole trace as fields by name, not by the print format. Owned by the caller; @s is borrowed. */
struct trace_keys *trace_keys_new(const struct session *s, bool raw);
/* From now on, integers are stored without their text, for callers that only use trace_values_integer(). */
void trace_keys_drop_text(struct trace_keys *t);
void trace_keys_free(struct trace_keys *t);
/*
 * Makes the keys (key.h) that a word of -s or -F means, unless they exist, and stores at most @max in @out. Words are "trace",
 * "trace_fields" (all), "[system:]event.field" and "field" (of every tracepoint that has it). The stored keys live as long as
 * @keys, a struct trace_keys. Returns their number: 0 for another word.
 */
unsigned trace_keys_find(void *keys, const char *word, size_t len, const struct key **out, unsigned max);
/* True if the event has the key's data. */
bool trace_keys_has(const struct trace_keys *t, const struct key *k, uint32_t event);
/*
 * Appends the columns' values of @item to its detail (a byte string for the values of sort keys, detail.h). Safe from any thread.
 */
void trace_keys_put(const struct trace_keys *t, const struct item *item, struct buf *out);

/* Numbers the distinct values of each column, from the output of trace_keys_put() at @offset of @details. Owned by the caller. */
struct trace_values *trace_values_new(const struct trace_keys *t, const struct byte_table *details, size_t offset);
void trace_values_free(struct trace_values *v);
/* The number of the key's value in a detail. */
uint64_t trace_values_number(const struct trace_values *v, uint32_t detail, const struct key *k);
/*
 * Gets the integer of value @number of @k, a key with KEY_NUMBER, extended to 64 bits (with KEY_SIGNED, sign-extended). False: the
 * sample's event has no such field, or the record ends before the field.
 */
bool trace_values_integer(const struct trace_values *v, const struct key *k, uint64_t number, uint64_t *out);

#endif
