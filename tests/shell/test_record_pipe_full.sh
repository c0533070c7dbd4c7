#!/bin/bash
# A standard output that must not block and is full is waited for; what does not fit meanwhile is counted.
. "$(dirname "$0")/lib/prec.sh"
need_events
mkfifo pipe
"$(workload nonblock)" "$PREC" record -v -m 16 -e page-faults:u -c 1 -o - "$(workload faults)" 100000 >pipe 2>err & prec=$!
exec 3<pipe
# Standard output is taken: what the program prints goes to standard error.
await 60 grep -q touch_pages err
cat <&3 >stream
wait $prec
counted=$(sed -nE "s/.*event 'page-faults:u': counted ([0-9]+),.*/\1/p" err)
lost=$(sed -nE "s/.*event 'page-faults:u': .* lost ([0-9]+) samples/\1/p" err)
[ "$counted" -ge 100000 ] || fail "counted only $counted"
[ "$lost" -gt 0 ] || fail 'nothing was lost, so nothing was full'
expect 'samples and lost' "$counted" $(($("$PREC" script -i stream -F time | wc -l) + lost))
