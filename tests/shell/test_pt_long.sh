#!/bin/bash
# A program of more than 50 million instructions, each logged by QEMU, encoded and decoded: the log comes back.
# Runs: long
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
command -v qemu-x86_64 >/dev/null || skip "qemu-x86_64 is not installed"

# A plugin of QEMU that writes the address of each instruction before it runs to descriptor 9, 8 bytes each. What it needs of
# QEMU's interface is declared here: not every system has its header.
cat >plugin.c <<'X'
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef uint64_t id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(id, void (*)(id, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(id, void (*)(id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);

int qemu_plugin_version = 1;
static uint64_t ips[8192];
static size_t nr;

static void flush(id self, void *unused)
{
	(void)self, (void)unused;
	for (size_t at = 0; at < nr * 8;) {
		ssize_t n = write(9, (char *)ips + at, nr * 8 - at);

		if (n <= 0)
			_exit(3);
		at += n;
	}
	nr = 0;
}

static void ran(unsigned cpu, void *ip)
{
	(void)cpu;
	ips[nr++] = (uint64_t)ip;
	if (nr == sizeof(ips) / sizeof(*ips))
		flush(0, 0);
}

static void translated(id self, struct qemu_plugin_tb *tb)
{
	(void)self;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(insn, ran, 0, (void *)qemu_plugin_insn_vaddr(insn));
	}
}

int qemu_plugin_install(id self, const void *info, int argc, char **argv)
{
	(void)info, (void)argc, (void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(self, translated);
	qemu_plugin_register_atexit_cb(self, flush, 0);
	return 0;
}
X
cc -O2 -shared -fPIC -o plugin.so plugin.c

# Sorting, recursion, calls through pointers, strings, system calls.
cat >program.c <<'X'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int down(const void *a, const void *b) { return up(b, a); }
static int (*const orders[])(const void *, const void *) = { up, down };

static unsigned tree(unsigned n)
{
	switch (n % 5) {
	case 0: return n < 2 ? 1 : tree(n - 2) + tree(n - 3);
	case 1: return n < 2 ? 1 : tree(n - 1);
	case 2: return tree(n - 1) ^ tree(n - 2);
	case 3: return tree(n - 1) + 3 * tree(n - 3);
	default: return tree(n / 2) + tree(n - 1);
	}
}

int main(int argc, char **argv)
{
	static int v[3000];
	unsigned sum = 0, rounds = atoi(argv[argc - 1]);
	char text[100];

	for (unsigned r = 0; r < rounds; r++) {
		for (int i = 0; i < 3000; i++)
			v[i] = (i * 7919u + r * 104729u) % 65521;
		qsort(v, 3000, sizeof(*v), orders[r % 2]);
		sum += tree(20 + r % 10) + v[r];
		sum += snprintf(text, sizeof(text), "%u %s %x", sum, r % 3 ? "one" : "another", v[7]);
		if (strchr(text, '7'))
			puts(text);
	}
	return 0;
}
X
cc -O1 -static -no-pie -o program program.c 2>/dev/null || skip "no static C library"
ROUNDS=${ROUNDS:-55}
qemu-x86_64 -plugin ./plugin.so ./program 0 9>/dev/null >said 2>&1 || skip "QEMU takes no plugin of this kind: $(head -1 said)"
readelf -lW program | awk -v f="$PWD/program" '$1 == "LOAD" && / R E / {
	printf "%s %s %s %s\n", $3, $6, $2, f }' | while read -r start size offset file; do
	printf '%x-%x r-xp %08x 00:00 1 %s\n' "$start" $((start + size)) "$offset" "$file"
done >long.maps
[ -s long.maps ] || fail "the program has no code"

sets=(psb=2048 psb=4096,cyc,long-tnt,async=5000)
qemu-x86_64 -plugin ./plugin.so ./program "$ROUNDS" 9>&1 >/dev/null |
	"$(helper trace/ptlong)" -o long -m long.maps "${sets[@]/#/-s}" | cksum >text.sum
read -r nr _ <long.sum
[ "$nr" -gt 50000000 ] || fail "only $nr instructions ran"
for n in 1 2; do
	for pieces in '' --pieces; do
		"$(helper trace/pt_insn)" --sum ${pieces:+"$pieces"} long.$n.pt long.maps >got.sum 2>messages
		expect_same "${sets[n - 1]} $pieces" long.sum got.sum
		expect_same "messages of ${sets[n - 1]} $pieces" /dev/null messages
	done
done
# The same through the whole of the program.
pt_recording long 1 0xe601 0 -1 3000000
"$PREC" script --itrace=i1i -F ip -i long.1.data 2>messages | tr -d ' ' | cksum >got.sum
expect_same "script --itrace=i1i" text.sum got.sum
echo "$nr instructions, $(stat -c %s long.1.pt) and $(stat -c %s long.2.pt) bytes of trace"
