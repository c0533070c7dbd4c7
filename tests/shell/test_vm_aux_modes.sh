#!/bin/bash
# In every mode full trace is in the file, each byte once, with odd and even chunks.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
all_full '' -e intel_pt// -m 64,8
EOS
check_all_full
