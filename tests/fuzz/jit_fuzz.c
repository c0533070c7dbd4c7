/*
 * Fuzz target: a jitdump. The first two bytes say whether its clock is the recording's, and whether it may be of any process.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/intern.h"
#include "core/model/dso.h"
#include "core/model/jitdump.h"
#include "core/model/spaces.h"
#include "core/unwind/file_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(struct jitdump *j, struct dso *dso)
{
	struct file_tables tables = {0};
	struct spaces spaces = {0};
	struct ip_span span;
	uint32_t image = spaces_add_image(&spaces, IMAGE_NONE, 0, 0);

	jitdump_is_mixed(j);
	vec_for(c, &j->changes) {
		struct map map = {
			.start = c->addr, .end = c->addr + c->size, .pgoff = c->at, .time = c->time, .dso = c->at ? dso : NULL,
		};

		spaces_add_map(&spaces, image, &map);
	}
	spaces_seal(&spaces);
	symbols_finish(&dso->symbols);
	jit_tables_read(&tables, j);
	file_tables_release(&tables);
	vec_for(symbol, &dso->symbols.list)
		jitdump_line(j, &dso->symbols, symbol->start);
	vec_for(c, &j->changes)
		for (uint32_t space = 0; space < spaces.image_of.nr && space < 8; space++)
			spaces_find(&spaces, space, c->addr, &span);
	spaces_release(&spaces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_source source = { .pid = 7, .time = 5 };
	struct jitdump *j;
	struct dso dso = {0};
	uint8_t *copy;

	if (size < 2 || size > 1u << 16)
		return 0;
	source.strings = strtab_new();
	source.monotonic = data[0] & 1;
	source.any_pid = data[1] & 1;
	copy = malloc(MAX(size - 2, 1));
	j = xcalloc(1, sizeof(*j));
	if (!copy)
		abort();
	/* A copy of the exact size, so that a read beyond it is seen; bytes of the other order are swapped in place. */
	memcpy(copy, data + 2, size - 2);
	j->dso = &dso;
	if (jitdump_read(j, &dso, copy, size - 2, &source))
		look(j, &dso);
	jitdump_free(j);
	symbols_release(&dso.symbols);
	strtab_free(source.strings);
	free(copy);
	return 0;
}
