#!/bin/bash
# On arm64 a gigabyte of trace of SPE goes through areas of 4 MiB on both CPUs, and not a word is lost.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm arm64
need_cross

in_vm --arch arm64 --pmu name=arm_spe_0 <<'EOS'
pmu chunk=262144 paced=1 skip=32;	through gigabyte 536870912 -a -e arm_spe_0// -m 64,4M
EOS
check_through gigabyte 536870912
cat gigabyte.trace gigabyte.counts
