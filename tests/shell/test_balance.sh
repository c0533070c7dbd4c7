#!/bin/bash
# How much of the time that a program was charged is in its profile, and how much is missing, is what it says of itself.
. "$(dirname "$0")/lib/prec.sh"
need_events
CHARGED=$(workload charged)

# of WORD LINE: the percents of a cause; 0 where it is not there.
of() { sed -nE "s/.*[ ;]([0-9.]+) % $1.*/\1/p" <<<"$2" | grep . || echo 0; }
here() { sed -nE 's/.*(^| )([0-9.]+) % of .*/\2/p' <<<"$1"; }
seconds() { sed -nE 's/.* % of ([0-9.]+) s CPU is here.*/\1/p' <<<"$1"; }
# Timers of a busy machine are late: that is reported, and not tested here.
near() {	# WHAT MADE [EVENT]: that much time was charged, and nearly all of it is here or known to be lost
	local line missing
	line=$(grep -o '[0-9.]* % of [0-9.]* s CPU is here[^]]*' err) || fail "$1: no balance: $(cat err)"
	expect_near "$1: what was charged" "$2" "$(seconds "$line")" 1
	missing=$(awk "BEGIN { print $(here "$line") + $(of lost "$line") + $(of throttled "$line") + $(of 'missed by the clock' "$line") }")
	expect "$1: of no known cause" 0 "$(of unexplained "$line" | awk '{ print ($1 > 1) }')"
	# What the host of a virtual machine took is time of the event, and none that the program was charged.
	awk -v m="$missing" -v s="$(($(stolen) - STOLEN))" -v made="$2" 'BEGIN { exit !(m > 99 && m < 101 + s / made) }' || return 1
	# The samples written add up to that time, and the header agrees.
	expect_near "$1: what is here" "$(awk "BEGIN { print $2 * $(here "$line") / 100 }")" \
		"$("$PREC" script -i data -F period,event 2>/dev/null | awk -v e="${3:-cpu-clock}:" '$2 == e { n += $1 } END { print n / 1e9 }')" 1
	expect "$1: the header" "# balance : ${line% }" "$("$PREC" report -i data --header-only | grep '^# balance')"
}
stolen() {	# hundredths of a second
	awk '$1 == "cpu" { print $9 + 0 }' /proc/stat
}
# A machine that is too busy is given another try.
tries() {
	local _
	for _ in 1 2 3; do
		STOLEN=$(stolen)
		"$@" && return
	done
	fail "$*: $(cat err)"
}

whole() {
	made=$("$PREC" record -o data -F 1000 -e "$1" "$CHARGED" 1 2>err)
	near "whole ($1)" "$made" "${1%%,*}"
}
tries whole cpu-clock
expect 'nothing was lost' 0 "$(of lost "$(cat err)")"
! grep balance <("$PREC" report -i data 2>&1 >/dev/null) || fail 'report tells of nothing that is missing'
tries whole task-clock,cpu-clock:k,cpu-clock
grep -q '^# recorder : [0-9.]* s CPU in [0-9.]* s up to its header, woken up [0-9]* times, [0-9]* bytes of data$' \
	<("$PREC" report -i data --header-only) || fail 'what recording cost is not there'

# Ticks of the kernel say badly how much of a program that switches every few microseconds is user space: that is no error of samples.
one_level() {
	"$PREC" record -o data -e "$1" "$(workload pingpong)" 20000 10 >/dev/null 2>err || return 1
	line=$(grep -o '[0-9.]* % of [0-9.]* s CPU is here[^]]*' err) &&
		awk -v h="$(here "$line")" -v l="$(of lost "$line")" 'BEGIN { exit !(h + l > 99.8 && h + l < 100.2) }'
}
tries one_level cpu-clock:u

# A ring of a page, and a recorder that does not run while it is filled.
tiny() {
	made=$("$PREC" record -o data -m 1 -c 100000 --call-graph dwarf,1024 -e cpu-clock "$CHARGED" 1 2>err)
	near 'a tiny ring' "$made"
}
tries tiny
stopped() {
	rm -f data
	exec "$PREC" record -o data -m 2 -F 2000 -e cpu-clock "$CHARGED" 2 2>err >made & prec=$!
	await 60 eval '[ "$(any_status "$PREC" script -i data -F event 2>/dev/null | wc -l)" -gt 0 ] || [ -s made ]'
	kill -STOP $prec
	await 60 test -s made
	kill -CONT $prec
	wait $prec || fail "status $?: $(cat err)"
	near 'a stopped recorder' "$(cat made)"
}
tries stopped
[ "$(of lost "$(grep 'is here' err)" | awk '{ print ($1 > 5) }')" = 1 ] || fail "hardly anything was lost: $(cat err)"
"$PREC" report -i data 2>told >/dev/null
expect_finding balance told "$(grep -o '[0-9.]* % lost' err)"
expect_finding lost-samples told

# Both perfs read a file with that section.
perf_agrees data
if command -v "${PREC_PERF:-none}" >/dev/null; then
	expect 'samples by newest perf' "$("$PREC" script -i data -F event 2>/dev/null | wc -l)" \
		"$("$PREC_PERF" script -i data -F event 2>/dev/null </dev/null | wc -l)"
fi

# Where it is not known, nothing is said: of events that are no clocks, of a recorder that was killed, of switched files.
none() {
	"$PREC" record -o data "$@" >/dev/null 2>err
	! grep 'is here' err || fail "a balance of $*"
	! "$PREC" report -i data --header-only | grep '^# balance' || fail "a balance in the header of $*"
}
none -e page-faults -c 1 "$CHARGED" 0.2
none -F 1000 -e cpu-clock true
rm -f data
exec "$PREC" record -o data -F 1000 -e cpu-clock "$CHARGED" 20 2>err >/dev/null & prec=$!
await 60 eval '[ "$(any_status "$PREC" script -i data -F event 2>/dev/null | wc -l)" -gt 0 ]'
kill -KILL $prec
ended $prec
! any_status "$PREC" report -i data --header-only 2>/dev/null | grep '^# balance\|^# recorder' || fail 'a balance of a recorder that was killed'

# For attached processes the event itself counts the time.
attached() {
	"$CHARGED" 3 >made & burns=$!
	"$PREC" record -o data -F 1000 -e cpu-clock -p $burns 2>err
	wait $burns
	line=$(grep 'is here' err) || fail "attached: no balance: $(cat err)"
	awk -v s="$(seconds "$line")" -v m="$(cat made)" -v t="$(($(stolen) - STOLEN))" 'BEGIN { exit !(s > 0.5 && s < m * 1.01 + t / 100) }'
}
tries attached
# The whole machine: what was not idle.
"$PREC" record -o data -F 1000 -e cpu-clock -a "$CHARGED" 1 2>err >made
line=$(grep 'is here' err) || fail "-a: no balance: $(cat err)"
awk -v s="$(seconds "$line")" -v m="$(cat made)" 'BEGIN { exit !(s > m * 0.98) }' || fail "-a: $line, and one made $(cat made)"
