#!/bin/bash
# A recorder that waits for its CPU leaves stacks whole as long as its rings have room, though smaller copies cut chains.
. "$(dirname "$0")/lib/prec.sh"
need_events
need taskset
CPU=$(one_cpu)
busy=()
for _ in 1 2 3 4 5; do
	taskset -c "$CPU" "$(workload spin)" -1 0 >/dev/null &
	busy+=($!)
done
at_end 'kill -KILL "${busy[@]}"'
# A slice of each of the others is a tenth of what the ring has room for at this rate; smaller copies are a quarter of a frame.
taskset -c "$CPU" "$PREC" record -r 0 -o data -e cpu-clock:u -F 400 --call-graph auto,8192 "$(workload deep)" 700 1 >out 2>err
all=$("$PREC" script -i data -F time 2>/dev/null | grep -c .)
shed=$(sed -nE 's/.*the call chains of ([0-9]+) of [0-9]+ samples.*/\1/p' err)
[ "$all" -gt 150 ] || fail "$all samples: $(cat err)"
[ "${shed:-0}" -lt $((all / 2)) ] || fail "$shed of $all stacks were shed: $(cat err)"
