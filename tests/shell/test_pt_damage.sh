#!/bin/bash
# A PT trace that is damaged at one place goes on at the next PSB, and outside of the gap that is told all instructions are right.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
mutants=$(helper trace/pt_mutants)
PT_CLEAN=yes
pt_traces t 20000 psb=512 psb=300,long-tnt,cyc psb=700,async=300 -- bash -c 'for ((i = 0; i < 200; i++)); do :; done'
# Where a byte of bits is other bits there may be nothing to see: such a mutant is the trace of another run, which is proven.
nr=60
for i in 1 2 3; do
	"$mutants" -v -n $nr t.$i.pt t.maps t.$i.exp >all
	tail -1 all >out
	# Of what nothing is told: another execution could have made just these bytes.
	grep -q ' silent, 0 of them unproven' out || fail "trace $i: something is lost in silence: $(grep 'no proof' all)"
	read -r holes median mean before behind <<<"$(sed 's/.*mutants, \([0-9]*\) with .*median \([0-9]*\), mean \([0-9]*\);.*: \([0-9]*\) before gaps, \([0-9]*\) behind.*/\1 \2 \3 \4 \5/' out)"
	# A hole begins at a PSB at the earliest and ends at the next but one at the latest: damage may hide one.
	between=$((20000 / $(LC_ALL=C grep -aobP '(\x02\x82){8}' t.$i.pt | wc -l)))
	[ "$holes" -gt 10 ] && [ "$median" -lt $((2 * between)) ] && [ "$mean" -lt $((2 * between)) ] ||
		fail "trace $i, $between instructions from PSB to PSB: $(<out)"
	# A gap tells how many of the instructions before it are not to be trusted; all others did run.
	[ "$before" = 0 ] && [ "$behind" = 0 ] || fail "trace $i: wrong instructions: $(<out)"
	"$mutants" -w -n $nr t.$i.pt t.maps t.$i.exp >out
	grep -q ' silent, 0 of them unproven' out || fail "trace $i, wider damage, is lost in silence: $(<out)"
	read -r before behind <<<"$(sed 's/.*: \([0-9]*\) before gaps, \([0-9]*\) behind.*/\1 \2/' out)"
	[ "$before" = 0 ] && [ "$behind" = 0 ] || fail "trace $i, wider damage: wrong instructions: $(<out)"
	# A PSB+ needs nothing before it: where its address is wrong, in however many bytes, what follows says that it may be.
	for bytes in 1 2 3; do
		"$mutants" -a $bytes -n $nr t.$i.pt t.maps t.$i.exp >out
		grep -q '; 0 silent, .* wrong in 0:' out || fail "trace $i, $bytes bytes of an address of a PSB+: $(<out)"
	done
done
