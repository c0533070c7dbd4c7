#!/bin/bash
# A recorder that cannot write for as long as ten rings take to fill loses nothing, live and dead: another thread empties the rings.
. "$(dirname "$0")/lib/prec.sh"
need_events
need taskset
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

# ---- stacks are shed before samples ----

# How many samples FILE has, and how many of spin() whose chain lacks its caller: frame pointers skip that of a leaf function.
chains_of() {	# FILE
	"$PREC" script --no-inline -i "$1" -F ip,sym 2>/dev/null | awk '
		NF == 0 { nr += seen; cut += spins && !whole; seen = spins = whole = 0; next }
		{ seen = 1 } $2 == "spin" { spins = 1 } $2 == "main" { whole = 1 }
		END { print nr + seen, cut + 0 }'
}
written() { sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err; }
# Stacks that were shed, and of how many.
shed() { sed -nE 's/.*the call chains of ([0-9]+) of ([0-9]+) samples may lack callers.*/\1 \2/p' "$1"; }

# All memory for what waits fills up: copies are smaller, then left out. No sample is missing. Others than root have small rings.
SPIN=$(workload spin)
STACK=65528
[ "$(id -u)" = 0 ] || STACK=8192
"$PREC" record -o - -e cpu-clock:u -F 10000 --call-graph "auto,$STACK" "$SPIN" -1 800 2>err | { sleep 1.3; cat >data; }
[ "$STACK" = 8192 ] || ! grep -q 'lost' err || fail "lost with large stacks: $(grep lost err)"
read -r samples cut <<<"$(chains_of data)"
expect 'samples with large stacks' "$(written)" "$samples"
read -r shed all <<<"$(shed err)"
[ "$cut" -le "${shed:-0}" ] || fail "$cut of $samples chains are cut, ${shed:-0} are counted"

# The recorder is stopped: the ring of that CPU is full, so stacks are shed when it goes on. The file says how many.
CPU=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
exec "$PREC" record -o data -e cpu-clock:u -m 512K --call-graph auto,8192 taskset -c "$CPU" "$SPIN" -1 1500 2>err >out &
recorder=$!
until grep -qs ready out; do sleep 0.1; done
sleep 0.3
kill -STOP "$recorder"
sleep 0.5
kill -CONT "$recorder"
wait "$recorder"
expect_finding stacks-shed err
read -r shed all <<<"$(shed err)"
expect 'samples in the file' "$(written)" "$all"
[ "$shed" -gt 0 ] && [ "$shed" -lt "$all" ] || fail "shed: $shed of $all"
"$PREC" verify data >said || true
expect 'verify' "$shed $all" "$(shed said)"
"$PREC" report -i data --stdio >/dev/null 2>said
expect 'report' "$shed $all" "$(shed said)"
if command -v script >/dev/null; then
	script -qec "stty cols 200; $PREC report --stdio --no-pager -i data" /dev/null </dev/null >said
	whole=$(sed -nE "s/.* ([0-9]+) of $all stacks whole.*/\1/p" said)
	[ -n "$whole" ] && [ "$whole" -le $((all - shed)) ] || fail "whole: $whole of $all, $shed were shed: $(head -5 said)"
fi
read -r samples cut <<<"$(chains_of data)"
expect 'samples that are read' "$all" "$samples"
[ "$cut" -le "$shed" ] || fail "$cut of $samples chains are cut, $shed are counted"

# The priority is of the thread that empties rings, and can be declined.
said() { "$PREC" record -v -o data "$@" true 2>&1 | grep -c 'rings are emptied at'; }
expect 'priority' 1 "$(said -g)"
expect 'priority, declined' 0 "$(said -g --realtime=0)"
expect 'priority without copies of stacks' 0 "$(said)"
expect 'priority where each hit is a sample' 1 "$(said -e page-faults -c 1)"
expect 'priority where each hit is a sample, declined' 0 "$(said -e page-faults -c 1 --realtime=0)"

# Others than root get rings for stacks as large as they may lock, beside those of the side band and the pages of control.
ring_kib() {	# OPTIONS...: of the largest of a recorder
	"${as[@]}" "$PREC" record -o - "$@" sleep 1 >/dev/null 2>err &
	sleep 0.5
	awk '$NF ~ /perf_event/ { split($1, a, "-"); print a[1], a[2] }' /proc/$!/maps | while read -r from to; do
		echo $(((16#$to - 16#$from) / 1024 - $(getconf PAGESIZE) / 1024))
	done | sort -n | tail -1
	wait $!
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp)
	cpus=$(getconf _NPROCESSORS_ONLN)
	most=$((($(ulimit -l) + cpus * $(</proc/sys/kernel/perf_event_mlock_kb)) / cpus - 160))
	want=512
	while [ $((2 * want)) -le $most ] && [ $want -lt 8192 ]; do
		want=$((2 * want))
	done
	# Half of it if another recording of that user has locked some.
	got=$(ring_kib -e cpu-clock:u --call-graph auto)
	[ "$got" = $want ] || [ "$got" = $((want / 2)) ] || fail "rings of nobody have $got KiB, not $want: $(<err)"
	expect 'rings of nobody, without stacks' 512 "$(ring_kib -e cpu-clock:u -c 1000000)"
fi
