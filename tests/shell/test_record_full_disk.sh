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
	rm disk/data
done
