#!/bin/bash
# Trace of CoreSight and SPE arrives whole, full and in snapshots, and its tracers are described.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=cs_etm <<'EOS'
by=signal
pmu chunk=3000 paced=1;	full etm 2 150001 -a -e cs_etm// -m 64,64
pmu chunk=3001;		walk etm_snap 2 '9001 50001 80001' -S -a -e cs_etm/cycacc=1/ -m 64,8
pmu chunk=65536;	walk lapped 2 "$((0x1b9400)) $((0x1b9500))" -S -a -e cs_etm// -m 64,16
EOS
in_vm --pmu name=arm_spe_0 <<'EOS'
by=signal
pmu chunk=3000 paced=1 skip=31; full spe 2 150001 -a -e arm_spe_0// -m 64,64
pmu chunk=3001;		walk spe_snap 2 '9001 50001 80001' -S -a -e arm_spe_0// -m 64,8
EOS
check_trace etm
# perf 6.1 takes such a head for an offset, and saves 0x9400 bytes of 64 KiB.
check_trace lapped --area 65536 --steps lapped.steps
check_trace spe
[ "$(sum spe skipped)" -gt 0 ] || fail "spe: nothing left out"
for name in etm_snap spe_snap; do
	check_trace $name --area 32768 --steps $name.steps
done
"$PREC" script -D -i etm.data | grep -a 'AUXTRACE_INFO type: 3' >/dev/null || fail "etm: not described"
"$PREC" script -D -i spe.data | grep -a 'AUXTRACE_INFO type: 4' >/dev/null || fail "spe: not described"
