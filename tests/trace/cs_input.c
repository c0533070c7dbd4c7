/* Just enough of perf.data and of snapshot ini files. */
#include "tests/trace/cs_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/log.h"

static uint8_t *load(struct cs_input *in, const char *path, size_t *size)
{
	struct buf b = { 0 };
	int err = read_file(path, &b);

	if (err) {
		buf_release(&b);
		error("cannot read '%s': %s", path, strerror(-err));
		return NULL;
	}
	*size = b.len;
	buf_putc(&b, 0);		/* so that texts end */
	vec_push(&in->files, b.data);
	return (uint8_t *)b.data;
}

static int add_code(struct cs_input *in, const char *path, uint64_t ip, uint64_t offset, uint64_t size)
{
	size_t n;
	uint8_t *data = load(in, path, &n);

	if (!data)
		return -1;
	if (offset < n)
		vec_push(&in->code, (struct cs_code){ ip, MIN(size, n - offset), data + offset });
	return 0;
}

size_t cs_input_code(void *ctx, uint32_t space, uint64_t ip, void *buf, size_t n)
{
	const struct cs_input *in = ctx;

	(void)space;
	vec_for(c, &in->code) {
		if (ip < c->ip || ip - c->ip >= c->size)
			continue;
		n = MIN(n, c->size - (ip - c->ip));
		memcpy(buf, c->data + (ip - c->ip), n);
		return n;
	}
	return 0;
}

/* --- perf.data -------------------------------------------------------------- */

static uint64_t u64_at(const uint8_t *p, size_t at)
{
	uint64_t v;

	memcpy(&v, p + at, 8);
	return v;
}

/* AUXTRACE_INFO: three words about the whole, then for each CPU a magic, its number, nr, and nr registers. */
static void add_sources(struct cs_input *in, const uint8_t *rec, size_t size)
{
	for (size_t at = 16 + 3 * 8; at + 24 < size;) {
		const uint8_t *p = rec + at + 24;
		uint64_t nr = u64_at(rec, at + 16);
		struct cs_config c;

		if (nr < 6 || nr > (size - at - 24) / 8)
			return;
		cs_config_init(&c, &(struct cs_registers){
			.configr = (uint32_t)u64_at(p, 0), .traceidr = (uint32_t)u64_at(p, 8),
			.idr0 = (uint32_t)u64_at(p, 16), .idr1 = (uint32_t)u64_at(p, 24),
			.idr2 = (uint32_t)u64_at(p, 32), .idr8 = (uint32_t)u64_at(p, 40),
			.devarch = nr > 7 ? (uint32_t)u64_at(p, 56) : 0,
		});
		vec_push(&in->sources, c);
		at += 24 + nr * 8;
	}
}

static int open_data(struct cs_input *in, const char *path)
{
	struct { uint64_t offset, size, flags; } aux[4096];
	size_t n, at, end, nr_aux = 0;
	uint8_t *d = load(in, path, &n);

	if (!d || n < 104)
		return -1;
	at = u64_at(d, 40);
	end = MIN(n, at + u64_at(d, 48));
	while (at + 8 <= end) {
		const uint8_t *r = d + at;
		uint32_t type = (uint32_t)u64_at(r, 0);
		size_t size = u64_at(r, 0) >> 48;

		if (size < 8 || size > end - at)
			break;
		at += size;
		if (type == 10 && size > 72) {
			if (add_code(in, (const char *)r + 72, u64_at(r, 16), u64_at(r, 32), u64_at(r, 24)))
				return -1;
		} else if (type == 1 && size > 40) {
			if (add_code(in, (const char *)r + 40, u64_at(r, 16), u64_at(r, 32), u64_at(r, 24)))
				return -1;
		} else if (type == 70) {
			add_sources(in, r, size);
		} else if (type == 11 && nr_aux < ARRAY_SIZE(aux)) {
			aux[nr_aux].offset = u64_at(r, 8);
			aux[nr_aux].size = u64_at(r, 16);
			aux[nr_aux++].flags = u64_at(r, 24);
		} else if (type == 71) {
			uint64_t length = u64_at(r, 8), offset = u64_at(r, 16);

			for (size_t i = 0; i < nr_aux; i++)
				if (aux[i].offset >= offset && aux[i].offset + aux[i].size <= offset + length)
					vec_push(&in->buffers, (struct cs_buffer){
						d + at + (aux[i].offset - offset), aux[i].size, aux[i].offset,
						aux[i].flags & 0x100 });
			at += length;
		}
	}
	return 0;
}

/* --- snapshots --------------------------------------------------------------- */

struct dump {
	char file[256];
	uint64_t ip, size, offset;
};

static int end_dump(struct cs_input *in, const char *dir, struct dump *d)
{
	char path[4200];
	int ret = 0;

	if (d->file[0]) {
		snprintf(path, sizeof(path), "%s/%s", dir, d->file);
		ret = add_code(in, path, d->ip, d->offset, d->size ? d->size : UINT64_MAX);
	}
	*d = (struct dump){ 0 };
	return ret;
}

struct device { struct cs_registers v4; struct cs_v7_registers v7; };

/* "TRCIDR0(0x078)=0x28000EA1" */
static void set_register(struct device *r, const char *line)
{
	static const struct {
		const char *name;
		size_t offset;
	} names[] = {
		{ "TRCCONFIGR", offsetof(struct device, v4.configr) },
		{ "TRCTRACEIDR", offsetof(struct device, v4.traceidr) },
		{ "TRCIDR0", offsetof(struct device, v4.idr0) },
		{ "TRCIDR1", offsetof(struct device, v4.idr1) },
		{ "TRCIDR2", offsetof(struct device, v4.idr2) },
		{ "TRCIDR8", offsetof(struct device, v4.idr8) },
		{ "TRCDEVARCH", offsetof(struct device, v4.devarch) },
		{ "ETMCR", offsetof(struct device, v7.cr) },
		{ "ETMTRACEIDR", offsetof(struct device, v7.traceidr) },
		{ "ETMCCER", offsetof(struct device, v7.ccer) },
		{ "ETMIDR", offsetof(struct device, v7.idr) },
	};
	const char *value = strchr(line, '=');

	for (size_t i = 0; value && i < ARRAY_SIZE(names); i++) {
		size_t n = strlen(names[i].name);

		if (str_starts(line, names[i].name) && (line[n] == '=' || line[n] == '('))
			*(uint32_t *)((char *)r + names[i].offset) = (uint32_t)strtoul(value + 1, NULL, 0);
	}
}

static void add_device(struct cs_input *in, const struct device *r)
{
	struct cs_config c;

	if (r->v7.traceidr)
		cs_config_init_v7(&c, &r->v7);
	else
		cs_config_init(&c, &r->v4);
	if (c.id)
		vec_push(&in->sources, c);
}

static int read_device(struct cs_input *in, const char *dir, const char *name)
{
	struct device r = { 0 };
	struct dump d = { 0 };
	char path[4200];
	size_t n;
	char *text;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	text = (char *)load(in, path, &n);
	if (!text)
		return -1;
	for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
		if (*line == '[' && end_dump(in, dir, &d))
			return -1;
		set_register(&r, line);
		if (str_starts(line, "file="))
			snprintf(d.file, sizeof(d.file), "%s", line + 5);
		else if (str_starts(line, "address="))
			d.ip = strtoull(line + 8, NULL, 0);
		else if (str_starts(line, "length="))
			d.size = strtoull(line + 7, NULL, 0);
		else if (str_starts(line, "offset="))
			d.offset = strtoull(line + 7, NULL, 0);
	}
	add_device(in, &r);
	return end_dump(in, dir, &d);
}

static int read_buffer(struct cs_input *in, const char *dir)
{
	char path[4200], file[256] = "";
	bool raw = false;
	size_t n;
	char *text;
	uint8_t *data;

	snprintf(path, sizeof(path), "%s/trace.ini", dir);
	text = (char *)load(in, path, &n);
	if (!text)
		return -1;
	for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
		if (str_starts(line, "file=") && !file[0])
			snprintf(file, sizeof(file), "%s", line + 5);
		else if (str_starts(line, "format="))
			raw = str_eq(line, "format=source_data");
	}
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	data = load(in, path, &n);
	if (!data)
		return -1;
	vec_push(&in->buffers, (struct cs_buffer){ data, n, 0, raw });
	return 0;
}

static int open_snapshot(struct cs_input *in, const char *dir)
{
	char path[4200];
	VEC(char *) names = { 0 };
	char *text;
	size_t n;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/snapshot.ini", dir);
	text = (char *)load(in, path, &n);
	if (!text)
		return -1;
	for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n"))
		if (str_starts(line, "device") && strchr(line, '='))
			vec_push(&names, strchr(line, '=') + 1);
	vec_for(name, &names)
		if (!ret)
			ret = read_device(in, dir, *name);
	vec_free(&names);
	return ret ? ret : read_buffer(in, dir);
}

int cs_input_open(struct cs_input *in, const char *path)
{
	struct stat st;

	*in = (struct cs_input){ 0 };
	if (stat(path, &st))
		return error("cannot open '%s': %s", path, strerror(errno));
	return S_ISDIR(st.st_mode) ? open_snapshot(in, path) : open_data(in, path);
}

void cs_input_release(struct cs_input *in)
{
	vec_for(file, &in->files)
		free(*file);
	vec_free(&in->files);
	vec_free(&in->sources);
	vec_free(&in->buffers);
	vec_free(&in->code);
}
