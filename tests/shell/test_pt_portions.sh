#!/bin/bash
# AUXTRACE records that are missing, cut or out of order: what is there is decoded, and what is not is told, in bytes.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
pt_traces t 20000 psb=256 -- bash -c 'for ((i = 0; i < 200; i++)); do :; done'
size=$(stat -c %s t.1.pt)

# shown FILE: the instructions; messages: what is said.
shown() {
	"$PREC" script --itrace=i1i -F ip -i "$1" 2>messages
}

# absent BYTES WHAT: so many are told to be missing.
absent() {
	grep -q " $1 bytes of trace that AUX records describe are not in the file" messages || fail "$2: $(<messages)"
}

for place in "0 -1" "-1 100"; do
	read -r cpu tid <<<"$place"
	pt_recording t 1 0xe603 "$cpu" "$tid" 400
	cp made.txt whole.txt
	shown t.1.data >want
	expect "the whole trace of $place" "" "$(<messages)"

	# ---- none is there ----

	awk '/^raw type=71/ { getline; next } { print }' whole.txt >none.txt
	"$(helper mkdata/mkdata)" none.txt none.data
	shown none.data >got || true
	expect "instructions of nothing" 0 "$(grep -c . got || true)"
	absent "$size" "no AUXTRACE record"

	# ---- one is not there; one ends early ----

	awk '/^raw type=71/ && ++n == 3 { getline; next } { print }' whole.txt >missing.txt
	"$(helper mkdata/mkdata)" missing.txt missing.data
	shown missing.data >got
	absent 400 "one AUXTRACE record of 400 bytes"
	pt_portion t.1.pt 0 "$size" "$cpu" "$tid" >one.txt
	keep=$((size / 2 / 8 * 8))
	{
		grep -v '^aux \|^raw type=71\|^bytes' whole.txt
		grep '^aux ' one.txt
		pt_portion t.1.pt 0 $keep "$cpu" "$tid" | grep -v '^aux '
	} >cut.txt
	"$(helper mkdata/mkdata)" cut.txt cut.data
	shown cut.data >got
	absent $((size - keep)) "a trace that is cut"
	expect_same "what is there of it" <(head -n $(($(wc -l <got) - 50)) want) <(head -n -50 got)
	[ "$(wc -l <got)" -gt 5000 ] || fail "of a trace that is cut there are only $(wc -l <got) instructions"

	# ---- two change places ----

	awk '/^raw type=71/ && ++n == 2 { held = $0; getline; held = held "\n" $0; next }
		{ print }
		/^bytes/ && held { print held; held = "" }' whole.txt >swapped.txt
	cmp -s whole.txt swapped.txt && fail "nothing was swapped"
	"$(helper mkdata/mkdata)" swapped.txt swapped.data
	shown swapped.data >got
	expect "what is said of swapped records" "" "$(<messages)"
	expect_same "swapped records" want got
done
