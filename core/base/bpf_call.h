/* Calls the system call bpf(2), for which the C library has no function. */
#ifndef CORE_BASE_BPF_CALL_H
#define CORE_BASE_BPF_CALL_H

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the result of the system call; -1 with errno set. */
static inline int bpf_call(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

#endif
