/* Finds events of the processor by the names in the vendors' manuals, with libpfm4. */
#include "core/record/events/vendor_event.h"

#include <ctype.h>
#include <linux/perf_event.h>
#define __PERFMON_PERF_EVENT_H__	/* libpfm4 has a copy of linux/perf_event.h, which is not read */
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/library.h"
#include "core/base/util.h"
#include "core/perfdata/attr.h"

#define NAME_MAX_SIZE	256

union pfm {
	struct {
		__typeof__(&pfm_initialize) initialize;
		__typeof__(&pfm_get_os_event_encoding) encoding;
		__typeof__(&pfm_get_event_info) event_info;
		__typeof__(&pfm_get_event_attr_info) attr_info;
		__typeof__(&pfm_get_pmu_info) pmu_info;
		__typeof__(&pfm_get_event_next) next;
	};
	void *functions[6];
};
static const char *const function_names[] = {
	"pfm_initialize", "pfm_get_os_event_encoding", "pfm_get_event_info", "pfm_get_event_attr_info", "pfm_get_pmu_info",
	"pfm_get_event_next",
};

static bool load(union pfm *lib)
{
	char soname[32];

	snprintf(soname, sizeof(soname), "libpfm.so.%d", LIBPFM_VERSION >> 16);
	return !library_load(soname, function_names, ARRAY_SIZE(function_names), lib->functions) &&
	       lib->initialize() == PFM_SUCCESS;
}

/* Events of fixed counters have no code of their own. They get the code that perf gives them (its pmu-events/jevents.py). */
static const struct { const char *name; uint64_t config; } fixed[] = {
	{ "inst_retired.any", 0xc0 }, { "inst_retired.any_p", 0xc0 }, { "cpu_clk_unhalted.thread", 0x3c },
	{ "cpu_clk_unhalted.core", 0x3c }, { "cpu_clk_unhalted.ref_tsc", 0x300 },
};

/* Events that have another code in libpfm4 than in Intel's lists (github.com/intel/perfmon). .pmus are names of libpfm4. */
static const struct { const char *pmus, *name; uint64_t config, config1; } published[] = {
	{ "skl", "uops_retired.stall_cycles", 0x18002c2 }, { "skl", "uops_retired.total_cycles", 0x108002c2 },
	{ "hsw bdw", "l2_rqsts.code_rd_hit", 0xc424 }, { "hsw bdw", "l2_rqsts.demand_data_rd_hit", 0xc124 },
	{ "hsw bdw", "l2_rqsts.l2_pf_hit", 0xd024 }, { "hsw bdw", "l2_rqsts.l2_pf_miss", 0x3024 },
	{ "hsw bdw", "l2_rqsts.rfo_hit", 0xc224 }, { "hsw bdw", "uops_retired.total_cycles", 0x108001c2 },
	{ "icl", "mem_load_misc_retired.uc", 0x4d4 }, { "icl spr", "topdown.backend_bound_slots", 0x2a4 },
	{ "snb", "br_inst_retired.all_branches", 0xc4 }, { "snb", "br_misp_retired.all_branches", 0xc5 },
	{ "ivb", "move_elimination.int_eliminated", 0x158 }, { "ivb", "move_elimination.int_not_eliminated", 0x458 },
	{ "glm", "cpu_clk_unhalted.core_p", 0x3c }, { "glm", "cpu_clk_unhalted.ref", 0x300 },
	{ "spr", "mem_trans_retired.store_sample", 0x2cd }, { "spr", "arith.idiv_active", 0x10008b0 },
	{ "spr", "exe.amx_busy", 0x2b7 }, { "spr", "int_misc.unknown_branch_cycles", 0x40ad, 0x7 },
	{ "spr", "topdown.bad_spec_slots", 0x4a4 }, { "spr", "topdown.br_mispredict_slots", 0x8a4 },
	{ "spr", "topdown.memory_bound_slots", 0x10a4 }, { "spr", "uops_retired.ms", 0x4c2, 0x8 },
};

/* The kinds of CPU of hybrid machines (Alder Lake and later): the PMU's name in sysfs, and its prefix in libpfm4. */
static const struct { const char *sysfs, *library; } kinds[] = { { "cpu_core", "adl_glc::" }, { "cpu_atom", "adl_grt::" } };

/* False for names of libpfm4 for generic events and for raw numbers, which prec finds without it. */
static bool is_of_vendor(const char *whole)
{
	return whole && !str_starts(whole, "perf::") && !str_starts(whole, "perf_raw::");
}

static bool same_name(const char *x, const char *y)
{
	for (; *x && *y; x++, y++)
		if (tolower((unsigned char)*x) != tolower((unsigned char)*y) && !(strchr(".:", *x) && strchr(".:", *y)))
			return false;
	return *x == *y;
}

static bool has_word(const char *list, const char *word, size_t n)
{
	for (size_t len; *list; list += len + (list[len] == ' ')) {
		len = strcspn(list, " ");
		if (len == n && !memcmp(list, word, n))
			return true;
	}
	return false;
}

/* Replaces the code of an event in published[]. @whole is "pmu::EVENT:UMASK:...", as libpfm4 understood @name. */
static void correct(const char *name, const char *whole, struct perf_event_attr *attr)
{
	const char *end = strstr(whole, "::");
	size_t n = end ? (size_t)(end - whole) : 0;

	for (size_t i = 0; n && i < ARRAY_SIZE(published); i++) {
		if (!has_word(published[i].pmus, whole, n) || !same_name(name, published[i].name))
			continue;
		attr->config = published[i].config;
		attr->config1 = published[i].config1;
	}
}

/* Returns the library's prefix, with "::", for the PMU @pmu of sysfs. Returns NULL if the machine has one kind of CPU. */
static const char *kind_of(const char *pmu)
{
	for (size_t i = 0; pmu && i < ARRAY_SIZE(kinds); i++)
		if (str_eq(kinds[i].sysfs, pmu))
			return kinds[i].library;
	return NULL;
}

/* False if @whole is an event of the other kind of CPU, or of a PMU that is not a CPU's. */
static bool is_of_kind(const char *whole, const char *kind, uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_starts(whole, kinds[i].library))
			return !kind || kind == kinds[i].library;
	return type == PERF_TYPE_RAW;
}

static bool encode_as(const union pfm *lib, const char *prefix, const char *name, const char *kind, struct perf_event_attr *attr)
{
	char *text = xasprintf("%s%s", prefix, name), *whole = NULL;
	pfm_perf_encode_arg_t arg = { .attr = attr, .fstr = &whole, .size = sizeof(arg) };
	bool found = lib->encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) == PFM_SUCCESS &&
		     is_of_vendor(whole) && is_of_kind(whole, kind, attr->type);

	if (found)
		correct(name, whole, attr);
	free(whole);
	free(text);
	return found;
}

static bool encode(const union pfm *lib, const char *name, const char *kind, struct perf_event_attr *attr)
{
	if ((kind && encode_as(lib, kind, name, kind, attr)) || encode_as(lib, "", name, kind, attr))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !kind; i++)
		if (encode_as(lib, kinds[i].library, name, NULL, attr))
			return true;
	return false;
}

static bool find_fixed(const union pfm *lib, const char *name, const char *kind, struct perf_event_attr *attr)
{
	struct perf_event_attr ignored = { .size = sizeof(ignored) };

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (strcasecmp(fixed[i].name, name) ||
		    !(encode(lib, "INST_RETIRED", kind, &ignored) || encode(lib, name, kind, &ignored)))
			continue;
		attr->config = fixed[i].config;
		return true;
	}
	return false;
}

bool vendor_event_find(struct word word, const char *pmu, struct event_attr *out)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const char *kind = kind_of(pmu);
	char name[NAME_MAX_SIZE];
	union pfm lib;

	if (!word.n || word.n >= sizeof(name))
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (!isalnum((unsigned char)word.s[i]) && !strchr("_.:-", word.s[i]))
			return false;
	memcpy(name, word.s, word.n);
	name[word.n] = '\0';
	if (!load(&lib) || !(find_fixed(&lib, name, kind, &attr) || encode(&lib, name, kind, &attr)))
		return false;
	if (out) {
		out->config = attr.config;
		out->config1 = attr.config1;
		out->config2 = attr.config2;
	}
	return true;
}

/* ---- all ---- */

static void list_event(const union pfm *lib, const char *pmu, int number, vendor_event_handler handle, void *ctx)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	bool any = false;

	if (lib->event_info(number, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return;
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		char name[NAME_MAX_SIZE], text[1024];

		if (lib->attr_info(number, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS || attr.type != PFM_ATTR_UMASK)
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
	union pfm lib;

	if (!load(&lib))
		return;
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (lib.pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !pmu.is_present || pmu.type != PFM_PMU_TYPE_CORE ||
		    str_starts(pmu.name, "perf"))
			continue;
		for (int e = pmu.first_event; e != -1; e = lib.next(e))
			list_event(&lib, pmu.name, e, handle, ctx);
	}
}
