#!/bin/bash
# Trace that is recorded survives whatever happens meanwhile: signals in masses, a kill, a full disk, streams and switches.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
pt=(-a -e intel_pt// -m 64,8)

# Full trace, in other ways than into one file.
pmu chunk=4099 paced=1
full packed 2 150001 "${pt[@]}" -z
begin killed "${pt[@]}"
await has 2 bytes 150001
kill -KILL $recorder
wait $recorder 2>/dev/null
keep killed
full switched 2 150001 "${pt[@]}" --switch-output=100K
told=$(wc -l <$debug/streams)
"$RECORDER" record -o - "${pt[@]}" sleep 0.2 >stream.data 2>stream.said
keep stream
pmu chunk=4099 paced=1 flags=8
rec collided "${pt[@]}" sleep 0.2
pmu chunk=4099 paced=1
rec second -a -e cycles -e intel_pt// -m 64,8 -- sleep 0.2

# The PMU is another one's.
pmu chunk=100
begin hog "${pt[@]}"
await has 2 bytes 1
"$RECORDER" record -o busy.data --per-thread -e intel_pt//u true >busy.said 2>&1; echo $? >busy.status
end hog

# Snapshots: a thousand in a second; in the last moment; before it is ready; from its first moment to its end.
pmu chunk=3001
begin storm "${pt[@]}" -S
await has 2 bytes 1
for ((i = sent = 0; i < 1000; i++)); do
	kill -USR2 $recorder && sent=$((sent + 1))
done
echo $sent >storm.sent
end storm
for i in 1 2 3; do
	pmu chunk=3001; rec last$i "${pt[@]}" -S bash -c 'kill -USR2 $PPID'
done
pmu chunk=3001
env --block-signal=USR2 bash -c 'kill -USR2 $$; exec "$@"' early "$RECORDER" record -o early.data "${pt[@]}" -S sleep 0.2 >early.said 2>&1
keep early
pmu chunk=3001
mkfifo enough
exec 5<>enough
"$RECORDER" record -e intel_pt//u -S -a -m 64,8 -o loop.data bash -c 'read -ru 5' >loop.said 2>&1 &
until held $! || [ ! -e /proc/$! ]; do :; done
for ((i = 0; ; i++)); do
	kill -USR2 $! 2>/dev/null || break
	[ $i != 5 ] || echo >&5
	read -rt 0.05 -u 7
done
wait $!; echo $? >loop.status
exec 5>&-
rm enough
keep loop
pmu chunk=3001
echo snapshot >&8
begin asked "${pt[@]}" -S
read -rt 60 -u 9 answer || echo "no answer to what was asked before"
end asked

# Nothing is saved that was not asked for, and the device is never told that there is room.
pmu chunk=3001 head=2
begin tail "${pt[@]}" -S
await has 2 bytes 1
"$PREC" script -D -i tail.data 2>/dev/null | grep -ac 'PERF_RECORD_AUXTRACE size' >tail.before
for i in 1 2; do
	ask snapshot
	while read -r range perms _ _ _ what; do
		[ "$perms $what" = 'rw-s anon_inode:[perf_event]' ] &&
			dd if=/proc/$recorder/mem bs=16 skip=$(((0x${range%-*} + 1056) / 16)) count=1 status=none | od -An -t u8
	done </proc/$recorder/maps >>tail.pages
done
end tail

# Killed while it writes a snapshot: the reader of a pipe stops in its second half.
pmu chunk=65536 limit=1100000
mkfifo pipe
exec 6<>pipe
head -c 1500000 <&6 >cut.data & reader=$!
"$RECORDER" record -a -e intel_pt// -m 64,256 -S -o - --synth no >&6 2>cut.said &
recorder=$!
await has 2 bytes 1100000
kill -USR2 $recorder
wait $reader
kill -KILL $recorder
wait $recorder 2>/dev/null
keep cut

# Killed in the middle of one that goes to a file.
pmu chunk=65536 limit=1100000
if command -v strace >/dev/null; then killed_in_snapshot "${pt[@]}" -S; fi

full_disk -a -e intel_pt//
rm pipe
EOS

# at_least N NAME: so many lines are in NAME.trace.
at_least() {
	[ "$(wc -l <$2.trace)" -ge "$1" ] || fail "$2: want $1 lines or more: $(cat $2.trace)"
}

check_trace packed
check_trace killed --cut
awk '$8 < 150001 - 32768 { exit 1 }' killed.trace || fail "killed: what the device had room for again is not there"
check_trace switched
[ "$(ls switched.data.* | wc -l)" -gt 2 ] || fail "one file: $(ls)"
check_trace stream
[ "$(sum stream bytes)" -gt 5000 ] || fail "stream: too little trace"
check_trace collided
expect "collisions" "$("$PREC" script -D -i collided.data | grep -ac 'PERF_RECORD_AUX offset.*flags: 0x8')" \
	"$(sed -n 's/^prec: warning: \([0-9]*\) samples\{0,1\} of the trace came .*/\1/p' collided.said)"
check_trace second
grep -q 'cannot open .*intel_pt' busy.said && grep -q 'another' busy.said || fail "busy: $(cat busy.said)"
check_trace hog

check_trace storm --area 32768
at_least 2 storm
expect "signals" 1000 "$(cat storm.sent)"
echo "storm: $(($(wc -l <storm.trace) / 2)) snapshots of 1000 signals"
for i in 1 2 3; do
	check_trace last$i --area 32768
	expect "a snapshot of each CPU in the last moment" "0 1" "$(awk '{ print $2 }' last$i.trace | sort | xargs)"
done
check_trace early --area 32768
at_least 2 early
check_trace loop --area 32768
at_least 2 loop
check_trace asked --area 32768
expect "loop: status" 0 "$(cat loop.status)"
expect "trace before a snapshot" 0 "$(cat tail.before)"
check_trace tail --area 32768
awk '$2 { bad = 1 } $1 { n++ } END { exit bad || n < 4 }' tail.pages || fail "heads and tails of areas: $(cat tail.pages)"

check_trace cut --cut
at_least 1 cut
expect_status 2 "$PREC" script -D -i cut.data >cut.dump 2>cut.err
grep -q 'PERF_RECORD_AUXTRACE size: 0x100000' cut.dump || fail "cut: a whole snapshot is not read"
[ ! -e cut0.said ] || check_killed
check_full_disk
