#!/bin/bash
# Report -T sums up what the kernel tells that each thread counted on each CPU, and prints it as perf does.
. "$(dirname "$0")/lib/prec.sh"

# Two events with a counter on each of two CPUs, two threads; the values of a group are told by each member.
words() {
	printf '%016x' "$@" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/g'
}
thread() {	# PID TID, as two words of 32 bits
	words $(($2 << 32 | $1))
}
cat >in.txt <<IN
attr calls type=software config=0 sample=IP,TID,IDENTIFIER read=ID sample_id_all ids=1,2
attr faults type=software config=2 sample=IP,TID,IDENTIFIER read=ID sample_id_all ids=3,4
attr never type=software config=3 sample=IP,TID,IDENTIFIER read=ID sample_id_all ids=5
attr lead type=software config=4 sample=IP,TID,IDENTIFIER read=ID,GROUP,TOTAL_TIME_ENABLED sample_id_all ids=6
attr follow type=software config=5 sample=IP,TID,IDENTIFIER read=ID,GROUP,TOTAL_TIME_ENABLED sample_id_all ids=7
sample 100/100 ip=0x100 event=calls
raw type=8 $(thread 100 101)$(words 10 1)$(thread 100 101)$(words 1)
raw type=8 $(thread 100 101)$(words 5 2)$(thread 100 101)$(words 2)
raw type=8 $(thread 100 101)$(words 3 3)$(thread 100 101)$(words 3)
raw type=8 $(thread 100 102)$(words 7000000 2)$(thread 100 102)$(words 2)
raw type=8 $(thread 100 102)$(words 2 99 8 6 9 7)$(thread 100 102)$(words 6)
raw type=8 $(thread 100 102)$(words 2 99 8 6 9 7)$(thread 100 102)$(words 7)
IN
"$(helper mkdata/mkdata)" in.txt in.data
expect "two threads" "\
#   PID    TID    calls  faults  lead  follow
    100    101       15       3     0       0
    100    102  7000000       0     8       9" "$("$PREC" report -T -i in.data -q 2>/dev/null | sed -n '/PID/,$p')"
"$PREC" report -T -i - -q <in.data >piped 2>/dev/null
"$PREC" report -T -i in.data -q >plain 2>/dev/null
expect_same "from a pipe" plain piped
# Threads that began, were named or ended, and told nothing: the sum of the table is not that of the recording.
cat in.txt - >more.txt <<IN
comm 100/101 "told"
comm 100/103 "named"
fork 200/200 from 100/100
exit 200/200 from 100/100
exit 100/102 from 100/100
comm 0/0 "swapper"
IN
"$(helper mkdata/mkdata)" more.txt more.data
expect "who is not in the table" "# Not in the table: 2 of 4 threads, which have no READ record (103, 200)" \
	"$("$PREC" report -T -i more.data -q 2>/dev/null | tail -1)"
expect "only where it is asked for" "" "$("$PREC" report -i in.data 2>/dev/null | grep PID || true)"

# Real ones, from perf and prec.
need_events
need_newperf
EVENTS=(-e page-faults:u)
for recorder in "$PREC" "$NEWPERF"; do
	"$recorder" record -q -s -o real.data "${EVENTS[@]}" -- bash -c '(:); (:); (exec true); true' >/dev/null 2>&1
	"$PREC" report -T -i real.data 2>/dev/null | sed -n '/^# *PID/,$p' | grep -v '^# Not' | tr -s ' ' >got
	"$NEWPERF" report -T -i real.data --stdio 2>/dev/null </dev/null | sed -n '/^# *PID/,$p' | grep . | tr -s ' ' >want
	[ "$(wc -l <want)" -ge 3 ] || fail "perf shows no threads"
	expect_same "the table of $recorder's recording" want got
done
