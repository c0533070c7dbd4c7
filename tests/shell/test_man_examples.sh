#!/bin/bash
# The examples of the manual that have output ("$ prec ...") print it: each line has the same words and columns, whatever its numbers.
# Runs: alone, as a program on a tracepoint decides for everybody's events.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/manual.sh"
need_root
need_tracepoints
need_events all
mkdir bin
ln -s "$(realpath "$PREC")" bin/prec
export PATH=$PWD/bin:$PATH

objects=
if command -v clang >/dev/null && [ -r /sys/kernel/btf/vmlinux ]; then
	for name in queue calls; do
		clang -target bpf -O2 -g -I"/usr/include/$(uname -m)-linux-gnu" -c -o $name.o "$SRC/tests/work/$name.bpf.c" 2>err || { cat err; break; }
	done
	any_status "$PREC" record -q -e cpu-clock --bpf=queue.o -o data true 2>err
	grep -qE 'built without libbpf|needs root, or CAP_BPF' err || objects=yes
fi

for page in record report list; do
	rm -f block.*
	nr=$(blocks "$SRC/man/prec-$page.1")
	for ((i = 1; i <= nr; i++)); do
		command=$(<"block.$i.commands")
		case $command in
		*--bpf*)	[ "$objects" ] || { part_skipped 'BPF programs: no clang, no BTF, or no libbpf'; continue; };;
		*kprobe:*)	[ -d /sys/bus/event_source/devices/kprobe ] || continue;;	# test_vm_kcore.sh
		esac
		bash -e "block.$i.commands" >got 2>&1 || { cat got; fail "prec-$page(1): $command"; }
		shape <"block.$i.output" >want.shape
		shape <got >got.shape
		cmp -s want.shape got.shape || { cat got; expect_same "prec-$page(1): $command" want.shape got.shape; }
		echo "prec-$page(1): $command"
	done
	expect "examples of $page" yes "$([ "$nr" -gt 0 ] && echo yes)"
done
