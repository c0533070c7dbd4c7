#!/bin/bash
# Maps carry the build ids of their files, those that existed before as well as new ones; the header has them, too.
. "$(dirname "$0")/lib/prec.sh"
need readelf
need_perf
need_events
spin=$(workload spin)
id=$(readelf -n "$spin" | sed -n 's/.*Build ID: //p')
[ "$id" ] || skip 'the workload has no build id'
"$PREC" record -q -e cpu-clock:u -o data "$spin" -1 50 >/dev/null
"$PERF" script -i data --show-mmap-events | grep "MMAP2.*<$id>.*spin" >/dev/null || fail 'not in a new map'
"$PERF" buildid-list -i data | sort >got
grep "^$id .*/spin$" got >/dev/null || fail "not in the header: $(<got)"
"$PERF" buildid-list --with-hits -i data | sort | grep -v -e ' \[' -e perf-vdso >want
expect "ids that are hit, and not in the header" "" "$(comm -23 want got)"
bolt=$(command -v perf2bolt-16 || command -v perf2bolt) || part_skipped "perf2bolt: not here"
if [ "$bolt" ]; then
	"$bolt" -nl -p data -o profile "$spin" >said 2>&1 || fail "perf2bolt: $(tail -3 said)"
	expect "samples that perf2bolt read" "$("$PREC" script -i data -F ip | wc -l)" "$(sed -n 's/.*read \([0-9]*\) samples.*/\1/p' said)"
fi
"$spin" -1 0 >/dev/null & pid=$!
rm -f data
exec "$PREC" record -q -e cpu-clock:u -o data -p $pid & prec=$!
end_with_samples $prec
"$PERF" script -i data --show-mmap-events | grep "MMAP2.*<$id>.*spin" >/dev/null || fail 'not in a map that was there'
"$PERF" buildid-list -i data | grep "^$id .*/spin$" >/dev/null || fail 'not in the header, of a map that was there'
kill $pid
"$PREC" record -q --no-buildid-mmap -e cpu-clock:u -o data "$spin" -1 50 >/dev/null
"$PERF" buildid-list -i data | grep "$id .*spin" >/dev/null || fail 'not in the header'
"$PREC" record -q --no-buildid-mmap -B -e cpu-clock:u -o data "$spin" -1 50 >/dev/null
expect "-B: ids in the header" "" "$("$PERF" buildid-list -i data 2>/dev/null | grep '^[0-9a-f]' || true)"
! "$PERF" script -i data --show-mmap-events 2>/dev/null | grep "<$id>" >/dev/null || fail '-B: still in a map'
