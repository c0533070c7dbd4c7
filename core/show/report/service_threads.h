/*
 * Finds the threads that a Java virtual machine runs for itself, such as garbage collectors and compilers. wait_rows.c and
 * profile_summary.c leave them out of the sums of waits in prec summary and the HTML page.
 * Layer: report
 */
#ifndef CORE_SHOW_REPORT_SERVICE_THREADS_H
#define CORE_SHOW_REPORT_SERVICE_THREADS_H

#include <stdbool.h>

#include "core/profile/profile.h"

#define SERVICE_THREADS_OF "the JVM"

/*
 * By thread of the profile: true if the thread is one of a Java virtual machine. These threads nearly always wait, so their waits
 * would outweigh the waits of the program's own threads. NULL: no thread is one of a JVM. Owned by the caller.
 */
bool *service_threads(const struct profile *p);

#endif
