#!/bin/bash
# On arm64 each of 20 snapshots of SPE is in every mode exactly the newest bytes since the last one.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm arm64
need_cross

in_vm --arch arm64 --pmu name=arm_spe_0 <<'EOS'
all_snapshots snap '' -e arm_spe_0//
EOS
check_all_snapshots snap
