#!/bin/bash
# Samples and lost samples are together exactly the hits that the kernel counted, whatever the size of the rings.
# A recorder that is stopped meanwhile holds to that too; the gaps are told, and advice that fits.
. "$(dirname "$0")/lib/prec.sh"
need_events
WALK=$(helper mkdata/walk)
check() {	# WHAT: what the run that wrote err and data said
	counted=$(sed -nE "s/.*event 'page-faults:u': counted ([0-9]+),.*/\1/p" err)
	lost=$(sed -nE "s/.*event 'page-faults:u': .* lost ([0-9]+) samples/\1/p" err)
	written=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	[ "$counted" -ge 200000 ] || fail "$1: counted only $counted"
	expect "$1: written and lost" "$counted" $((written + lost))
	expect "$1: samples in the file" "$written" "$("$WALK" data | awk '$1 == "type" && $2 == 9 { print $3 }')"
}
for pages in 1 2 4 16 64 256; do
	"$PREC" record -v -e page-faults:u -c 1 -o data -m $pages "$(workload faults)" 200000 >/dev/null 2>err
	check "-m $pages"
done
"$PREC" record -v -e '{page-faults:u,minor-faults:u}:S' -c 1 -o data -m 1 "$(workload faults)" 200000 >/dev/null 2>err
check 'a group that is read with each sample'
rm -f data
# Its command goes on when the recorder has been stopped, and what it touches then is more than the rings hold.
cat >script <<EOF
$(workload faults) 1000
touch one
until [ -e go ]; do sleep 0.02; done
$(workload faults) 100000
sleep 0.2
$(workload faults) 100000
touch two
until [ -e on ]; do sleep 0.02; done
$(workload faults) 1000
EOF
exec "$PREC" record -v -e page-faults:u -c 1 -o data -m 16 taskset -c "$(one_cpu)" sh script >/dev/null 2>err & prec=$!
await 60 test -e one
kill -STOP $prec
touch go
await 60 test -e two
size=$(stat -c %s data)
kill -CONT $prec
# With the next record in that ring the kernel tells what it lost.
await 60 eval '[ "$(stat -c %s data)" -gt $size ]'
touch on
wait $prec
check 'a recorder that was stopped'
[ "$lost" -gt 0 ] || fail 'nothing was lost'
expect_finding loss-gaps err 'of .* together, the longest .* ms on CPU'
grep -q 'lost [0-9]* records on CPU [0-9]* between' err || fail 'does not list the gaps'
expect_finding recorder-stopped err
expect_kept data err
