#!/bin/bash
# A report shows the shares that a program knows it has, as near as the number of samples allows.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_events

"$PREC" record -q -F 4000 -o rec.data "$(workload shares)" 2 1000 >truth 2>err || skip "cannot record: $(cat err)"
n=$("$PREC" script -i rec.data -c shares -F ip | wc -l)
# Among themselves: on a busy machine the kernel takes a share as well.
"$PREC" report -i rec.data -q -S a_70,b_20,c_10 --percentage relative -F overhead,sym >text 2>/dev/null
while read -r name want _; do
	got=$(awk -v n="$name" '$3 == n { sub("%", "", $1); print $1 }' text)
	expect_share "$name" "$want" "$got" "$n"
done <truth
