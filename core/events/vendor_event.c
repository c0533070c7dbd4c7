/* By libpfm4: its tables are those of the vendors' manuals. Layer: events */
#include "core/events/vendor_event.h"

#include <ctype.h>
#include <linux/perf_event.h>
#define __PERFMON_PERF_EVENT_H__	/* its own copy of that */
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"
#include "core/format/attr.h"

#define NAME_MAX_SIZE	256

/* Fixed counters have names, but no code of their own: the one that perf gives them (its pmu-events/jevents.py). */
static const struct { const char *name; uint64_t config; } fixed[] = {
	{ "inst_retired.any", 0xc0 }, { "inst_retired.any_p", 0xc0 }, { "cpu_clk_unhalted.thread", 0x3c },
	{ "cpu_clk_unhalted.core", 0x3c }, { "cpu_clk_unhalted.ref_tsc", 0x300 },
};

/* Its rows for what the kernel's own names are, and for raw numbers, are not asked: these are known already. */
static bool is_of_vendor(const char *whole)
{
	return whole && !str_starts(whole, "perf::") && !str_starts(whole, "perf_raw::");
}

static bool encode(const char *name, struct perf_event_attr *attr)
{
	char *whole = NULL;
	pfm_perf_encode_arg_t arg = { .attr = attr, .fstr = &whole, .size = sizeof(arg) };
	bool found = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) == PFM_SUCCESS &&
		     attr->type == PERF_TYPE_RAW && is_of_vendor(whole);

	free(whole);
	return found;
}

static bool find_fixed(const char *name, struct perf_event_attr *attr)
{
	struct perf_event_attr ignored = { .size = sizeof(ignored) };

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (strcasecmp(fixed[i].name, name) || !encode("INST_RETIRED", &ignored))
			continue;
		attr->config = fixed[i].config;
		return true;
	}
	return false;
}

bool vendor_event_find(struct word word, struct event_attr *out)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char name[NAME_MAX_SIZE];

	if (!word.n || word.n >= sizeof(name))
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (!isalnum((unsigned char)word.s[i]) && !strchr("_.:-", word.s[i]))
			return false;
	memcpy(name, word.s, word.n);
	name[word.n] = '\0';
	if (pfm_initialize() != PFM_SUCCESS || !(find_fixed(name, &attr) || encode(name, &attr)))
		return false;
	if (out) {
		out->config = attr.config;
		out->config1 = attr.config1;
		out->config2 = attr.config2;
	}
	return true;
}

/* ---- all ---- */

static void list_event(const char *pmu, int number, vendor_event_handler handle, void *ctx)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	bool any = false;

	if (pfm_get_event_info(number, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return;
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		char name[NAME_MAX_SIZE], text[1024];

		if (pfm_get_event_attr_info(number, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS || attr.type != PFM_ATTR_UMASK)
			continue;
		any = true;
		snprintf(name, sizeof(name), "%s.%s", event.name, attr.name);
		snprintf(text, sizeof(text), "%s: %s", event.desc, attr.desc);
		handle(ctx, pmu, name, text);
	}
	if (!any)
		handle(ctx, pmu, event.name, event.desc);
}

void vendor_events_list(vendor_event_handler handle, void *ctx)
{
	if (pfm_initialize() != PFM_SUCCESS)
		return;
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !pmu.is_present || pmu.type != PFM_PMU_TYPE_CORE ||
		    str_starts(pmu.name, "perf"))
			continue;
		for (int e = pmu.first_event; e != -1; e = pfm_get_event_next(e))
			list_event(pmu.name, e, handle, ctx);
	}
}
