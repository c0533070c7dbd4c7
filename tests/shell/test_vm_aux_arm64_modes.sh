#!/bin/bash
# On arm64 full trace of CoreSight and SPE is in the file in every mode, each byte once, with odd and even chunks.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm arm64
need_cross

in_vm --arch arm64 --pmu name=cs_etm <<'EOS'
all_full '' -e cs_etm// -m 64,8
EOS
check_all_full
in_vm --arch arm64 --pmu name=arm_spe_0 <<'EOS'
all_full skip=31 -e arm_spe_0// -m 64,8
EOS
check_all_full
