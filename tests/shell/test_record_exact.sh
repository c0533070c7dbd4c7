#!/bin/bash
# Probes and breakpoints count exactly: N hits are N samples, and N/k of period k with -c k.
. "$(dirname "$0")/lib/prec.sh"
need_events
CALLS=$(workload calls) PLACES=$(workload places)
CPU=$(one_cpu)

# samples COMMAND...: how many there are in the recording, and of which period.
samples() {
	# On one CPU: each has a counter of its own, which keeps what is left of the last k.
	taskset -c "$CPU" "$PREC" record -q -o data "$@" > out || fail "record $*"
	"$PREC" script -i data -F period 2>/dev/null | awk '{ n[$1]++ } END { for (p in n) printf "%d of %d", n[p], p }'
}

address() {
	echo "0x$(nm "$CALLS" | awk -v f="$1" '$3 == f { print $1 }')"
}

# want EVENT HITS COMMAND...
want() {
	local event=$1 hits=$2
	shift 2
	expect "$event" "$hits of 1" "$(samples -e "$event" "$@")"
	expect "$event -c 1" "$hits of 1" "$(samples -e "$event" -c 1 "$@")"
	expect "$event -c 7" "$((hits / 7)) of 7" "$(samples -e "$event" -c 7 "$@")"
	expect "$event -c 7 -P" "$((hits / 7)) of 7" "$(samples -e "$event" -c 7 -P "$@")"
}

if have_breakpoints; then
	want "mem:$(address a):x:u" 100 "$CALLS"
	want mem:b:x:u 200 "$CALLS"
	want mem:step:x:u 300 "$PLACES" 300
	want mem:counter/8:w:u 300 "$PLACES" 300
	grep -qx 'counter 300' out || fail 'the program did not run as it does'
	expect 'with a call graph' '20 of 1' "$(samples -g -e mem:step:x:u "$PLACES" 20)"
	expect 'two places' '40 of 1' "$(samples -e mem:step:x:u,mem:counter/8:w:u "$PLACES" 20)"
	expect 'an address in the code' '20 of 1' "$(samples -e mem:step+0x0:x:u "$PLACES" 20)"
	# What the program does with the place is what is seen.
	"$PREC" record -q -o data -e mem:step:x:u "$PLACES" 20 > out
	address=$("$PREC" report -i data --header-only | sed -n 's/.*bp_addr, config1 } = 0x\([0-9a-f]*\).*/\1/p')
	expect 'the address in the description of the event' "$("$PREC" script -i data -F ip | sort -u | tr -d ' ')" "$address"
	expect 'the place of the samples' step "$("$PREC" script -i data -F ip,sym | awk '{ print $2 }' | sort -u)"
else
	part_skipped 'no breakpoints, or they never fire'
fi

if [ -e /sys/bus/event_source/devices/uprobe/type ] && [ "$(id -u)" = 0 ]; then
	want "u:$CALLS:a" 100 "$CALLS"
	want "u:$CALLS:c%return" 700 "$CALLS"
	want "u:$PLACES:step" 300 "$PLACES" 300
	# A program that is probed can make processes and threads; of all processes their hits are seen.
	cp "$(workload forks)" forks	# of its own: other tests run that one
	FORKS=$PWD/forks
	"$PREC" record -q -o data -e "u:$FORKS:leaf" "$FORKS" 3 >out 2>err || fail "$(cat err out)"
	expect 'forks while it is probed' 'forks 3 execs 3 exits 3' "$(cat out)"
	"$PREC" record -o data -e "u:$FORKS:leaf" "$FORKS" 3 2>&1 >out | grep -q 'not seen (-a sees all)' || fail 'nothing is said'
	"$PREC" record -q -o data -a -e "u:$FORKS:leaf" "$FORKS" 3 >out
	expect 'hits in all processes' 3 "$("$PREC" script -i data | wc -l)"
	"$PREC" record -q -o data -e "{cpu-clock,u:$FORKS:leaf}" "$FORKS" 3 >out 2>err || fail "$(cat err out)"
	expect 'forks while its group is probed' 'forks 3 execs 3 exits 3' "$(cat out)"
	offset=$(readelf -lW "$PLACES" | awk -v a="0x$(nm "$PLACES" | awk '$3 == "step" { print $1 }')" '
		$1 == "LOAD" && strtonum(a) >= strtonum($3) && strtonum(a) < strtonum($3) + strtonum($5) {
			printf "%d", strtonum(a) - strtonum($3) + strtonum($2) }' 2>/dev/null || true)
	[ -z "$offset" ] || expect 'uprobe by its terms' '300 of 1' \
		"$(samples -e "uprobe/path=$PLACES,offset=$offset/" "$PLACES" 300)"
fi

status=0
"$PREC" record -q -o data -e mem:stepp:x:u "$PLACES" 20 2>err || status=$?
[ $status = 1 ] || fail "status $status for a symbol that is not there"
grep -q "no symbol 'stepp'" err || fail "$(cat err)"
if "$PREC" record -q -o data -e "u:$PLACES:stepp" true 2>err; then fail 'a function that is not there'; fi
grep -q "did you mean step" err || fail "$(cat err)"
if "$PREC" record -q -o data -a -e mem:step:x -- sleep 0.1 2>err; then fail 'whose symbol?'; fi
grep -q 'needs a command or a process' err || fail "$(cat err)"
