/* Gives the names of branch types (PERF_BR_*), as perf prints them. */
#include "core/perfdata/branch_flags.h"

static const char *const types[16] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
	"IRQ", "SERROR", "NO_TX",
};

static const char *const new_types[16] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

const char *branch_type_name(unsigned long long flags)
{
	return BRANCH_TYPE(flags) == BRANCH_TYPE_EXTENDED ? new_types[BRANCH_NEW_TYPE(flags)] : types[BRANCH_TYPE(flags)];
}
