#!/bin/bash
# Built for arm64 and run in user emulation, report and script pass the tests that they pass here.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need qemu-aarch64
need_cross

printf '#!/bin/sh\nexec qemu-aarch64 -L %q %q "$@"\n' "$SYSROOT" "$CROSS_BUILD/prec" >prec
chmod +x prec
PREC=$PWD/prec "$SRC/tests/run" test_report_columns test_report_events test_script_fields test_script_filters test_script_pipe \
	test_script_records test_script_times >suite 2>&1 || fail "$(cat suite)"
tail -1 suite
grep -q '^7 passed, 0 failed, 0 skipped' suite || fail "$(cat suite)"
