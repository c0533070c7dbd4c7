/*
 * Recognizes the threads that a Java virtual machine runs for itself: garbage collectors, compilers, and others that nearly always
 * wait. Sums of waits leave them out, or they would outweigh the program's threads.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_SERVICE_THREADS_H
#define CORE_SHOW_REPORT_SERVICE_THREADS_H

#include <stdbool.h>

#include "core/profile/profile.h"

#define SERVICE_THREADS_OF "the JVM"

/* By thread of the profile; NULL: it has no such thread. Owned by the caller. */
bool *service_threads(const struct profile *p);

#endif
