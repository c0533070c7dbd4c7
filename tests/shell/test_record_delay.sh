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
