#!/bin/bash
# In a virtual machine, stock perf records all that the test PMU writes, and the check tells what is not so.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
by=signal
export -f wander
pmu chunk=4097;		rec full -e intel_pt//u -m 64,64 "${spin_until[@]}" 40001
pmu chunk=999 paced=1;	rec thread --per-thread -e intel_pt//u -m 64,4 bash -c 'wander 10'
pmu chunk=3000 paced=1 flags=12 flag_every=3; full all 2 200001 -a -e intel_pt// -m 64,64
pmu chunk=3001 paced=1 skip=31;	full skipped 2 200001 -a -e intel_pt// -m 64,64
pmu chunk=20001;	until_has 2 truncated 1 truncated -a -e intel_pt// -m 64,8
pmu chunk=301;		walk early 2 '5001 9001' -S -a -e intel_pt// -m 64,64
pmu chunk=3001;		walk offset 2 '9001 80001' -S -a -e intel_pt// -m 64,8
pmu chunk=3001 head=1;	walk spe 2 '9001 80001' -S -a -e intel_pt// -m 64,8
pmu chunk=3001 head=2;	walk free 2 '9001 80001' -S -a -e intel_pt// -m 64,8
pmu chunk=333;		rec sampled --aux-sample=1024 -e '{intel_pt//u,cpu-clock}' -c 1000000 -m 64,4 "${spin_until[@]}" 40001
head -c 100001 /bin/bash >payload
head -c 70003 /bin/bash >payload1
cp payload payload1 $debug
all_written() {
	has 1 bytes 100001 && has 2 bytes 70003
}
pmu chunk=3001 paced=1
begin given -a -e intel_pt// -m 64,64
await all_written
end given
: >$debug/payload; : >$debug/payload1
# A file of the overlay is another one when mapped (Linux 6.1): the kernel would not find it there.
cp $BUILD/tests/work/sleeper .
pmu;			rec filtered -e intel_pt//u --filter "filter nap @ /run/sleeper" /run/sleeper
cat $debug/filters >filters
EOS

# perf reads data_head twice, and may write an AUX record twice.
perf_wrote() {
	check_trace "$@" --duplicates
}

perf_wrote full
perf_wrote thread
[ "$(sum thread cpus)" = 2 ] || fail "thread: its event was not moved between CPUs"
grep -q 'cpu -1' thread.trace || fail "thread: not per thread"
perf_wrote all
expect "one area a CPU" "0 1" "$(awk '{ print $2 }' all.trace | sort | xargs)"
grep -q 'flags 0xc' all.trace || fail "all: no flags"
perf_wrote skipped
[ "$(sum skipped skipped)" -gt 0 ] || fail "skipped: nothing left out"
perf_wrote truncated
[ "$(sum truncated truncated)" -gt 0 ] || fail "truncated: nothing is"
for name in early offset spe free; do
	area=32768
	[ $name != early ] || area=262144
	perf_wrote $name --area $area
	expect "$name: two snapshots of both CPUs" "0 0 1 1" "$(awk '/snapshot/ { print $2 }' $name.trace | sort | xargs)"
done
perf_wrote sampled
[ "$(sum sampled bytes)" -gt 10240 ] || fail "sampled: too little trace in samples"
perf_wrote given --payload payload --payload 1=payload1
perf_wrote filtered
at=$(nm "$(workload sleeper)" | awk '$3 == "nap" { print substr($1, 14) }')
grep -q "^filter 0x[0-9a-f]*$at/0x" filters || fail "the filter is not at nap, ...$at: $(cat filters)"

# The check finds what is wrong: bytes of the trace, in the middle of the file, come from elsewhere in it.
middle=$(($(stat -c %s all.data) / 2))
spoil() {	# what distance
	cp all.data spoilt.data
	dd if=all.data of=spoilt.data bs=1 count=64 skip=$((middle + $2)) seek=$middle conv=notrunc status=none
	expect_status 1 "$(helper vm/aux_check)" --duplicates spoilt.data >spoilt 2>&1
	grep -q "$1" spoilt || fail "the check says nothing of $1: $(cat spoilt)"
}
spoil missing 128
spoil repeated -128
spoil 'not a word' 129
grep -v 'cpu 1 ' all.counts >fewer
expect_status 1 "$(helper vm/aux_check)" --duplicates --counts fewer all.data 2>wrong
awk '{ $6 += 8; print }' all.counts >larger
expect_status 1 "$(helper vm/aux_check)" --duplicates --counts larger all.data 2>wrong
