#!/bin/bash
# With --max-size recording stops when that much is written.
. "$(dirname "$0")/lib/prec.sh"
need_events
expect_status 143 "$PREC" record -e cpu-clock:u -c 10000 -m 16 --max-size 600K -o data "$(workload spin)" -1 0 >/dev/null 2>err
grep -q 'max-size' err || fail 'does not say why it stops'
size=$(stat -c %s data)
[ "$size" -ge 600000 ] && [ "$size" -lt 1600000 ] || fail "$size bytes"
"$PREC" script -i data >/dev/null
perf_agrees data
expect_status 129 "$PREC" record --max-size 600 true 2>err
