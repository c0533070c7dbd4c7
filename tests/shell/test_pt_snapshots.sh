#!/bin/bash
# Snapshots of one trace that overlap are joined without repeating or losing an instruction; others begin anew.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
pt_traces t 40000 psb=512 cyc,psb=700 -- bash -c 'echo $((40 + 2))'

# recorded N CONFIG SNAPSHOT...: the instructions of these snapshots, as got.
recorded() {
	local n=$1 config=$2
	shift 2
	PT_SNAPSHOTS=$* pt_recording t "$n" "$config" 0 -1 1
	"$PREC" script --itrace=i1i -F ip -i t.$n.data 2>messages | tr -d ' ' >got
}

for n in 1 2; do
	config=0xe601
	[ $n = 1 ] || config=0xe603
	size=$(stat -c %s t.$n.pt)
	third=$((size / 3))
	# The first one has padding behind it; the third is wholly in the second. A PSB is in what is there twice: a loop's
	# trace alone may be always the same byte.
	nine=$((third * 9 / 10))
	[ $nine -gt 700 ] || [ $n$nine -gt 1512 ] || fail "too little trace: $size bytes"
	for shift in 0 1 2 3 4 5; do	# which ends in a packet, too
		end=$((2 * third - shift))
		recorded $n $config 0-$((third | 3)) $((third - nine))-$end $third-$end $((2 * third - nine))-"$size"
		expect_same "snapshots that overlap, $n, the second to $end" t.$n.exp got
	done
	recorded $n $config 0-$((third | 3)) $((third | 3))-$((2 * third)) $((2 * third))-"$size"
	expect_same "each begins where the last one ended, $n" t.$n.exp got
	recorded $n $config 0-"$size" 0-"$size" 0-"$size"
	expect_same "the same snapshot again, $n" t.$n.exp got
	for what in i1i i100i b; do
		"$PREC" script -j1 --itrace=$what -i t.$n.data >one 2>/dev/null
		"$PREC" script -j3 --itrace=$what -i t.$n.data >many 2>/dev/null
		expect_same "-j3 --itrace=$what, $n" one many
	done
	# What is missing in between is missing, and nothing else: a beginning and an end of what ran.
	recorded $n $config 0-$third $((2 * third))-"$size"
	total=$(wc -l <t.$n.exp) lines=$(wc -l <got)
	[ "$lines" -gt $((total / 3)) ] && [ "$lines" -lt "$total" ] || fail "$lines of $total instructions with a hole"
	awk 'NR == FNR { want[++nr] = $0; next } { got[++lines] = $0 }
		END {
			for (first = 0; first < lines && got[first + 1] == want[first + 1]; first++);
			for (last = 0; last < lines && got[lines - last] == want[nr - last]; last++);
			exit first + last < lines
		}' t.$n.exp got || fail "not the beginning and the end of what ran, $n"
done
