#!/bin/bash
# Triggers that fire while a dump is written, or while the recorder is stopped, are counted; what came before each is in its dump.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/triggers.sh"
need strace
# Leaks cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_sequence
# The whole file can be read, by perf too.
whole() {
	"$PREC" verify data* >verified || fail "what verify says: $(<verified)"
	perf_agrees data*
}

# The dump of the trigger at page 100 stops as it is written: within its data, its header, and before it has its name.
for call in writev pwrite64 /^rename; do
	begun --on=u:./sequence:fire -- 300 ask 50 fire 100 ask 100 fire 110 thread 125 fork 130 ask 140
	stop_in $call
	go
	stopped
	asked 3
	go
	asked 4
	go_on
	dumped 4
	go
	wait $prec $tracer
	expect "$call: dumps" '1..99 100..109 110..124 125..129' "$(dumps)"
	told '4 triggers seen, 4 dumped, 0 missed'
	expect "$call: lost" 0 "$(lost)"
	whole
done

# It stops while the ring stands still: what comes then is lost, and no more; its triggers count.
begun --on=u:./sequence:fire -- 300 ask 50 fire 100 ask 100 fire 110 fire 120 ask 140 fire 150 ask 200
stop_in ioctl $((2 * $(ring_number) + 1))
go
stopped
asked 3
go
asked 4
go_on
dumped 3
go
asked 5
dumped 4
go
wait $prec $tracer
expect 'dumps around a ring that stood still' '1..99 140..149' "$(dumps)"
told '4 triggers seen, 4 dumped, 0 missed'
# A fault may be taken twice, where the first time something else was to be done: seldom.
[ "$(lost)" -ge 40 ] && [ "$(lost)" -lt 60 ] || fail "40 pages were touched while the ring stood still, and $(lost) samples lost"

# Those that are not to be dumped, and those for which there was no room in their ring.
fires=()
for ((i = 0; i < 9000; i++)); do fires+=(fire 110); done
for option in --pause=1000000ms --at-most=1; do
	begun --on=u:./sequence:fire $option -- 300 ask 50 fire 100 ask 100 "${fires[@]}" ask 140
	stop_in writev
	go
	stopped
	asked 3
	go
	asked 4
	go_on
	go
	wait $prec $tracer
	expect "$option: dump" 1..99 "$(dumps)"
	grep -qE ' 9001 triggers seen, 1 dumped, 9000 missed \([0-9]+ (in the pause|after the last dump), [0-9]+ lost\) ]' err ||
		fail "$option: the closing line: $(<err)"
	whole
done

# The recorder is stopped, and goes on, again and again.
words=() want=()
for ((i = 100; i <= 1000; i += 100)); do
	words+=(ask $i fire $((i + 10)) fire $((i + 11)) fire $((i + 90)))
	want+=($i..$((i + 9)) $((i + 10))..$((i + 10)) $((i + 11))..$((i + 89)))
	[ $i = 100 ] && want[0]=1..109 || want[-3]=$((i - 10))..$((i + 9))
done
begun --on=u:./sequence:fire -- 1200 "${words[@]}" ask 1100
for ((i = 1; i <= 10; i++)); do
	kill -STOP $prec
	go
	asked $((i + 2))
	go_on
	dumped $((3 * i))
done
go
wait $prec
expect 'dumps of a recorder that was stopped ten times' "${want[*]}" "$(dumps)"
told '30 triggers seen, 30 dumped, 0 missed'
whole

# The first thing that it does when it goes on is to end.
begun --on=u:./sequence:fire -- 300 ask 50 fire 100 fire 150 fork 200 ask 250
kill -STOP $prec
go
asked 3
kill -TERM $prec
go_on
expect_status 143 wait $prec
expect 'dumps of a recorder that was ended' '1..99 100..149 150..199' "$(dumps)"
told '3 triggers seen, 3 dumped, 0 missed'
whole
go	# whoever of the program is still there

# A program that does not wait, on a CPU of its own where there are two: each page is in the dump of the next trigger, or lost.
rm -f data*
words=()
for ((i = 20; i <= 3000; i += 20)); do words+=(fire $i); done
"$PREC" record "${sequence_events[@]}" --on=u:./sequence:fire taskset -c "$(one_cpu)" ./sequence 3000 "${words[@]}" >said 2>err
told '150 triggers seen, 150 dumped, 0 missed'
i=0
for f in data*; do
	i=$((i + 20))
	page_numbers "$f" >numbers
	awk -v i=$i '$1 < i - 20 || $1 >= i || $1 <= last { print "page " $1 " in the dump of " i } { last = $1 }' numbers >&3
	cat numbers
done >there 3>strangers
[ ! -s strangers ] || fail "pages in dumps that are not theirs: $(<strangers)"
missing=$((2999 - $(wc -l <there)))
[ $missing -le "$(lost)" ] || fail "$missing pages are in no dump, and $(lost) samples were lost: $(<err)"
