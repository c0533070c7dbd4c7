#!/bin/bash
# OpenCSD's own tool lists the packets of CoreSight traces, ETMv4's and ETE's, and decodes its snapshots, as prec does.
. "$(dirname "$0")/lib/prec.sh"
need trc_pkt_lister
gen=$(helper trace/csgen) list=$(helper trace/cs_insn)

# compare SNAPSHOT WHAT: of one source it may not know the ID, so that is looked at where there are several. One of its texts
# is not that of its packet's name.
compare() {
	local id='s/ID:[0-9a-f]*;//' text='s/\(CTXT_L_32IS1.*, \)IS0/\1IS1/'
	[ "$(cat "$1"/*.ini | grep -c TRCTRACEIDR)" = 1 ] || id=
	trc_pkt_lister -ss_dir "$1" -logstdout 2>/dev/null | grep '^Idx' | sed "$id; $text; s/[ 	]*$//" >want || fail "$2: nothing listed"
	"$list" -d "$1" | grep 'Idx:' | sed "s/^	//; $id; s/[ 	]*$//" >got
	expect_same "$2" want got
	nr=$((nr + $(wc -l <want)))
}

# contexts DIR NAME: how often the trace names a context that has code of its own; elements is what it is decoded to.
contexts() {
	trc_pkt_lister -ss_dir "$1" -decode_only -logstdout >elements 2>/dev/null || fail "$2: not decoded"
	grep -c 'PE_CONTEXT.*\(CTXTID\|VMID\)=' elements || true
}

# snapshot DIR NAME: what prec decodes of its recording. All its instructions have 4 bytes.
snapshot() {
	expect "contexts of $2" 0 "$(contexts "$1" "$2")"
	! grep -q 'INSTR_RANGE.*ISA=T' elements || fail "$2 has instructions of Thumb"
	perl -ne 'while (/exec range=0x([0-9a-f]+):\[0x([0-9a-f]+)\]/g) { for (my $i = hex $1; $i < hex $2; $i += 4) { printf "%x\n", $i } }' \
		elements >want
	"$list" "${1%/snap/*}/$2".*.data >got 2>gaps
	expect_same "the instructions of $2" want got
	insns=$((insns + $(wc -l <got)))
}

nr=0 insns=0 snapshots=0
while read -r options; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" -s 4 -n 4000 "${args[@]}" trace
	compare trace "'$options'"
done <<'X'

rs cc cid vmid
spec cc ccommit
ete rs
ete spec
two cid rs
two ete
raw rs
arm rs
high rs cid
X
for snapshot in "${PREC_TRACES:-/none}"/real/snap/*; do
	[ -d "$snapshot" ] || continue
	compare "$snapshot" "${snapshot##*/}"
	snapshot "$snapshot" "${snapshot##*/}"
	snapshots=$((snapshots + 1))
done
# No snapshot names a context; a made trace does.
rm -rf trace
"$gen" -s 4 -n 400 -o rs -o cid -o vmid trace
[ "$(contexts trace made)" -gt 1 ] || fail "the made trace has no contexts"
echo "$nr packets; $insns instructions of $snapshots snapshots"
