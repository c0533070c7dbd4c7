#!/bin/bash
# On arm64 trace of CoreSight and SPE is recorded whole, and snapshots are the newest of it.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm arm64
need_cross

in_vm --arch arm64 --pmu name=cs_etm <<'EOS'
steps='100 1003 32768 40000 98304 98305 131100 300000 365000 450000'
etm=(-e cs_etm// -m 64,8)
pmu chunk=4099 paced=1
full odd_all 2 150001 -a "${etm[@]}"
full odd_perthread 1 150001 --per-thread "${etm[@]}" nice bash -c 'while :; do :; done'
pmu chunk=4096 paced=1
full even_cpu 1 150000 -C 1 "${etm[@]}"
pmu chunk=4096 paced=1
rec second -a -e cycles -e cs_etm// -m 64,8 -- sleep 2
pmu chunk=8191
walk etm_snap 2 "$steps" -S -a "${etm[@]}"
walk lapped 2 "$((0x1b9400)) $((0x1b9500))" -S -a -e cs_etm// -m 64,16
EOS
in_vm --arch arm64 --pmu name=arm_spe_0 <<'EOS'
steps='100 1003 32768 40000 98304 98305 131100 300000 365000 450000'
spe=(-e arm_spe_0// -m 64,8)
pmu chunk=4099 paced=1 skip=31;	full spe_all 2 150001 -a "${spe[@]}"
pmu chunk=8191;			walk spe_snap 2 "$steps" -S -a "${spe[@]}"
EOS

for name in odd_all odd_perthread even_cpu second spe_all; do
	check_trace $name
done
for name in etm_snap spe_snap; do
	check_trace $name --area 32768 --steps $name.steps
done
check_trace lapped --area 65536 --steps lapped.steps
grep -q 'cpu -1' odd_perthread.trace || fail "not per thread"
"$PREC" script -D -i second.data >dump
grep -q 'AUXTRACE_INFO type: 3' dump || fail "not described as CoreSight's"
"$PREC" script -D -i spe_all.data >dump
grep -q 'AUXTRACE_INFO type: 4' dump || fail "not described as SPE's"
