#!/bin/bash
# A CPU that does not exist is warned of and left out; recording fails where none is left.
. "$(dirname "$0")/lib/prec.sh"
need_events all
"$PREC" record -e cpu-clock -C 0,4095 -o data "$(workload spin)" 0 50 >/dev/null 2>err
grep -q 'warning.*4095' err || fail 'no warning'
expect 'CPUs of the samples' 000 "$("$PREC" script -i data -F cpu | tr -dc '0-9\n' | sort -u)"
expect_status 1 "$PREC" record -e cpu-clock -C 4095 -o other true 2>err
grep -q 'CPU' err || fail 'no reason'
[ ! -e other ] || fail 'a file was written'
