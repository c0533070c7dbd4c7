/* Lists the hardware trace devices that prec can record and decode. Finds a device by the type in AUXTRACE_INFO or by its PMU. */
#include "auxtrace/backend.h"

#include <string.h>

#include "core/base/util.h"

static const struct aux_backend backends[] = {
	{ "Intel Processor Trace", "intel_pt", 1, &intel_pt_record, &intel_pt_decode },
	{ "Intel BTS", "intel_bts", 2, &intel_bts_record, &intel_bts_decode },
	{ "CoreSight ETM trace", "cs_etm", 3, &cs_etm_record, &cs_etm_decode },
	{ "ARM SPE", "arm_spe_", 4, &arm_spe_record, &arm_spe_decode },
};

const struct aux_backend *aux_backend_of(uint32_t info_type)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++)
		if (backends[i].info_type == info_type)
			return &backends[i];
	return NULL;
}

static bool is_called(const struct aux_backend *b, const char *name)
{
	size_t n = strlen(b->pmu);

	return b->pmu[n - 1] == '_' ? str_starts(name, b->pmu) : str_eq(name, b->pmu);
}

const struct aux_backend *aux_backend_of_pmu(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++)
		if (is_called(&backends[i], name))
			return &backends[i];
	return NULL;
}
