#!/bin/bash
# What prec top shows are the known shares of a program that runs, with view, row and what is open kept; w writes it; nothing stays.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser
need_events
export TMPDIR=$PWD/tmp
mkdir tmp

expect_status 1 "$PREC" top -a </dev/null >out 2>err
grep -x 'prec: prec top needs a terminal that can show the browser: .*' err >/dev/null || fail "no terminal: $(cat err)"
expect_status 129 "$PREC" top -c 1000 -F 99 2>/dev/null

# Samples in the title; it grows.
samples() {
	screen | sed -n '1s/.*: \([0-9]*\) samples.*/\1/p'
}
more_than() {
	local n
	n=$(samples)
	[ "${n:-0}" -gt "$1" ]
}
share() {
	screen | awk -v f="$1" '$NF == f { print $1 + 0; exit }'
}
gone() {
	[ -z "$(ls tmp)" ]
}

start_terminal 100x24
keys "export TMPDIR=$TMPDIR" Enter
browse top -g -e cpu-clock:u -F 499 -- "$(workload shares)" 1 15000
await 30 more_than 300
shows '^ the last [0-9]* s$' || fail "how long: $(screen)"
await 30 shows '[+-] \[.\] a_70'
keys C
# The second row's callers are open, and the cursor is on the first of them, whatever comes.
pressed Down 'functions 2/'
row=$(screen | awk '/b_20|c_10/ { print $NF; exit }')
pressed + "- \\[.\\] $row"
before=$(samples)
await 30 more_than "$before"
shows "- \[.\] $row" || fail "$row was closed: $(screen)"
pressed g 'flame graph'
before=$(samples)
await 30 more_than "$before"
shows '^ flame graph' || fail "another view: $(screen)"
# The header is not read again, and the first line says how old it is.
pressed i '^ header'
await 20 shows 'of CPU, read [2-9] s ago$'
pressed f 'functions [0-9]'
await 60 shows 'recording has ended; the last'
expect_share a_70 70 "$(share a_70)" "$(samples)"
expect_share b_20 20 "$(share b_20)" "$(samples)"
expect_share c_10 10 "$(share c_10)" "$(samples)"

keys w
await 20 shows "'prec-top.0.data' has the last minute: $(samples) samples"
expect "samples of the file" "$(samples)" "$("$PREC" script -i prec-top.0.data -G -F event 2>/dev/null | wc -l)"
perf_agrees prec-top.0.data
[ -n "$(ls tmp)" ] || fail "no pieces"
keys q q
left
await 20 gone

# Whatever ends it, the recorder and its files go, too.
browse top -e cpu-clock:u -F 499 -- "$(workload shares)" 1 60000
await 30 more_than 100
kill -KILL "$(browser_pid)"
await 20 gone
keys Enter clear Enter
await 20 waits

# What the recorder says is what one sees.
keys "clear; $PREC top -e no-such-event; echo status \$?" Enter
await 20 shows 'status 1'
shows "no-such-event" || fail "why: $(screen)"
await 20 gone
