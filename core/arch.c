/*
 * Finds the struct arch of a recording by the recorded machine's name (uname -m), and names system calls by their numbers.
 * arch/x86/ and arch/arm64/ define the structs. This file lists the system calls from number 424 on, which are the same on both.
 */
#include "core/arch.h"

#include "core/base/util.h"

static const struct arch *const archs[] = { &arch_x86_64, &arch_i386, &arch_arm64, &arch_arm };

const struct arch *arch_find(const char *uname_machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
		if (str_eq(archs[i]->name, uname_machine))
			return archs[i];
		for (const char *const *a = archs[i]->aliases; a && *a; a++)
			if (str_eq(*a, uname_machine))
				return archs[i];
	}
	return NULL;
}

const struct arch_call *arch_call_find(const struct arch *arch, uint64_t number)
{
	for (unsigned i = 0; arch && i < arch->nr_calls; i++)
		if (arch->calls[i].number == number)
			return &arch->calls[i];
	return NULL;
}

/* scripts/syscall.tbl, Linux 6.18 */
static const char *const common_call_names[] = {
	"pidfd_send_signal", "io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", "move_mount",
	"fsopen", "fsconfig", "fsmount", "fspick", "pidfd_open", "clone3", "close_range", "openat2", "pidfd_getfd",
	"faccessat2", "process_madvise", "epoll_pwait2", "mount_setattr", "quotactl_fd", "landlock_create_ruleset",
	"landlock_add_rule", "landlock_restrict_self", "memfd_secret", "process_mrelease", "futex_waitv",
	"set_mempolicy_home_node", "cachestat", "fchmodat2", "map_shadow_stack", "futex_wake", "futex_wait",
	"futex_requeue", "statmount", "listmount", "lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules",
	"mseal", "setxattrat", "getxattrat", "listxattrat", "removexattrat", "open_tree_attr", "file_getattr",
	"file_setattr",
};

const char *arch_call_name(const struct arch *arch, uint64_t number)
{
	if (!arch || !arch->call_names)
		return NULL;
	if (number < ARCH_COMMON_CALLS)
		return arch->call_names[number];
	number -= ARCH_COMMON_CALLS;
	return number < ARRAY_SIZE(common_call_names) ? common_call_names[number] : NULL;
}
