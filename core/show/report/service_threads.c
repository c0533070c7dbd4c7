/*
 * Finds the threads that a Java virtual machine starts for itself, such as its compilers, by a list of their names. Tables of
 * waiting time leave these threads out.
 * Layer: report
 */
#include "core/show/report/service_threads.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

#define JVM "libjvm.so"

/*
 * As HotSpot of JDK 8 to 25 calls them (src/hotspot/share, java.base/share/classes/java/lang/ref), cut by the kernel after 15
 * characters. Numbered ones begin so.
 */
static const char *const names[] = {
	"VM Thread", "VM Periodic Tas", "Reference Handl", "Finalizer", "Signal Dispatch", "Service Thread", "Monitor Deflati",
	"Notification Th", "Attach Listener", "Common-Cleaner", "Sweeper thread", "G1 Main Marker", "G1 Service", "G1 Young RemSet",
	"Concurrent Mark", "ZDirector", "ZDriver", "ZStat", "ZUncommitter", "ZUnmapper", "Shenandoah Cont", "StringDedupThre",
};
static const char *const numbered[] = {
	"GC Thread#", "G1 Conc#", "G1 Refine#", "ParGC Thread#", "Gang worker#", "C1 CompilerThre", "C2 CompilerThre", "ZWorker#",
	"XWorker#", "Shenandoah GC",
};

static bool is_of_jvm(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(name, names[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++)
		if (str_starts(name, numbered[i]))
			return true;
	return false;
}

static bool has_jvm(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);

	for (size_t i = 0; i < d->dsos.nr; i++)
		if (str_eq(profile_string(p, d->dsos.v[i].name), JVM))
			return true;
	return false;
}

bool *service_threads(const struct profile *p)
{
	const struct profile_data *d = profile_data(p);
	bool *all, any = false;

	if (!has_jvm(p))
		return NULL;
	all = xcalloc(d->threads.nr + 1, sizeof(*all));
	for (uint32_t t = 0; t < d->threads.nr; t++) {
		const struct profile_thread *thread = &d->threads.v[t];

		all[t] = is_of_jvm(profile_string(p, d->names.v[thread->first_name + thread->nr_names - 1].name));
		any |= all[t];
	}
	if (any)
		return all;
	free(all);
	return NULL;
}
