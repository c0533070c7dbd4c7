#!/bin/bash
# CoreSight: damage at one place costs little, and the loss is reported, unless the trace is that of another execution.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
T=$BUILD/tests/trace
[ -x "$T/cs_damage" ] || skip "cs_damage is not built"

# An atom too few or too many is seen where the next address does not fit, and often it does: up to the next address the trace
# is one of another run of the same program. What is lost in silence is no more than lies between two addresses.
mutants=0 silent=0 unproven=0 wrong=0
while read -r options; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	seeds="1 2"
	[ "$options" != high ] || seeds="1 2 4"		# 4: one in which the security state changes
	for seed in $seeds; do
		rm -rf trace
		"$T/csgen" -s $seed -n 6000 -o raw -o steady "${args[@]}" trace
		"$T/cs_damage" -s $seed -n 100 trace >damage || fail "'$options' seed $seed: status $?"
		awk '/silent/ && $2 + $4 > 400' damage >much
		[ ! -s much ] || fail "'$options' seed $seed: lost in silence: $(head -1 much)"
		read -r _ n _ s _ u _ w _ certain _ median _ mean < <(tail -1 damage)
		most=300
		[ "$median" -le $((most * 2 / 3)) ] || fail "'$options' seed $seed: median $median"
		[ "$mean" -le $most ] || fail "'$options' seed $seed: a mutant loses $mean instructions"
		# All that is wrong, before a gap or after one, is among what a gap says is unsure.
		expect "'$options' seed $seed: wrong instructions that no gap speaks of" 0 "$certain"
		mutants=$((mutants + n)) silent=$((silent + s)) unproven=$((unproven + u)) wrong=$((wrong + w))
	done
done <<X

rs
cc
rs cc cid
spec
ete
ete rs
arm
late rs
high
X
[ $mutants = 2100 ] || fail "$mutants mutants"
[ $unproven = 0 ] || fail "$unproven of $mutants mutants lose something in silence, and are not proven to be traces of others"
# Script says it: of one that commits too much for a while.
rm -rf trace
"$T/csgen" -s 2 -n 6000 -o raw -o steady -o spec trace
"$T/cs_damage" -s 2 -m 30 trace >mutant
mv mutant trace/trace.bin
recording 0x100 -1 4242 100000000
"$PREC" script --itrace=e -i made.data >got 2>&1
grep -qE 'instruction trace error .*: the code leads elsewhere, [0-9]+ before it unsure$' got || fail "no gap says what is unsure: $(<got)"
echo "$mutants mutants, $silent of them are traces of other executions, as proven; all others are told"
echo "$wrong wrong instructions, each among those that a gap says are unsure"
