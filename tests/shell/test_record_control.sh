#!/bin/bash
# The control channel: each command does what it says and is answered; it may go away, and recording goes on.
. "$(dirname "$0")/lib/prec.sh"
need_events
mkfifo in answers
touch out
exec 7<>answers
send() {
	local answer
	echo "$1" >in
	read -r -t 10 -u 7 answer || fail "no answer to '$1'"
	expect "the answer to '$1'" ack "$answer"
}
samples() { "$PREC" script -i "$1" -F event | grep -c "${2:-.}" || true; }
# runs MS: until the program that is recorded has had that much CPU time more.
runs() {
	local spin
	spin=$(pgrep -P $prec -x spin)
	await 60 has_run "$spin" $(($(had_ms "$spin") + $1))
}
exec "$PREC" record -e cpu-clock:u,task-clock:u -k realtime -D -1 --control fifo:in,answers -o data "$(workload spin)" -1 0 >out 2>err & prec=$!
await 60 grep -q ready out
runs 50
send ping
from=$EPOCHREALTIME
send 'enable cpu-clock:u'
runs 50
send disable
to=$EPOCHREALTIME
runs 50
send evlist
send 'evlist -v'
send 'enable no-such-event'
# What is no command has no answer, as of perf: the next one is the next command's.
echo nonsense >in
send snapshot
send stop
ended $prec
perf_agrees data
[ "$(samples data cpu-clock)" -gt 5 ] || fail "$(samples data cpu-clock) samples of what was enabled"
"$PREC" script -i data -F time | tr -d ' :' | awk -v from=$from -v to=$to '$1 < from || $1 > to { exit 1 }' ||
	fail "samples from before it was enabled, or after, $from to $to: $("$PREC" script -i data -F time | sed -n '1p; $p')"
expect 'samples of what was never enabled' 0 "$(samples data task-clock)"
grep -q '^cpu-clock:u$' out || { cat out; fail 'no list of events'; }
grep -q '^task-clock:u: type: 1' out || { cat out; fail 'no list of attrs'; }
grep -q "no event 'no-such-event'" err && grep -q "no command 'nonsense'" err || { cat err; fail 'mistakes are not told'; }
grep -q 'nothing to take a snapshot of' err || { cat err; fail 'a snapshot of nothing is not told'; }
rm out
# A snapshot, which is there when it is answered, and both directions of enable for all.
exec "$PREC" record -q -e cpu-clock:u --switch-output --control fifo:in,answers -o snap "$(workload spin)" -1 0 >out & prec=$!
await 60 grep -qs ready out
runs 50
send snapshot
[ "$(samples snap.20*)" -gt 0 ] || fail 'nothing in the snapshot'
send disable
send enable
send stop
ended $prec
perf_agrees snap.20*
# By descriptors; the other end closes at once.
"$PREC" record -q -e cpu-clock:u --control fd:8 -o data "$(workload spin)" -1 300 8< <(echo ping) >/dev/null
[ "$(samples data)" -gt 50 ] || fail 'recording ended with the channel'
# A FIFO whose reader of answers has gone.
exec 7<&- 6<>in
rm out
exec "$PREC" record -q -e cpu-clock:u --control fifo:in,answers -o data "$(workload spin)" -1 0 >out & prec=$!
await 60 grep -qs ready out
echo ping >in
runs 100
echo stop >in
ended $prec
[ "$(samples data)" -gt 50 ] || fail 'recording ended with the reader'
# Numbers that nobody opened are no descriptors, also where prec has opened them itself.
for fd in 4 5 6 7 8 9 10 11 12; do
	expect_status 1 timeout 60 "$PREC" record -e cpu-clock:u --control fd:$fd -o data true 2>err 4<&- 5<&- 6<&- 7<&- 8<&- 9<&- 10<&- 11<&- 12<&-
done
expect_status 1 "$PREC" record --control fd:99 -o data true 2>err
expect_status 1 "$PREC" record --control nonsense -o data true 2>err
