/*
 * The PMUs of the machine in sysfs: /sys/bus/event_source/devices/NAME with type, format/, events/, caps/, cpus or cpumask
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-*). Read on demand.
 * Layer: events
 */
#ifndef CORE_RECORD_EVENTS_PMU_H
#define CORE_RECORD_EVENTS_PMU_H

#include "core/base/cpus.h"
#include "core/ui/suggest.h"
#include "core/record/events/event_lex.h"
#include "core/perfdata/attr.h"

struct pmu {
	char *name;		/* owned */
	uint32_t type;
	bool core;		/* counts for the threads of a kind of CPU: "cpu", or it has a file "cpus" */
};

struct pmus {
	VEC(struct pmu) list;	/* by name */
};

/* Reads all PMUs; none if sysfs is missing. */
void pmus_read(struct pmus *out);
void pmus_release(struct pmus *p);
/* The PMU of exactly that name; NULL: none. */
const struct pmu *pmu_named(const struct pmus *p, const char *name);
/*
 * True if @pattern matches @pmu. It may be the name, the name without "uncore_", either of them without the "_N" that numbers PMUs
 * of the same kind, or a glob for one of these.
 */
bool pmu_matches(const struct pmu *pmu, struct word pattern);

/* The bits of a format's value. */
#define PMU_CONFIGS 5		/* config, config1 ... config4 */
struct pmu_format {
	unsigned word;			/* below PMU_CONFIGS */
	uint64_t mask;			/* its bits there; the value's lowest bit goes to the lowest of them */
};
/* Returns 0, -ENOENT without such a file, -EINVAL if it cannot be understood. */
int pmu_format_read(const struct pmu *pmu, struct word name, struct pmu_format *out);
/* The greatest value that fits. */
uint64_t pmu_format_max(const struct pmu_format *f);
/* Stores @value in the format's bits of @attr. */
void pmu_format_store(const struct pmu_format *f, struct event_attr *attr, uint64_t value);

/* The text of an event of the PMU, "event=0x3c,umask=1", owned by the caller; NULL: there is none. */
char *pmu_event_text(const struct pmu *pmu, struct word name);
/* A file of the PMU, such as "cpumask", "caps/branches", "events/x.scale"; owned by the caller, NULL: none. */
char *pmu_file(const struct pmu *pmu, const char *path);
/* The names in a directory of the PMU: "format", "events" (without files that describe an event: x.scale, x.unit), "caps". */
void pmu_names(const struct pmu *pmu, const char *folder, struct names *out);
/* The CPUs that can count it. Returns false if all can. */
bool pmu_cpus(const struct pmu *pmu, struct cpus *out);

#endif
