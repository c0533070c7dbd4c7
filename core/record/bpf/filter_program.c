/*
 * Compiles a filter of samples (--filter of an ordinary event) to a BPF program, and loads the program into the kernel.
 * core/record/events/sample_filter.c parses the filter.
 */
#include "core/record/bpf/filter_program.h"

#include <errno.h>
#include <linux/bpf_perf_event.h>
#include <stddef.h>
#include <string.h>

#include "core/base/bpf_call.h"
#include "core/base/cpus.h"
#include "core/base/log.h"
#include "core/record/events/sample_filter.h"
#include "core/native.h"
#include "core/record/bpf/bpf_refusal.h"

#define LOG_BYTES	(256u << 10)

struct jump { size_t at; uint32_t label; };	/* .at: index of a jump instruction; .label: its target */

struct compiler {
	struct bpf_code *out;
	const struct sample_filter *filter;
	VEC(size_t) labels;		/* by label: index of the instruction after it */
	VEC(struct jump) jumps;
};

static void put(struct compiler *c, struct bpf_insn i)
{
	vec_push(&c->out->insns, i);
}

static void put_alu(struct compiler *c, uint8_t code, uint8_t dst, uint8_t src, int32_t imm)
{
	put(c, (struct bpf_insn){ .code = code, .dst_reg = dst & 15, .src_reg = src & 15, .imm = imm });
}

/* Appends the two instructions that load a 64-bit number. @src is the kind of number: 0, or BPF_PSEUDO_MAP_FD. */
static void put_number(struct compiler *c, uint8_t dst, uint8_t src, uint64_t v)
{
	put_alu(c, BPF_LD | BPF_DW | BPF_IMM, dst, src, (int32_t)(uint32_t)v);
	put_alu(c, 0, 0, 0, (int32_t)(uint32_t)(v >> 32));
}

static void put_load(struct compiler *c, size_t offset)
{
	put(c, (struct bpf_insn){ .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_6,
				  .off = (int16_t)offset });
}

static void put_call(struct compiler *c, int32_t helper)
{
	put_alu(c, BPF_JMP | BPF_CALL, 0, 0, helper);
}

/* Calls a helper whose result has two 32-bit numbers, and takes one of them. */
static void put_half(struct compiler *c, int32_t helper, bool high)
{
	put_call(c, helper);
	if (high)
		put_alu(c, BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 32);
	else
		put_alu(c, BPF_ALU | BPF_MOV | BPF_X, BPF_REG_0, BPF_REG_0, 0);
}

static void put_term(struct compiler *c, uint8_t term)
{
	switch ((enum filter_term)term) {
	case FILTER_IP: put_load(c, native.bpf_ip); break;
	case FILTER_PERIOD: put_load(c, offsetof(struct bpf_perf_event_data, sample_period)); break;
	case FILTER_ADDR: put_load(c, offsetof(struct bpf_perf_event_data, addr)); break;
	case FILTER_PID: put_half(c, BPF_FUNC_get_current_pid_tgid, true); break;
	case FILTER_TID: put_half(c, BPF_FUNC_get_current_pid_tgid, false); break;
	case FILTER_UID: put_half(c, BPF_FUNC_get_current_uid_gid, false); break;
	case FILTER_GID: put_half(c, BPF_FUNC_get_current_uid_gid, true); break;
	case FILTER_CPU: put_half(c, BPF_FUNC_get_smp_processor_id, false); break;
	case FILTER_CGROUP: put_call(c, BPF_FUNC_get_current_cgroup_id); break;
	case NR_FILTER_TERMS: break;
	}
}

/* ---- jumps ---- */

static uint32_t new_label(struct compiler *c)
{
	vec_push(&c->labels, (size_t)0);
	return (uint32_t)c->labels.nr - 1;
}

static void place_label(struct compiler *c, uint32_t label)
{
	c->labels.v[label] = c->out->insns.nr;
}

static void put_jump(struct compiler *c, uint8_t operation, uint32_t label)
{
	vec_push(&c->jumps, (struct jump){ c->out->insns.nr, label });
	put(c, (struct bpf_insn){ .code = BPF_JMP | operation | (operation == BPF_JA ? BPF_K : BPF_X), .src_reg =
				  operation == BPF_JA ? 0 : BPF_REG_1 });
}

/* ---- the program ---- */

/*
 * A comparison such as "cpu < 4" loads its left side into r0 and its number into r1, and jumps to the label for "true" or the label
 * for "false". The operators "and" and "or" only choose the labels of their operands. All jumps go forward, because the verifier of
 * old kernels requires it. r6 holds the program's context.
 */
static void compile_node(struct compiler *c, uint32_t number, uint32_t yes, uint32_t no)
{
	static const uint8_t operations[] = {
		[FILTER_EQ] = BPF_JEQ, [FILTER_NE] = BPF_JNE, [FILTER_GT] = BPF_JGT, [FILTER_GE] = BPF_JGE,
		[FILTER_BITS] = BPF_JSET,
		[FILTER_LT] = BPF_JGE, [FILTER_LE] = BPF_JGT,	/* with yes and no exchanged, because JLT and JLE need Linux 4.14 */
	};
	const struct filter_node *n = &c->filter->nodes.v[number];
	bool opposite = n->operator == FILTER_LT || n->operator == FILTER_LE;
	uint32_t middle;

	if (n->kind == FILTER_TEST) {
		put_term(c, n->term);
		put_number(c, BPF_REG_1, 0, n->value);
		put_jump(c, operations[n->operator], opposite ? no : yes);
		put_jump(c, BPF_JA, opposite ? yes : no);
		return;
	}
	middle = new_label(c);
	compile_node(c, n->left, n->kind == FILTER_AND ? middle : yes, n->kind == FILTER_AND ? no : middle);
	place_label(c, middle);
	compile_node(c, n->right, yes, no);
}

static void put_end(struct compiler *c, int32_t value)
{
	put_alu(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, value);
	put_alu(c, BPF_JMP | BPF_EXIT, 0, 0, 0);
}

static void put_drop(struct compiler *c, int map)
{
	uint32_t end = new_label(c);

	put(c, (struct bpf_insn){ .code = BPF_ST | BPF_W | BPF_MEM, .dst_reg = BPF_REG_10, .off = -4, .imm = 0 });
	put_alu(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0);
	put_alu(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, -4);
	put_number(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, (uint32_t)map);
	put_call(c, BPF_FUNC_map_lookup_elem);
	put_alu(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0);
	put_jump(c, BPF_JEQ, end);
	put(c, (struct bpf_insn){ .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0 });
	put_alu(c, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 1);
	put(c, (struct bpf_insn){ .code = BPF_STX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1 });
	place_label(c, end);
	put_end(c, 0);
}

void filter_program_compile(struct bpf_code *out, const struct sample_filter *f, int map)
{
	struct compiler c = { .out = out, .filter = f };
	uint32_t yes = new_label(&c), no = new_label(&c);

	put_alu(&c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0);
	compile_node(&c, (uint32_t)f->nodes.nr - 1, yes, no);
	place_label(&c, no);
	put_drop(&c, map);
	place_label(&c, yes);
	put_end(&c, 1);
	vec_for(jump, &c.jumps)
		c.out->insns.v[jump->at].off = (int16_t)(c.labels.v[jump->label] - jump->at - 1);
	vec_free(&c.labels);
	vec_free(&c.jumps);
}

/* ---- in the kernel ---- */

static int make_map(void)
{
	union bpf_attr a = {
		.map_type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_size = sizeof(uint32_t), .value_size = sizeof(uint64_t),
		.max_entries = 1,
	};

	memcpy(a.map_name, "dropped", sizeof("dropped"));
	return bpf_call(BPF_MAP_CREATE, &a);
}

/* Loads the program. @log has LOG_BYTES for the verifier's log. */
static int load(const struct bpf_code *code, char *log)
{
	union bpf_attr a = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT, .insns = (uintptr_t)code->insns.v, .insn_cnt = (uint32_t)code->insns.nr,
		.license = (uintptr_t)"GPL",
	};
	int fd;

	memcpy(a.prog_name, "prec_filter", sizeof("prec_filter"));
	fd = bpf_call(BPF_PROG_LOAD, &a);
	if (fd >= 0 || errno == EPERM)
		return fd;
	a.log_level = 1;
	a.log_size = LOG_BYTES;
	a.log_buf = (uintptr_t)log;
	return bpf_call(BPF_PROG_LOAD, &a);
}

/* The alternative to a filter in the kernel, for bpf_refusal_print(). */
#define WITHOUT	"record all samples without --filter, and choose among them with prec script or report"

/* Compiles and loads @f, without a message if @event is NULL. Returns 0 or -1. */
static int load_code(struct filter_program *out, const struct sample_filter *f, const char *event)
{
	struct bpf_code code = {0};
	char *log = xcalloc(1, LOG_BYTES);
	int err;

	out->map = make_map();
	if (out->map >= 0) {
		filter_program_compile(&code, f, out->map);
		out->program = load(&code, log);
	}
	err = out->program < 0 ? -1 : 0;
	if (err && event)
		bpf_refusal_print("the filter", event, errno, log, WITHOUT);
	if (err)
		filter_program_close(out);
	vec_free(&code.insns);
	free(log);
	return err;
}

int filter_program_load(struct filter_program *out, const char *filter, const char *event)
{
	struct sample_filter f;
	char *why;
	int err;

	*out = (struct filter_program){ -1, -1 };
	if (sample_filter_parse(&f, filter, &why)) {
		err = error("filter '%s' of event '%s': %s", filter, event, why);
		free(why);
		return err;
	}
	if (!native.bpf_ip)
		err = error("filter '%s' of event '%s': prec cannot filter samples on this architecture", filter, event);
	else
		err = load_code(out, &f, event);
	vec_free(&f.nodes);
	return err;
}

void filter_program_close(struct filter_program *p)
{
	if (p->map >= 0)
		close(p->map);
	if (p->program >= 0)
		close(p->program);
	*p = (struct filter_program){ -1, -1 };
}

bool filter_programs_allowed(void)
{
	struct filter_program p = { -1, -1 };
	struct sample_filter f;
	char *why;
	bool allowed;

	if (!native.bpf_ip || sample_filter_parse(&f, "uid == 0", &why))
		return false;
	allowed = !load_code(&p, &f, NULL);
	vec_free(&f.nodes);
	filter_program_close(&p);
	return allowed;
}

uint64_t *filter_program_dropped(const struct filter_program *p, unsigned *nr)
{
	uint32_t key = 0;
	union bpf_attr a = { .map_fd = (uint32_t)p->map, .key = (uintptr_t)&key };
	uint64_t *counts, *all;
	struct cpus possible;

	if (p->map < 0 || cpus_possible(&possible))
		return NULL;
	counts = xcalloc(possible.list.nr + 1, sizeof(*counts));
	all = xcalloc(*nr = possible.list.nr ? (unsigned)possible.list.v[possible.list.nr - 1] + 1 : 1, sizeof(*all));
	a.value = (uintptr_t)counts;
	if (!bpf_call(BPF_MAP_LOOKUP_ELEM, &a))
		for (size_t i = 0; i < possible.list.nr; i++)
			all[possible.list.v[i]] = counts[i];
	free(counts);
	cpus_release(&possible);
	return all;
}
