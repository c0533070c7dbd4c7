#!/bin/bash
# On a full disk recording says so, ends with status 1, and what was written can be read.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
mkdir disk
mount -t tmpfs -o size=1m none disk 2>/dev/null || skip 'cannot mount a small disk'
at_end 'umount disk'
# full LEAST OPTIONS...: at least so many samples fit, and record, the file and verify agree on the samples that are here and not.
full() {
	local least=$1 told lost status
	shift
	expect_status 1 "$PREC" record "$@" -o disk/data "$(workload spin)" -1 0 >/dev/null 2>err
	grep -q 'No space left' err || fail "$*: does not say why"
	status=0
	"$PREC" script -i disk/data -F event >text || status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "$*: reading: status $status"
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	expect "samples in the file, $*" "$told" "$(wc -l <text)"
	[ "$told" -gt "$least" ] || fail "$*: only $told samples"
	# The file tells what is missing, too.
	lost=$(sed -nE 's/^prec: (warning: )?([0-9]+) samples? that .* could not be written.*/\2/p' err)
	status=0
	"$PREC" verify disk/data >out 2>&1 || status=$?
	[ $status = 0 ] || [ $status = 3 ] || fail "$*: verify: status $status: $(<out)"
	grep -q "^disk/data: .*, $told samples" out || fail "$*: verify does not count $told samples: $(<out)"
	expect "$*: samples that verify misses" "$lost" "$(sed -nE 's/^  (warning|note   )  unwritten: ([0-9]+) samples? that.*/\2/p' out)"
}
full 10000 -e cpu-clock:u -c 40000
# Of the last write what fits is there.
size=$(stat -c %s disk/data)
[ "$size" -gt 900000 ] || fail "of 1 MiB only $size bytes are used"
expect_finding unwritten err '[0-9]+ samples? that w.* taken could not be written'
expect_kept disk/data err
# prec ended the command, and says so; once, and not as if somebody else had.
expect 'who ended the command' "prec: '$(workload spin)' was ended by prec (SIGTERM): no space is left for 'disk/data'" \
	"$(grep 'was ended' err)"
rm disk/data

# However records come to the file, and whatever its end has: room for that is kept from the beginning.
mount -o remount,size=200k disk
# --tail-synthesize keeps room for the maps of all that runs, which is more than half of it on a busy machine.
for options in -z --threads=cpu '--threads=cpu -z' --tail-synthesize -s --no-buffering '-N -g' '-N --call-graph auto' \
	       '-N --unwind=live --call-graph dwarf' '-N --switch-events' '-N --running-time' '-N --aio' '-N -z --tail-synthesize -s' '-N --per-thread' \
	       '-N --archive' '-N --call-graph dwarf' '-N --off-cpu'; do
	# shellcheck disable=SC2086
	full $([[ $options = *dwarf* || $options = *tail* ]] && echo 10 || echo 500) $options -e cpu-clock:u -c 40000
	rm -r disk/data
done
status=0
"$PREC" record --on=sched:sched_process_exit -e page-faults:u -c 1 -m 4M -o disk/data "$(workload faults)" 50000 >/dev/null 2>err || status=$?
if grep -q 'samples)' err; then
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	expect "a dump: status" 1 $status
	"$PREC" verify disk/data* >out 2>&1 || true
	grep -q ", $told samples" out || fail "a dump: verify does not count $told samples: $(<out)"
	expect 'a dump: samples that verify misses' "$(sed -nE 's/^prec: warning: ([0-9]+) samples? that .*/\1/p' err)" \
		"$(sed -nE 's/^  (warning|note   )  unwritten: ([0-9]+) samples? that.*/\2/p' out)"
else
	part_skipped "a dump: no tracepoints"
fi
rm -f disk/data*
mount -o remount,size=1m disk

# Rings of a page are too small, but where there is no room on the disk larger ones do not help.
lost_too() {
	"$PREC" record -e page-faults -c 1 -m 1 -g -o disk/data "$(workload faults)" 3000000 >/dev/null 2>err || true
	grep -qE 'could not be written, and [0-9]+ records? found no room' err
}
for try in 1 2 3 4 5; do
	rm -f disk/data*
	lost_too && break
done
[ "$try" -lt 5 ] || part_skipped 'a full disk and full rings: nothing was lost'
! grep 'record -m' err || fail "on a full disk larger rings are recommended: $(<err)"
