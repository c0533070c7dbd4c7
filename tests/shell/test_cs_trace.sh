#!/bin/bash
# CoreSight: what made-up programs executed is what their traces decode to, whole and in pieces.
. "$(dirname "$0")/lib/prec.sh"
T=$BUILD/tests/trace
[ -x "$T/csgen" ] || skip "csgen is not built"

# made OPTIONS SEED: one generated trace.
made() {
	local args=() o piece
	for o in $1; do args+=(-o "$o"); done
	rm -rf trace
	"$T/csgen" -s "$2" -n 8000 "${args[@]}" trace
	for piece in 0 700 1; do
		"$T/cs_insn" -p $piece trace >got 2>gaps
		cmp got trace/expected || fail "'$1' seed $2 in pieces of $piece bytes"
	done
	[ "$(wc -l <got)" -gt ${3:-5000} ] || fail "'$1' seed $2: hardly anything traced"
	# Counting goes the fast way, through the same number of instructions.
	"$T/cs_insn" -c 1000 trace >counts 2>gaps
	expect "'$1' seed $2: instructions counted" "$(wc -l <got)" "$(awk '{ n += $1 } END { print n }' counts)"
	expect "'$1' seed $2: cycles and time" "$(<trace/sums)" "$(awk '{ print $2, $3 }' counts)"
	# Branches across the cuts are reported, too.
	"$T/cs_insn" -b trace >whole 2>gaps
	"$T/cs_insn" -b -p 700 trace >pieces 2>gaps
	expect_same "'$1' seed $2: branches" whole pieces
}

# given FILE.data FILE.exp: a trace from outside.
given() {
	local piece
	for piece in 0 3000; do
		"$T/cs_insn" -p $piece "$1" 2>gaps >got
		cmp got <(awk '{ print $1 }' "$2") || fail "$1 in pieces of $piece bytes"
	done
}

while read -r options; do
	for seed in ${LONG:+2 3} 1; do
		made "$options" $seed
	done
done <<X

rs
cc
cc ccommit
cid vmid
spec
spec cc ccommit rs
ete
ete cc rs cid vmid
raw rs
syncs
two syncs cid rs
arm
arm rs spec
arm ete
high rs cid
high spec ete two
late
late rs cc
late rs spec
late rs ete cid
late arm rs
ete texit
ete rs cc texit
X

# Whatever may happen between two branches happens at each second one, some 10,000 times, or 30,000.
while read -r options; do
	for seed in ${LONG:+2 3} 1; do
		made "dense $options" $seed 2000
	done
done <<X

rs
cc
rs cc cid vmid
spec
spec rs cc ccommit
ete rs
ete cc texit
raw rs
syncs two rs
arm rs
arm rs spec
high rs cid
high spec ete two
X

with_traces || exit 0
for data in "$PREC_TRACES"/cs/*.data "$PREC_TRACES"/real/*.data; do
	[ ! -e "${data%.data}.exp" ] || given "$data" "${data%.data}.exp"
done
