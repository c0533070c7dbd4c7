#!/bin/bash
# Overwrite rings give the newest samples, in order, each once, with names.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -e page-faults:u -c 1 -d --overwrite -m 4 -o data "$(workload faults)" 50000 >/dev/null 2>err
"$PREC" script -i data -F comm,time,addr,ip,sym >text
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
expect 'samples in the file' "$told" "$(wc -l <text)"
[ "$told" -gt 200 ] && [ "$told" -lt 5000 ] || fail "$told samples of rings of 16 KiB"
sort -s -k2,2n text | cmp - text || fail 'not in order of time'
expect 'samples with a name' "$told" "$(grep -c '^ *faults ' text)"
# Page after page, to the last: nothing is missing between the oldest and the newest, and nothing is there twice.
grep touch_pages text | awk '{ print $3 }' | while read -r page; do echo $((0x$page / 4096)); done >pages
[ "$(wc -l <pages)" -gt 100 ] || fail 'too few samples of touch_pages'
sort -n pages | awk 'NR > 1 && $1 == last { exit 1 } { last = $1 }' || fail 'a sample is doubled'
need_perf
expect 'samples by perf' "$told" "$("$PERF" script -i data -F comm 2>perf_err </dev/null | grep -c faults)"
[ ! -s perf_err ] || fail "$(cat perf_err)"
expect_status 0 "$PREC" record -q -e page-faults:u -c 1 --overwrite --tail-synthesize -o data "$(workload faults)" 100 >/dev/null
expect 'samples of touch_pages' 100 "$("$PREC" script -i data -F ip,sym | grep -c touch_pages)"
