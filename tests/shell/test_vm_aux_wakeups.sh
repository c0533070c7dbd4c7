#!/bin/bash
# The recorder is woken at each quarter of an area and takes what is there; megabytes go through; perf reads what it writes itself.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

# Nothing is written before the last quarter was taken (paced=2): without a wake-up at each of them the end is not reached.
in_vm --pmu name=intel_pt <<'EOS'
pmu chunk=1000 paced=2;		beside_perf 400000 64 -C 0 -e intel_pt//
pmu chunk=65536 paced=1;	through stream 8388608 -a -e intel_pt// -m 64,4M
EOS

check_beside_perf 400000 1000
check_through stream 8388608
