/* Fuzz target: the table of Java's code of a recording, unpacked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/jitdump.h"
#include "core/model/java.h"
#include "core/model/machine_state.h"
#include "core/model/python.h"
#include "core/model/srcline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void look(const struct machine *m, uint64_t ip)
{
	struct addr_location at;
	struct frames frames;

	for (uint32_t space = 0; space < m->spaces.image_of.nr && space < 8; space++) {
		machine_resolve(m, space, ip, &at);
		frames = addr_location_frames(&at);
		must(!frames.nr || frames.v[frames.nr - 1].function, "the function that others are inlined in has no name");
		for (uint32_t i = 0; i < frames.nr; i++)
			must(frames.v[i].function && *frames.v[i].function, "an inlined function has no name");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_opts opts = {0};
	struct machine *m;
	uint8_t *copy;

	if (size > 1u << 16)
		return 0;
	/* A copy of the exact size, so that a read beyond it is seen. */
	copy = malloc(MAX(size, 1));
	if (!copy)
		abort();
	memcpy(copy, data, size);
	m = machine_new(&opts);
	machine_read_java(m, copy, size);
	free(copy);
	machine_seal(m);
	for (size_t i = 0; i < m->jitdumps.nr && i < 16; i++) {
		const struct jitdump *j = m->jitdumps.v[i];

		for (size_t k = 0; k < j->changes.nr && k < 64; k++) {
			look(m, j->changes.v[k].addr);
			for (size_t p = 0; p < j->places.nr && p < 64; p++)
				look(m, j->changes.v[k].addr + j->places.v[p].at - j->changes.v[k].at);
		}
	}
	for (uint64_t n = 0; n < 8; n++)
		look(m, JAVA_BASE + n);
	machine_free(m);
	return 0;
}
