#!/bin/bash
# With -D the first sample comes that much later, and names and maps are known nevertheless.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -q -e cpu-clock:u -D 200 -o data "$(workload spin)" -1 400 >/dev/null
expect 'the hottest function' spin "$("$PREC" script -i data -F ip,sym | awk '{ n[$2]++ } END { for (f in n) print n[f], f }' |
	sort -rn | awk 'NR == 1 { print $2 }')"
n=$("$PREC" script -i data | wc -l)
[ "$n" -gt 100 ] && [ "$n" -lt 1570 ] || fail "$n samples of less than 400 ms at 4000 Hz"
"$PREC" record -q -e cpu-clock:u -D -1 -o data "$(workload spin)" -1 50 >/dev/null
expect 'samples with -D -1' 0 "$("$PREC" script -i data | wc -l)"
# Ranges: samples only within them, and the end with the last.
expect_status 143 "$PREC" record -q -e cpu-clock:u -c 1000000 -D 100-200,400-600 -o data "$(workload spin)" -1 0 >/dev/null
"$PREC" script -i data -F time | tr -d ' :' >times
n=$(wc -l <times)
[ "$n" -lt 330 ] || fail "$n samples in 300 ms"
expect_status 129 "$PREC" record -D 200-100 true 2>err
expect_status 129 "$PREC" record -D 100-200, true 2>err
[ "$n" -gt 50 ] || skip 'the machine is too busy'
awk 'NR > 1 && $1 - last > 0.18 { gaps++ } { last = $1 } END { exit gaps < 1 }' times || fail 'samples between the ranges'
