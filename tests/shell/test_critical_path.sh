#!/bin/bash
# Six threads that wake each other are the critical path of the last, one after the other, at the times that they tell.
. "$(dirname "$0")/lib/prec.sh"
need_root
[ -r /sys/kernel/tracing/events/sched/sched_waking/id ] || skip "no tracefs"
CHAIN=$(workload chain)

"$PREC" record --off-cpu -k mono -e cpu-clock -o data "$CHAIN" >says 2>err
grep -q 'off-CPU time: context switches and wake-ups' err || skip "wake-ups may not be recorded"
last=$(awk 'END { print $2 }' says)
"$PREC" report -i data -q -t ' ' --critical-path="$last" >out 2>err

# Who runs and then wakes whom, from the first of the six on, and when: after it is done, before the next is awake.
tid() { awk -v n="$1" 'NR == n { print $2 }' says; }
awk -v first="$(tid 1)" '
	function tid(s) { sub(/.*\//, "", s); sub(/ .*/, "", s); return s }
	FNR == NR { nr = FNR; link[nr] = $2; from[nr] = $3; to[nr] = $4; next }
	/, wakes / {
		match($0, /wakes [^ ]*/)
		waker = tid($3); woken = tid(substr($0, RSTART + 6, RLENGTH - 6))
		if (waker == first)
			on = 1
		if (!on)
			next
		hops++
		at = $1 + $2
		if (waker != link[hops] || woken != link[hops + 1])
			print "wake-up " hops " is of " woken " by " waker ": " $0
		if (at < to[hops] || at > from[hops + 1])
			print "wake-up " hops " at " at " is not between " to[hops] " and " from[hops + 1]
	}
	END { if (hops != nr - 1) print hops " wake-ups of " nr " threads" }' says out >wrong
[ ! -s wrong ] || { cat wrong says out >&2; fail 'the chain'; }

# Each step begins where the one before ended, and they end where the thread does.
expect 'gaps' 0 "$(awk '/^[0-9]+ [0-9]+ chain/ { gaps += NR > 1 && end && $1 != end; end = $1 + $2 } END { print gaps + 0 }' out)"
# The sums are of the same time.
expect 'sums' "$(awk '/^[0-9]+ [0-9]+ chain/ { sum += $2 } END { printf "%.0f", sum }' out)" \
	"$(awk '$2 ~ /%$/ { sum += $1 } END { printf "%.0f", sum }' out)"
"$PREC" report -i data --critical-path="$last" >out 2>err
grep -qE "running, wakes chain/$last \(futex\)" out || { cat out; fail 'what the last waits for'; }
grep -q 'off: sleep, ended by an interrupt' out || part_skipped 'who ends a sleep: this machine does not show it'

# Back from a point in time: there the second thread is awake, and the third is not.
at=$(awk 'NR == 2 { printf "%d.%09d", $4 / 1000000000, $4 % 1000000000 }' says)
"$PREC" report -i data -q -t ' ' --critical-path="$(tid 2)@$at" >out 2>err
expect 'its end' "$(awk 'NR == 2 { print $4 }' says)" "$(awk '/^[0-9]+ [0-9]+ chain/ { end = $1 + $2 } END { printf "%.0f", end }' out)"
from=$(awk 'NR == 2 { printf "%d.%09d", $3 / 1000000000, $3 % 1000000000 }' says)
"$PREC" report -i data -q -t ' ' --critical-path="$(tid 2)@$from-$at" >out 2>err
expect 'a part' "$(tid 2)" "$(sed -nE 's/^[0-9]+ [0-9]+ chain.([0-9]+).*/\1/p' out | sort -u)"

expect_status 1 "$PREC" report -i data --critical-path=nobody >out 2>err
grep -q "'nobody' is no thread whose switches were recorded" err || { cat err; fail 'no such thread'; }
expect_status 1 "$PREC" report -i data --critical-path=chain >out 2>err
grep -q "threads have the name 'chain', and one is needed" err || { cat err; fail 'several threads'; }
expect_status 1 "$PREC" report -i data --critical-path="$last@x" >out 2>err
expect_status 129 "$PREC" report -i data --critical-path="$last" --wall >out 2>err
