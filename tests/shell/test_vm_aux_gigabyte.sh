#!/bin/bash
# A gigabyte of trace goes through areas of 4 MiB on both CPUs, and not a word is lost.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
pmu chunk=262144 paced=1;	through gigabyte 536870912 -a -e intel_pt// -m 64,4M
EOS
check_through gigabyte 536870912
cat gigabyte.trace gigabyte.counts
