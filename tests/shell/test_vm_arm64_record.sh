#!/bin/bash
# On arm64, in a virtual machine, prec passes the tests of record that it passes here.
# Runs: long slow arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
# What is left out wants so much to be done in a time, or minutes of work where nothing is emulated; and `records` counts of
# children (-n -s), which stock perf does not get there either.
pass_on_arm64 record 'records sysctls pipe_perf attach delay idle injected injected_calls losses lost_exact tuning cpu_modes side_band switch_output targets quick shares'
