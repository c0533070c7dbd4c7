#!/bin/bash
# The same machine for arm64: stock perf records from the test PMU as cs_etm and as arm_spe_0.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm arm64

in_vm --arch arm64 --pmu name=cs_etm <<'EOS'
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
by=signal
pmu chunk=999 paced=1;	rec cs_thread --per-thread -e cs_etm/@tmc_etr0/u -m 64,4 "${spin_until[@]}" 20001
pmu chunk=3001 paced=1;	full cs_all 2 20001 -a -e cs_etm/@tmc_etr0/ -m 64,64
pmu chunk=301;		walk cs_early 2 9001 -S -a -e cs_etm/@tmc_etr0/ -m 64,64
pmu chunk=3001;		walk cs_late 2 80001 -S -a -e cs_etm/@tmc_etr0/ -m 64,8
EOS
in_vm --arch arm64 --pmu name=arm_spe_0 <<'EOS'
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
by=signal
pmu chunk=3001 paced=1 skip=31;	full spe_all 2 20001 -a -e arm_spe_0// -m 64,64
pmu chunk=3001;		walk spe_late 2 80001 -S -a -e arm_spe_0// -m 64,8
EOS

for name in cs_thread cs_all spe_all; do
	check_trace $name --duplicates
done
check_trace cs_early --area 262144
check_trace spe_late --area 32768
# perf 6.1 takes a head that runs on for an offset in the area, and leaves the older part of a full one.
check_trace cs_late
expect_status 1 "$(helper vm/aux_check)" --area 32768 --counts cs_late.counts cs_late.data >late 2>&1
grep -q 'the area held 32768 bytes' late || fail "$(cat late)"
