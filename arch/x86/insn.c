/* x86 instruction lengths and branches. Layer: arch */
#include "arch/x86/insn.h"

#include <errno.h>

int x86_insn(struct insn *out, const uint8_t *code, size_t n, unsigned mode)
{
	(void)out, (void)code, (void)n, (void)mode;
	return -EINVAL;
}
