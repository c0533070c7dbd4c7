/*
 * bpf NAME [stay]: loads a BPF program of that name (of 15 characters at most) that does nothing, and unloads it again;
 * with "stay", when it is killed. Prints its id:
 *	bpf ID
 * Exit status 77: the kernel does not let us.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

int main(int argc, char **argv)
{
	/* r0 = 0; exit */
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 }, { .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2, .insns = (uintptr_t)code,
		.license = (uintptr_t)"GPL",
	};
	struct bpf_prog_info info = {0};
	union bpf_attr ask = { .info = { .info_len = sizeof(info), .info = (uintptr_t)&info } };
	long fd;

	strncpy(load.prog_name, argc > 1 ? argv[1] : "nothing", sizeof(load.prog_name) - 1);
	fd = bpf(BPF_PROG_LOAD, &load);
	if (fd < 0) {
		perror("bpf");
		return 77;
	}
	ask.info.bpf_fd = (uint32_t)fd;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &ask)) {
		perror("bpf");
		return 77;
	}
	printf("bpf %u\n", info.id);
	fflush(stdout);
	if (argc > 2)
		pause();
	return 0;
}
