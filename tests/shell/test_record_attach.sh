#!/bin/bash
# Attached to processes, recording ends when the last of them does, and shows their names, maps and new threads.
. "$(dirname "$0")/lib/prec.sh"
need_events
sleep 0.4 & short=$!
"$(workload shares)" 2 1000 >/dev/null & long=$!
"$PREC" record -q -e cpu-clock:u -o data -p $short,$long
"$PREC" script -i data --show-task-events | grep "PERF_RECORD_EXIT($long:$long)" >/dev/null || fail 'ended before the process did'
"$PREC" script -i data -F comm,ip,sym >text
[ "$(grep -c 'shares .*a_70' text)" -gt 100 ] || { sort text | uniq -c | head; fail 'samples of a_70'; }
# One of two has gone already.
"$(workload spin)" -1 0 >/dev/null & long=$!
rm -f data
exec "$PREC" record -e cpu-clock:u -o data -p 2147483647,$long 2>err & prec=$!
end_with_samples $prec
grep -q 'warning.*2147483647' err || fail 'no warning of the process that has gone'
[ "$("$PREC" script -i data -F ip,sym | grep -c spin)" -gt 0 ] || fail 'samples of spin'
kill $long
# A command only says for how long: until the process has had 50 ms.
"$(workload spin)" -1 0 >/dev/null & long=$!
"$PREC" record -q -e cpu-clock:u -o data -t $long bash -c "
	had() { awk '{ sub(/.*[)] /, \"\"); print \$12 + \$13 }' /proc/$long/stat; }
	from=\$(had)
	until [ \$(had) -ge \$((from + 5)) ]; do sleep 0.01; done"
expect 'names' spin "$("$PREC" script -i data -F comm | tr -d ' ' | sort -u)"
kill $long
# Children that run already are left out, which is said, or recorded by --children; their own children, too.
sh -c 'sh -c "\"$0\" -1 0 >/dev/null & wait; :" "$0" & wait; :' "$(workload spin)" & long=$!
await 60 eval 'pgrep -P "$(pgrep -P $long | head -1)" >/dev/null 2>&1'
"$PREC" record -e cpu-clock:u -o data -p $long sleep 0.3 2>err
grep -q '2 children of these processes, which run already, are not recorded: --children' err || { cat err; fail 'children are left out in silence'; }
expect 'samples without them' 0 "$("$PREC" script -i data -F comm 2>/dev/null | grep -c spin || true)"
"$PREC" record -e cpu-clock:u -o data -p $long --children sleep 0.3 2>err
[ "$("$PREC" script -i data -F comm | grep -c spin)" -gt 0 ] || { cat err; fail 'no samples of a child'; }
! grep 'children of' err || fail 'what is recorded is said to be left out'
pkill -P "$(pgrep -P $long | head -1)"
expect_status 129 "$PREC" record --children -o data true 2>err
