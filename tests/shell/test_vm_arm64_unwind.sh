#!/bin/bash
# On arm64, in a virtual machine, programs that tell their own stacks are unwound to exactly those.
# Runs: long slow arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/stacks.sh"
need_vm arm64
need_cross

# There is no compiler there. Functions of libraries are bound when they are called first, by code whose tables are not right.
BUILT=$CROSS_BUILD/tests/stacks
mkdir -p "$BUILT"
for name in tables static debug_frame plain swaps one_place other_place; do
	(cd "$BUILT" && build_stacks "aarch64-linux-gnu-gcc -Wl,-z,lazy" $name)
done
# Timers are late in emulation, which is to be no reason for the kernel to sample less.
in_vm --arch arm64 --memory 2G --timeout 2400 <<EOS
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
export BUILT=$BUILT NAMELESS=yes TIME_MS=250 FEW=5 VARIANTS='tables static debug_frame plain'
\$SRC/tests/shell/test_unwind_stacks.sh
EOS
