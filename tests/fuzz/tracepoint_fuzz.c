/*
 * Fuzz target: a format file and a hit. The input is the format's text, a NUL, and the raw bytes; its first byte
 * chooses byte order and size of a long. Without a NUL the text is the bytes too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/tracepoint/trace_program.h"
#include "core/tracepoint/tracepoint.h"
#include "core/tracepoint/tracing_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *function(void *ctx, uint64_t addr, uint64_t *offset)
{
	(void)ctx;
	*offset = addr & 15;
	return addr & 16 ? "function" : NULL;
}

static const char *string(void *ctx, uint64_t addr)
{
	(void)ctx;
	return addr & 1 ? "text" : NULL;
}

static void print(const struct trace_event *ev, const struct trace_data *d)
{
	static const struct trace_names names = { NULL, function, string };
	struct buf out = {0};

	trace_event_print(ev, d, &names, &out);
	trace_fields_print(ev, d, &out);
	vec_for(f, &ev->fields)
		trace_field_number(d, f);
	buf_release(&out);
}

static void read_format(const uint8_t *data, size_t size, uint8_t options)
{
	const uint8_t *end = memchr(data, 0, size);
	struct trace_data d = { .bytes = data, .size = (uint32_t)size, .swap = options & 1, .long_size = options & 2 ? 4 : 8 };
	struct trace_event *ev;

	if (end) {
		d.bytes = end + 1;
		d.size = (uint32_t)(data + size - end - 1);
	}
	if (trace_event_parse(&ev, "fuzz", (const char *)data, end ? (size_t)(end - data) : size))
		return;
	trace_event_compile(ev);
	print(ev, &d);
	d.size /= 2;
	print(ev, &d);
	trace_event_forget_program(ev);
	trace_event_free(ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracing_data t;

	if (size < 1 || size > 1 << 16)
		return 0;
	read_format(data + 1, size - 1, data[0]);
	tracing_data_read(&t, data, size);
	tracing_data_string(&t, size);
	tracing_data_release(&t);
	return 0;
}
