/*
 * Describes tracepoints by their `format` files in tracefs: the fields of a record, and its `print fmt` (the format in which it
 * is printed). Source: Documentation/trace/events.rst of the kernel's tree.
 */
#ifndef CORE_TRACEPOINT_TRACEPOINT_H
#define CORE_TRACEPOINT_TRACEPOINT_H

#include "core/base/hash.h"
#include "core/base/vec.h"

struct trace_program;

enum trace_location {
	TRACE_INLINE,		/* the value is at its offset */
	TRACE_DATA_LOC,		/* a u32 is there: the low half is the offset in the record, the high half the size */
	TRACE_REL_LOC,		/* as TRACE_DATA_LOC, but the offset counts from the end of this u32 */
};

struct trace_field {
	char *name, *type;		/* owned; type without name, "unsigned long [6]" is "unsigned long" */
	uint32_t offset, size;		/* bytes; for a dynamic field, those of its location word */
	uint32_t element_size;		/* size of one element of an array or dynamic field; otherwise .size */
	enum trace_location location;
	bool is_signed, is_array, is_string, is_pointer, is_long;
};

struct trace_event {
	char *system, *name;		/* owned */
	uint32_t id;			/* id of the tracepoint, which is attr.config of its event */
	VEC(struct trace_field) fields;
	uint32_t nr_common;		/* the first ones are common_* */
	char *print_fmt;		/* owned; what follows "print fmt:" */
	struct trace_program *program;	/* trace_event_compile(); NULL: fields are printed by name */
};

/* Parses the text of a format file, of @size bytes. Returns 0 and *out (trace_event_free()), or -EINVAL. */
int trace_event_parse(struct trace_event **out, const char *system, const char *text, size_t size);
void trace_event_free(struct trace_event *ev);
const struct trace_field *trace_event_field(const struct trace_event *ev, const char *name);

/* Raw data of one hit, and the properties of the recording machine. */
struct trace_data {
	const uint8_t *bytes;		/* borrowed */
	uint32_t size;
	bool swap;			/* the data have the other byte order */
	uint8_t long_size;		/* 4 or 8 */
};

/* Returns the bytes of a field, *size of them, clipped to the record's data. Returns NULL if there are none. */
const uint8_t *trace_field_bytes(const struct trace_data *d, const struct trace_field *f, uint32_t *size);
/* Reads an integer of 1, 2, 4 or 8 bytes at @p, sign-extended if @is_signed; 0 for other sizes. */
static inline uint64_t trace_number(const struct trace_data *d, const uint8_t *p, uint32_t size, bool is_signed)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		__builtin_memcpy(&v16, p, 2);
		v16 = d->swap ? __builtin_bswap16(v16) : v16;
		return is_signed ? (uint64_t)(int16_t)v16 : v16;
	case 4:
		__builtin_memcpy(&v32, p, 4);
		v32 = d->swap ? __builtin_bswap32(v32) : v32;
		return is_signed ? (uint64_t)(int32_t)v32 : v32;
	case 8:
		__builtin_memcpy(&v64, p, 8);
		return d->swap ? __builtin_bswap64(v64) : v64;
	}
	return 0;
}
/* True if the field is a single integer of a size that trace_number() reads. */
static inline bool trace_field_is_integer(const struct trace_field *f)
{
	return !f->is_string && !f->is_array && f->location == TRACE_INLINE &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}
/* Returns a field's value as a number. The value of an array is its first element. */
uint64_t trace_field_number(const struct trace_data *d, const struct trace_field *f);

/* Callbacks for printing; every member may be NULL. */
struct trace_names {
	void *ctx;
	/* The kernel function at @addr, and the offset in it; NULL: unknown. */
	const char *(*function)(void *ctx, uint64_t addr, uint64_t *offset);
	/* The kernel's constant string at @addr (tracing data's printk formats); NULL: unknown. */
	const char *(*string)(void *ctx, uint64_t addr);
};

#endif
