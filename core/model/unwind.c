/*
 * Unwinding by libdwfl.
 *
 * libdwfl wants to know the modules of a process; here they are told one by one, when the first address in one is met,
 * so that a process of a thousand libraries costs no more than those that are in its chains. A module is found by its
 * *span*, the addresses around one for which the machine's answer is the same. Spans and modules are kept for the
 * address spaces that were seen last.
 * Layer: model
 */
#include "core/model/unwind.h"

#include <elfutils/libdwfl.h>
#include <endian.h>
#include <fcntl.h>
#include <string.h>

#include "core/arch.h"
#include "core/base/file.h"
#include "core/format/abi.h"
#include "core/model/machine.h"

#define STACK_REACH	(1ull << 30)	/* above the stack pointer: still the stack, whose end nobody recorded */
#define NR_PROCESSES	16	/* kept at a time: each has its files open */
#define SPANS_MAX	4096	/* of a process; then it is begun anew: no program has so many in its chains */
#define NR_REGS_MAX	32	/* DWARF registers of any architecture here */

struct span {
	struct ip_span ips;
	Dwfl_Module *module;	/* owned by the process's Dwfl; NULL: nothing to unwind by */
};

struct process {		/* an address space, as libdwfl knows it */
	uint32_t space;
	uint64_t used;		/* when: the unwinder's .now; 0: never, nothing is here */
	const struct arch *arch;
	Dwfl *dwfl;
	bool attached;
	VEC(struct span) spans;
};

struct unwinder {
	const struct machine *machine;
	struct process processes[NR_PROCESSES];
	uint64_t now;		/* counts samples */
	/* The sample at hand. */
	struct process *process;
	const struct unwind_input *in;
	struct unwound *out;
	unsigned left;		/* frames that may yet be added */
	bool all_wanted;	/* no more than were asked for are possible: what is above is a loop */
	bool ran_out;		/* what was read since the last frame is behind the copy of the stack */
	uint64_t sp, pc;
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

/* All machines with a row of DWARF registers are little-endian. */
static uint64_t word_at(const uint8_t *p, bool wide)
{
	uint64_t v64;
	uint32_t v32;

	if (wide) {
		memcpy(&v64, p, sizeof(v64));
		return le64toh(v64);
	}
	memcpy(&v32, p, sizeof(v32));
	return le32toh(v32);
}

static Dwfl_Module *module_at(struct unwinder *u, uint64_t ip);

/* Beside the stack only what a file has is known. */
static bool read_file_word(struct unwinder *u, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct map *map = machine_map(u->machine, u->in->space, addr);
	Dwfl_Module *module = map ? module_at(u, addr) : NULL;
	uint64_t at = map ? addr - map->start + map->pgoff : 0;
	GElf_Addr bias;
	const char *bytes;
	size_t length;
	Elf *elf;

	if (!module || addr >= map->end || map->end - addr < size)
		return false;
	elf = dwfl_module_getelf(module, &bias);
	bytes = elf ? elf_rawfile(elf, &length) : NULL;
	if (!bytes || length < size || at > length - size)
		return false;
	*value = word_at((const uint8_t *)bytes + at, size == 8);
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct unwinder *u = arg;
	unsigned size = u->in->abi == PERF_SAMPLE_REGS_ABI_32 ? 4 : 8;
	uint64_t at = addr - u->sp, value;

	(void)dwfl;
	if (u->in->stack_size >= size && at <= u->in->stack_size - size) {
		*result = word_at(u->in->stack + at, size == 8);
		return true;
	}
	if (!read_file_word(u, addr, size, &value)) {
		u->ran_out |= addr >= u->sp && at < STACK_REACH;
		return false;
	}
	*result = value;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct unwinder *u = arg;
	const struct arch *arch = u->process->arch;
	Dwarf_Word values[NR_REGS_MAX] = {0};
	uint64_t value;

	for (unsigned i = 0; i < arch->nr_dwarf_regs; i++)
		if (reg_value(u->in, arch->dwarf_regs[i], &value))
			values[i] = value;
	dwfl_thread_state_register_pc(thread, u->pc);
	return dwfl_thread_state_registers(thread, 0, arch->nr_dwarf_regs, values);
}

/* A process has one thread for libdwfl: the sample's. */
static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)tid;
	*thread_arg = arg;
	return true;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	bool first = !*thread_arg;

	(void)dwfl;
	*thread_arg = arg;
	return first;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread, .get_thread = get_thread, .memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* ---- modules ---- */

/* The file with the debug information is the one that lines are found in; nothing is looked for elsewhere. */
static int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
			   const char *link, GElf_Word link_crc, char **out)
{
	const struct dso *dso = *data;

	(void)module, (void)name, (void)base, (void)file, (void)link, (void)link_crc, (void)out;
	return dso && dso->dwarf_file ? open(dso->dwarf_file, O_RDONLY | O_CLOEXEC) : -1;
}

/* Modules are told with their file. */
static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static const Dwfl_Callbacks file_callbacks = { .find_elf = find_no_elf, .find_debuginfo = find_debug_file };

static Dwfl_Module *tell_module(struct unwinder *u, uint64_t ip)
{
	struct process *p = u->process;
	Dwfl_Module *module;
	struct addr_location al;
	void **data;

	machine_resolve(u->machine, p->space, ip, &al);
	if (!al.dso || !al.dso->file || (al.dso->kind != DSO_USER && al.dso->kind != DSO_VDSO))
		return NULL;
	module = dwfl_report_elf(p->dwfl, al.dso->name, al.dso->file, -1, ip - al.addr, true);
	/* A file that claims addresses of others cannot be unwound by. */
	if (!module || dwfl_addrmodule(p->dwfl, ip) != module)
		return NULL;
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = (void *)(uintptr_t)al.dso;
	return module;
}

static Dwfl_Module *module_at(struct unwinder *u, uint64_t ip)
{
	struct process *p = u->process;
	struct span span;

	vec_for(s, &p->spans)
		if (ip >= s->ips.from && ip < s->ips.to)
			return s->module;
	if (p->spans.nr >= SPANS_MAX)
		return NULL;
	machine_map_span(u->machine, p->space, ip, &span.ips);
	span.module = tell_module(u, ip);
	vec_push(&p->spans, span);
	return span.module;
}

/* ---- processes ---- */

static void forget(struct process *p)
{
	if (p->dwfl)
		dwfl_end(p->dwfl);
	vec_free(&p->spans);
	*p = (struct process){0};
}

/* The machine's own, or for a program of 32 bits the one that it is one of; NULL: not known, or not to be unwound. */
static const struct arch *arch_of(const struct machine *m, uint64_t abi)
{
	const struct arch *arch = machine_arch(m);

	if (arch && arch->compat && abi == PERF_SAMPLE_REGS_ABI_32)
		arch = arch->compat;
	return arch && arch->nr_dwarf_regs && arch->nr_dwarf_regs <= NR_REGS_MAX ? arch : NULL;
}

/* The process of a space, begun where it is not one of those kept. */
static struct process *process_of(struct unwinder *u, uint32_t space, const struct arch *arch)
{
	struct process *oldest = u->processes;

	u->now++;
	for (struct process *p = u->processes; p < u->processes + NR_PROCESSES; p++) {
		if (p->used && p->space == space && p->arch == arch && p->spans.nr < SPANS_MAX) {
			p->used = u->now;
			return p;
		}
		if (p->used < oldest->used)
			oldest = p;
	}
	forget(oldest);
	*oldest = (struct process){ .space = space, .arch = arch, .used = u->now, .dwfl = dwfl_begin(&file_callbacks) };
	return oldest;
}

/* ---- frames ---- */

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwinder *u = arg;
	bool interrupted;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	u->ran_out = false;
	/* Whether it was interrupted there, rather than that it called, its caller's tables say: they are to be known. */
	module_at(u, pc);
	if (!dwfl_frame_pc(frame, &pc, &interrupted))
		return DWARF_CB_ABORT;
	pc -= !interrupted;
	if (!u->left) {
		u->out->end = u->all_wanted ? UNWOUND_WHOLE : UNWOUND_DEPTH;
		return DWARF_CB_ABORT;
	}
	if (pc >= CHAIN_CONTEXT_MAX)	/* no address, but a marker in a chain */
		return DWARF_CB_ABORT;
	vec_push(&u->out->ips, pc);
	u->left--;
	return DWARF_CB_OK;
}

/* libdwfl finds out the machine by the first module, so that there must be one. */
static bool attach(struct unwinder *u)
{
	struct process *p = u->process;

	/* Asked each time, so that what a sample shows does not depend on those before. */
	if (!p->dwfl || !module_at(u, u->pc))
		return false;
	if (!p->attached)
		p->attached = dwfl_attach_state(p->dwfl, NULL, 1, &thread_callbacks, u);
	return p->attached;
}

unsigned unwinder_frames(struct unwinder *u, const struct unwind_input *in, unsigned max_depth, struct unwound *out)
{
	const struct arch *arch = arch_of(u->machine, in->abi);
	size_t before = out->ips.nr;

	out->end = UNWOUND_WHOLE;
	if (!arch || !max_depth || !reg_value(in, arch->pc_reg, &u->pc) || !reg_value(in, arch->sp_reg, &u->sp))
		return 0;
	u->in = in;
	u->out = out;
	/* A call leaves at least its return address; only the innermost may have left none, or one in a register. */
	u->all_wanted = max_depth > in->stack_size / 4 + 2;
	u->left = u->all_wanted ? (unsigned)(in->stack_size / 4 + 2) : max_depth;
	u->process = process_of(u, in->space, arch);
	u->ran_out = false;
	if (attach(u))
		dwfl_getthread_frames(u->process->dwfl, 1, take_frame, u);
	if (u->ran_out)
		out->end = UNWOUND_STACK;
	return (unsigned)(out->ips.nr - before);
}

/*
 * Of the registers only these two are known. Where the caller's address was saved it is on the stack, which is not, so that
 * nothing is found.
 */
uint64_t unwinder_leaf_caller(struct unwinder *u, uint32_t space, uint64_t pc, uint64_t link)
{
	const struct arch *arch = arch_of(u->machine, PERF_SAMPLE_REGS_ABI_64);
	uint64_t values[3] = { link, 0, pc };	/* by number: the link register comes before the stack's, and that before the pc */
	struct unwind_input in = {
		.space = space, .abi = PERF_SAMPLE_REGS_ABI_64,
		.regs = { .nr = ARRAY_SIZE(values), .data = (const uint8_t *)values },
	};
	struct unwound found = {0};
	uint64_t caller = 0;

	if (!arch || !arch->link_reg || arch->link_reg > arch->sp_reg || arch->sp_reg > arch->pc_reg)
		return 0;
	in.mask = 1ull << arch->link_reg | 1ull << arch->sp_reg | 1ull << arch->pc_reg;
	if (unwinder_frames(u, &in, 2, &found) == 2)
		caller = found.ips.v[1];
	vec_free(&found.ips);
	return caller;
}

struct unwinder *unwinder_new(const struct machine *m)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	/* libdwfl keeps files open; one that cannot be would end chains. */
	raise_file_limit();
	u->machine = m;
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < NR_PROCESSES; i++)
		forget(&u->processes[i]);
	free(u);
}
