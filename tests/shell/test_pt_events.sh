#!/bin/bash
# Whatever happens wherever in an Intel PT trace, legal or not: what the packets tell is decoded, in every view, and no more is lost.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/trace_views.sh"
status=0
"$(helper trace/pt_events)" >out || status=$?
[ $status = 0 ] || fail "$(<out)"
[ "$(cut -d' ' -f1 out)" -gt 10000 ] || fail "only $(<out)"

# Some of these traces, each that of a thread, in one recording: script shows what the flow alone finds. (All of them, beside those
# of CoreSight: test_trace_events_all.sh.)
made_traces pt_events 300 150
every_view t.data
# Samples taken at once are those that are taken afterwards: each seventh instruction of each thread.
"$PREC" script --itrace=i7i -F tid,ip -i t.data 2>messages | awk '{ print $1, $2 }' | sort -s -n -k1,1 >got
awk '{ if (++n[$1] % 7 == 0) print }' want >seventh
expect_same "each seventh instruction" seventh got
# addr of an instruction is where it leads, if it does not go on to the next.
"$PREC" script --itrace=i1i -F tid,ip,addr -i t.data 2>messages | awk '$1 < 1003' | sort -s -n -k1,1 |
	awk '$1 == tid && addr && $3 != addr { bad++ }
		{ tid = $1; addr = $2 == "0" ? "" : $2; n += addr != "" }
		END { print (n > 30), bad + 0 }' >leads
expect "many instructions lead elsewhere, and none where the next is not" "1 0" "$(<leads)"
echo "$(<out); $traces of them in ${#TRACE_VIEWS[@]} views of script and report"
