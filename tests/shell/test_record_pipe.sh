#!/bin/bash
# With -o -, or into a pipe, a recording is a stream that perf and prec read.
. "$(dirname "$0")/lib/prec.sh"
need_events
spin=$(workload spin)
record=("$PREC" record -e 'cpu-clock:u,page-faults:u' -g)
# What the command itself prints goes elsewhere.
"${record[@]}" "$spin" -1 100 2>err | "$PREC" script -i - -F event,ip,sym >text
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
grep -q ready err || fail 'the output of the command is not on standard error'
[ "$told" -gt 100 ] || fail "$told samples"
expect 'samples by prec' "$told" "$(grep -c ':u: *$' text)"
need_perf
"${record[@]}" -o - "$spin" -1 100 2>err >stream
told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
expect 'samples by perf' "$told" "$("$PERF" script -i - -G -F event 2>perf_err <stream | wc -l)"
[ ! -s perf_err ] || fail "$(cat perf_err)"
"$PERF" report -i - --stdio <stream 2>/dev/null | grep 'spin.*\[\.\] spin' >/dev/null || fail 'perf report does not show spin'
