#!/bin/bash
# Waits of made-up switches: their lengths, states and stacks, where some are missing too.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)

# made [LINES]: threads 7 and 8 of one process, whose switches are the lines.
made() {
	cat - >text <<'EOS'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,CALLCHAIN period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
fork 7/8 parent=7/7 t=1000
EOS
	cat >>text
	"$MKDATA" text data
}

# waits OPTIONS: each wait's thread, beginning, length and state.
waits() {
	"$PREC" script -i data --off-cpu --ns -F tid,time,event,synth "$@" 2>err |
		sed -nE 's/^ *([0-9]+) +0*\.0*([0-9]+): +offcpu-time: +off: ([0-9]+) state: ([a-z]+)( reason: ([a-z]+))?.*/\1 \2 \3 \4/p'
}

made <<'EOS'
switch in 7/8 t=1500 cpu=1
switch out 7/7 t=2000 cpu=0
switch in 7/7 t=5000 cpu=0
switch preempt 7/7 t=6000 cpu=0
switch in 7/7 t=6400 cpu=1
switch out 7/8 t=7000 cpu=1
sample 7/7 t=9000 ip=0x100 mode=user cpu=0
EOS
expect 'waits' "8 1000 500 new
7 2000 3000 blocked
7 6000 400 preempted
8 7000 2000 blocked" "$(waits)"
"$PREC" report -i data -e offcpu-time --tid 7 -s state -F period,state -t, -q >out 2>err
expect 'sums' "3000,blocked
400,preempted" "$(grep . out)"
# The switches of a recording that was made for something else are not shown as waits unless that is asked for.
"$PREC" report -i data -q >out 2>err
! grep -q offcpu-time out || fail 'waits of a recording that was not made for them'

# A switch in is missing: how long thread 7 ran after it is not known, and neither how long it waited.
made <<'EOS'
switch out 7/7 t=2000 cpu=0
switch out 7/7 t=4000 cpu=0
switch in 7/7 t=5000 cpu=0
sample 7/7 t=9000 ip=0x100 mode=user cpu=0
EOS
expect 'a switch that is missing' '7 4000 1000 blocked' "$(waits --tid 7)"
expect_finding waits-gaps err '1 context switch is missing'

# With all threads of a CPU: the thread that leaves names the next one, before that one's own record.
made <<'EOS'
switch_cpu_wide out 7/7 0/0 t=2000 cpu=0
switch_cpu_wide out 0/0 7/7 t=4990 cpu=0
switch_cpu_wide in 7/7 0/0 t=5000 cpu=0
switch_cpu_wide preempt 7/7 7/8 t=6000 cpu=0
switch_cpu_wide in 7/8 7/7 t=6010 cpu=0
switch_cpu_wide out 7/8 7/7 t=7000 cpu=0
switch_cpu_wide in 7/7 7/8 t=7010 cpu=0
switch_cpu_wide in 7/8 0/0 t=7500 cpu=1
sample 7/7 t=9000 ip=0x100 mode=user cpu=0
EOS
expect 'who comes' "8 1000 5000 new
7 2000 2990 blocked
7 6000 1000 preempted
8 7000 500 blocked" "$(waits)"
! grep -q waits-gaps err || { cat err; fail 'a gap where nothing is missing'; }

# The end of a thread is no wait, and its number may be another's then.
made <<'EOS'
switch in 7/8 t=1500 cpu=1
exit 7/8 t=2000
switch out 7/8 t=2010 cpu=1
fork 7/8 parent=7/7 t=3000
switch in 7/8 t=3100 cpu=1
exit 7/8 t=3200
sample 7/7 t=9000 ip=0x100 mode=user cpu=0
EOS
expect 'a number that is used again' "8 1000 500 new
8 3000 100 new" "$(waits --tid 8)"

# The stack is that of the last sample before.
made <<'EOS'
sample 7/7 t=1100 ip=0x100 mode=user cpu=0 chain=user,0x100,0x200
sample 7/7 t=1900 ip=0x300 mode=user cpu=0 chain=user,0x300,0x400
switch out 7/7 t=2000 cpu=0
switch in 7/7 t=5000 cpu=0
sample 7/7 t=5500 ip=0x100 mode=user cpu=0 chain=user,0x100,0x200
EOS
"$PREC" script -i data --off-cpu -F event,ip,synth 2>err | sed -n '/offcpu-time.*blocked/,/^$/p' >out
grep -q 'stack of the sample before' out || { cat out; fail 'the stack is not marked'; }
expect 'the stack' '300 400' "$(awk '$1 ~ /^[0-9a-f]+$/ { print $1 }' out | xargs)"

# Wall time: all of a thread's, from its first record to its end, each part once. Two samples share the time on the CPU by their
# periods; thread 8 has none.
cat >text <<'EOS'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,PERIOD period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
fork 7/8 parent=7/7 t=1000
switch in 7/8 t=1500 cpu=1
sample 7/7 t=1600 ip=0x100 mode=user cpu=0 period=30
switch out 7/7 t=2000 cpu=0
switch in 7/7 t=5000 cpu=0
sample 7/7 t=5500 ip=0x200 mode=user cpu=0 period=10
switch preempt 7/7 t=6000 cpu=0
switch in 7/7 t=6400 cpu=1
exit 7/8 t=7000
sample 7/7 t=9000 ip=0x200 mode=user cpu=0 period=40
EOS
"$MKDATA" text data
"$PREC" report -i data --wall -s tid,state,sym -F period,tid,state,sym -t, -q >out 2>err
expect 'wall time' "5500,8:seven,running,
3000,7:seven,blocked,100
2500,7:seven,running,200
1500,7:seven,running,100
500,8:seven,ready,
400,7:seven,ready,200" "$(sed -nE 's/^ *([0-9]+), *([0-9]+:seven),([a-z]+),\[\.\] (0x)?0*([0-9a-f]*).*/\1,\2,\3,\5/p' out | sort -t, -k1,1nr)"
"$PREC" report -i data --wall -s tid -F overhead,period,tid -t, -q >out 2>err
expect 'shares by thread' "6000 7400" "$(awk -F, '/seven/ { print $2 }' out | sort -n | xargs)"
expect_status 129 "$PREC" report -i data --wall -e cpu-clock >out 2>err
grep -q -- '--wall shows all time as one event' err || { cat err; fail '--wall with -e'; }

# A command runs from its exec on, long before it is first switched.
cat >text <<'EOS'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,PERIOD period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" exec t=1000
sample 7/7 t=8000 ip=0x100 mode=user cpu=0 period=30
switch out 7/7 t=9000 cpu=0
switch in 7/7 t=9500 cpu=0
exit 7/7 t=10000
EOS
"$MKDATA" text data
"$PREC" report -i data --wall -s state -F period,state -t, -q >out 2>err
expect 'a command before it is switched' "500,blocked
8500,running" "$(grep . out)"

# The clock ticks each 0.25 ms of a thread that runs. Where thread 7 does not, and is not switched, somebody else has the CPU: 3 ms
# on CPU 0. Thread 8 goes to another CPU and back; thread 9 ticks late, but not by much. Around waits it must tick, too: of thread
# 10 there are 2 ms that nothing was seen of before one, and 1 ms after it.
ticks() {	# PID/TID CPU FROM TO, in us
	for ((t = $3; t <= $4; t += 250)); do
		echo "sample $1 t=${t}000 ip=0x100 mode=user cpu=$2 period=250000"
	done
}
cat >text <<EOS
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,PERIOD period=250000 sample_id_all context_switch ids=1
comm 7/7 "seven" exec t=1000
fork 7/8 parent=7/7 t=2000
fork 7/9 parent=7/7 t=2000
switch in 7/8 t=3000 cpu=1
switch in 7/9 t=3000 cpu=3
$(ticks 7/7 0 250 10000)
$(ticks 7/7 0 13250 20000)
$(ticks 7/8 1 250 5000)
switch preempt 7/8 t=5100000 cpu=1
switch in 7/8 t=5200000 cpu=2
$(ticks 7/8 2 5350 9850)
switch preempt 7/8 t=9900000 cpu=2
switch in 7/8 t=9950000 cpu=1
$(ticks 7/8 1 10000 20000)
$(ticks 7/9 3 250 10000)
$(ticks 7/9 3 10400 20000)
fork 7/10 parent=7/7 t=2000
switch in 7/10 t=3000 cpu=4
$(ticks 7/10 4 250 10000)
switch out 7/10 t=12250000 cpu=4
switch in 7/10 t=15000000 cpu=4
$(ticks 7/10 4 16250 20000)
EOS
"$MKDATA" text data
"$PREC" report -i data --wall -s tid,state >out 2>err || { cat err; fail 'report of time without ticks'; }
expect_finding running-unseen err \
	'2 threads seem to run .* did not tick: 6\.0 ms, of thread 7 3\.0 ms \(15\.0 % of its time there\)'
"$PREC" report -i data -e offcpu-time >out 2>err
! grep running-unseen err || fail 'time on the CPU is not shown'

# Of a wait that begins before a span of time, or ends after it, the part inside counts; of several spans each part once. Thread 7
# waits from 2 to 11 s, from 10 s on for a CPU.
made <<'EOS'
switch in 7/8 t=1000000000 cpu=1
switch out 7/7 t=2000000000 cpu=0
sample 7/8 t=2500000000 ip=0x100 mode=user cpu=1
sample 7/8 t=10500000000 ip=0x100 mode=user cpu=1
switch in 7/7 t=11000000000 cpu=0
sample 7/7 t=12000000000 ip=0x100 mode=user cpu=0
EOS
spans() {
	"$PREC" report -i data -e offcpu-time --tid 7 -s tid -F period -t, -q --time "$1" 2>err | awk -F, '$1 > 0 { printf "%.0f", $1 / 1e6 }'
}
expect 'a span inside' 3000 "$(spans 5,8)"
expect 'a span at its end' 1000 "$(spans 10,)"
expect 'spans, one of them inside another' 5000 "$(spans '1,3 4,8 5,6.5')"
expect 'a span after it' '' "$(spans 11.5,12)"
"$PREC" report -i data --wall --tid 7 --time 5,8 -s state -F period,state -t, -q >out 2>err
expect 'wall time of a span' 3000 "$(awk -F, '/blocked/ { printf "%.0f", $1 / 1e6 }' out)"
"$PREC" export --format folded -i data -e offcpu-time --time 5,8 -o folded 2>err
expect 'an export of a span' 3000 "$(awk '{ n += $NF } END { printf "%.0f", n / 1e6 }' folded)"
"$PREC" summary -i data -e offcpu-time --time 5,8 >out 2>err
grep -q '^event: offcpu-time, .* 3\.00 s off the CPU' out || { cat out; fail 'a summary of a span'; }
# An event stands where it began.
"$PREC" script -i data --off-cpu --tid 7 --time 1,3 -F time,event,synth >out 2>err
grep -q ' 2\.0*: *offcpu-time: *off: 9000000000 ' out || { cat out; fail 'script cuts a wait'; }
