#!/bin/bash
# Intel PT recordings whose instructions are known are decoded to exactly these.
. "$(dirname "$0")/lib/prec.sh"
need_traces pt
nr=0
for data in "$PREC_TRACES"/pt/*.data; do
	exp=${data%.data}.exp
	[ -e "$exp" ] || continue
	"$PREC" script --itrace=i1i -F ip -i "$data" 2>messages | tr -d ' ' >got
	tr -d ' ' <"$exp" | cmp -s - got || fail "${data##*/}: $(cmp "$exp" got 2>&1); $(head -1 messages)"
	nr=$((nr + 1))
done
[ $nr -gt 0 ] || fail "no recording in $PREC_TRACES/pt"
