#!/bin/bash
# Killed with SIGKILL, a recording leaves a file that reads to the end of what was written.
. "$(dirname "$0")/lib/prec.sh"
need_events
exec "$PREC" record -q -m 16 -e cpu-clock:u -c 10000 -o data "$(workload spin)" -1 0 >/dev/null & prec=$!
await 60 eval '[ "$(stat -c %s data 2>/dev/null || echo 0)" -gt 600000 ]'
spin=$(pgrep -P $prec)
kill -KILL $prec
ended $prec
kill -KILL "$spin"
status=0
"$PREC" script -i data >text 2>err || status=$?
[ $status = 2 ] || fail "a cut file reads with status $status, not 2"
samples=$(wc -l <text)
[ "$samples" -gt $(($(stat -c %s data) / 60)) ] || fail "only $samples samples of $(stat -c %s data) bytes"
