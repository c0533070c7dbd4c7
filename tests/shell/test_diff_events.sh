#!/bin/bash
# Any event is compared in its own unit, whatever rate it was recorded at: waits, tracepoints, branches, counters.
. "$(dirname "$0")/lib/prec.sh"
need jq
mkdata=$(helper mkdata/mkdata)
printf 'ffffffff8100%d000 T %s\n' 0 f 1 g 2 end >kallsyms

# recording NAME ATTR...: lines "FUNCTION COUNT PERIOD [MORE]" on standard input become samples 1 ms apart.
recording() {
	local name=$1
	shift
	{
		echo "attr $* sample_id_all=1 ids=1 enable_on_exec"
		printf '%s\n' 'feature arch=x86_64' 'mmap -1/0 0xffffffff81000000+0x2000@0 "[kernel.kallsyms]_text"' 'comm 7/7 "work"'
		awk '{ more = $4 == "" ? "" : " " $4; for (i = 0; i < $2; i++)
			printf "sample 7/7 id=1 t=%d ip=0xffffffff8100%d010 mode=kernel period=%d cpu=0%s\n", t += 1000000, index("fg", $1) - 1, $3, more }'
	} >"$name.txt"
	"$mkdata" "$name.txt" "$name"
}
compare() { "$PREC" diff --kallsyms kallsyms --stdio "$@"; }
values() {
	compare --json "$@" | jq -r '.[0] | .event, .unit, (.total.changed | tostring),
		(.rows | sort_by(.symbol)[] | "\(.symbol) \(.a | round) \(.b | round) \(.error > 0)")' | xargs
}
usual='sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER'

# The same time at half the rate is the same time.
printf '%s\n' 'f 100 1000000' 'g 60 1000000' | recording fast "cpu-clock type=software config=0 period=1000000 $usual"
printf '%s\n' 'f 50 2000000' 'g 30 2000000' | recording slow "cpu-clock type=software config=0 period=2000000 $usual"
printf '%s\n' 'f 50 2000000' 'g 30 2000000' | recording often "cpu-clock type=software config=0 freq=500 $usual"
expect 'half the rate' 'cpu-clock ns false f 100000000 100000000 true g 60000000 60000000 true' "$(values fast slow)"
expect 'a rate in Hz' 'cpu-clock ns false f 100000000 100000000 true g 60000000 60000000 true' "$(values fast often)"
# So are counts of a counter, which says so without a unit.
printf '%s\n' 'f 100 1000' 'g 60 1000' | recording count_a "branches type=hardware config=4 period=1000 $usual"
printf '%s\n' 'f 20 10000' 'g 6 10000' | recording count_b "branches type=hardware config=4 period=10000 $usual"
expect 'a counter' 'branches count true f 100000 200000 true g 60000 60000 true' "$(values count_a count_b)"
compare count_a count_b | grep '^branches: in one run each, B took 62.5 % more of it (160 k, 260 k; ' >/dev/null ||
	fail "a counter: $(compare count_a count_b)"
# Each hit of a tracepoint was seen: sampling has no error, and what runs differ by one run does not tell.
raw=raw=0700000002000000
printf '%s\n' "f 100 1 $raw" "g 60 1 $raw" | recording hits_a "sys:hit type=tracepoint config=7 period=1 $usual,RAW"
printf '%s\n' "f 101 1 $raw" "g 60 1 $raw" | recording hits_b "sys:hit type=tracepoint config=7 period=1 $usual,RAW"
printf '%s\n' "f 130 1 $raw" "g 60 1 $raw" | recording hits_c "sys:hit type=tracepoint config=7 period=1 $usual,RAW"
expect 'a tracepoint' 'sys:hit count false f 100 101 false g 60 60 false' "$(values hits_a hits_b)"
expect 'many more hits' 'sys:hit count true f 100 130 false g 60 60 false' "$(values hits_a hits_c)"
expect 'no error is known' 'null null null' "$(compare --json hits_a hits_c | jq -r '.[0] | .total.error, .total.p, .rows[0].error' | xargs)"
compare hits_a hits_b >out
grep -q '^sys:hit: no difference that one run can show: in one run each, B took 0.6 % more of it (160, 161; each measured whole)$' out ||
	fail "hits: $(cat out)"
tr '\n' ' ' <out | grep "One run a side says nothing of how runs differ: several runs a side (A1 A2 -- B1 B2), or 'prec compare', do\." >/dev/null ||
	fail "what one run tells: $(cat out)"
! grep -E 'intervals|noise|account|0\.0000' out || fail "hits have no interval: $(cat out)"
grep -qE '^ +100 +101 +\+1 +\? +\+1\.0 % ' out || fail "an error of hits: $(cat out)"
compare hits_a hits_b -- hits_b hits_c | grep ' more of it (.*95 % intervals\|; 95 % intervals$' >/dev/null || fail "several runs of hits have an error"
# Samples with the branches before them are samples.
branch=branches=0xffffffff81000010/0xffffffff81001010/P
printf '%s\n' "f 10 97 $branch" "g 30 97 $branch" | recording lbr_a "cycles type=hardware config=0 period=97 branch_type=0x8 $usual,BRANCH_STACK"
printf '%s\n' "f 20 97 $branch" "g 30 97 $branch" | recording lbr_b "cycles type=hardware config=0 period=97 branch_type=0x8 $usual,BRANCH_STACK"
expect 'with branches' 'cycles count true f 970 1940 true g 2910 2910 true' "$(values lbr_a lbr_b)"

# Waits are time, but not that of a CPU; they are exact, tree and folded stacks have them, too.
waits() {	# NAME: lines "BEGIN END" of waits in ms
	{
		echo "attr cpu-clock type=software config=0 period=1000000 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1 enable_on_exec context_switch"
		printf '%s\n' 'feature arch=x86_64' 'mmap -1/0 0xffffffff81000000+0x2000@0 "[kernel.kallsyms]_text"' 'comm 7/7 "work" t=1'
		echo 'sample 7/7 id=1 t=1000 ip=0xffffffff81000010 mode=kernel period=1000000 cpu=0 chain=kernel,0xffffffff81000010'
		awk '{ printf "switch out 7/7 t=%d000000 cpu=0\nswitch in 7/7 t=%d000000 cpu=0\n", $1, $2 }'
		echo 'sample 7/7 id=1 t=900000000 ip=0xffffffff81000010 mode=kernel period=1000000 cpu=0 chain=kernel,0xffffffff81000010'
	} >"$1.txt"
	"$mkdata" "$1.txt" "$1"
}
printf '%s\n' '10 30' '100 200' | waits waits_a
printf '%s\n' '10 30' '100 260' | waits waits_b
compare -e offcpu-time waits_a waits_b >out 2>err
grep -q '^offcpu-time: in one run each, B took 50.0 % more time off the CPU (0.12 s, 0.18 s; each measured whole),$' out || fail "waits: $(cat out err)"
! grep 'prec compare' out || fail "compare records no waits: $(cat out)"
expect 'waits' 'offcpu-time ns true 120000000 180000000 null' "$(compare -e offcpu-time --json waits_a waits_b 2>/dev/null |
	jq -r '.[0] | .event, .unit, .total.changed, (.total | (.a, .b | round), .error)' | xargs)"
expect 'waits, folded' '120000000 180000000' "$(compare -e offcpu-time --folded waits_a waits_b 2>/dev/null |
	awk '{ a += $(NF - 1); b += $NF } END { print a, b }')"
compare -e offcpu-time --tree waits_a waits_b 2>/dev/null | grep '120 ms *180 ms *+60.0 ms *+50.0 %  \[all\]$' >/dev/null || fail 'waits as a tree'
compare waits_a waits_b 2>/dev/null | grep '^cpu-clock: no difference' >/dev/null || fail "the clock beside the waits"
