/*
 * Fuzz target: the section of archives. The first byte says what the rest is: 0: what is packed in it; else the section itself.
 */
#include <stdlib.h>
#include <string.h>

#include "core/perfdata/archive.h"
#include "core/compression/zstd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All that is borrowed can be read. */
static uint64_t look(const struct archive *a)
{
	uint64_t sum = 0;

	vec_for(dso, &a->dsos) {
		vec_for(place, &dso->places)
			for (uint32_t i = 0; i < place->nr; i++) {
				const char *text = archive_text(a, dso->frames.v[place->first + i].function);

				sum += text ? strlen(text) : 0;
			}
		vec_for(symbol, &dso->symbols)
			sum += archive_text(a, symbol->name) != NULL;
		vec_for(code, &dso->codes)
			for (uint64_t i = 0; i < code->size; i++)
				sum += ((const uint8_t *)code->bytes)[i];
		vec_for(unwind, &dso->unwind)
			for (uint64_t i = 0; i < unwind->size; i++)
				sum += ((const uint8_t *)unwind->bytes)[i];
	}
	vec_for(file, &a->files)
		for (uint64_t i = 0; i < file->size; i++)
			sum += ((const uint8_t *)file->bytes)[i];
	return sum;
}

static void read_section(const void *section, size_t size)
{
	struct archive a;

	if (archive_unpack(&a, section, size))
		return;
	if (look(&a) == UINT64_MAX)
		abort();
	archive_release(&a);
}

static void read_body(const uint8_t *data, size_t size)
{
	uint32_t words[2] = { 1, 0 };
	struct buf section = {0};
	uint64_t plain = size;
	struct zstd_writer *z = zstd_writer_new(1);

	buf_put(&section, words, sizeof(words));
	buf_put(&section, &plain, sizeof(plain));
	if (!z || zstd_write(z, data, size, &section))
		abort();
	zstd_writer_free(z);
	read_section(section.data, section.len);
	buf_release(&section);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size || size > 1u << 18)
		return 0;
	if (data[0] == 0)
		read_body(data + 1, size - 1);
	else
		read_section(data + 1, size - 1);
	return 0;
}
