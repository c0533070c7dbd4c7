#!/bin/bash
# With -c 1 every page fault of a function is a sample; with -c N every Nth is.
. "$(dirname "$0")/lib/prec.sh"
need_events
faults() {
	# On one CPU: each has a counter of its own, which keeps what is left of a period.
	taskset -c "$(one_cpu)" "$PREC" record -q -e page-faults:u "$@" -o data "$(workload faults)" 3000 >/dev/null
	"$PREC" script -i data -F ip,sym | grep -c touch_pages
}
expect 'samples of touch_pages' 3000 "$(faults -c 1)"
expect_near 'samples with -c 10' 300 "$(faults -c 10)" 1
expect_near 'samples with -c 10 and -P' 300 "$(faults -c 10 -P)" 1
