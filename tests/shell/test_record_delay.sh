#!/bin/bash
# With -D the first sample comes that much later, and names and maps are known nevertheless.
. "$(dirname "$0")/lib/prec.sh"
need_events
from=$EPOCHREALTIME
"$PREC" record -q -e cpu-clock:u -k realtime -D 200 -o data "$(workload spin)" -1 700 >/dev/null
expect 'the hottest function' spin "$("$PREC" script -i data -F ip,sym | awk '{ n[$2]++ } END { for (f in n) print n[f], f }' |
	sort -rn | awk 'NR == 1 { print $2 }')"
# times: the seconds from the start to each sample, by the clock of the shell.
times() { "$PREC" script -i data -F time | tr -d ' :' | awk -v from=$from '{ printf "%.6f\n", $1 - from }'; }
times >text
perf_agrees data
[ "$(wc -l <text)" -gt 50 ] || fail "$(wc -l <text) samples"
awk '$1 < 0.2 { exit 1 }' text || fail "a sample $(head -1 text) s after the start, and before 0.2"
"$PREC" record -q -e cpu-clock:u -D -1 -o data "$(workload spin)" -1 50 >/dev/null
expect 'samples with -D -1' 0 "$("$PREC" script -i data | wc -l)"
perf_agrees data
# Ranges: samples only within them, and the end with the last.
from=$EPOCHREALTIME
expect_status 143 "$PREC" record -q -e cpu-clock:u -k realtime -c 1000000 -D 100-200,1000-1200 -o data "$(workload spin)" -1 0 >/dev/null
times >text
perf_agrees data
awk '$1 < 0.1 { exit 1 }' text || fail "a sample $(head -1 text) s after the start, and before 0.1"
expect_status 129 "$PREC" record -D 200-100 true 2>err
expect_status 129 "$PREC" record -D 100-200, true 2>err
awk '$1 < 1' text | grep . >/dev/null && awk '$1 >= 1' text | grep . >/dev/null || skip 'the machine is too busy'
# The program never sleeps: between its samples it is where they are not taken. Half of what lies between the ranges is room
# for a recorder that gets no CPU at the end of the first.
awk 'NR > 1 && $1 - last > 0.4 { gaps++ } { last = $1 } END { exit gaps < 1 }' text || fail "samples between the ranges"
