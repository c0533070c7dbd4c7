#!/bin/bash
# Report groups by what tracepoints say as perf does: whole traces, fields of one event or of all that have them.
. "$(dirname "$0")/lib/prec.sh"
need_newperf
need_root
need_tracepoints
# perf cuts the trace of an event with a single entry to the title's width: here all have several.
EVENTS=sched:sched_switch,sched:sched_wakeup

"$NEWPERF" record -q -o pure.data -e "$EVENTS" -- "$(workload switches)" 50 >/dev/null 2>&1 || skip "perf cannot record here"
"$NEWPERF" record -q -o wide.data -a -e "$EVENTS" -- "$(workload forks)" 5 >/dev/null 2>&1
"$PREC" record -q -o mine.data -e "$EVENTS" -- "$(workload switches)" 50 >/dev/null

# compare FILE OPTIONS...: the same tables; perf ends with a hint and varies empty comments.
compare() {
	local file=$1
	shift
	"$NEWPERF" report -i "$file" --stdio "$@" 2>perf.err | grep -v -e '^#$' -e '^# (Tip' >want
	"$PREC" report -i "$file" --stdio "$@" | grep -v '^#$' >got
	[ "$(wc -l <want)" -gt 8 ] || fail "perf report -i $file $* prints nothing: $(head -1 perf.err)"
	expect_same "$file $*" want got
	"$PREC" report -i "$file" --stdio "$@" -j1 | grep -v '^#$' >one
	expect_same "$file $* with one thread" got one
}

# Where all events are tracepoints their traces are what is grouped by.
compare pure.data

# Fields by name, before which perf has a blank more.
for file in pure.data wide.data; do
	for key in trace trace,next_prio; do
		"$NEWPERF" report -i $file --stdio --raw-trace -s $key 2>perf.err | grep -av -e '^#$' -e '^# (Tip' -e '^# \.\.' | tr -s ' ' | sed 's, $,,' >want
		"$PREC" report -i $file --stdio --raw-trace -s $key | grep -av -e '^#$' -e '^# \.\.' | tr -s ' ' | sed 's, $,,' >got
		expect_same "$file --raw-trace -s $key" want got
	done
done

for file in pure.data wide.data mine.data; do
	compare $file -s trace
	compare $file -s prev_pid
	compare $file -s comm,next_comm
	compare $file -s sched:sched_switch.prev_comm,next_prio
	compare $file -s sched_switch.prev_state,sched_wakeup.target_cpu
	compare $file -s trace_fields
	compare $file -s next_prio,dso,prio
done

# Two events of one field are two columns; an event without it has none.
"$PREC" report -i mine.data --stdio -s sched_wakeup.pid >text
[ "$(grep -c '^# Overhead  *pid$' text)" = 1 ] || fail "the field of one event is not in its table alone"

# A field comes before the beginning of a key: "ret", as in retire_lat.
"$PREC" record -q -o exits.data -e raw_syscalls:sys_exit -- ls / >/dev/null
"$PREC" report -i exits.data --stdio -s raw_syscalls:sys_exit.ret >want
"$PREC" report -i exits.data --stdio -s ret >got
expect_same "a field with the beginning of a key's name" want got

expect_status 129 "$PREC" report -i mine.data -s no_such_field 2>said
grep -q "unknown sort key 'no_such_field'" said || fail "an unknown key is not named"
expect_status 129 "$PREC" report -i mine.data -s sched_switch.no_such 2>said
expect_status 129 "$PREC" report -i mine.data -s no_such.prev_pid 2>said
