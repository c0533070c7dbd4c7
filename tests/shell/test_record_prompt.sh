#!/bin/bash
# The recorder asks for short slices, so that full rings do not wait for others'; its command has the usual ones.
. "$(dirname "$0")/lib/prec.sh"
need_events
slice() { sed -nE 's/^se\.slice +: +([0-9]+)/\1/p' "/proc/$1/sched" 2>/dev/null; }
usual=$(slice self)
[ "$usual" ] || skip 'the kernel does not tell slices'
[ "$usual" -gt 100000 ] || skip 'slices are short already'
exec "$PREC" record -v -e cpu-clock:u -o data "$(workload spin)" -1 0 >out 2>err & prec=$!
await 60 grep -qs ready out
! grep -q 'no short slices' err || skip "$(cat err)"
[ "$(slice $prec)" != "$usual" ] || skip 'a kernel before 6.12'
expect 'the slice of the recorder' 100000 "$(slice $prec)"
expect 'the slice of its command' "$usual" "$(slice "$(pgrep -P $prec -x spin)")"
kill $prec
ended $prec
# What somebody else decided stays.
rm out
chrt -b 0 true 2>/dev/null || skip 'no SCHED_BATCH here'
chrt -b 0 "$PREC" record -q -e cpu-clock:u -o data "$(workload spin)" -1 0 >out 2>err & prec=$!
await 60 grep -qs ready out
expect 'the slice of a batch job' "$usual" "$(slice $prec)"
kill $prec
