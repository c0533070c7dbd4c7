#!/bin/bash
# CoreSight: damage at one place costs little, and what it costs is told, unless the trace is that of another execution.
. "$(dirname "$0")/lib/prec.sh"
T=$BUILD/tests/trace
[ -x "$T/cs_damage" ] || skip "cs_damage is not built"

# An atom too few or too many is seen where the next address does not fit, and often it does: up to the next address the trace
# is one of another run of the same program. What is lost in silence is no more than lies between two addresses.
mutants=0 silent=0 unproven=0
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
		read -r _ n _ s _ u _ _ _ median _ mean < <(tail -1 damage)
		# Where the trace unit speculates it is followed from the next A-sync on only.
		most=300
		[[ $options != *spec* ]] || most=2000
		[ "$median" -le $((most * 2 / 3)) ] || fail "'$options' seed $seed: median $median"
		[ "$mean" -le $most ] || fail "'$options' seed $seed: a mutant loses $mean instructions"
		mutants=$((mutants + n)) silent=$((silent + s)) unproven=$((unproven + u))
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
echo "$mutants mutants, $silent of them are traces of other executions, as proven; all others are told"
