#!/bin/bash
# Of several events one that this machine lacks is left out by name; without any that is there, nothing is recorded.
. "$(dirname "$0")/lib/prec.sh"
need_events
lacks() { ! "$PREC" record -q -e "$1" -o alone true 2>/dev/null; }
for none in LLC-prefetch-misses instructions node-prefetch-misses; do
	lacks $none 2>/dev/null && break
	none=
done
[ "$none" ] || skip "this machine has all events"
"$PREC" record -e $none,cpu-clock:u -c 100000 -o data "$(workload spin)" -1 50 >/dev/null 2>err || fail "not recorded: $(cat err)"
grep "event '$none' is left out: this machine" err >/dev/null || fail "not said: $(cat err)"
expect "what is recorded" "cpu-clock:u:" "$("$PREC" script -i data -F event | sort -u | xargs)"
rm -f data
expect_status 1 "$PREC" record -e $none,$none -o data true 2>err
grep "cannot open any" err >/dev/null || fail "no reason: $(cat err)"
[ ! -e data ] || fail "a file without events"
expect_status 1 "$PREC" record -e $none -o data true 2>err
grep "cannot open event '$none'" err >/dev/null || fail "alone: $(cat err)"
if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
	expect_status 1 "$PREC" record -e msr/tsc/ -o data true 2>err
	grep "give -a or -C" err >/dev/null || fail "no advice for a PMU of CPUs: $(cat err)"
fi
