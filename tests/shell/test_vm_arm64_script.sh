#!/bin/bash
# On arm64, in a virtual machine, prec passes the tests of script that it passes here.
# Runs: long slow arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
# Stock perf knows kernel modules by their files, which this machine has not: that is left out.
pass_on_arm64 script 'vs_oldperf'
