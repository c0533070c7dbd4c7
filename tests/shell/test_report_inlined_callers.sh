#!/bin/bash
# A call graph has the functions that are inlined where a caller calls, not where the call returns to.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -q --call-graph fp -e cpu-clock:u -o data "$(workload demo)" >out
"$PREC" report -i data --no-children -g folded,caller -s sym >folded 2>err
grep -q 'worker_main.*;blur$' folded || fail "no worker_main above blur: $(head -20 folded)"
# The first instruction behind the call is clock_ns()'s.
! grep 'clock_ns[^;]*;blur$' folded || fail 'clock_ns() calls no blur()'

# So has script; as perf has it by an option.
between() {	# the inlined functions between render() and worker_main() in all chains of FILE
	awk 'NF == 0 { seen = 0 } $2 == "worker_main" { seen = 0 } seen && $3 { print $2, $3 } $2 == "render" { seen = 1 }' "$1" | sort -u
}
"$PREC" script -i data -F ip,sym >out 2>err
expect 'script' '' "$(between out)"
"$PREC" script --inline-at-return -i data -F ip,sym >out 2>err
between out | grep -qx 'clock_ns (inlined)' || fail "script --inline-at-return: $(head -20 out)"
"$PREC" script -i data -F ip,sym,srcline >out 2>err
line_of_call=$(grep -n $'\tblur(' "$SRC/tests/work/demo.c" | cut -d : -f 1)
expect 'the line of the call' "demo.c:$line_of_call" \
	"$(awk 'is_render { print $1 } { is_render = called == "blur" && $2 == "render" } $2 ~ /^[a-z_]+$/ { called = $2 }' out | sort -u)"
if with_newperf 'inlined functions as newest perf'; then
	"$PREC_PERF" script -i data -F ip,sym </dev/null 2>/dev/null | sed 's/  *$//' >want
	"$PREC" script --inline-at-return -i data -F ip,sym 2>err | sed 's/  *$//' >out
	expect_same 'script --inline-at-return' want out
fi
