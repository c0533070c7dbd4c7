#!/bin/bash
# On arm64, in a virtual machine, prec passes the tests of report that it passes here.
# Runs: long slow vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
pass_on_arm64 report ''
