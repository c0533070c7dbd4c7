#!/bin/bash
# OpenCSD's own tool lists the packets of CoreSight traces, ETMv4's and ETE's, as prec does.
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

nr=0
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
	[ ! -d "$snapshot" ] || compare "$snapshot" "${snapshot##*/}"
done
echo "$nr packets"
