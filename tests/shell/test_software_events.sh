#!/bin/bash
# Software events count what they say: time run, switches of cgroups, clocks at a rate, messages of BPF programs, throttling.
. "$(dirname "$0")/lib/prec.sh"

# What a BPF program wrote is shown as bytes, and as text where it is text: as perf shows it.
cat >bpf.txt <<'IN'
attr bpf-output type=software config=10 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER sample_id_all ids=1
comm 100/100 "one"
sample 100/100 t=1000 ip=0x100 raw=68656c6c6f00000000000000
sample 100/100 t=2000 ip=0x100 raw=0102030405060708090a0b0c
IN
"$(helper mkdata/mkdata)" bpf.txt bpf.data
"$PREC" script -i bpf.data -F comm,event,bpf-output >text 2>err
grep -q '^ *BPF output: 0000: 68 65 6c 6c 6f 00 00 00  hello\.\.\.' text || fail "bytes: $(cat text)"
grep -q '^ *BPF string: "hello"' text || fail "text: $(cat text)"
expect 'what is no text has no string' 1 "$(grep -c 'BPF string' text)"
if with_perf; then
	"$PREC" script -i bpf.data >text
	perf script -i bpf.data </dev/null 2>err | sed 's/ *$//; s/^ *one  *100/one 100/' >want
	sed -i 's/ *$//; s/^ *one  *100/one 100/' text
	[ ! -s want ] || expect_same 'messages of BPF programs' want text
fi

# The kernel says when it stopped an event that was too fast, and when it let it go on.
cat >throttle.txt <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all ids=1
comm 100/100 "one"
sample 100/100 t=1000 ip=0x100 period=1
throttle t=2000 id=1
unthrottle t=3000 id=1
IN
"$(helper mkdata/mkdata)" throttle.txt throttle.data
"$PREC" report -i throttle.data --stats >text
grep -qE '^ *THROTTLE events: +1 ' text && grep -qE '^ *UNTHROTTLE events: +1 ' text || fail "$(cat text)"
"$PREC" script -D -i throttle.data >text
grep -q 'PERF_RECORD_THROTTLE' text || fail 'throttling is not shown'

need_events
# 99 Hz on a clock is a period of 10,101,010 ns, on each CPU.
"$PREC" record -q -e cpu-clock:u -F 99 -o data "$(workload spin)" -1 300 >/dev/null
expect 'the periods of 99 Hz' 10101010 "$("$PREC" script -i data -F period | sort -u | tr -d ' ')"
nr=$("$PREC" script -i data -F period | wc -l)
[ "$nr" -ge 20 ] && [ "$nr" -le 31 ] || fail "$nr samples of 300 ms at 99 Hz"
# Without the idle time; the kernel hears it from the attr.
"$PREC" record -q -e cpu-clock:uI -o data "$(workload spin)" -1 50 >/dev/null
"$PREC" report -i data --header-only | grep -q 'exclude_idle = 1' || fail ':I is not asked for'

need_root
need_tracepoints
# The scheduler tells how long a thread ran, in ns; each hit is a sample of as many.
# What another CPU charges it with, which wakes somebody there, is no hit of its event: a busy machine shows some per cent less.
"$PREC" record -q -e sched:sched_stat_runtime -o data "$(workload spin)" -1 300 >out
ran=$(awk '/^spin/ { print $2 }' out)
expect_near 'the time run' "$ran" "$("$PREC" script -i data -F period | awk '{ n += $1 } END { printf "%d", n }')" 15
"$PREC" report -i data --stdio -F period,comm 2>/dev/null | awk '$2 == "spin" { print $1 }' >said
expect_near 'the time run, by report' "$ran" "$(cat said)" 15

# Switches into and out of a cgroup: whoever sleeps there ten times has left it ten times.
root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
[ "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
group=prec-$$
[ "$root" ] && mkdir "$root/$group" 2>/dev/null || skip 'cannot make a cgroup'
at_end 'rmdir "$root/$group" 2>/dev/null || true'
provoke="echo \$\$ >$root/$group/cgroup.procs; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; done; echo \$\$ >$root/cgroup.procs"
"$PREC" record -q -a -c 1 -e cgroup-switches -G "$group" -o data -- bash -c "$provoke" 2>err || skip "no events of cgroups here: $(cat err)"
"$PREC" script -i data -F comm,event >text
nr=$(grep -c cgroup-switches text)
[ "$nr" -ge 10 ] || fail "$nr switches of a cgroup in which somebody slept ten times"
! grep -qv -e '^ *bash ' -e '^ *sleep ' text || fail "others than those of the cgroup: $(sort text | uniq -c)"
