/*
 * Asks a JVM (HotSpot, JDK 17 and later) to write the names of its compiled code to /tmp/perf-PID.map, by its attach protocol,
 * as jcmd does: SIGQUIT makes it listen on a socket below /tmp, where commands are sent.
 * Sources: sun.tools.attach.VirtualMachineImpl, os/posix/attachListener_posix.cpp and diagnosticCommand.hpp of OpenJDK.
 * Layer: live
 */
#ifndef CORE_RECORD_LIVE_JAVA_ATTACH_H
#define CORE_RECORD_LIVE_JAVA_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct jvm {
	uint32_t pid;
	unsigned long number;	/* its pid in its own PID namespace, as in a container */
	int root;		/* its root directory; -1: it is ours, which must be known */
	uid_t owner;		/* its user */
};

/* True if a file of this path is HotSpot's library. */
bool is_jvm_library(const char *path);
/*
 * Returns 0 when the file is written, before CLOCK_MONOTONIC reaches @until_ns; or -errno: -ETIMEDOUT, no answer came; -ENOTSUP,
 * it does not attach (-XX:+DisableAttachMechanism, -Xrs); -EPROTO, it does not know the command (before JDK 17); -EPERM, the
 * socket is not its own. The signal is sent only if @may_signal, and only to a process that catches it and has HotSpot's library
 * mapped at that moment. Without the file .attach_pidPID a JVM would print the stacks of all its threads.
 */
int jvm_write_map(const struct jvm *jvm, bool may_signal, uint64_t until_ns);

#endif
