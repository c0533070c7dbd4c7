/* The wrapper of capstone; x86 in AT&T syntax, as perf and objdump have it. Layer: views */
#include "core/views/disasm.h"

#include <capstone/capstone.h>

#include "core/arch.h"
#include "core/base/buf.h"

struct disasm {
	const struct arch *arch;
	csh handles[2];		/* for programs of 32 and of 64 bits; 0: not opened */
	bool failed[2];
};

struct disasm *disasm_new(const struct arch *arch)
{
	struct disasm *d = xcalloc(1, sizeof(*d));

	d->arch = arch;
	return d;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (d->handles[i])
			cs_close(&d->handles[i]);
	free(d);
}

static csh open_handle(const struct arch *arch, bool wide)
{
	bool x86 = arch == &arch_x86_64;
	csh handle;

	if (!x86 && arch != &arch_arm64)
		return 0;
	if (cs_open(x86 ? CS_ARCH_X86 : wide ? CS_ARCH_ARM64 : CS_ARCH_ARM, x86 ? wide ? CS_MODE_64 : CS_MODE_32 : CS_MODE_ARM,
		    &handle))
		return 0;
	if (x86)
		cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	return handle;
}

static csh handle_of(struct disasm *d, bool wide)
{
	if (!d->handles[wide] && !d->failed[wide]) {
		d->handles[wide] = open_handle(d->arch, wide);
		d->failed[wide] = !d->handles[wide];
	}
	return d->handles[wide];
}

/* The address that is its only operand; UINT64_MAX: there is none. */
static uint64_t target_of(const struct disasm *d, bool wide, const cs_insn *insn)
{
	if (d->arch == &arch_x86_64 && insn->detail->x86.op_count == 1 && insn->detail->x86.operands[0].type == X86_OP_IMM)
		return (uint64_t)insn->detail->x86.operands[0].imm;
	if (d->arch == &arch_arm64 && wide && insn->detail->arm64.op_count == 1 &&
	    insn->detail->arm64.operands[0].type == ARM64_OP_IMM)
		return (uint64_t)insn->detail->arm64.operands[0].imm;
	return UINT64_MAX;
}

bool disasm_put(struct disasm *d, struct buf *out, const uint8_t *code, size_t n, uint64_t ip, unsigned bits, uint64_t *target)
{
	bool wide = bits == 64;
	csh handle = handle_of(d, wide);
	cs_insn *insn;

	*target = UINT64_MAX;
	if (!handle || cs_disasm(handle, code, n, ip, 1, &insn) != 1)
		return false;
	*target = target_of(d, wide, insn);
	buf_puts(out, insn->mnemonic);
	buf_putc(out, ' ');
	if (*target == UINT64_MAX)
		buf_puts(out, insn->op_str);
	cs_free(insn, 1);
	return true;
}
