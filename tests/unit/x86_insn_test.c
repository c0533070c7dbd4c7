/*
 * x86_insn() against hand-made encodings, and against objdump on the libraries of this machine: the length
 * and kind of every instruction that objdump knows.
 */
#include "arch/x86/insn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/base/util.h"

static unsigned failures;

static const char *const kind_names[] = {
	[INSN_OTHER] = "other", [INSN_JUMP] = "jump", [INSN_JUMP_INDIRECT] = "jump indirect", [INSN_COND] = "cond",
	[INSN_CALL] = "call", [INSN_CALL_INDIRECT] = "call indirect", [INSN_RET] = "ret", [INSN_FAR_CALL] = "far call",
	[INSN_FAR_RET] = "far ret", [INSN_FAR_JUMP] = "far jump", [INSN_PTWRITE] = "ptwrite", [INSN_MOV_CR3] = "mov cr3",
};

struct encoding {
	const char *text;	/* of the instruction */
	const char *bytes;	/* hexadecimal */
	uint8_t mode, kind;
	int64_t disp;
};

/* Sources: SDM vol. 2, APX specification, APM vol. 3 to 6; those marked * are in no Debian 12 disassembler. */
static const struct encoding encodings[] = {
	{ "nop", "90", 64, INSN_OTHER, 0 },
	{ "nopw cs:0(rax,rax)", "662e0f1f840000000000", 64, INSN_OTHER, 0 },
	{ "mov rax, imm64", "48b8 1122334455667788", 64, INSN_OTHER, 0 },
	{ "mov eax, imm32", "b8 11223344", 64, INSN_OTHER, 0 },
	{ "mov ax, imm16", "66b8 1122", 64, INSN_OTHER, 0 },
	{ "mov ax, imm16", "b8 1122", 16, INSN_OTHER, 0 },
	{ "mov eax, imm32", "66b8 11223344", 16, INSN_OTHER, 0 },
	{ "movabs al, [moffs64]", "a0 1122334455667788", 64, INSN_OTHER, 0 },
	{ "mov al, [moffs32]", "67a0 11223344", 64, INSN_OTHER, 0 },
	{ "mov al, [moffs32]", "a0 11223344", 32, INSN_OTHER, 0 },
	{ "mov al, [moffs16]", "67a0 1122", 32, INSN_OTHER, 0 },
	{ "mov al, [moffs16]", "a0 1122", 16, INSN_OTHER, 0 },
	{ "enter 0x10, 1", "c8 1000 01", 64, INSN_OTHER, 0 },
	{ "add rax, imm32 (66 rex.w)", "6648 05 11223344", 64, INSN_OTHER, 0 },
	{ "test byte [rip+d], imm8", "f605 11223344 55", 64, INSN_OTHER, 0 },
	{ "not byte [rip+d]", "f615 11223344", 64, INSN_OTHER, 0 },
	{ "test dword [rax+rax*4+d8], imm32", "f74480 11 55667788", 64, INSN_OTHER, 0 },
	{ "neg dword [rax]", "f718", 64, INSN_OTHER, 0 },
	{ "mov eax, [bx+si+d16]", "678b80 1122", 32, INSN_OTHER, 0 },
	{ "mov ax, [d16]", "8b06 1122", 16, INSN_OTHER, 0 },
	{ "mov ax, [eax+eax*1+d8]", "678b4400 11", 16, INSN_OTHER, 0 },
	{ "mov eax, [no base+eax*1+d32]", "8b0405 11223344", 32, INSN_OTHER, 0 },
	{ "mov rax, cr0 (mod ignored)", "0f2000", 64, INSN_OTHER, 0 },
	{ "daa", "27", 32, INSN_OTHER, 0 },
	{ "aam", "d40a", 32, INSN_OTHER, 0 },
	{ "les eax, [eax]", "c400", 32, INSN_OTHER, 0 },
	{ "lds eax, [eax]", "c500", 32, INSN_OTHER, 0 },
	{ "bound eax, [eax]", "6200", 32, INSN_OTHER, 0 },
	{ "inc eax", "40", 32, INSN_OTHER, 0 },
	{ "pop [rax]", "8f00", 64, INSN_OTHER, 0 },
	{ "movsxd rax, eax", "4863c0", 64, INSN_OTHER, 0 },
	{ "arpl ax, ax", "63c0", 32, INSN_OTHER, 0 },

	{ "jcc rel8", "75fe", 64, INSN_COND, 0 },
	{ "jcc rel32", "0f84 00010000", 64, INSN_COND, 0x106 },
	{ "jcc with 66: still rel32 in 64 bit mode", "660f84 00010000", 64, INSN_COND, 0x107 },
	{ "jcc with 66: rel16", "660f84 0001", 32, INSN_COND, 0x105 },
	{ "jcc rel16", "0f84 0001", 16, INSN_COND, 0x104 },
	{ "jcc with 66: rel32", "660f84 00010000", 16, INSN_COND, 0x107 },
	{ "jcc with a hint", "3e75fe", 64, INSN_COND, 1 },
	{ "bnd jcc", "f20f85 f0ffffff", 64, INSN_COND, -9 },
	{ "loop", "e2fe", 64, INSN_COND, 0 },
	{ "jrcxz", "e310", 64, INSN_COND, 0x12 },
	{ "jmp rel8", "eb80", 64, INSN_JUMP, -126 },
	{ "jmp rel32", "e9 fbffffff", 64, INSN_JUMP, 0 },
	{ "jmp rel16", "66e9 fcff", 32, INSN_JUMP, 0 },
	{ "jmp with 66: still rel32 in 64 bit mode", "66e9 faffffff", 64, INSN_JUMP, 0 },
	{ "call rel32", "e8 00000000", 64, INSN_CALL, 5 },
	{ "data16 rex call", "666648e8 00000000", 64, INSN_CALL, 8 },
	{ "call rel16", "e8 0000", 16, INSN_CALL, 3 },
	{ "call [rip+d]", "ff15 11223344", 64, INSN_CALL_INDIRECT, 0 },
	{ "notrack jmp rax", "3effe0", 64, INSN_JUMP_INDIRECT, 0 },
	{ "jmp [r12+d8]", "41ff6424 11", 64, INSN_JUMP_INDIRECT, 0 },
	{ "jmpabs *", "d500a1 1122334455667788", 64, INSN_JUMP_INDIRECT, 0 },
	{ "push rax (ff)", "fff0", 64, INSN_OTHER, 0 },
	{ "ret", "c3", 64, INSN_RET, 0 },
	{ "repz ret", "f3c3", 64, INSN_RET, 0 },
	{ "ret imm16", "c2 0800", 64, INSN_RET, 0 },
	{ "retf", "cb", 64, INSN_FAR_RET, 0 },
	{ "retf imm16", "ca 0800", 64, INSN_FAR_RET, 0 },
	{ "call far ptr16:32", "9a 11223344 3300", 32, INSN_FAR_CALL, 0 },
	{ "jmp far ptr16:16", "ea 1122 3300", 16, INSN_FAR_JUMP, 0 },
	{ "call far [rax]", "ff18", 64, INSN_FAR_CALL, 0 },
	{ "jmp far [rax]", "48ff28", 64, INSN_FAR_JUMP, 0 },
	{ "int3", "cc", 64, INSN_FAR_CALL, 0 },
	{ "int 0x80", "cd80", 64, INSN_FAR_CALL, 0 },
	{ "int1", "f1", 64, INSN_FAR_CALL, 0 },
	{ "into", "ce", 32, INSN_FAR_CALL, 0 },
	{ "iretq", "48cf", 64, INSN_FAR_RET, 0 },
	{ "syscall", "0f05", 64, INSN_FAR_CALL, 0 },
	{ "sysretq", "480f07", 64, INSN_FAR_RET, 0 },
	{ "sysenter", "0f34", 32, INSN_FAR_CALL, 0 },
	{ "sysexit", "0f35", 32, INSN_FAR_RET, 0 },
	{ "vmcall", "0f01c1", 64, INSN_FAR_CALL, 0 },
	{ "vmlaunch", "0f01c2", 64, INSN_FAR_RET, 0 },
	{ "vmresume", "0f01c3", 64, INSN_FAR_RET, 0 },
	{ "clac", "0f01ca", 64, INSN_OTHER, 0 },
	{ "erets *", "f20f01ca", 64, INSN_FAR_RET, 0 },
	{ "eretu *", "f30f01ca", 64, INSN_FAR_RET, 0 },
	{ "uiret", "f30f01ec", 64, INSN_FAR_RET, 0 },
	{ "rdpkru", "0f01ee", 64, INSN_OTHER, 0 },
	{ "rsm", "0faa", 64, INSN_FAR_RET, 0 },
	{ "ud2", "0f0b", 64, INSN_OTHER, 0 },
	{ "ud1 eax, [rax]", "0fb900", 64, INSN_OTHER, 0 },
	{ "xbegin", "c7f8 11223344", 64, INSN_OTHER, 0 },
	{ "xabort", "c6f8 11", 64, INSN_OTHER, 0 },
	{ "mov cr3, rax", "0f22d8", 64, INSN_MOV_CR3, 0 },
	{ "mov cr3, r11", "410f22db", 64, INSN_MOV_CR3, 0 },
	{ "mov cr4, rax", "0f22e0", 64, INSN_OTHER, 0 },
	{ "ptwrite rax", "f3480faee0", 64, INSN_PTWRITE, 0 },
	{ "ptwrite [rax+d32]", "f30faea0 11223344", 64, INSN_PTWRITE, 0 },
	{ "xsave [rax]", "0fae20", 64, INSN_OTHER, 0 },
	{ "clwb [rax]", "660fae30", 64, INSN_OTHER, 0 },
	{ "rdsspq rax", "f3480f1ec8", 64, INSN_OTHER, 0 },
	{ "endbr64", "f30f1efa", 64, INSN_OTHER, 0 },

	{ "pshufd", "660f70c0 11", 64, INSN_OTHER, 0 },
	{ "palignr", "0f3a0fc0 11", 64, INSN_OTHER, 0 },
	{ "crc32", "f2480f38f1c0", 64, INSN_OTHER, 0 },
	{ "extrq imm, imm", "660f78c0 1122", 64, INSN_OTHER, 0 },
	{ "insertq imm, imm", "f20f78c1 1122", 64, INSN_OTHER, 0 },
	{ "vmread", "0f78c0", 64, INSN_OTHER, 0 },
	{ "pfadd mm0, [rax+d8] (3DNow!)", "0f0f40 11 9e", 64, INSN_OTHER, 0 },
	{ "femms", "0f0e", 64, INSN_OTHER, 0 },
	{ "vzeroupper", "c5f877", 64, INSN_OTHER, 0 },
	{ "vpxor", "c5f9efc0", 64, INSN_OTHER, 0 },
	{ "vpshufd", "c5f970c0 11", 64, INSN_OTHER, 0 },
	{ "vpalignr [rip+d]", "c4e3790f05 11223344 55", 64, INSN_OTHER, 0 },
	{ "andn", "c4e278f2c0", 64, INSN_OTHER, 0 },
	{ "rorx", "c4e37bf0c0 11", 64, INSN_OTHER, 0 },
	{ "vzeroupper", "c5f877", 32, INSN_OTHER, 0 },
	{ "tileloadd", "c4e27b4b0408", 64, INSN_OTHER, 0 },
	{ "urdmsr rax, imm32 *", "c4e77bf8c0 11223344", 64, INSN_OTHER, 0 },
	{ "vmovdqu8 zmm", "62f17f486fc0", 64, INSN_OTHER, 0 },
	{ "vmovdqu64 [rsp+d8*64]", "62f1fe48 6f4424 11", 64, INSN_OTHER, 0 },
	{ "vpternlogd", "62f37d4825c0 11", 64, INSN_OTHER, 0 },
	{ "vpsrldq zmm, imm8", "62f17d4873d8 11", 64, INSN_OTHER, 0 },
	{ "vcmpph k, zmm, zmm, imm8", "62f37c48c2c0 11", 64, INSN_OTHER, 0 },
	{ "vaddph zmm (map 5)", "62f57c4858c0", 64, INSN_OTHER, 0 },
	{ "vfmadd132ph (map 6)", "62f67d4898c0", 64, INSN_OTHER, 0 },
	{ "vmovdqu8 zmm", "62f17f486fc0", 32, INSN_OTHER, 0 },
	{ "add r16, imm8 (EVEX map 4) *", "62fcfc1883c0 11", 64, INSN_OTHER, 0 },
	{ "add r16d, imm32 (EVEX map 4) *", "62fc7c1881c0 11223344", 64, INSN_OTHER, 0 },
	{ "add r16w, imm16 (EVEX map 4) *", "62fc7d1881c0 1122", 64, INSN_OTHER, 0 },
	{ "add r16, r17 (REX2) *", "d55801c8", 64, INSN_OTHER, 0 },
	{ "mov r16, imm64 (REX2) *", "d518b8 1122334455667788", 64, INSN_OTHER, 0 },
	{ "imul r16, r17 (REX2, map 1) *", "d5d8afc1", 64, INSN_OTHER, 0 },
	{ "vprotb xmm, imm8 (XOP 8)", "8fe878c0c0 11", 64, INSN_OTHER, 0 },
	{ "blcfill (XOP 9)", "8fe97801c8", 64, INSN_OTHER, 0 },
	{ "bextr imm32 (XOP A)", "8fea7810c0 11223344", 64, INSN_OTHER, 0 },
};

/* Encodings that no processor runs: -EINVAL. */
static const struct encoding bad_encodings[] = {
	{ "daa", "27", 64, 0, 0 },
	{ "push es", "06", 64, 0, 0 },
	{ "call far", "9a 112233443300", 64, 0, 0 },
	{ "salc", "d6", 64, 0, 0 },
	{ "16 bytes", "2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e90", 64, 0, 0 },
};

static size_t from_hex(uint8_t *out, const char *hex)
{
	size_t n = 0;
	unsigned byte;

	for (; *hex; hex += 2) {
		while (*hex == ' ')
			hex++;
		sscanf(hex, "%2x", &byte);
		out[n++] = byte;
	}
	return n;
}

static void fail(const char *what, const char *bytes, unsigned mode, const char *want, const char *got)
{
	failures++;
	printf("%s [%s] in %u bit mode: want %s, got %s\n", what, bytes, mode, want, got);
}

static void check_encoding(const struct encoding *e)
{
	uint8_t code[32] = { 0 };
	char want[80], got[80];
	size_t n = from_hex(code, e->bytes);
	struct insn insn;
	int err = x86_insn(&insn, code, sizeof(code), e->mode);

	snprintf(want, sizeof(want), "%zu bytes %s %+ld", n, kind_names[e->kind], (long)e->disp);
	if (err)
		snprintf(got, sizeof(got), "error %d", err);
	else
		snprintf(got, sizeof(got), "%u bytes %s %+ld", insn.size, kind_names[insn.kind], (long)insn.disp);
	if (!str_eq(want, got))
		fail(e->text, e->bytes, e->mode, want, got);
	for (size_t cut = 0; cut < n; cut++)
		if (x86_insn(&insn, code, cut, e->mode) != -ERANGE)
			fail(e->text, e->bytes, e->mode, "-ERANGE when cut", "something else");
}

static void check_bad(const struct encoding *e)
{
	uint8_t code[32] = { 0 };
	struct insn insn;

	from_hex(code, e->bytes);
	if (x86_insn(&insn, code, sizeof(code), e->mode) != -EINVAL)
		fail(e->text, e->bytes, e->mode, "-EINVAL", "something else");
}

static bool is_prefix_word(const char *w, size_t n)
{
	static const char *const words[] = {
		"data16", "addr32", "addr16", "lock", "repz", "repnz", "rep", "bnd", "notrack", "cs", "ds", "es", "ss", "fs",
		"gs", "xacquire", "xrelease", "data32", "repe", "repne",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], w, n))
			return true;
	return n >= 3 && !strncmp(w, "rex", 3);
}

/* The mnemonic after prefixes; "" where objdump shows prefixes alone. A hint (",pt") stays behind it. */
static const char *mnemonic(const char *text)
{
	size_t n;

	for (;; text += n) {
		while (*text == ' ' || *text == '\t')
			text++;
		n = strcspn(text, " \t\n");
		if (!n || !is_prefix_word(text, n))
			return text;
	}
}

static enum insn_kind kind_of(const char *m)
{
	const char *operand = m + strcspn(m, " \t\n");
	bool indirect = operand[strspn(operand, " \t")] == '*';

	if (str_starts(m, "jmp"))
		return indirect ? INSN_JUMP_INDIRECT : INSN_JUMP;
	if (str_starts(m, "call"))
		return indirect ? INSN_CALL_INDIRECT : INSN_CALL;
	if (str_starts(m, "ljmp"))
		return INSN_FAR_JUMP;
	if (str_starts(m, "lcall") || str_starts(m, "syscall") || str_starts(m, "sysenter") || str_starts(m, "int") ||
	    str_starts(m, "vmcall") || str_starts(m, "vmmcall") || str_starts(m, "icebp"))
		return INSN_FAR_CALL;
	if (str_starts(m, "ret"))
		return INSN_RET;
	if (str_starts(m, "lret") || str_starts(m, "iret") || str_starts(m, "sysret") || str_starts(m, "sysexit") ||
	    str_starts(m, "vmlaunch") || str_starts(m, "vmresume") || str_starts(m, "uiret") || str_starts(m, "rsm"))
		return INSN_FAR_RET;
	if (str_starts(m, "mov") && strstr(m, ",%cr3"))
		return INSN_MOV_CR3;
	if (str_starts(m, "ptwrite"))
		return INSN_PTWRITE;
	if (m[0] == 'j' || str_starts(m, "loop"))
		return INSN_COND;
	return INSN_OTHER;
}

/*
 * One line of objdump -dw or llvm-objdump -d: "  401000:\t48 83 ec 08          \tsub    $0x8,%rsp". Returns whether it was
 * compared.
 */
static bool check_line(const char *line, unsigned mode)
{
	uint8_t code[64] = { 0 };
	unsigned byte, n = 0;
	char bytes[80], want[80], got[80];
	const char *p = strchr(line, ':'), *m, *tab;
	struct insn insn;

	if (!p || line[0] != ' ' || !(tab = strchr(p + 2, '\t')) || strstr(tab, "(bad)") || strstr(tab, "<unknown>"))
		return false;
	for (p += 2; p < tab && *p != ' ' && n < 16 && sscanf(p, "%2x", &byte) == 1; p += 3)
		code[n++] = byte;
	m = mnemonic(tab + 1);
	/* Prefixes alone, data, and fwait shown as one with the x87 instruction after it, with a prefix in front or not. */
	if (!*m || *m == '\n' || *m == '.' || n > 15 || (code[0] == 0x9b && n > 1) || (code[1] == 0x9b && n > 2 && m[0] == 'f'))
		return false;
	memset(code + n, 0x90, sizeof(code) - n);
	snprintf(bytes, sizeof(bytes), "%.*s", (int)(tab - line - 1), line);
	snprintf(want, sizeof(want), "%u bytes %s", n, kind_names[kind_of(m)]);
	if (x86_insn(&insn, code, sizeof(code), mode))
		snprintf(got, sizeof(got), "error");
	else
		snprintf(got, sizeof(got), "%u bytes %s", insn.size, kind_names[insn.kind]);
	if (!str_eq(want, got))
		fail(tab + 1, bytes, mode, want, got);
	return true;
}

/* @objdump: the program with its options. */
static void check_file(const char *objdump, const char *path, unsigned mode)
{
	char line[4096], *command;
	size_t nr = 0;
	FILE *f;

	if (access(path, R_OK))
		return;
	command = xasprintf("%s '%s' 2>/dev/null", objdump, path);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f))
		nr += check_line(line, mode);
	if (f)
		pclose(f);
	free(command);
	printf("%s: %zu instructions compared\n", path, nr);
}

/* With arguments: "32 FILE" or "64 FILE" compares that file. */
/* Arguments: [-o "OBJDUMP OPTIONS"], then MODE FILE pairs. Without any: what this machine most likely has. */
int main(int argc, char **argv)
{
	const char *objdump = "objdump -dw -M intel64";
	int i = 1;

	for (size_t k = 0; k < ARRAY_SIZE(encodings); k++)
		check_encoding(&encodings[k]);
	for (size_t k = 0; k < ARRAY_SIZE(bad_encodings); k++)
		check_bad(&bad_encodings[k]);
	if (argc > 2 && str_eq(argv[1], "-o")) {
		objdump = argv[2];
		i = 3;
	}
	for (; i + 1 < argc; i += 2)
		check_file(objdump, argv[i + 1], atoi(argv[i]));
	if (argc == 1) {
		check_file(objdump, "/lib/x86_64-linux-gnu/libc.so.6", 64);
		check_file(objdump, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", 64);
		check_file(objdump, "/lib64/ld-linux-x86-64.so.2", 64);
		check_file(objdump, "/lib32/libc.so.6", 32);
	}
	if (failures)
		printf("%u are wrong\n", failures);
	return failures ? 1 : 0;
}
