#!/bin/bash
# While stacks are shed every hit is a sample or counted: as processes fork, execute, load libraries, the disk fills, the recorder dies.
. "$(dirname "$0")/lib/prec.sh"
need_tracepoints
CPU=$(one_cpu)
NUMBERED=$(workload numbered)

# Each CPU has the event with the whole stack, with a smaller one and with none, and the side band: each process inherits all of them.
exec "$PREC" record -q -e cpu-clock -g -o data sleep 1000 & recorder=$!
await 60 eval 'sleeping=$(pgrep -x -P $recorder sleep)'
expect 'events that are open' $((4 * $(nproc))) "$(find /proc/$recorder/fd -lname '*perf_event*' | wc -l)"
kill "$sleeping"
wait $recorder || true

# FILE N: numbers are recorded in the background, with stacks as $chains says. At 500 us each, the ring of the side band, 128 KiB,
# has room for the children of half a second on any machine: only samples are lost.
record() {
	( exec "$PREC" record -v -o "$1" -e syscalls:sys_enter_getpgid -c 1 --call-graph $chains,8192 -m 256K \
		taskset -c "$CPU" "$NUMBERED" 0 "$2" 500 >out 2>err ) &
	recorder=$!
	await 60 eval 'numbered=$(pgrep -x -P $recorder numbered)'
}
stop() {	# SECONDS...: the ring is full each time
	local seconds
	for seconds in "$@"; do
		kill -STOP $recorder && sleep "$seconds" && kill -CONT $recorder && sleep 0.1 || return 0
	done 2>/dev/null
}
# check FILE: the samples there are numbered in a row, but for as many as the kernel says in between that it lost. Sets samples
# and lost. Numbers of hits between the end of one event and the beginning of the one with another stack are in neither.
check() {
	local kind value next=0 gap=0 unseen=0
	samples=0 lost=0
	while read -r kind value; do
		case $kind in
		lost)	gap=$((gap + value)) lost=$((lost + value)); continue;;
		esac
		[ $((value)) -ge $((next + gap)) ] || fail "$1: number $((value)) after $next and $gap lost"
		unseen=$((unseen + value - next - gap)) gap=0 next=$((value + 1)) samples=$((samples + 1))
	done < <(any_status "$PREC" script -i "$1" --show-lost-events --no-inline -F trace 2>/dev/null |
		sed -nE 's/.*pid: (0x[0-9a-f]+).*/hit \1/p; s/.*RECORD_LOST lost ([0-9]+).*/lost \1/p')
	[ $unseen -le 2 ] || fail "$1: $unseen of $next numbers are missing, $lost are counted"
	[ "$lost" -gt 0 ] || fail "$1: the ring was not full"
}
# Samples whose chain lacks ask(), which frame pointers skip, as the leaf function has none.
cut_chains() { any_status "$PREC" script -i "$1" --no-inline -F ip,sym 2>/dev/null | awk '
	NF == 0 { cut += nr && !whole; nr = whole = 0; next } { nr++ } $2 == "ask" { whole = 1 } END { print cut + (nr && !whole) }'; }
# What the finding of shed stacks says in FILE.
shed() { sed -nE 's/.*the call chains of ([0-9]+) of ([0-9]+) samples may lack callers.*/\1 \2/p' "$1"; }
counted() { sed -nE "s/.*counted ([0-9]+), lost ([0-9]+) .*/\1 \2/p" err; }

# ---- to the end ----

to_the_end() {
	record data 3000
	stop 0.05 0.15 0.5 0.15 0.05
	wait $recorder
	check data
	expect "$chains: numbers" "numbered 0 3000" "$(<out)"
	expect "$chains: counted" "$((samples + lost)) $lost" "$(counted)"
	[ $((samples + lost)) -ge 2998 ] || fail "$chains: $samples samples and $lost lost of 3000"
	read -r shed all <<<"$(shed err)"
	expect "$chains: samples" "$samples" "$all"
	[ "$shed" -gt 0 ] && [ "$(cut_chains data)" -le "$shed" ] ||
		fail "$chains: $(cut_chains data) chains are cut, $shed are counted"
	expect_kept data err
	perf_agrees data
}
chains=dwarf
to_the_end
# Those are by frame pointers, to any perf; their stack has no byte that is valid.
"$PREC" script -D -i data 2>/dev/null | awk '
	/PERF_RECORD_SAMPLE/ { chain = 0 } /FP chain/ { chain = 1 } /PERF_CONTEXT_USER/ { user += chain } / ustack: size 0,/ { none++ }
	END { print user + 0, none + 0 }' >dumped
expect 'without a stack: those by frame pointers' "$shed $shed" "$(<dumped)"
chains=auto
to_the_end

# ---- killed ----

killed() {
	record killed 100000
	stop 0.15 0.15 0.15 0.15 0.15
	kill -KILL $recorder
	ended $recorder 2>/dev/null
	kill -KILL "$numbered"
	check killed
	any_status "$PREC" verify killed >said 2>&1
	grep -q "^killed: .*, $samples samples" said || fail "$chains, killed: $samples samples: $(<said)"
	grep -q "$lost records were lost" said || fail "$chains, killed: $lost lost: $(<said)"
}
chains=dwarf
killed
# What has no stack is seen in the file.
any_status "$PREC" report -i killed --stdio >/dev/null 2>said
read -r shed all <<<"$(shed said)"
expect 'dwarf, killed: samples' "$samples" "$all"
[ "$shed" -gt 0 ] && [ "$(cut_chains killed)" -le "$shed" ] || fail "killed: $(cut_chains killed) chains are cut, $shed are counted"
chains=auto
killed

# ---- a full disk ----

mkdir disk
mount -t tmpfs -o size=250k none disk 2>/dev/null || { part_skipped 'cannot mount a small disk'; exit 0; }
at_end 'umount disk'
record disk/data 100000
stop 0.15 0.15 0.15
ended $recorder
check disk/data
unwritten=$(sed -nE 's/^prec: warning: ([0-9]+) samples? that .* could not be written.*/\1/p' err)
read -r all lost <<<"$(counted)"
expect 'hits, with those of a full disk' "$all" $((samples + lost + unwritten))
read -r shed all <<<"$(shed err)"
[ "$shed" -gt 0 ] && [ "$(cut_chains disk/data)" -le "$shed" ] || fail "$(cut_chains disk/data) chains are cut, $shed are counted"
expect_kept disk/data err
