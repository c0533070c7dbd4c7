/*
 * Reads the machine's PMUs from sysfs. The directory /sys/bus/event_source/devices/NAME has the files type, format/, events/,
 * caps/, and cpus or cpumask (Documentation/ABI/testing/sysfs-bus-event_source-devices-*). Each file is read when it is needed.
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
	bool core;		/* the PMU of a kind of CPU: it is called "cpu", or has a file "cpus" */
};

struct pmus {
	VEC(struct pmu) list;	/* by name */
};

/* Reads all PMUs; none if sysfs is missing. */
void pmus_read(struct pmus *out);
void pmus_release(struct pmus *p);
/* Returns the PMU of exactly that name, or NULL if there is no such PMU. */
const struct pmu *pmu_named(const struct pmus *p, const char *name);
/*
 * True if @pattern matches @pmu. It may be the name, the name without "uncore_", either of them without the "_N" that numbers PMUs
 * of the same kind, or a glob for one of these.
 */
bool pmu_matches(const struct pmu *pmu, struct word pattern);

/* The number of config members that a format may describe. */
#define PMU_CONFIGS 5		/* config, config1 ... config4 */
struct pmu_format {
	unsigned word;			/* number of the config member, below PMU_CONFIGS */
	uint64_t mask;			/* bits of that member; the value's lowest bit is stored in the lowest of them */
};
/* Reads a format file of the PMU. Returns 0, -ENOENT if there is no such file, or -EINVAL if its contents are not understood. */
int pmu_format_read(const struct pmu *pmu, struct word name, struct pmu_format *out);
/* Returns the greatest value that fits into the format's bits. */
uint64_t pmu_format_max(const struct pmu_format *f);
/* Stores @value in the format's bits of @attr. */
void pmu_format_store(const struct pmu_format *f, struct event_attr *attr, uint64_t value);

/* Returns the text of an event of the PMU, such as "event=0x3c,umask=1", owned by the caller; NULL: there is no such event. */
char *pmu_event_text(const struct pmu *pmu, struct word name);
/* Returns the contents of a file of the PMU, such as "cpumask" or "caps/branches", owned by the caller; NULL: no such file. */
char *pmu_file(const struct pmu *pmu, const char *path);
/* Lists the names in "format", "caps" or "events" of the PMU, without files that describe an event (x.scale, x.unit). */
void pmu_names(const struct pmu *pmu, const char *folder, struct names *out);
/* Finds the CPUs that can count events of the PMU. Returns false if all CPUs can. */
bool pmu_cpus(const struct pmu *pmu, struct cpus *out);

#endif
