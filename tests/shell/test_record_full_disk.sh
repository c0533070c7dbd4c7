#!/bin/bash
# On a full disk recording says so, ends with status 1, and what was written can be read.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
mkdir disk
mount -t tmpfs -o size=1m none disk 2>/dev/null || skip 'cannot mount a small disk'
at_end 'umount disk'
for options in '' -z; do
	expect_status 1 "$PREC" record $options -e cpu-clock:u -c 10000 -o disk/data "$(workload spin)" -1 0 >/dev/null 2>err
	grep -q 'No space left' err || fail 'does not say why'
	status=0
	"$PREC" script -i disk/data >text || status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "reading: status $status"
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	expect "samples in the file, $options" "$told" "$(wc -l <text)"
	[ "$told" -gt 10000 ] || fail "only $told samples"
	# Of the last write what fits is there, but for the room that the end may need.
	size=$(stat -c %s disk/data)
	[ "$size" -gt 900000 ] || fail "of 1 MiB only $size bytes are used"
	expect_finding unwritten err '[0-9]+ samples? that w.* taken could not be written'
	# prec ended the command, and says so; once, and not as if somebody else had.
	expect 'who ended the command' "prec: '$(workload spin)' was ended by prec (SIGTERM): no space is left for 'disk/data'" \
		"$(grep 'was ended' err)"
	# The file tells it, too.
	lost=$(sed -nE 's/^prec: warning: ([0-9]+) samples? that .* could not be written.*/\1/p' err)
	"$PREC" verify disk/data >out 2>&1 || true
	grep -q "^  warning  unwritten: $lost samples* that" out || fail "verify does not tell of $lost samples: $(<out)"
	rm disk/data
done

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
