#!/bin/bash
# Wherever the disk gets full, in the data or in the sections behind it, the file holds the samples that are told.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
WALK=$(helper mkdata/walk)
mkdir disk
mount -t tmpfs -o size=16m none disk 2>/dev/null || skip 'cannot mount a small disk'
at_end 'umount disk'
# Many events, so that what describes them takes pages.
events=page-faults:u$(printf ',dummy:u%.0s' $(seq 60))
run() {
	"$PREC" record -e "$events" -c 1 -m 1M -o disk/data "$(workload faults)" 3000 >/dev/null 2>err
}
run
pages=$(($(stat -c %s disk/data) / 4096))
data=$(($("$WALK" disk/data | awk '$1 == "walked" { print $2 }') / 4096))
[ $pages -gt $((data + 1)) ] || fail "sections of less than a page: $data of $pages"
in_data=0 in_sections=0 fits=0
for n in 4 5 $((data / 2)) $(seq $((data - 1)) $((pages + 4))) $((pages + 40)); do
	umount disk
	mount -t tmpfs -o size=$((n * 4096)) none disk
	status=0
	run || status=$?
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	"$WALK" disk/data >walked
	of() { awk -v w="$1" '$1 == w || $1 == "type" && w == $2 { n = $NF } END { print n + 0 }' walked; }
	what="$n pages, status $status, $(cat err walked)"
	if [ $status = 0 ]; then
		fits=$((fits + 1))
	else
		[ $status = 1 ] && grep -q 'No space left' err || fail "$what"
		if grep -q 'the end of' err; then in_sections=$((in_sections + 1)); else in_data=$((in_data + 1)); fi
	fi
	expect "samples in the file, $what" "$told" "$(of 9)"
	expect "data.size, $what" "$(of walked)" "$(of header)"
	status=0
	"$PREC" script -i disk/data -F event >text 2>said || status=$?
	expect "samples by prec, $what" "0 $told" "$status $(wc -l <text)"
	[ "$told" = 0 ] || ! with_perf ||
		expect "samples by perf, $what" "$told" "$(perf script -i disk/data -F event 2>/dev/null </dev/null | wc -l)"
done
[ $in_data -gt 3 ] && [ $in_sections -gt 0 ] && [ $fits -gt 0 ] || fail "full in the data $in_data times, in sections $in_sections, never $fits"

# A place where no recording can be is refused before the command runs.
mkdir some && touch some/file && mkfifo fifo
for place in some fifo ''; do
	expect_status 1 timeout 60 "$PREC" record -o "$place" touch ran 2>err
	[ ! -e ran ] || fail "'$place': the command runs"
done
