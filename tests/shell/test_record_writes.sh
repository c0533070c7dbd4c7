#!/bin/bash
# Data goes to the file in large pieces, whatever the size of the rings.
. "$(dirname "$0")/lib/prec.sh"
need strace
# Leaks cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_events
for pages in 2 16 128 1024; do
	expect_status 143 strace -ttt -e trace=write,writev -e signal=none -o trace \
		"$PREC" record -N -o data -m $pages -e cpu-clock:u -c 40000 --max-size 1M "$(workload spin)" -1 0 >/dev/null 2>err
	# All but the one that describes what was there, and the last; on a busy machine, one a second.
	sed -nE 's/^([0-9.]+) writev?\([0-9]+, .* = ([0-9]+)$/\1 \2/p' trace | awk '$2 > 1000' | head -n -1 |
		awk '!n++ { from = $1 } $2 < 262144 { small++ } { to = $1 } END { exit small > 1 + (to - from) }' ||
		fail "-m $pages: too many writes of less than 256 KiB"
done
