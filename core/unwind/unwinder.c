/*
 * Unwinds a sample frame by frame, up to the thread's first frame, or to a frame whose caller cannot be found. lookup.c finds the
 * unwind rule of an address, and step.c applies it.
 */
#include "core/unwind/unwinder.h"

#include <string.h>

#include "core/arch.h"
#include "core/perfdata/abi.h"
#include "core/model/dso.h"
#include "core/unwind/caller.h"
#include "core/unwind/fallback.h"
#include "core/unwind/lookup.h"
#include "core/unwind/memory_ops.h"

#define STACK_REACH	(1ull << 30)	/* bytes above the stack pointer that count as the stack, as its end is not recorded */
#define SIGNAL_REACH	(64u << 10)	/* maximum size of a signal frame; if SP moves further, the stack is another one */

struct unwinder {
	const struct memory_ops *memory;
	struct lookup *lookup;	/* owned */
	/* State of the sample that is being unwound. */
	const struct unwind_input *in;
	const struct arch *arch;
	uint64_t sp;		/* the sample's stack pointer, at which the copy of the stack begins */
	uint64_t missed;	/* the address of the last read that failed */
	uint32_t stack_used;	/* bytes of the copy up to the outermost word that was read */
	bool ends_with_zero;	/* the chain ended because a return address is zero, and not because its rule says so */
	bool left_stack;	/* the chain crossed a signal frame to another stack */
};

/* ---- the sample's registers and memory ---- */

/* The value of a register by its PERF_REG_* number. */
static bool reg_value(const struct unwind_input *in, unsigned reg, uint64_t *value)
{
	uint64_t bit = reg < 64 ? 1ull << reg : 0, at;

	if (!(in->mask & bit))
		return false;
	at = (uint64_t)__builtin_popcountll(in->mask & (bit - 1));
	if (at >= in->regs.nr)
		return false;
	*value = words_at(&in->regs, at);
	return true;
}

/* Reads memory outside of the stack, which is known only if a file is mapped there. */
static bool read_file(struct unwinder *u, uint64_t addr, unsigned size, uint64_t *value)
{
	struct ip_span span;
	const struct map *map = u->memory->map(u->memory, u->in->space, addr, &span);

	return map && (map->dso->kind == DSO_USER || map->dso->kind == DSO_VDSO) &&
	       u->memory->code(u->memory, u->in->space, addr, value, size) == size;
}

static bool read_memory(void *ctx, uint64_t addr, unsigned size, uint64_t *value)
{
	struct unwinder *u = ctx;
	uint64_t at = addr - u->sp, v = 0;

	if (u->in->stack_size >= size && at <= u->in->stack_size - size) {
		if (size == sizeof(v))
			memcpy(&v, u->in->stack + at, sizeof(v));
		else
			memcpy(&v, u->in->stack + at, size);
		u->stack_used = MAX(u->stack_used, (uint32_t)(at + size));
	} else if (at < STACK_REACH || !read_file(u, addr, size, &v)) {
		u->missed = addr;
		return false;
	}
	*value = le64toh(v);
	return true;
}

/* Makes the frame of the sample itself, and sets u->sp. Returns false if PC or SP is not among the recorded registers. */
static bool first_frame(struct unwinder *u, struct unwind_frame *f)
{
	const struct arch *arch = u->arch;
	uint64_t value;

	f->known = 0;
	f->interrupted = true;
	for (unsigned i = 0; i < arch->nr_dwarf_regs; i++)
		if (reg_value(u->in, arch->dwarf_regs[i], &value))
			frame_set(f, i, value);
	return reg_value(u->in, arch->pc_reg, &f->pc) && reg_value(u->in, arch->sp_reg, &u->sp);
}

/* ---- frames ---- */

/*
 * True if the return address of @f seems to be still in the link register, for code without unwind tables. This is so if the
 * register points to code of another function, and the frame record at the frame pointer does not hold the same address.
 */
static bool is_leaf(struct unwinder *u, const struct unwind_frame *f)
{
	const struct arch *arch = u->arch;
	struct ip_span span;
	const struct map *there;
	uint64_t link, fp, saved;

	if (!arch->link_reg || !f->interrupted || !frame_reg(f, arch->link_reg, &link))
		return false;
	if (frame_reg(f, arch->dwarf_fp, &fp) && read_memory(u, fp + arch->word, arch->word, &saved) && saved == link)
		return false;
	if (u->memory->same_function(u->memory, u->in->space, f->pc, link))
		return false;
	there = u->memory->map(u->memory, u->in->space, link, &span);
	return there && map_can_run(there, link);
}

static void find_code(struct unwinder *u, const struct unwind_frame *f, struct code *out)
{
	lookup_code(u->lookup, u->arch, u->in->space, f->pc, f->interrupted, out);
}

/*
 * Steps from the first instruction of a function that is entered without a call. The function is the outermost one, unless its rule
 * leads to executable code.
 */
static enum step step_from_entry(struct unwinder *u, struct unwind_frame *f, const struct rule_place *place, const struct memory *m)
{
	struct unwind_frame caller = *f;
	struct code code;

	if (frame_step(&caller, u->arch, place, m) != STEP_CALLER)
		return STEP_ROOT;
	lookup_code(u->lookup, u->arch, u->in->space, caller.pc, caller.interrupted, &code);
	if (code.kind == CODE_NONE)
		return STEP_ROOT;
	*f = caller;
	return STEP_CALLER;
}

/* True if a call ends at @pc. */
static bool is_called_before(struct unwinder *u, uint64_t pc)
{
	return lookup_is_called(u->lookup, u->arch, u->in->space, pc);
}

/* Takes the return address that the epilogue scan has found, if a call precedes it. Otherwise follows frame pointers. */
static enum step epilogue_step(struct unwinder *u, struct unwind_frame *f, const struct epilogue_scan *way, const struct memory *m)
{
	const struct arch *arch = u->arch;
	uint64_t sp = f->regs[arch->dwarf_sp], fp = 0;
	struct unwind_frame caller = *f;
	enum step step = entry_step(&caller, arch, way->depth, m);

	if (step == STEP_MEMORY && way->is_straight)
		return step;
	if (step != STEP_CALLER || !is_called_before(u, caller.pc) ||
	    (way->fp_at >= 0 && !frame_read_word(m, arch, sp + (uint64_t)way->fp_at, &fp)))
		return frame_pointer_step(f, arch, m, false);
	if (way->pops_others)
		caller.known &= 1ull << arch->dwarf_sp | 1ull << arch->dwarf_fp;
	if (way->fp_at >= 0)
		frame_set(&caller, arch->dwarf_fp, fp);
	*f = caller;
	return STEP_CALLER;
}

/* If @f is at the handler that a callee of deoptimized code returns to, replaces @f's address by the original return address. */
static bool undo_deoptimization(struct unwinder *u, struct unwind_frame *f, const struct memory *m)
{
	struct unwind_frame before = *f;
	struct code code, own;
	uint64_t sp;

	find_code(u, f, &code);
	if (code.kind != CODE_JVM || code.jvm.kind != JVM_DEOPTIMIZED || !frame_reg(f, u->arch->dwarf_sp, &sp) ||
	    !frame_read_word(m, u->arch, sp + code.jvm.depth, &before.pc) || !is_called_before(u, before.pc))
		return false;
	find_code(u, &before, &own);
	if (own.kind != CODE_JVM || own.jvm.code != code.jvm.code)
		return false;
	f->pc = before.pc;
	return true;
}

/* Steps by the size of a compiled frame, as compiled code has no frame pointers, or by the frame pointer of the interpreter. */
static enum step jvm_step(struct unwinder *u, struct unwind_frame *f, const struct jvm_frame *frame, const struct memory *m)
{
	const struct arch *arch = u->arch;
	uint64_t fp = f->regs[arch->dwarf_fp], sp;
	struct unwind_frame caller = *f;
	enum step step;

	if (frame->kind == JVM_INTERPRETER) {
		step = frame_pointer_step(f, arch, m, false);
		if (step == STEP_CALLER && frame_read_word(m, arch, fp - arch->word, &sp) && sp > fp)
			frame_set(f, arch->dwarf_sp, sp);
		if (step == STEP_CALLER)
			undo_deoptimization(u, f, m);
		return step;
	}
	if (frame->kind != JVM_FRAME || !frame_reg(f, arch->dwarf_sp, &sp))
		return STEP_BAD;
	step = entry_step(&caller, arch, frame->depth, m);
	if (step != STEP_CALLER)
		return step;
	if (!undo_deoptimization(u, &caller, m) && !is_called_before(u, caller.pc))
		return STEP_BAD;
	caller.known &= 1ull << arch->dwarf_sp | 1ull << arch->dwarf_fp;
	if (frame->has_fp && !frame_read_word(m, arch, sp + frame->depth - arch->word, &fp))
		return STEP_MEMORY;
	if (frame->has_fp)
		frame_set(&caller, arch->dwarf_fp, fp);
	*f = caller;
	return STEP_CALLER;
}

static enum step next_frame(struct unwinder *u, struct unwind_frame *f, const struct code *code)
{
	const struct memory memory = { read_memory, u };
	uint64_t sp = f->regs[u->arch->dwarf_sp];
	enum step step;

	if (code->kind == CODE_RULE)
		step = frame_step(f, u->arch, &code->place, &memory);
	else if (code->kind == CODE_ENTRY)
		step = step_from_entry(u, f, &code->place, &memory);
	else if (code->kind == CODE_TRAMPOLINE)
		step = trampoline_step(f, u->arch, &memory);
	else if (code->kind == CODE_STUB)
		step = entry_step(f, u->arch, 0, &memory);
	else if (code->kind == CODE_PUSHED_STUB)
		step = entry_step(f, u->arch, stub_push(u->arch), &memory);
	else if (code->kind == CODE_JVM)
		step = jvm_step(u, f, &code->jvm, &memory);
	else if (code->kind == CODE_EPILOGUE)
		step = epilogue_step(u, f, &code->epilogue, &memory);
	else
		step = frame_pointer_step(f, u->arch, &memory, is_leaf(u, f));
	if (step == STEP_CALLER && f->interrupted && f->regs[u->arch->dwarf_sp] - sp > SIGNAL_REACH)
		u->left_stack = true;
	return step;
}

/* Returns the reason why the memory at u->missed is unknown. */
static enum unwound_end missing_memory(const struct unwinder *u)
{
	if (u->left_stack || u->missed - u->sp >= STACK_REACH)
		return UNWOUND_OTHER_STACK;
	return u->in->stack_size < u->in->stack_wanted ? UNWOUND_UNCOPIED : UNWOUND_STACK;
}

/* True if the step to the caller is reliable: by a rule, or for code that was recognized. */
static bool has_tables(const struct code *code)
{
	return code->kind != CODE_NO_RULE && code->kind != CODE_EPILOGUE && code->kind != CODE_JVM;
}

static enum unwound_end end_of(const struct unwinder *u, const struct code *code, enum step step)
{
	enum unwound_end end = UNWOUND_ROOT;

	if (step == STEP_MEMORY)
		end = missing_memory(u);
	else if (step == STEP_BAD)
		end = !has_tables(code) ? UNWOUND_NO_TABLES : UNWOUND_BAD_RULE;
	/* Without tables, a frame pointer that points outside of the stack is invalid. */
	if (!has_tables(code) && end == UNWOUND_OTHER_STACK && !u->left_stack)
		end = UNWOUND_NO_TABLES;
	return end;
}

/*
 * True if a return instruction enters this code, which has called nothing, so that the return address is its first byte. Its unwind
 * tables begin a byte earlier, if there are any, for unwinders that always look up the return address - 1.
 */
static bool is_returned_to(const struct code *code)
{
	return code->kind == CODE_TRAMPOLINE || code->kind == CODE_ENTRY ||
	       (code->kind == CODE_RULE && code->place.rule->flags & RULE_SIGNAL);
}

static void push_frame(const struct unwinder *u, const struct unwind_frame *f, const struct code *code, struct unwound *out)
{
	bool called = !f->interrupted && !is_returned_to(code);

	if (!called && u->in->marks)
		vec_push(&out->ips, PERF_CONTEXT_USER);
	vec_push(&out->ips, f->pc - called);
}

/* x86-64: distance in words below the frame pointer of the interpreted method, and of the place in it (OpenJDK, frame_x86.hpp). */
#define JVM_METHOD_AT	3
#define JVM_PLACE_AT	8

/* For a frame of a JVM's interpreter, appends the address that stands for the interpreted method. */
static void push_method(struct unwinder *u, const struct unwind_frame *f, const struct code *code, struct unwound *out)
{
	uint64_t fp, method, at, address;

	if (code->kind != CODE_JVM || code->jvm.kind != JVM_INTERPRETER || !frame_reg(f, u->arch->dwarf_fp, &fp) ||
	    !read_memory(u, fp - JVM_METHOD_AT * u->arch->word, u->arch->word, &method) ||
	    !read_memory(u, fp - JVM_PLACE_AT * u->arch->word, u->arch->word, &at))
		return;
	address = u->memory->jvm_method(u->memory, code->jvm.code, method, at);
	if (address)
		vec_push(&out->ips, address);
}

/* True if by the rule of @code its function has no caller. */
static bool is_root(const struct code *code)
{
	const struct rule *r = code->place.rule;

	for (uint32_t i = 0; code->kind == CODE_RULE && i < r->nr_saved; i++)
		if (r->saved[i].reg == r->return_reg)
			return r->saved[i].how == SAVED_NOWHERE;
	return false;
}

/*
 * Append the callers of @f, at most @left. The address of @f itself is in @out already, and out->dso is NULL only until @f has been
 * looked up. Most frames cost one lookup in a small cache of unwind rules (lookup.h), and one or two reads of the stack copy.
 */
static enum unwound_end append_callers(struct unwinder *u, struct unwind_frame *f, unsigned left, struct unwound *out)
{
	bool had_rule = true;
	enum step step;
	struct code code;

	for (find_code(u, f, &code); code.kind != CODE_NONE && f->pc < CHAIN_CONTEXT_MAX; find_code(u, f, &code)) {
		if (out->dso && !left--)
			return UNWOUND_DEPTH;
		if (out->dso)
			push_frame(u, f, &code, out);
		push_method(u, f, &code, out);
		out->dso = code.dso;
		out->hides_inlined |= code.kind == CODE_JVM && code.jvm.hides_inlined;
		had_rule = has_tables(&code);
		step = next_frame(u, f, &code);
		u->ends_with_zero = step == STEP_ROOT && code.kind == CODE_RULE && !is_root(&code);
		if (step != STEP_CALLER)
			return end_of(u, &code, step);
	}
	return had_rule ? UNWOUND_NO_CODE : UNWOUND_NO_TABLES;
}

/* ---- beyond the copy of the stack ---- */

/* True if the missing memory, at u->missed, is in the frame record at @fp. */
static bool lacks_record(uint64_t missed, uint64_t fp, unsigned word)
{
	return missed == fp || missed == fp + word;
}

/*
 * Follows the frame pointers in the stack copy along the kernel's chain (in->frame_pointers). If they leave the copy at the memory
 * that unwinding lacked, returns the number of the kernel's next address, with which the chain can continue. Else returns 0.
 */
static uint64_t frames_copied(struct unwinder *u)
{
	const struct words *chain = &u->in->frame_pointers;
	unsigned word = u->arch->word;
	uint64_t missed = u->missed, fp, caller_fp, pc, nr = 1;

	if (!reg_value(u->in, u->arch->dwarf_regs[u->arch->dwarf_fp], &fp))
		return 0;
	for (; nr < chain->nr; nr++) {
		if (!read_memory(u, fp, word, &caller_fp) || !read_memory(u, fp + word, word, &pc))
			return lacks_record(missed, fp, word) ? nr : 0;
		if (pc != words_at(chain, nr))
			return 0;
		fp = caller_fp;
	}
	return 0;
}

/* Continues the chain by at most @left of the kernel's addresses, up to the first one that is not code. */
static void append_kernels(struct unwinder *u, unsigned left, struct unwound *out)
{
	const struct words *chain = &u->in->frame_pointers;
	uint64_t nr = frames_copied(u), pc;
	struct code code;

	for (; nr && nr < chain->nr && left; nr++, left--) {
		pc = words_at(chain, nr);
		if (pc >= CHAIN_CONTEXT_MAX)
			return;
		lookup_code(u->lookup, u->arch, u->in->space, pc, false, &code);
		if (code.kind == CODE_NONE)
			return;
		vec_push(&out->ips, pc - 1);
		out->dso = code.dso;
		if (is_root(&code))
			out->end = UNWOUND_ROOT;
	}
}

/* ---- where tables lead astray ---- */

/* Returns the index of the last address in the kernel's chain that equals @pc; the length of the chain if there is none. */
static uint64_t kernels_number(const struct words *chain, uint64_t pc)
{
	for (uint64_t i = chain->nr; i-- > 0;)
		if (words_at(chain, i) == pc)
			return i;
	return chain->nr;
}

/* True if a nop is just before @pc. A goroutine begins as if the nop at the start of runtime.goexit() had called its function. */
static bool is_after_nop(struct unwinder *u, uint64_t pc)
{
	static const uint8_t nop[] = { 0x90 }, arm_nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
	bool arm = u->arch->family == ARCH_ARM;
	size_t size = arm ? sizeof(arm_nop) : sizeof(nop);
	uint8_t bytes[sizeof(arm_nop)];

	return u->memory->code(u->memory, u->in->space, pc - size, bytes, size) == size &&
	       !memcmp(bytes, arm ? arm_nop : nop, size);
}

/* True if all addresses of the kernel's chain from index @nr on can be return addresses. */
static bool leads_through_calls(struct unwinder *u, uint64_t nr)
{
	const struct words *chain = &u->in->frame_pointers;
	struct code code;

	for (; nr < chain->nr; nr++) {
		uint64_t pc = words_at(chain, nr);

		if (pc >= CHAIN_CONTEXT_MAX)
			return false;
		lookup_code(u->lookup, u->arch, u->in->space, pc, false, &code);
		if (code.kind == CODE_NONE || !(is_called_before(u, pc) || (nr + 1 == chain->nr && is_after_nop(u, pc))))
			return false;
	}
	return true;
}

/*
 * Continues a chain, whose frames begin at @first of @out, by the kernel's frame-pointer chain. Call it if the chain ends in code
 * without tables, or in code that changes to another stack, which tables do not describe (Go's systemstack, asmcgocall). The last
 * frame that both chains have is kept, and frames that tables found after it are wrong. If the chain ends with a zero, its last
 * frame must be in both chains. Then the sample's own address is not enough, because the outermost function of a coroutine still
 * has the frame pointer of its creator.
 */
static void go_on_as_kernel(struct unwinder *u, size_t first, unsigned max_depth, struct unwound *out)
{
	const struct words *chain = &u->in->frame_pointers;
	size_t end = out->ips.nr;
	uint64_t nr = chain->nr;
	struct code code;

	for (; end > first; end--) {
		nr = kernels_number(chain, out->ips.v[end - 1] + (end - 1 > first));
		if (nr < chain->nr || out->end == UNWOUND_ROOT)
			break;
	}
	if (out->end == UNWOUND_ROOT && end == first + 1)
		return;
	if (nr + 1 >= chain->nr || !leads_through_calls(u, nr + 1))
		return;
	out->ips.nr = end;
	for (nr++; nr < chain->nr && out->ips.nr - first < max_depth; nr++) {
		lookup_code(u->lookup, u->arch, u->in->space, words_at(chain, nr), false, &code);
		vec_push(&out->ips, words_at(chain, nr) - 1);
		out->dso = code.dso;
	}
	if (nr < chain->nr)
		out->end = UNWOUND_DEPTH;
	else if (is_root(&code) || is_after_nop(u, words_at(chain, nr - 1)))
		out->end = UNWOUND_ROOT;
}

static bool may_be_astray(const struct unwinder *u, enum unwound_end end)
{
	return end == UNWOUND_NO_TABLES || end == UNWOUND_NO_CODE || end == UNWOUND_BAD_RULE ||
	       (end == UNWOUND_ROOT && u->ends_with_zero);
}

static bool lacks_stack(enum unwound_end end)
{
	return end == UNWOUND_STACK || end == UNWOUND_UNCOPIED || end == UNWOUND_OTHER_STACK;
}

/* ---- samples ---- */

/* The machine's arch; for a 32-bit program on a 64-bit machine, the compat arch. NULL: unknown, or prec cannot unwind it. */
static const struct arch *arch_of(const struct memory_ops *m, uint64_t abi)
{
	const struct arch *arch = m->arch(m);

	if (arch && arch->compat && abi == PERF_SAMPLE_REGS_ABI_32)
		arch = arch->compat;
	return arch && arch->nr_dwarf_regs && arch->nr_dwarf_regs <= UNWIND_REGS ? arch : NULL;
}

unsigned unwinder_frames(struct unwinder *u, const struct unwind_input *in, unsigned max_depth, struct unwound *out)
{
	/* Maximum number of frames in the copy: each has at least a return address of 4 bytes, except for two that may lack it. */
	uint64_t possible = in->stack_size / 4 + 2;
	size_t before = out->ips.nr;
	struct unwind_frame f;

	out->end = UNWOUND_ROOT;
	out->dso = NULL;
	out->hides_inlined = false;
	u->in = in;
	u->arch = arch_of(u->memory, in->abi);
	u->left_stack = u->ends_with_zero = false;
	u->stack_used = out->stack_used = 0;
	if (!u->arch || !max_depth || !first_frame(u, &f) || f.pc >= CHAIN_CONTEXT_MAX)
		return 0;
	vec_push(&out->ips, f.pc);
	out->end = append_callers(u, &f, (unsigned)MIN(max_depth - 1, possible), out);
	/* If there are more frames than the stack can hold, the chain runs in a loop. */
	if (out->end == UNWOUND_DEPTH && max_depth - 1 > possible)
		out->end = UNWOUND_BAD_RULE;
	if (in->frame_pointers.nr && lacks_stack(out->end) && out->ips.nr - before < max_depth)
		append_kernels(u, max_depth - (unsigned)(out->ips.nr - before), out);
	if (in->frame_pointers.nr && may_be_astray(u, out->end))
		go_on_as_kernel(u, before, max_depth, out);
	out->stack_used = u->stack_used;
	return (unsigned)(out->ips.nr - before);
}

/*
 * Makes a frame with only the stack pointer and the link register, and no memory. If the function has saved its return address, its
 * rule has to read the stack, which fails.
 */
uint64_t unwinder_leaf_caller(struct unwinder *u, uint32_t space, uint64_t pc, uint64_t link)
{
	struct unwind_input in = { .space = space, .abi = PERF_SAMPLE_REGS_ABI_64 };
	const struct memory memory = { read_memory, u };	/* no stack: in.stack_size is 0 */
	struct unwind_frame f = { .pc = pc, .interrupted = true };
	struct code code;

	u->in = &in;
	u->sp = 0;
	u->arch = arch_of(u->memory, in.abi);
	if (!u->arch || !u->arch->link_reg)
		return 0;
	frame_set(&f, u->arch->dwarf_sp, 0);
	frame_set(&f, u->arch->link_reg, link);	/* 64-bit: PERF_REG_* number = DWARF number */
	find_code(u, &f, &code);
	if (code.kind != CODE_RULE || frame_step(&f, u->arch, &code.place, &memory) != STEP_CALLER)
		return 0;
	return f.pc - 1;
}

struct unwinder *unwinder_new(const struct memory_ops *m)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	u->memory = m;
	u->lookup = lookup_new(m);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	lookup_free(u->lookup);
	free(u);
}
