#!/bin/bash
# Intel PT traces whose instructions are known decode to exactly these, whole and in pieces.
. "$(dirname "$0")/lib/prec.sh"
need_traces pt
decode=$(helper trace/pt_insn)
bad=0 nr=0
for trace in "$PREC_TRACES"/pt/*.pt; do
	base=${trace%.pt}
	[ -e "$base.sum" ] && [ -e "$base.maps" ] || continue
	for pieces in '' --pieces; do
		got=$("$decode" --sum ${pieces:+"$pieces"} "$trace" "$base.maps" 2>messages)
		nr=$((nr + 1))
		[ "$got" = "$(cat "$base.sum")" ] && continue
		echo "${base##*/} $pieces: want $(cat "$base.sum"), got $got; $(head -1 messages)"
		bad=1
	done
done
[ $nr -gt 0 ] || fail "no trace in $PREC_TRACES/pt"
[ $bad = 0 ] || fail "see above"
