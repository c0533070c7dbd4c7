#!/bin/bash
# Hardware trace arrives whole, in every mode: each byte that the test PMU of a virtual machine wrote, described as perf does.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
loop='for ((i = 0; i < 10000; i++)); do :; done'
pmu chunk=4097;		rec full -e intel_pt//u -m 64,64 bash -c "$loop"
pmu chunk=999 paced=1;	rec thread --per-thread -e intel_pt//u -m 64,4 bash -c "$loop"
pmu chunk=3000 paced=1 flags=12 flag_every=3; rec all -a -e intel_pt// -m 64,64 sleep 0.2
pmu chunk=20001;	rec truncated -a -e intel_pt// -m 64,8 sleep 0.3
pmu chunk=3000;		rec end -a -Se -e intel_pt/cyc=1/k -m 64,64 sleep 0.2
pmu chunk=3001;		snap offset 4 0.2 -S -a -e intel_pt// -m 64,8
pmu chunk=301;		snap early 2 0.1 -S -a -e intel_pt// -m 64,64
pmu chunk=3001 head=2;	snap free 4 0.2 -S -a -e intel_pt// -m 64,8
pmu chunk=3001;		rec none -S -a -e intel_pt// -m 64,8 sleep 0.2
pmu chunk=999 limit=5000; rec ours -a -e intel_pt/cyc=1,mtc=0/u -m 64,64 sleep 0.2
pmu chunk=999 limit=5000; RECORDER=perf rec theirs -a -B -N -e intel_pt/cyc=1,mtc=0/u -m 64,64 sleep 0.2
for f in ours theirs; do
	perf script -D -i $f.data 2>/dev/null | grep -a -A18 AUXTRACE_INFO | sed 1d >$f.info
	perf script -D -i $f.data 2>/dev/null | grep -a -o 'PERF_RECORD_AUX .*\|PERF_RECORD_AUXTRACE size.*' |
		sed 's/ref: [^ ]* //' >$f.trace
done
EOS

for name in full thread all truncated; do
	check_trace $name
	expect "$name: status" 0 "$(cat $name.status)"
done
[ "$(sum full bytes)" -gt 20000 ] || fail "full: too little trace"
grep -q 'cpu -1' thread.trace || fail "thread: not per thread"
expect "one area a CPU" "0 1" "$(awk '{ print $2 }' all.trace | xargs)"
grep -q 'flags 0xc' all.trace || fail "all: no flags"
grep -q 'gaps that its device tells of' all.said || fail "all: nothing said of partial records"
expect "truncated: both CPUs went on" 2 "$(awk '{ for (i = 1; i < NF; i++) if ($i == "truncated" && $(i + 1) > 2) n++ } END { print n }' truncated.trace)"
grep -q 'stopped because its area was full' truncated.said || fail "truncated: nothing is said"
for name in offset early free end; do
	area=32768
	[ $name = offset ] || [ $name = free ] || area=262144
	check_trace $name --area $area
	expect "$name: snapshots of both CPUs" "0 1" "$(awk '/snapshot/ { print $2 }' $name.trace | sort -u | xargs)"
done
! "$PREC" script -D -i none.data | grep -a 'PERF_RECORD_AUXTRACE size' || fail "trace without a snapshot"
# The ratio of the clocks is the processor's for perf, the kernel's for prec; the test PMU has its own.
expect_same "AUXTRACE_INFO as perf's" <(grep -v TSC:CTC theirs.info) <(grep -v TSC:CTC ours.info)
[ -s ours.trace ] || fail "perf sees no trace"
