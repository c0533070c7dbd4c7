/*
 * Reads and writes the feature section TRACING_DATA of perf.data: the format files of tracepoints, and other data needed to
 * print their records, such as printk formats. tracepoint.h parses a format file.
 *
 * The section has its own byte order and size of a long. Its parts follow each other:
 *
 *	17 08 44 "tracing" "0.6\0" | endian, long size, page size | header_page, header_event | ftrace formats |
 *	systems { name, formats } | kallsyms | printk formats | saved cmdlines (since 0.6)
 *
 */
#ifndef CORE_TRACEPOINT_TRACING_DATA_H
#define CORE_TRACEPOINT_TRACING_DATA_H

#include "core/tracepoint/tracepoint.h"

struct buf;

struct trace_text { const char *system, *text; size_t size; };	/* a format file; borrowed */

struct trace_string { uint64_t addr; char *text; };	/* text owned */

struct tracing_data {
	bool swap;			/* the recording machine's byte order is not ours */
	uint8_t long_size;
	VEC(struct trace_event *) events;	/* owned */
	struct index by_id;
	VEC(struct trace_string) printk;	/* by address */
	/* The undamaged parts of the section, borrowed from it, for tracing_data_repair(). */
	uint32_t page_size;			/* 0: even the beginning is damaged */
	struct trace_text header_page, header_event, printk_formats;
	VEC(struct trace_text) formats;		/* except those of ftrace's own events */
};

/*
 * Reads a section. Returns 0. If the section is truncated or damaged, returns -EINVAL, and *out has everything before the
 * damage. Call tracing_data_release() in both cases.
 */
int tracing_data_read(struct tracing_data *out, const void *section, size_t size);
void tracing_data_release(struct tracing_data *t);
/* Returns the tracepoint of this id (an event's attr.config), or NULL if the section does not describe it. */
const struct trace_event *tracing_data_event(const struct tracing_data *t, uint64_t id);
/* Returns the kernel's constant string at @addr, borrowed, or NULL if it is unknown. */
const char *tracing_data_string(const struct tracing_data *t, uint64_t addr);

/* The contents of a section. All members are borrowed. Texts may be empty, but not NULL. */
struct tracing_source {
	const struct trace_text *formats;	/* grouped by system */
	size_t nr_formats;
	const char *header_page, *header_event, *printk_formats, *saved_cmdlines;
	uint32_t page_size;
	bool swap;				/* the section and its samples have the other byte order */
	uint8_t long_size;			/* 0: that of this machine */
};

/* Appends the section to @out. */
void tracing_data_write(const struct tracing_source *source, struct buf *out);
/* Appends a complete section, with the undamaged parts of a damaged one and @more formats. */
void tracing_data_repair(const struct tracing_data *t, const struct trace_text *more, size_t nr_more, struct buf *out);

#endif
