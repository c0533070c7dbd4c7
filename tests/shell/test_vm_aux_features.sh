#!/bin/bash
# Trace as a part of samples and of chosen code only is recorded from a kernel's PMU as perf does, described as by perf.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
# A file of the overlay is another one when mapped (Linux 6.1): the kernel would not find it there.
cp $BUILD/tests/work/sleeper .
spin=(bash -c 'while :; do :; done')
sampled=(--aux-sample=1024 -e '{intel_pt//u,cpu-clock:u}' -c 1000000 -m 64,4 "${spin[@]}")
pmu chunk=333;	until_has 1 bytes 40000 sampled "${sampled[@]}"
pmu chunk=333;	until_has 2 bytes 40000 term -a -e cpu-clock -e intel_pt//u -e cpu-clock/aux-sample-size=2048,name=traced/ -c 1000000 -m 64,16
pmu chunk=333;	until_has 1 bytes 40000 packed -z --per-thread --aux-sample=512 -e '{intel_pt//u,cpu-clock:u}' -c 1000000 -m 64,4 "${spin[@]}"
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
pmu chunk=333;	until_has 1 bytes 40000 sampled_perf "${sampled[@]}"

# The trace of these is not looked at.
pmu chunk=100 limit=4000
filtered=(-e intel_pt//u --filter 'filter nap @ ./sleeper,stop main @ /run/sleeper' ./sleeper)
all=(-a -e intel_pt// sleep 0.1)
thread=(--per-thread -S -e intel_pt/cyc=1/k sleep 0.1)
rec filtered_perf "${filtered[@]}"; cat $debug/filters >filtered_perf.set
rec all_perf "${all[@]}"
rec thread_perf "${thread[@]}"
RECORDER=$PREC RECORDER_OPTIONS=()
rec filtered "${filtered[@]}"; cat $debug/filters >filtered.set
rec all "${all[@]}"
rec thread "${thread[@]}"
# As perf's where it may not watch whole CPUs.
chmod 777 .
echo 2 >/proc/sys/kernel/perf_event_paranoid
user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
own=(-e intel_pt/cyc=1/u -m 16,4 bash -c :)
"${user[@]}" "$PREC" record -o own.data "${own[@]}" >own.said 2>&1
"${user[@]}" perf record -B -N -q -o own_perf.data "${own[@]}" >own_perf.said 2>&1
# Areas larger than may be locked: half of them will do, less must be asked for.
ulimit -l 0
mlock_kb=$(cat /proc/sys/kernel/perf_event_mlock_kb)
echo 516 >/proc/sys/kernel/perf_event_mlock_kb
for kib in 512 2048; do
	status=0
	"${user[@]}" "$PREC" record -o half_$kib.data -e intel_pt//u -m 64K,${kib}K bash -c : >half_$kib.said 2>&1 || status=$?
	echo $status >half_$kib.status
done
"${user[@]}" "$PREC" record -o asked.data -e intel_pt//u -m 64K,256K bash -c : >asked.said 2>&1
echo $mlock_kb >/proc/sys/kernel/perf_event_mlock_kb
rec kernel -a -e intel_pt//k --filter 'start schedule' sleep 0.1; cat $debug/filters >kernel.set
rec refused -a "${filtered[@]}"
EOS

for name in term filtered kernel all thread; do
	expect "$name: status" 0 "$(cat $name.status)$(grep -v "^\[\|^nap " $name.said || true)"
done
# The command was ended with the recording.
for name in sampled packed; do
	expect "$name: status" "143prec: 'bash' was ended by signal 15 (Terminated)" "$(cat $name.status)$(grep -v '^\[' $name.said)"
done
# Samples have what the PMU wrote before them: words without a gap, no more than were asked for.
for name in sampled term packed; do
	check_trace $name
	[ "$(sum $name bytes)" -gt 10240 ] || fail "$name: too little trace in samples"
	! "$PREC" script -D -i $name.data | grep -a 'PERF_RECORD_AUXTRACE size' || fail "$name: trace beside the samples"
done
expect 'half an area' '0 1' "$(cat half_512.status) $(grep -c 'AUX areas of 256 KiB, not 512' half_512.said)"
expect 'an eighth' '1 1' "$(cat half_2048.status) $(grep -c 'allow 256 KiB; give that with -m ,256K' half_2048.said)"
expect 'what it said' '' "$(grep -v '^\[' asked.said || true)"
sizes() {	# name
	"$PERF" script -D -i "$1.data" 2>/dev/null | sed -n 's/^. ... Intel Processor Trace data: size \([0-9]*\) .*/\1/p' |
		sort -un | xargs
}
expect "sampled: sizes" 1024 "$(sizes sampled)"
expect "term: sizes" 2048 "$(sizes term)"
expect "packed: sizes" 512 "$(sizes packed)"
expect "term: events with trace" traced "$("$PERF" evlist -v -i term.data | sed -n 's/: .*|AUX.*//p')"

# -D has the trace of a sample behind it, as perf does. (Which packets the PMU's words look like depends on perf's version.)
trace_lines() {
	grep -a '^\. ... Intel\|RECORD_SAMPLE(' | sed 's/.*\(RECORD_SAMPLE.*\)/\1/'
}
for name in sampled term packed sampled_perf; do
	"$PERF" script -D -i $name.data 2>/dev/null | trace_lines >want
	"$PREC" script -D -i $name.data 2>/dev/null | trace_lines >got
	grep -q 'data: size' want || fail "$name: perf shows no trace"
	expect_same "$name: -D" want got
done

# Filters: the kernel was given those that perf gives it, at the place that the program was loaded to.
at() {
	nm "$(workload sleeper)" | awk -v name="$1" '$3 == name { print substr($1, 14) }'
}
for name in filtered filtered_perf; do
	expect "$name: filters" "$(printf 'filter ...%s\nstop ...%s' "$(at nap)" "$(at main)")" \
		"$(sed 's,0x[0-9a-f]*\(...\)/0x.*,...\1,' $name.set)"
done
grep -q '^start 0xffff' kernel.set || fail "kernel: $(cat kernel.set)"
expect "refused: status" 1 "$(cat refused.status)"
grep -q 'not with -a' refused.said || fail "refused: $(cat refused.said)"

# Described as by perf, in every word.
info() {
	"$PERF" script -D -i "$1.data" 2>/dev/null | grep -a -A21 AUXTRACE_INFO | sed '1d; /^$/,$d'
}
for name in all thread own; do
	info ${name}_perf >want
	info $name >got
	[ "$(wc -l <want)" -gt 15 ] || fail "$name: $(cat want $name.said ${name}_perf.said)"
	expect_same "$name: AUXTRACE_INFO" want got
done
# But for one where perf may watch whole CPUs: then it records the context switches of all tasks (3) for the trace of one
# on each CPU; prec records those of the traced tasks (2), which say as well when these ran.
for name in filtered sampled; do
	info ${name}_perf | sed 's/\(sched_switch *\)3/\12/' >want
	info $name >got
	expect_same "$name: AUXTRACE_INFO" want got
done
