#!/bin/bash
# A call graph has the functions that are inlined where a caller calls, not where the call returns to.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -q -g -e cpu-clock:u -o data "$(workload demo)" >out
"$PREC" report -i data --no-children -g folded,caller -s sym >folded 2>err
grep -q 'worker_main.*;blur$' folded || fail "no worker_main above blur: $(head -20 folded)"
# The first instruction behind the call is clock_ns()'s.
! grep 'clock_ns[^;]*;blur$' folded || fail 'clock_ns() calls no blur()'
