#!/bin/bash
# In every mode full trace is in the file, each byte once, with odd and even chunks.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
pt=(-e intel_pt// -m 64,8)
pmu chunk=4099 paced=1;	own_modes full odd 150001 "${pt[@]}"
pmu chunk=4096 paced=1;	own_modes full even 150000 "${pt[@]}"
pmu chunk=4099 paced=1;	attached_modes full odd 150001 "${pt[@]}"
pmu chunk=4096 paced=1;	attached_modes full even 150000 "${pt[@]}"
EOS

for mode in all cpu process thread command perthread; do
	for chunk in odd even; do
		check_trace ${chunk}_$mode
	done
done
grep -q 'cpu -1 .* bytes 150001 ' odd_perthread.trace || fail "not per thread: $(cat odd_perthread.trace)"
expect "of a CPU" "cpu 1" "$(awk '{ print $1, $2 }' odd_cpu.trace)"
expect "of a thread" "bytes 150001" "$(awk '$2 == 1 { print $7, $8 }' odd_thread.trace)"
