#!/bin/bash
# In every mode each of 20 snapshots is exactly the newest bytes since the last one, whatever kind of head the device leaves.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
pt=(-e intel_pt// -m 64,8 -S)
# Areas of 32 KiB: within the first lap, at its end, whole laps, less and more than one, nothing new, single bytes.
steps='100 101 1003 9000 32760 32768 32775 40000 65535 65536 98304 98305 131100 163841 300000 300000 300001 365000 397768 450000'
# As Intel PT leaves the head, and as CoreSight does; once as SPE does.
pmu chunk=32768 head=0;	own_modes walk offset "$steps" "${pt[@]}"
pmu chunk=32768 head=2;	own_modes walk free "$steps" "${pt[@]}"
pmu chunk=32768 head=1;	walk spe_all 2 "$steps" -a "${pt[@]}"
pmu chunk=32768;	walk small 2 '4000 30000 100000' -a -e intel_pt// -m 64,8 -S8192
pmu chunk=32768 head=0;	attached_modes walk offset "$steps" "${pt[@]}"
pmu chunk=32768 head=2;	attached_modes walk free "$steps" "${pt[@]}"
EOS

for mode in all cpu process thread command perthread; do
	for head in offset free; do
		check_trace ${head}_$mode --area 32768 --steps ${head}_$mode.steps
	done
done
check_trace spe_all --area 32768 --steps spe_all.steps
check_trace small --area 8192 --steps small.steps
# One step has nothing new, 19 have, on each CPU.
expect "snapshots" 38 "$(grep -c 'snapshot' offset_all.trace)"
