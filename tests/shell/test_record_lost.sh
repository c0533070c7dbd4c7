#!/bin/bash
# What a small ring loses is counted: samples written and samples lost are together all there were.
. "$(dirname "$0")/lib/prec.sh"
need_events
run() {
	"$PREC" record -e page-faults:u -c 1 -o data "$@" "$(workload faults)" 300000 >/dev/null 2>err
	written=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	lost=$(sed -nE 's/^prec: (warning: )?([0-9]+) of [0-9]+ samples w.* lost while recording: page-faults:u .*/\2/p' err)
}
run -m 16M
[ -z "$lost" ] || skip 'the machine is too slow to record without losses'
all=$written
for _ in 1 2 3 4 5; do
	run -m 1
	[ -z "$lost" ] || break
done
[ "$lost" ] || skip 'nothing was lost'
expect_near 'written and lost' "$all" $((written + lost)) 0.1
grep -q 'they would have been kept by' err || fail 'no advice'
expect 'samples in the file' "$written" "$("$PREC" script -i data -F time | wc -l)"
by_cpu=$(sed -nE 's/.* lost while recording: page-faults:u \((.*)\).*/\1/p' err | tr , '\n' | awk '{ n += $NF } END { print n }')
expect 'lost by CPU' "$lost" "$by_cpu"
need_perf
expect 'lost by perf report' "$lost" "$("$PERF" report -i data --stdio 2>/dev/null </dev/null | sed -n 's/.*Total Lost Samples: //p')"
