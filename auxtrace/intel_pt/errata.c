/*
 * Finds the errata of a processor model that change how the decoder must read Intel PT packets. flow.h explains each erratum.
 * decode.c finds the model in the recording.
 */
#include "auxtrace/intel_pt/flow.h"

#include <stdio.h>

#include "core/base/util.h"

struct models {
	unsigned errata;
	uint8_t models[26];	/* models of family 6; 0 ends the list */
};

/*
 * Sources: Intel's specification updates for the errata, and libipt's pt_cpu_errata() (2025) for the models of each erratum.
 * PT_NLIP and its only model, 0x5c, are from perf.
 */
static const struct models table[] = {
	{ PT_BDM64 | PT_BDM70, { 0x3d, 0x47, 0x4f, 0x56 } },
	{ PT_SKD007, { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },
	{ PT_SKD022 | PT_BDM70, { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x55, 0x6a, 0x6c, 0x8f, 0xad, 0xae, 0xcf, 0x66, 0x7d, 0x7e,
				 0x8c, 0x8d, 0xa7, 0xa8 } },
	{ PT_SKD022 | PT_BDM70, { 0x97, 0x9a, 0xbf, 0xb7, 0xb5, 0xaa, 0xac, 0xba, 0xcc, 0xbd, 0xc5, 0xc6, 0xd5 } },
	{ PT_SKZ84, { 0x55, 0x6a, 0x6c, 0x8f, 0xad, 0xae, 0xcf } },
	{ PT_APL12, { 0x5c, 0x5f } },
	{ PT_NLIP, { 0x5c } },
};

static bool has_model(const struct models *m, unsigned model)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->models) && m->models[i]; i++)
		if (m->models[i] == model)
			return true;
	return false;
}

unsigned pt_errata_find(const char *cpuid)
{
	unsigned family, model, errata = 0;

	if (!cpuid || sscanf(cpuid, "GenuineIntel,%u,%u,", &family, &model) != 2)
		return 0;
	if (family == 0x13 && model == 1)
		return PT_SKD022 | PT_BDM70 | PT_SKZ84;
	if (family == 0x12 && (model == 1 || model == 3))
		return PT_SKD022 | PT_BDM70;
	for (size_t i = 0; family == 6 && i < ARRAY_SIZE(table); i++)
		if (has_model(&table[i], model))
			errata |= table[i].errata;
	return errata;
}
