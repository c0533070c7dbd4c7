#!/bin/bash
# A dump of a large trace is written bit by bit, in order, by any number of threads, and takes little memory.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"

# Packets of one byte each, a line each; two large records with many small ones between them, and around.
nr=900000
{
	printf '\x02\x82%.0s' 1 2 3 4 5 6 7 8
	head -c $((nr - 16)) /dev/zero | tr '\0' '\14'
} >t.1.pt
: >t.maps
pt_recording t 1 0xe601 0 -1 $((nr / 2))
awk '{ print } /^comm/ || /^bytes/ { for (i = 0; i < 5000; i++) printf "comm 100/100 \"n%d\" t=%d event=intel_pt id=1\n", i,
	(at += (at ? 1 : 10)) + 1000000000 * seen }; /^bytes/ { seen++ }' made.txt >many.txt
"$(helper mkdata/mkdata)" many.txt many.data

"$PREC" script -D -j1 -i many.data >one
expect "packets of TNT" $((nr - 16)) "$(grep -c 'TNT' one)"
for jobs in 2 4; do
	"$PREC" script -D -j$jobs -i many.data >many
	cmp one many || fail "-j$jobs prints other text"
done
"$PREC" report -D -j3 -i many.data | cksum >many
"$PREC" report -D -j1 -i many.data | cksum >want
expect_same "report -D" want many
text=$(stat -c %s one)
[ "$text" -gt 55000000 ] || fail "the text has only $text bytes"
# A tool that checks memory takes much of it: then the text alone is compared.
! sanitized || exit 0
(ulimit -v 64000; "$PREC" script -D -j1 -i many.data | cksum) >many
cksum <one >want
expect_same "in 64 MB" want many
