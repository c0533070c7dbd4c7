/*
 * Builds a small BPF program for each CPU's event of a kprobe or uprobe. Each hit of the probe runs all these programs, and only
 * the one for the current CPU tail-calls the user's program (--bpf).
 */
#include "core/record/bpf/bpf_gate.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/base/bpf_call.h"
#include "core/base/util.h"

#define X(c, dst, src, offset, number) { .code = (c), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (number) }

int bpf_gate_map(int program)
{
	uint32_t key = 0, value = (uint32_t)program;
	union bpf_attr make = {
		.map_type = BPF_MAP_TYPE_PROG_ARRAY, .key_size = sizeof(key), .value_size = sizeof(value), .max_entries = 1,
	};
	union bpf_attr put = { .key = (uintptr_t)&key, .value = (uintptr_t)&value };
	int fd = bpf_call(BPF_MAP_CREATE, &make), err;

	if (fd < 0)
		return -errno;
	put.map_fd = (uint32_t)fd;
	if (!bpf_call(BPF_MAP_UPDATE_ELEM, &put))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int bpf_gate_load(int map, int cpu)
{
	const struct bpf_insn code[] = {
		X(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0),
		X(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id),
		X(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 7, cpu),
		X(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0),
		X(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_2, BPF_PSEUDO_MAP_FD, 0, map), { 0 },
		X(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, 0),
		X(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_tail_call),
		/* The tail call failed, because there were too many in a row. */
		X(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
		X(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
		X(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		X(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr a = {
		.prog_type = BPF_PROG_TYPE_KPROBE, .insns = (uintptr_t)code, .insn_cnt = ARRAY_SIZE(code),
		.license = (uintptr_t)"GPL",
	};
	int fd;

	memcpy(a.prog_name, "prec_gate", sizeof("prec_gate"));
	fd = bpf_call(BPF_PROG_LOAD, &a);
	return fd < 0 ? -errno : fd;
}
