#!/bin/bash
# Whatever happens wherever in a CoreSight trace, legal or not: what the packets tell is decoded, in every view, and no more is lost.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/trace_views.sh"
status=0
"$(helper trace/cs_events)" >out || status=$?
[ $status = 0 ] || fail "$(<out)"
[ "$(cut -d' ' -f1 out)" -gt 10000 ] || fail "only $(<out)"

made_traces cs_events 100 200
every_view t.data
"$PREC" script --itrace=i7i -F tid,ip -i t.data 2>messages | awk '$1 >= 1000 { print $1, $2 }' | sort -s -n -k1,1 >got
# What contexts say is another thread's is counted together there.
awk '$1 >= 1000 { if (++n[$1] % 7 == 0) print }' want >seventh
expect_same "each seventh instruction" seventh got
echo "$(<out); $traces of them in ${#TRACE_VIEWS[@]} views of script and report"
