#!/bin/bash
# The control channel: each command does what it says and is acknowledged; it may go away, and recording goes on.
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
"$PREC" record -e cpu-clock:u,task-clock:u -D -1 --control fifo:in,answers -o data "$(workload spin)" -1 0 >out 2>err & prec=$!
await 10 grep -q ready out
sleep 0.2
send ping
send 'enable cpu-clock:u'
sleep 0.2
send disable
sleep 0.2
send evlist
send 'evlist -v'
send 'enable no-such-event'
send nonsense
send snapshot
send stop
wait $prec || true
[ "$(samples data cpu-clock)" -gt 5 ] && [ "$(samples data cpu-clock)" -lt 1700 ] || fail "$(samples data cpu-clock) samples of what was enabled"
expect 'samples of what was never enabled' 0 "$(samples data task-clock)"
grep -q '^cpu-clock:u$' out || { cat out; fail 'no list of events'; }
grep -q '^task-clock:u: type: 1' out || { cat out; fail 'no list of attrs'; }
grep -q "no event 'no-such-event'" err && grep -q "no command 'nonsense'" err || { cat err; fail 'mistakes are not told'; }
grep -q 'nothing to take a snapshot of' err || { cat err; fail 'a snapshot of nothing is not told'; }
# A snapshot, which is there when it is answered, and both directions of enable for all.
"$PREC" record -q -e cpu-clock:u --switch-output --control fifo:in,answers -o snap "$(workload spin)" -1 0 >out & prec=$!
await 10 grep -q ready out
sleep 0.2
send snapshot
[ "$(samples snap.20*)" -gt 0 ] || fail 'nothing in the snapshot'
send disable
send enable
send stop
wait $prec || true
# By descriptors; the other end closes at once.
"$PREC" record -q -e cpu-clock:u --control fd:8 -o data "$(workload spin)" -1 300 8< <(echo ping) >/dev/null
[ "$(samples data)" -gt 50 ] || fail 'recording ended with the channel'
# A FIFO whose reader of answers has gone.
exec 7<&-
"$PREC" record -q -e cpu-clock:u --control fifo:in,answers -o data "$(workload spin)" -1 300 >/dev/null & prec=$!
sleep 0.1
echo ping >in
wait $prec
[ "$(samples data)" -gt 50 ] || fail 'recording ended with the reader'
expect_status 1 "$PREC" record --control fd:99 -o data true 2>err
expect_status 1 "$PREC" record --control nonsense -o data true 2>err
