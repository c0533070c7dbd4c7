#!/bin/bash
# Data goes to the file in large pieces, whatever the size of the rings.
. "$(dirname "$0")/lib/prec.sh"
need strace
# Leaks cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
need_events
for pages in 2 16 128 1024; do
	strace -e trace=write,writev -e signal=none -o trace \
		"$PREC" record -o data -m $pages -e cpu-clock:u -c 10000 "$(workload spin)" -1 600 >/dev/null 2>err
	size=$(stat -c %s data)
	[ "$size" -gt 1000000 ] || [ $pages = 2 ] || fail "-m $pages: only $size bytes"
	# All but the one that describes what was there, and the last.
	small=$(sed -nE 's/^writev?\([0-9]+, .* = ([0-9]+)$/\1/p' trace | awk '$1 > 1000' | head -n -1 | awk '$1 < 262144' | wc -l)
	[ "$small" -le 1 ] || fail "-m $pages: $small writes of less than 256 KiB"
done
