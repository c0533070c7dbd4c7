/*
 * A plugin of QEMU's: which instructions a program executes, the address of each as a line of hexadecimal digits.
 *
 *	qemu-aarch64 -plugin LIBRARY,log=PATH PROGRAM
 *
 * What it needs of QEMU is declared here, for Debian has no header of it (docs/devel/tcg-plugins.rst of QEMU 7.2).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
typedef uint64_t plugin_id;

enum { NO_REGISTERS = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*at_exit)(plugin_id id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*executed)(unsigned cpu, void *data),
					    int registers, void *data);

VISIBLE int qemu_plugin_version = 1;

static FILE *out;

static void executed(unsigned cpu, void *address)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t ip = (uintptr_t)address;
	char line[17];
	unsigned at = sizeof(line);

	(void)cpu;
	line[--at] = '\n';
	do {
		line[--at] = digits[ip & 15];
		ip >>= 4;
	} while (ip);
	fwrite_unlocked(line + at, 1, sizeof(line) - at, out);
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, NO_REGISTERS,
						       (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

/* A log that is not whole must not look like one. */
static void at_exit(plugin_id id, void *data)
{
	(void)id, (void)data;
	if (fclose(out))
		abort();
}

VISIBLE int qemu_plugin_install(plugin_id id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "log=", 4))
		return -1;
	out = fopen(argv[0] + 4, "w");
	if (!out)
		return -1;
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
