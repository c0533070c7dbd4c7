/*
 * Asks a JVM (HotSpot, JDK 17 or later) to write the names of its compiled code to /tmp/perf-PID.map, with HotSpot's attach
 * protocol, as jcmd does. jit_maps.c reads the file.
 * Sources: sun.tools.attach.VirtualMachineImpl, os/posix/attachListener_posix.cpp and diagnosticCommand.hpp of OpenJDK.
 */
#ifndef CORE_RECORD_LIVE_JAVA_ATTACH_H
#define CORE_RECORD_LIVE_JAVA_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct jvm {
	uint32_t pid;
	unsigned long number;	/* its pid in its own PID namespace, as in a container */
	int root;		/* descriptor of its root directory; -1: it has the root directory of this process */
	uid_t owner;		/* its user */
	bool was_woken;		/* SIGQUIT was sent, no socket came in time, and the file .attach_pidPID is still there */
};

/* True if a file of this path is HotSpot's library. */
bool is_jvm_library(const char *path);
/*
 * Asks the JVM to write its perf map file, and waits until CLOCK_MONOTONIC reaches @until_ns at most. Returns 0 when the file is
 * written, or -errno: -ETIMEDOUT if no answer came; -ENOTSUP if the JVM does not attach (-XX:+DisableAttachMechanism, -Xrs);
 * -EPROTO if it does not know the command (before JDK 17); -EPERM if the socket is not the JVM's own.
 *
 * SIGQUIT makes the JVM listen on a socket below /tmp, to which the command is sent. SIGQUIT is sent only if @may_signal, and only
 * to a process that catches it and has HotSpot's library mapped at that moment. Without the file .attach_pidPID a JVM would answer
 * SIGQUIT by printing the stacks of all its threads. A busy JVM may read the signal after @until_ns, so the file stays until the
 * JVM listens (jvm->was_woken).
 */
int jvm_write_map(struct jvm *jvm, bool may_signal, uint64_t until_ns);
/* Removes the file .attach_pidPID of a JVM that has ended. */
void jvm_forget(struct jvm *jvm);

#endif
