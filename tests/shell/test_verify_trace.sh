#!/bin/bash
# A recording with a damaged hardware trace: verify names the damage, and what it repairs has the same trace, for both perfs too.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need jq
mkdata=$(helper mkdata/mkdata) mutants=$(helper trace/pt_mutants)
mapfile -t PERFS < <(perfs)
PT_CLEAN=yes
pt_traces t 5000 psb=512 psb=300,cyc psb=700,async=300 -- bash -c 'for ((i = 0; i < 200; i++)); do :; done'

# What a reader makes of the trace: each instruction, and the errors. Perf ends with a status where there are errors. How wide
# the column of the names is depends on whether those of the other events are known.
decoded() { { "$1" script --itrace=i1ie -F tid,ip,event -i "$2" </dev/null 2>/dev/null || true; } | tr -s ' '; }
by_prec() { any_status "$PREC" script --itrace=i1ie -F tid,time,ip,event -i "$1" 2>/dev/null | tr -s ' ' || true; }

# repaired FILE WHAT: the repaired file is read as the file itself, also by a perf that refuses that.
repaired() {
	local perf
	rm -f clean
	expect_status 0 "$PREC" verify --repair -o clean "$1" >out 2>err
	by_prec "$1" >want
	by_prec clean >got
	expect_same "$2: by prec" want got
	[ -s want ] || return 0
	nr=$((nr + 1))
	for perf in "${PERFS[@]}"; do
		decoded "$perf" "$1" >want
		decoded "$perf" clean >got
		[ -s got ] || fail "$2: nothing is read by $perf"
		[ ! -s want ] || expect_same "$2: by $perf" want got
	done
}

nr=0
for i in 1 2 3; do
	pt_recording t $i 0xe603 -1 100 100000000
	expect_status 0 "$PREC" verify t.$i.data >out 2>err
	repaired t.$i.data "trace $i"

	# Each mutant is a thread of one recording.
	{
		grep -v '^aux \|^raw type=71\|^bytes' made.txt
		"$mutants" -n 20 -r t.$i.pt t.maps t.$i.exp
	} >all.txt
	"$mkdata" all.txt all
	any_status "$PREC" verify --json all >json 2>err	# good, where less than 1 % of the time is in the gaps
	jq -e '.[0].findings[] | select(.code == "trace-gaps" and .count > 0)' json >/dev/null ||
		fail "trace $i: no gap is told: $(<json)"
	repaired all "mutants of trace $i"

	# Cut within the trace.
	size=$(stat -c %s t.$i.data)
	for part in 3 5 7 9; do
		head -c $((size * part / 10)) t.$i.data >cut
		any_status "$PREC" verify cut >out 2>err
		! grep -q ': good' out || fail "trace $i, cut: $(<out)"
		repaired cut "trace $i, cut at $part/10"
	done
done

# CoreSight: bytes of it are others.
. "$(dirname "$0")/lib/cs.sh"
"$gen" -s 1 -n 6000 -o steady trace
size=$(stat -c %s trace/trace.bin)
recording 0 0 -1 100000000
readers=()
for perf in "${PERFS[@]}"; do	# not all are built with a decoder
	decoded "$perf" made.data >got
	[ ! -s got ] || readers+=("$perf")
done
PERFS=("${readers[@]}")
repaired made.data CoreSight
for at in $((size / 3)) $((size / 2)) $((size * 3 / 4)); do
	printf '\x04\xff\x9a' | dd of=trace/trace.bin bs=1 seek=$at conv=notrunc status=none
	recording 0 0 -1 100000000
	repaired made.data "CoreSight, damage up to $at"
done
any_status "$PREC" verify --json made.data >json 2>err
jq -e '.[0].findings[] | select(.code == "trace-gaps" and .count > 0)' json >/dev/null || fail "CoreSight: no gap is told: $(<json)"
[ $nr -ge 13 ] || fail "only $nr files were repaired"
