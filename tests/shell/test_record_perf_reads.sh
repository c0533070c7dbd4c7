#!/bin/bash
# Stock perf, old and new, reads the files of all modes without a warning and counts what prec said it wrote.
# Runs: alone, as Linux 6.18 gives samples of a software event the ids of another recorder's of the same event.
. "$(dirname "$0")/lib/prec.sh"
need_perf
need_events all
perfs=("$PERF")
! with_newperf || perfs+=("$PREC_PERF")
spin=$(workload spin)
"$spin" -1 0 >/dev/null & pid=$!
await 60 test -d /proc/$pid
while read -r options; do
	# shellcheck disable=SC2086
	"$PREC" record -e cpu-clock,page-faults -c 500000 -o data $options "$spin" -1 100 >/dev/null 2>said
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' said)
	for perf in "${perfs[@]}"; do
		"$perf" report -i data --stats 2>err >stats </dev/null
		expect "$options: samples in $perf report --stats" "$told" "$(awk '/SAMPLE events:/ { print $3; exit }' stats)"
		[ ! -s err ] || fail "$options: $(cat err)"
		"$perf" report -i data --stdio 2>err >report </dev/null
		[ ! -s err ] || fail "$options: $(cat err)"
		! grep -q "of event 'dummy" report || fail "$options: report shows the dummy event"
		grep -q 'cpu-clock' report || fail "$options: report shows no samples"
		expect "$options: lines of $perf script" "$told" "$("$perf" script -i data -F comm,event 2>err </dev/null | wc -l)"
		[ ! -s err ] || fail "$options: $(cat err)"
	done
done <<MODES
-g
--per-thread
-C 0
-a
-a -g -d
-p $pid
-t $pid
-p $pid --per-thread
-k monotonic
-P -s --sample-cpu
--no-timestamp
MODES
kill $pid
