#!/bin/bash
# On arm64 the recorder is woken at each quarter of an area, for CoreSight and SPE; perf reads what it writes itself.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm arm64
need_cross

# perf leaves the distance to the kernel here, which takes half an area: it gets one of half the size.
for device in cs_etm arm_spe_0; do
	in_vm --arch arm64 --pmu name=$device <<-EOS
	pmu chunk=1000 paced=2;	beside_perf 400000 32 -C 0 -e $device//
	EOS
	check_beside_perf 400000 1000
	rm ours* theirs*
done
