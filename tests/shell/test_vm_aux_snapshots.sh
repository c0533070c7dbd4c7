#!/bin/bash
# In every mode each of 20 snapshots is exactly the newest bytes since the last one, whatever kind of head the device leaves.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

# As Intel PT leaves the head, and as CoreSight does; once as SPE does.
in_vm --pmu name=intel_pt <<'EOS'
all_snapshots offset head=0 -e intel_pt//
all_snapshots free head=2 -e intel_pt//
pmu chunk=32768 head=1;	walk spe_all 2 '100 9000 32768 40000 65536 98305 131100 300000 450000' -a -e intel_pt// -m 64,8 -S
pmu chunk=32768;	walk small 2 '4000 30000 100000' -a -e intel_pt// -m 64,8 -S8192
EOS

check_all_snapshots offset
check_all_snapshots free
check_trace spe_all --area 32768 --steps spe_all.steps
check_trace small --area 8192 --steps small.steps
