/* Any bytes as a perf.data: it opens or is refused, and every record in it is read and printed. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/perfdata/data_file.h"
#include "core/perfdata/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The stream's descriptions go into the file's tables, as in the program. */
static void take_in(struct data_file *f, const struct record *r)
{
	struct event_attr attr;
	struct wire w;
	uint64_t id;

	if (r->header.type == RECORD_HEADER_ATTR) {
		w = wire_reader(r->payload.data, r->payload.size);
		if (!attr_pass(&w, &attr, r->payload.size)) {
			struct event *ev = event_table_add(&f->events, &attr);

			while (wire_left(&w) >= sizeof(id)) {
				wire_u64(&w, &id);
				event_table_add_id(&f->events, ev, id);
			}
			event_table_finish(&f->events);
		}
	} else if (r->header.type == RECORD_HEADER_FEATURE && r->feature.id < FEATURE_BITS) {
		w = wire_reader(r->feature.data, r->feature.size);
		feature_pass(&w, (unsigned)r->feature.id, &f->features, &f->events);
	}
}

/* One record, of @size bytes at @p, which may be changed. */
static void read_one(struct data_file *f, uint8_t *p, uint16_t size, struct buf *out)
{
	struct wire w = wire_reader(p, size);
	const struct event *ev;
	struct record r = {0};

	if (f->swap) {
		w.swap = true;
		record_pass(&w, f->events.events.nr ? &f->events.events.v[0]->layout : NULL, &r);
		memcpy(p + 6, &size, sizeof(size));
	}
	ev = event_of_record(&f->events, p);
	if (record_read(&r, p, ev ? &ev->layout : NULL))
		return;
	take_in(f, &r);
	out->len = 0;
	record_print(&r, out);
	if (ev)
		record_append(out, &ev->layout, &r);
}

static void read_all(struct data_file *f, struct buf *out)
{
	uint64_t at = f->data_offset, end = f->data_offset + f->data_size;

	while (end - at >= sizeof(struct record_header)) {
		uint8_t *copy;
		uint16_t size;

		memcpy(&size, f->map + at + 6, 2);
		if (f->swap)
			size = __builtin_bswap16(size);
		if (size < sizeof(struct record_header) || size > end - at)
			break;
		copy = xmalloc(size);	/* its own, so that a step over the edge is seen */
		memcpy(copy, f->map + at, size);
		read_one(f, copy, size, out);
		free(copy);
		at += size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct buf out = {0};
	struct data_file *f;
	char path[32];

	log_set_level(-1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && !write_all(fd, data, size) && !data_file_open(&f, path)) {
		read_all(f, &out);
		event_table_finish(&f->events);
		data_file_print_header(f, &f->events, &f->features, true, &out);
		data_file_close(f);
	}
	buf_release(&out);
	close(fd);
	return 0;
}
