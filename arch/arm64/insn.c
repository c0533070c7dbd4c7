/* Arm branches. Layer: arch */
#include "arch/arm64/insn.h"

#include <errno.h>

int arm_insn(struct insn *out, const uint8_t *code, size_t n, unsigned mode)
{
	(void)out, (void)code, (void)n, (void)mode;
	return -EINVAL;
}
