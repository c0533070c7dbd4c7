/*
 * Disassembles instructions with the library capstone, which is loaded at run time. x86 code is printed in AT&T syntax, as perf
 * and objdump print it, unless Intel's syntax is requested.
 */
#include "core/binary/disasm.h"

#include <capstone/capstone.h>

#include "core/arch.h"
#include "core/base/buf.h"
#include "core/base/library.h"

#define TEXT_OF(macro)	TEXT(macro)
#define TEXT(words)	#words
#define CAPSTONE	"libcapstone.so." TEXT_OF(CS_API_MAJOR)
#define MODES	3	/* instructions of 16, 32 and 64 bits, as struct arch counts them */

union capstone {
	struct {
		__typeof__(&cs_open) open;
		__typeof__(&cs_option) option;
		__typeof__(&cs_disasm) disasm;
		__typeof__(&cs_free) free;
		__typeof__(&cs_close) close;
	};
	void *functions[5];
};
static const char *const names[] = { "cs_open", "cs_option", "cs_disasm", "cs_free", "cs_close" };

struct disasm {
	const struct arch *arch;
	union capstone capstone;
	bool loaded;
	csh handles[MODES];	/* 0: not opened */
	bool failed[MODES];
	bool intel;
};

static const struct { cs_arch arch; cs_mode mode; } machines[][MODES] = {
	[ARCH_X86] = { { CS_ARCH_X86, CS_MODE_16 }, { CS_ARCH_X86, CS_MODE_32 }, { CS_ARCH_X86, CS_MODE_64 } },
	[ARCH_ARM] = { { CS_ARCH_ARM, CS_MODE_THUMB }, { CS_ARCH_ARM, CS_MODE_ARM }, { CS_ARCH_ARM64, CS_MODE_ARM } },
};

struct disasm *disasm_new(const struct arch *arch, bool intel)
{
	struct disasm *d = xcalloc(1, sizeof(*d));

	d->arch = arch;
	d->intel = intel;
	d->loaded = !library_load(CAPSTONE, names, ARRAY_SIZE(names), d->capstone.functions);
	return d;
}

const char *disasm_missing(const struct disasm *d)
{
	return d->loaded ? NULL : CAPSTONE;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < MODES; i++)
		if (d->handles[i])
			d->capstone.close(&d->handles[i]);
	free(d);
}

static csh open_handle(const struct disasm *d, unsigned mode)
{
	const union capstone *cs = &d->capstone;
	unsigned family = d->arch->family;
	csh handle;

	if (!d->loaded || family == ARCH_OTHER || cs->open(machines[family][mode].arch, machines[family][mode].mode, &handle))
		return 0;
	if (family == ARCH_X86 && !d->intel)
		cs->option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	cs->option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	return handle;
}

static csh handle_of(struct disasm *d, unsigned bits)
{
	unsigned mode = bits == 64 ? 2 : bits == 32 ? 1 : 0;

	if (!d->handles[mode] && !d->failed[mode]) {
		d->handles[mode] = open_handle(d, mode);
		d->failed[mode] = !d->handles[mode];
	}
	return d->handles[mode];
}

/* Returns the address that is the only operand of an instruction; UINT64_MAX: it has other operands. */
static uint64_t target_of(const struct disasm *d, unsigned bits, const cs_insn *insn)
{
	const cs_detail *detail = insn->detail;

	if (d->arch->family == ARCH_X86 && detail->x86.op_count == 1 && detail->x86.operands[0].type == X86_OP_IMM)
		return (uint64_t)detail->x86.operands[0].imm;
	if (d->arch->family != ARCH_ARM)
		return UINT64_MAX;
	if (bits == 64 && detail->arm64.op_count == 1 && detail->arm64.operands[0].type == ARM64_OP_IMM)
		return (uint64_t)detail->arm64.operands[0].imm;
	if (bits != 64 && detail->arm.op_count == 1 && detail->arm.operands[0].type == ARM_OP_IMM)
		return (uint32_t)detail->arm.operands[0].imm;
	return UINT64_MAX;
}

bool disasm_put(struct disasm *d, struct buf *out, const uint8_t *code, size_t n, uint64_t ip, unsigned bits, uint64_t *target)
{
	csh handle = handle_of(d, bits);
	cs_insn *insn;

	*target = UINT64_MAX;
	if (!handle || d->capstone.disasm(handle, code, n, ip, 1, &insn) != 1)
		return false;
	*target = target_of(d, bits, insn);
	buf_puts(out, insn->mnemonic);
	buf_putc(out, ' ');
	if (*target == UINT64_MAX)
		buf_puts(out, insn->op_str);
	d->capstone.free(insn, 1);
	return true;
}
