/*
 * Programs of filters, run by an interpreter of the instructions that they have, decide as the filters' trees do and count what
 * they drop: random filters on random samples, whose numbers are often those of the filter. And what is no filter is refused.
 */
#include "core/record/bpf/filter_program.h"

#include <linux/bpf_perf_event.h>
#include <stddef.h>

#include "core/base/buf.h"
#include "core/record/events/sample_filter.h"
#include "core/native.h"
#include "tests/unit/check.h"

#define ROUNDS	20000u
#define STACK	512u
#define MAP	77

/* ---- a machine ---- */

struct cpu {
	uint64_t regs[11];
	union { struct bpf_perf_event_data data; uint8_t bytes[sizeof(struct bpf_perf_event_data)]; } ctx;
	uint8_t stack[STACK];
	uint64_t terms[NR_FILTER_TERMS];
	uint64_t dropped;
};

static bool call(struct cpu *c, int32_t helper)
{
	switch (helper) {
	case BPF_FUNC_get_current_pid_tgid: c->regs[0] = c->terms[FILTER_PID] << 32 | c->terms[FILTER_TID]; break;
	case BPF_FUNC_get_current_uid_gid: c->regs[0] = c->terms[FILTER_GID] << 32 | c->terms[FILTER_UID]; break;
	case BPF_FUNC_get_smp_processor_id: c->regs[0] = c->terms[FILTER_CPU]; break;
	case BPF_FUNC_get_current_cgroup_id: c->regs[0] = c->terms[FILTER_CGROUP]; break;
	case BPF_FUNC_map_lookup_elem:
		if (c->regs[1] != MAP || *(uint32_t *)(uintptr_t)c->regs[2])
			return false;
		c->regs[0] = (uintptr_t)&c->dropped;
		break;
	default: return false;
	}
	for (unsigned i = 1; i <= 5; i++)	/* a helper leaves nothing in them */
		c->regs[i] = 0xdeadbeefdeadbeefull;
	return true;
}

static bool jumps(const struct bpf_insn *i, uint64_t a, uint64_t b)
{
	switch (BPF_OP(i->code)) {
	case BPF_JA: return true;
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JSET: return a & b;
	default: check_failed(__FILE__, __LINE__, "a jump", "%02x", i->code); return false;
	}
}

static void compute(uint64_t *dst, const struct bpf_insn *i, uint64_t with)
{
	bool narrow = BPF_CLASS(i->code) == BPF_ALU;

	switch (BPF_OP(i->code)) {
	case BPF_MOV: *dst = with; break;
	case BPF_ADD: *dst += with; break;
	case BPF_RSH: *dst >>= with; break;
	default: check_failed(__FILE__, __LINE__, "an operation", "%02x", i->code);
	}
	*dst = narrow ? (uint32_t)*dst : *dst;
}

/* Returns what the program does; jumps back, which old kernels refuse, end the test. */
static uint64_t run(struct cpu *c, const struct bpf_code *code)
{
	c->regs[1] = (uintptr_t)&c->ctx;
	c->regs[10] = (uintptr_t)c->stack + STACK;
	for (size_t at = 0; at < code->insns.nr; at++) {
		const struct bpf_insn *i = &code->insns.v[at];
		uint64_t *dst = &c->regs[i->dst_reg], src = BPF_SRC(i->code) == BPF_X ? c->regs[i->src_reg] : (uint64_t)i->imm;

		switch (BPF_CLASS(i->code)) {
		case BPF_ALU:
		case BPF_ALU64:
			compute(dst, i, src);
			break;
		case BPF_LD:
			*dst = (uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32;
			at++;
			break;
		case BPF_LDX:
			*dst = *(uint64_t *)(uintptr_t)(c->regs[i->src_reg] + (uint64_t)i->off);
			break;
		case BPF_ST:
			*(uint32_t *)(uintptr_t)(*dst + (uint64_t)i->off) = (uint32_t)i->imm;
			break;
		case BPF_STX:
			*(uint64_t *)(uintptr_t)(*dst + (uint64_t)i->off) = src;
			break;
		default:
			if (BPF_OP(i->code) == BPF_EXIT)
				return c->regs[0];
			if (BPF_OP(i->code) == BPF_CALL) {
				CHECK(call(c, i->imm), "helper %d", i->imm);
				break;
			}
			CHECK(i->off >= 0, "a jump back");
			at += jumps(i, *dst, src) ? (size_t)i->off : 0;
		}
	}
	check_failed(__FILE__, __LINE__, "an exit", "%s", "");
	return 0;
}

/* ---- filters ---- */

static bool matches(const struct sample_filter *f, uint32_t number, const uint64_t *terms)
{
	const struct filter_node *n = &f->nodes.v[number];

	if (n->kind == FILTER_AND)
		return matches(f, n->left, terms) && matches(f, n->right, terms);
	if (n->kind == FILTER_OR)
		return matches(f, n->left, terms) || matches(f, n->right, terms);
	switch ((enum filter_operator)n->operator) {
	case FILTER_EQ: return terms[n->term] == n->value;
	case FILTER_NE: return terms[n->term] != n->value;
	case FILTER_LT: return terms[n->term] < n->value;
	case FILTER_LE: return terms[n->term] <= n->value;
	case FILTER_GT: return terms[n->term] > n->value;
	case FILTER_GE: return terms[n->term] >= n->value;
	case FILTER_BITS: return terms[n->term] & n->value;
	}
	return false;
}

static const char *const names[NR_FILTER_TERMS] = { "ip", "pid", "tid", "cpu", "period", "addr", "uid", "gid", "cgroup" };

static bool is_wide(unsigned term)
{
	return term == FILTER_IP || term == FILTER_PERIOD || term == FILTER_ADDR || term == FILTER_CGROUP;
}

static uint64_t random_number(uint64_t *seed, unsigned term)
{
	static const uint64_t edges[] = { 0, 1, 42, 1000, 0x7fffffff, 0x80000000, 0xffffffff };
	static const uint64_t wide[] = { 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, UINT64_MAX };

	if (is_wide(term) && random_below(seed, 2))
		return wide[random_below(seed, ARRAY_SIZE(wide))];
	return edges[random_below(seed, ARRAY_SIZE(edges))];
}

/* Text of a random filter, and the same as a tree, whose nodes are joined as the text says by its parentheses. */
static uint32_t random_filter(uint64_t *seed, unsigned depth, struct buf *text, struct sample_filter *tree)
{
	static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	static const char *const joints[] = { " && ", " || ", ", " };
	struct filter_node n = { .kind = FILTER_TEST };

	if (depth && random_below(seed, 4)) {
		unsigned joint = (unsigned)random_below(seed, ARRAY_SIZE(joints));

		n.kind = joint == 1 ? FILTER_OR : FILTER_AND;
		buf_puts(text, "(");
		n.left = random_filter(seed, depth - 1, text, tree);
		buf_puts(text, joints[joint]);
		n.right = random_filter(seed, depth - 1, text, tree);
		buf_puts(text, ")");
	} else {
		n.term = (uint8_t)random_below(seed, NR_FILTER_TERMS);
		n.operator = (uint8_t)random_below(seed, ARRAY_SIZE(operators));
		n.value = random_number(seed, n.term);
		buf_printf(text, random_below(seed, 2) ? "%s%s%" PRIu64 : "%s %s 0x%" PRIx64, names[n.term], operators[n.operator],
			   n.value);
	}
	vec_push(&tree->nodes, n);
	return (uint32_t)tree->nodes.nr - 1;
}

static void check_one(uint64_t *seed, const struct bpf_code *code, const struct sample_filter *tree, const char *text)
{
	struct cpu c = {0};
	uint64_t want, got;

	for (unsigned t = 0; t < NR_FILTER_TERMS; t++)
		c.terms[t] = random_number(seed, t);
	c.ctx.data.sample_period = c.terms[FILTER_PERIOD];
	c.ctx.data.addr = c.terms[FILTER_ADDR];
	memcpy(c.ctx.bytes + native.bpf_ip, &c.terms[FILTER_IP], sizeof(uint64_t));
	want = matches(tree, (uint32_t)tree->nodes.nr - 1, c.terms);
	got = run(&c, code);
	CHECK(got == want && c.dropped == !want, "%s gives %" PRIu64, text, got);
}

static void check_random(uint64_t *seed)
{
	struct sample_filter tree = {0}, parsed;
	struct buf text = {0};
	struct bpf_code code = {0};
	char *why;

	random_filter(seed, 5, &text, &tree);
	CHECK(!sample_filter_parse(&parsed, buf_str(&text), &why), "%s: %s", buf_str(&text), why);
	filter_program_compile(&code, &parsed, MAP);
	for (unsigned i = 0; i < 8; i++)
		check_one(seed, &code, &tree, buf_str(&text));
	vec_free(&tree.nodes);
	vec_free(&parsed.nodes);
	vec_free(&code.insns);
	buf_release(&text);
}

/* Precedence without parentheses. */
static void check_same(const char *a, const char *b)
{
	struct sample_filter x, y;
	struct bpf_code p = {0}, q = {0};
	char *why;

	CHECK(!sample_filter_parse(&x, a, &why) && !sample_filter_parse(&y, b, &why), "%s, %s", a, b);
	filter_program_compile(&p, &x, MAP);
	filter_program_compile(&q, &y, MAP);
	CHECK(p.insns.nr == q.insns.nr && !memcmp(p.insns.v, q.insns.v, p.insns.nr * sizeof(*p.insns.v)), "'%s' is not '%s'", a, b);
	vec_free(&x.nodes);
	vec_free(&y.nodes);
	vec_free(&p.insns);
	vec_free(&q.insns);
}

static void check_refused(const char *text, const char *what)
{
	struct sample_filter f;
	char *why = NULL;

	CHECK(sample_filter_parse(&f, text, &why) && why && strstr(why, what), "'%s': %s", text, why ? why : "is taken");
	free(why);
}

int main(void)
{
	uint64_t seed = 3;

	if (!native.bpf_ip)
		return 77;
	for (unsigned i = 0; i < ROUNDS; i++)
		check_random(&seed);
	check_same("pid == 1, tid == 2 || tid == 3", "pid == 1 && (tid == 2 || tid == 3)");
	check_same("pid==1||tid==2&&tid==3", "pid == 1 || (tid == 2 && tid == 3)");
	check_same("addr >= 4K", "addr >= 4096");
	check_same("ip & 0x10 && pid == 1", "(ip & 0x10) && (pid == 1)");
	check_refused("", "a term");
	check_refused("pid", "an operator");
	check_refused("pid = 1", "an operator");
	check_refused("pid == -1", "a number");
	check_refused("pid == 0x10000000000000000", "a number");
	check_refused("pid == 17179869184G", "a number");
	check_refused("pid == 1 tid == 2", "'&&', '||', ',' or the end");
	check_refused("(pid == 1", "')'");
	check_refused("pid == 1)", "the end");
	check_refused("weight > 3", "cannot be filtered by while recording");
	check_refused("pid == 1 ||", "a term");
	return nr_failed != 0;
}
