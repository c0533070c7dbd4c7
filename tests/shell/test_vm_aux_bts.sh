#!/bin/bash
# Branch trace of Intel's older processors is recorded whole, of threads only, and described as by stock perf.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

in_vm --pmu name=intel_bts <<'EOS'
thread=(--per-thread -e intel_bts//u -m 64,16)
spin=(nice bash -c 'while :; do :; done')
# What the device leaves at the end of an area is not recorded, but the test PMU leaves nothing there: it does not get so far.
pmu chunk=2400 paced=1;		full thread 1 60000 "${thread[@]}" "${spin[@]}"
pmu chunk=2400;			walk snaps 1 '960 24000 24024 60000' "${thread[@]}" -S "${spin[@]}"
rec refused -a -e intel_bts// true
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
pmu paced=1 limit=1000;		rec thread_perf "${thread[@]}" true
pmu paced=1 limit=1000;		rec snaps_perf "${thread[@]}" -S true
EOS

check_trace thread
check_trace snaps --area 65536 --steps snaps.steps
expect "refused: status" 129 "$(cat refused.status)"
grep -q -e '--per-thread' refused.said || fail "refused: $(cat refused.said)"

# Described as by perf, in every word, and both show the trace alike.
info() {
	"$1" script -D -i "$2.data" 2>/dev/null | grep -a -A7 AUXTRACE_INFO | sed '1d; /^$/,$d; s/Muliplier /Multiplier/'
}
for name in thread snaps; do
	info "$PERF" ${name}_perf >want
	[ "$(wc -l <want)" -gt 5 ] || fail "$name: $(cat want $name.said ${name}_perf.said)"
	for tool in "$PERF" "$PREC"; do
		info "$tool" $name >got
		expect_same "$name: AUXTRACE_INFO by $tool" want got
	done
done
expect "attr of what traces" "$("$PERF" evlist -v -i thread_perf.data | sed -n 's/^intel_bts.*\(sample_freq }: [0-9]*\).*/\1/p')" \
	"$("$PERF" evlist -v -i thread.data | sed -n 's/^intel_bts.*\(sample_freq }: [0-9]*\).*/\1/p')"
packets() {
	"$1" script -D -i thread.data 2>/dev/null | sed -n 's/^\.  \([0-9a-f]*:  .* \(pred\|miss\|Bad record!\)\)$/\1/p; /data: size/p'
}
packets "$PERF" >want
packets "$PREC" >got
expect_same "the branches in -D" want got
