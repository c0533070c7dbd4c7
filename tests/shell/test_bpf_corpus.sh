#!/bin/bash
# Programs of others, beside PREC_CORPUS or in PREC_BPF: their maps print as bpftool has them, and the run queues are those they saw.
# Runs: alone, as all CPUs are recorded.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/bpf.sh"
PROGRAMS=${PREC_BPF:-${PREC_CORPUS:+$PREC_CORPUS/../bpf}}
[ -e "${PROGRAMS:-/nowhere}/runqlen.bpf.c" ] || skip "no PREC_BPF, and no bpf beside PREC_CORPUS"
need_bpf "$SRC/tests/work/queue.bpf.c" queue.o
need bpftool
need_tracepoints
bpftool btf dump file /sys/kernel/btf/vmlinux format c >vmlinux.h || skip "bpftool makes no vmlinux.h"
queued=nr_queued
grep -q nr_queued vmlinux.h || queued=nr_running
case $(uname -m) in
x86_64)	arch=x86;;
*)	arch=arm64;;
esac
CROWD=$(workload crowd)
CPU=$(one_cpu)
# Where Linux leaves threads in the queue after they went to sleep (since 6.12), nr_running counts them, too; h_nr_runnable does not.
runnable=nr_running
! grep -q h_nr_runnable vmlinux.h || runnable=cfs.h_nr_runnable
names=
for name in runqlen runqlen2 rqhost outp; do
	sed "s/se\.cfs_rq, rq, nr_running/se.cfs_rq, rq, $runnable/" "$PROGRAMS/$name.bpf.c" >$name.bpf.c
	if compile_bpf $name.bpf.c $name.o -I. "-I$PROGRAMS" "-D__TARGET_ARCH_$arch" -DNRR=$queued 2>err; then
		names+=" $name"
	else
		head -3 err
		part_skipped "$name: this kernel's BTF has not what it reads"
	fi
done

# Where the event is off nothing changes any more: what bpftool reads then is what prec prints at the end.
mkfifo ask answer
ask() {
	echo "$1" >&8
	read -r -t 60 got <&9 || { cat said; fail "no answer to $1"; }
}
for name in $names; do
	settings=()
	[ $name != runqlen ] || settings=(--bpf-set targ_per_cpu=true)
	exec "$PREC" record -q -N -a -F 499 -e cpu-clock --bpf=$name.o "${settings[@]}" --bpf-maps --json -o data \
		--control fifo:ask,answer 2>said & prec=$!
	exec 8<>ask 9<>answer
	ask ping
	"$CROWD" 3 "$CPU" 200 >out
	ask disable
	dump_maps $prec >dumped || fail "$name: bpftool"
	echo stop >&8
	wait $prec || { cat said; fail "$name"; }
	exec 8>&- 9>&-
	maps_of said >maps
	expect_bpftool dumped maps >same || { cat same; fail "$name"; }
	sed "s/^/$name: /" same
	[ "$(jq '[.. | numbers] | add' want)" -gt 100 ] || { cat want; fail "$name counted nothing"; }
	case $name in
	outp)	[ "$("$PREC" script -i data -F event,bpf-output 2>err | grep -c 'hello bpf')" -gt 100 ] || fail "$name: no output";;
	*)	"$PREC" report -i data >out 2>err
		expect_finding bpf-dropped err 'kept 0 of [1-9][0-9]+ samples';;
	esac
done

# truth NR: of so many threads, by the program rqhost. It drops the samples that it sees: those of a clock that ticks beside it are
# compared.
[[ $names = *rqhost* ]] || { part_skipped 'run queues: no rqhost'; exit 0; }
truth() {
	"$PREC" record -q -N -a -m 16M --run-queue -e cpu-clock/period=2000000/ --bpf=rqhost.o --bpf-maps --json \
		-e cpu-clock/period=2000000,name=kept/ -o data "$CROWD" "$1" "$CPU" 500 >out 2>err || return
	maps_of err | jq -r '.["rqhost.bss"].hosts | to_entries[] | .key as $cpu | .value.slots | to_entries[] | select(.value > 0) |
		"\($cpu) \(.key) \(.value)"' >program
}
for nr in 1 4 16; do
	queues_agree "$nr threads" kept 5 truth $nr
done
