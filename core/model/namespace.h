/*
 * Files of a process that sees others than we do: it has a root, or numbers of processes, of its own, as in a container.
 * They can be had only while it lives, and on the machine where it was recorded.
 * Layer: model
 */
#ifndef CORE_MODEL_NAMESPACE_H
#define CORE_MODEL_NAMESPACE_H

#include "core/model/machine_state.h"

/* @dso's path as the process that mapped it sees it. Owned by the caller; NULL: it has gone, or was recorded elsewhere. */
char *namespace_path(const struct machine *m, const struct dso *dso);
/* The number by which process @pid knows itself; @pid where that is not known. */
unsigned long namespace_pid(uint32_t pid);
/* The names that a JIT compiler, which knows its number in its own namespace, left there. As above. */
char *namespace_jit_path(const struct machine *m, const struct dso *dso);

#endif
