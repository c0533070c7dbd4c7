#!/bin/bash
# What the packets of an Intel PT trace tell is shown, and no more, where overflows, PEBS records, interrupts and PSB+ coincide.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
sets=() bases=()
for ((seed = 1; seed <= 25; seed++)); do
	for set in psb=300,pebs=60,long-tnt,overflow=300 psb=100,pebs=20,long-tnt,overflow=60 psb=200,pebs=30,overflow=100,cyc \
		psb=150,notices=20,overflow=50 psb=200,async=40,overflow=60,defer \
		psb=200,async=40,pebs=30,notices=30,cfe=60,overflow=60,long-tnt; do
		sets+=("$set,seed=$seed") bases+=("t.${#sets[@]}")
	done
done
PT_CLEAN=yes pt_traces t 5000 "${sets[@]}" -- bash --norc -c 'echo $((40 + 2))'
status=0
"$(helper trace/pt_truth)" t.maps "${bases[@]}" >wrong || status=$?
expect "traces that are not what ran (t.1 to t.6 are of seed 1, t.7 is the first of seed 2)" "" "$(sed -n 1,5p wrong)"
expect "the status of what compares them" 0 $status
