/*
 * Finds the files of a process that has its own root directory or PID namespace, as in a container. This works only while the
 * process lives, and only on the machine where it was recorded.
 */
#ifndef CORE_MODEL_NAMESPACE_H
#define CORE_MODEL_NAMESPACE_H

#include "core/model/machine_state.h"

/* Path of @dso's file below the root of the process that mapped it. Owned by the caller; NULL: the file or process is not here. */
char *namespace_path(const struct machine *m, const struct dso *dso);
/* The pid of process @pid in its own PID namespace; @pid if that is unknown. */
unsigned long namespace_pid(uint32_t pid);
/* The path of the process's /tmp/perf-PID.map, with its pid in its own namespace. Owned and NULL as for namespace_path(). */
char *namespace_jit_path(const struct machine *m, const struct dso *dso);

#endif
