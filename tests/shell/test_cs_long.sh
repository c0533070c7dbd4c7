#!/bin/bash
# CoreSight: of a made-up execution of more than 50 million instructions each one is decoded.
# Runs: long
. "$(dirname "$0")/lib/prec.sh"
gen=$(helper trace/csgen) decode=$(helper trace/cs_insn)
"$gen" -s 11 -n 56000000 -o rs -o cc -o cid trace
"$decode" -p 100000 trace 2>gaps | cmp - trace/expected || fail "not what was executed"
nr=$(wc -l <trace/expected)
[ "$nr" -gt 50000000 ] || fail "only $nr instructions"
echo "$nr instructions, $(stat -c %s trace/trace.bin) bytes of trace"
