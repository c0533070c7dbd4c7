#!/bin/bash
# Where no record tells of context switches, sched_switch says who ran in an Intel PT trace.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
PT_CLEAN=yes
pt_traces t 8000 "psb=1000,async=100" -- env -i bash --norc -c 'echo $((40 + 2))'
{
	printf 'name: sched_switch\nID: 372\nformat:\n'
	printf '\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' 'unsigned short common_type' 0 2 0 \
		'unsigned char common_flags' 2 1 0 'unsigned char common_preempt_count' 3 1 0 'int common_pid' 4 4 1
	printf '\n\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' 'pid_t prev_pid' 8 4 1 'pid_t next_pid' 12 4 1
	printf '\nprint fmt: "%%d ==> %%d", REC->prev_pid, REC->next_pid\n'
} >format

# Another thread runs from the fifth time on that tracing begins, the first one again from the tenth on.
pt_recording t 1 0xe601 0 -1 100000
"$PREC" script --itrace=b --ns -F time,flags -i t.1.data 2>/dev/null | awk '/tr strt/ { sub(/:/, "", $1); sub(/^0\.0*/, "", $1); print $1 }' >begins
away=$(sed -n 5p begins) back=$(sed -n 10p begins)
hit() { # hit NS FROM TO
	echo "sample 100/$2 t=$1 cpu=0 ip=0xffffffff81000000 mode=kernel period=1 event=sched:sched_switch" \
		"raw=$(le 4 372)$(le 4 0)$(le 8 "$2")$(le 8 "$2")$(le 8 "$3")"
}
PT_SWITCH=none PT_TRACING=sched:format \
	PT_EVENTS="attr sched:sched_switch type=tracepoint config=372 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER read=ID period=1 \
sample_id_all ids=5" \
	PT_RECORDS=$(echo 'comm 100/101 "other" t=5 event=intel_pt id=1'; hit $((away - 1)) 100 101; hit $((back - 1)) 101 100) \
	pt_recording t 1 0xe601 0 -1 100000
for jobs in 1 3; do
	"$PREC" script -j$jobs --itrace=i1i --ns -F comm,pid,tid,time,ip,event -i t.1.data 2>/dev/null | grep instructions: >got
	expect "instructions" "$(wc -l <t.1.exp)" "$(wc -l <got)"
	awk -v away="$away" -v back="$back" '{
		split($2, p, "/"); t = $3; sub(/:/, "", t); sub(/^0\.0*/, "", t)
		want = t >= away && t < back ? "other 100/101" : "program 100/100"
		if ($1 " " $2 != want) { print "want " want ": " $0; wrong = 1; exit 1 }
		seen[want] = 1
	} END { if (!wrong && !(("other 100/101" in seen) && ("program 100/100" in seen))) { print "only one of two threads"; exit 1 } }' got >said ||
		fail "-j$jobs: $(<said)"
done
