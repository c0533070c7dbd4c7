#!/bin/bash
# A recorder that cannot write for as long as ten rings take to fill loses nothing, live and dead: another thread empties the rings.
. "$(dirname "$0")/lib/prec.sh"
need_events
stalled() {	# OPTIONS...: the samples, and those lost, of a program that runs while nobody reads the pipe
	"$PREC" record -o - "$@" "$(workload spin)" -1 600 2>err | { sleep 1.5; cat >data; }
	written=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	[ "${written:-0}" -gt 500 ] || fail "$written samples with $*: $(cat err)"
	! grep -q 'lost' err || fail "lost with $*: $(grep lost err)"
	expect "samples with $*" "$written" "$("$PREC" script -i data -F time 2>/dev/null | grep -c .)"
}
stalled -g
stalled --call-graph dwarf
stalled -z --call-graph dwarf
# The priority is the thread's alone, and can be declined.
said() { "$PREC" record -v -o data "$@" true 2>&1 | grep -c 'rings are emptied at'; }
expect 'priority' 1 "$(said -g)"
expect 'priority, declined' 0 "$(said -g --realtime=0)"
expect 'priority without copies of stacks' 0 "$(said)"
