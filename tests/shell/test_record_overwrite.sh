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
expect_status 0 "$PREC" record -q -e page-faults:u -c 1 --overwrite --tail-synthesize -o tail "$(workload faults)" 100 >/dev/null
expect 'samples of touch_pages' 100 "$("$PREC" script -i tail -F ip,sym | grep -c touch_pages)"
perf_agrees tail
# What is there is described behind the samples, not before them, and it is known all the same.
"$(workload spin)" -1 0 >/dev/null & spin=$!
await 10 grep -qs spin /proc/$spin/comm
first() { "$PREC" script -i "$1" --dump-unsorted-raw-trace | awk -v p="$2" '$0 ~ p && !n { n = NR } END { print n }'; }
for where in start end; do
	option=
	[ $where = start ] || option=--tail-synthesize
	"$PREC" record -q -e cpu-clock:u -p $spin $option -o $where sleep 0.2
	expect "described at the $where: the program" spin "$("$PREC" script -i $where -F comm | tr -d ' ' | sort -u)"
	perf_agrees $where
	comm=$(first $where "COMM.*spin:$spin/$spin") sample=$(first $where 'PERF_RECORD_SAMPLE')
	[ "$comm" ] && [ "$sample" ] || fail "described at the $where: COMM in line '$comm', SAMPLE in line '$sample'"
	expect "described at the $where: COMM in line $comm, SAMPLE in line $sample" $where \
		"$([ "$comm" -lt "$sample" ] && echo start || echo end)"
done
kill $spin
need_perf
expect 'samples by perf' "$told" "$("$PERF" script -i data -F comm 2>perf_err </dev/null | grep -c faults)"
[ ! -s perf_err ] || fail "$(cat perf_err)"
