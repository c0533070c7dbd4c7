#!/bin/bash
# Maps carry the build ids of their files, those that existed before as well as new ones; else the header has them.
. "$(dirname "$0")/lib/prec.sh"
need readelf
need_perf
need_events
spin=$(workload spin)
id=$(readelf -n "$spin" | sed -n 's/.*Build ID: //p')
[ "$id" ] || skip 'the workload has no build id'
"$PREC" record -q -e cpu-clock:u -o data "$spin" -1 50 >/dev/null
"$PERF" script -i data --show-mmap-events | grep "MMAP2.*<$id>.*spin" >/dev/null || fail 'not in a new map'
"$spin" -1 0 >/dev/null & pid=$!
rm -f data
exec "$PREC" record -q -e cpu-clock:u -o data -p $pid & prec=$!
end_with_samples $prec
"$PERF" script -i data --show-mmap-events | grep "MMAP2.*<$id>.*spin" >/dev/null || fail 'not in a map that was there'
kill $pid
"$PREC" record -q --no-buildid-mmap -e cpu-clock:u -o data "$spin" -1 50 >/dev/null
"$PERF" buildid-list -i data | grep "$id .*spin" >/dev/null || fail 'not in the header'
"$PREC" record -q --no-buildid-mmap -B -e cpu-clock:u -o data "$spin" -1 50 >/dev/null
! "$PERF" script -i data --show-mmap-events 2>/dev/null | grep "<$id>" >/dev/null || fail '-B: still in a map'
