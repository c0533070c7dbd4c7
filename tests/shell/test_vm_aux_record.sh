#!/bin/bash
# Hardware trace arrives whole, in every mode: each byte that the test PMU of a virtual machine wrote, described as perf does.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
spin=(bash -c 'while :; do :; done')
by=signal
pmu chunk=4097;		full full 1 40001 -e intel_pt//u -m 64,64 "${spin[@]}"
pmu chunk=999 paced=1;	full thread 1 40001 --per-thread -e intel_pt//u -m 64,4 "${spin[@]}"
pmu chunk=3000 paced=1 flags=12 flag_every=3; full all 2 200001 -a -e intel_pt// -m 64,64
pmu chunk=20001;	until_has 2 truncated 3 truncated -a -e intel_pt// -m 64,8
pmu chunk=2000003;	full grown 2 7000001 -v -a -e intel_pt//
pmu chunk=3000;		rec end -a -Se -e intel_pt/cyc=1/k -m 64,64 sleep 0.1
pmu chunk=3001;		walk offset 2 '9001 50001 80001 200001' -S -a -e intel_pt// -m 64,8
pmu chunk=301;		walk early 2 '5001 9001' -S -a -e intel_pt// -m 64,64
pmu chunk=3001 head=2;	walk free 2 '9001 50001 80001 200001' -S -a -e intel_pt// -m 64,8
pmu chunk=3001;		rec none -S -a -e intel_pt// -m 64,8 sleep 0.1
pmu chunk=999;		full ours 2 5000 -a -e intel_pt/cyc=1,mtc=0/u -m 64,64
RECORDER=perf RECORDER_OPTIONS=(-B -N)
pmu chunk=999;		full theirs 2 5000 -a -e intel_pt/cyc=1,mtc=0/u -m 64,64
for f in ours theirs; do
	perf script -D -i $f.data 2>/dev/null | grep -a -A18 AUXTRACE_INFO | sed 1d >$f.info
	perf script -D -i $f.data 2>/dev/null | grep -a -o 'PERF_RECORD_AUX .*\|PERF_RECORD_AUXTRACE size.*' |
		sed 's/ref: [^ ]* //' >$f.trace
done
EOS

for name in full thread all truncated; do
	check_trace $name
done
# Of an area that nobody gave a size for all is there, too: it was full once, and grew.
check_trace grown --grown
expect "areas that grew" "8192 8192" "$(sed -n 's/.*the AUX area of CPU [01] was full: it has \([0-9]*\) KiB now.*/\1/p' grown.said | xargs)"
expect "grown: truncations" "1 1" "$(awk '{ print $14 }' grown.trace | xargs)"
grep -q 'by its rate the size to try next is -m ,8192K \[trace-buffer-full\]' grown.said || { cat grown.said; fail "the size to try next"; }
# The command is ended with the recording.
expect "statuses" "143 143 0 0" "$(cat full.status thread.status all.status truncated.status | xargs)"
grep -q 'cpu -1' thread.trace || fail "thread: not per thread"
expect "one area a CPU" "0 1" "$(awk '{ print $2 }' all.trace | sort | xargs)"
grep -q 'flags 0xc' all.trace || fail "all: no flags"
expect_finding trace-partial all.said
expect_kept all.data all.said
expect "truncated: both CPUs went on" 2 "$(awk '{ for (i = 1; i < NF; i++) if ($i == "truncated" && $(i + 1) > 2) n++ } END { print n }' truncated.trace)"
expect_finding trace-buffer-full truncated.said '; by its rate the size to try next is -m ,[0-9]*K'
any_status "$PREC" verify truncated.data >kept 2>&1
grep -q trace-buffer-full kept || fail "verify does not say that the trace was interrupted: $(<kept)"
for name in offset free; do
	check_trace $name --area 32768 --steps $name.steps
done
check_trace early --area 262144 --steps early.steps
check_trace end --area 262144
expect "end: snapshots of both CPUs" "0 1" "$(awk '/snapshot/ { print $2 }' end.trace | sort | xargs)"
! "$PREC" script -D -i none.data | grep -a 'PERF_RECORD_AUXTRACE size' || fail "trace without a snapshot"
expect_same "AUXTRACE_INFO as perf's" theirs.info ours.info
[ -s ours.trace ] || fail "perf sees no trace"
