#!/bin/bash
# On arm64, in a virtual machine, prec passes the tests of report that it passes here.
# Runs: long slow arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
# Of chains that stock perf recorded it finds, on arm64 alone, also the caller that only the link register tells of.
pass_on_arm64 report 'vs_perf'
