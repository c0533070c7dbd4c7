#!/bin/bash
# The exit status is the command's; 127 and 126 where it cannot run, 129 for wrong usage, 1 for a failed recording.
. "$(dirname "$0")/lib/prec.sh"
need_events
r=("$PREC" record -o data)
says() {
	grep -q -- "$1" err || { cat err; fail "stderr does not say: $1"; }
}
expect_status 0 "${r[@]}" true 2>err
expect_status 3 "${r[@]}" sh -c 'exit 3' 2>err
# shellcheck disable=SC2016
expect_status 137 "${r[@]}" sh -c 'kill -9 $$' 2>err
says 'signal 9'
rm -f data*
expect_status 127 "${r[@]}" ./no-such-command 2>err
says 'no-such-command'
touch plain
expect_status 126 "${r[@]}" ./plain 2>err
says plain
[ ! -e data ] || fail 'a command that cannot run left a file'
expect_status 129 "${r[@]}" --no-such-option true 2>err
says no-such-option
expect_status 129 "${r[@]}" -e cpu-clok true 2>err
says 'cpu-clock'
says '\^~~'
expect_status 129 "${r[@]}" -F 100 -c 100 true 2>err
expect_status 129 "${r[@]}" -m 0 true 2>err
expect_status 129 "${r[@]}" -C 0-x true 2>err
expect_status 129 "${r[@]}" -p me true 2>err
expect_status 1 "$PREC" record -o no-such-directory/data true 2>err
says 'no-such-directory/data'
expect_status 1 "${r[@]}" -p 2147483647 2>err
says 2147483647
expect_status 0 "${r[@]}" --dry-run false 2>err
[ ! -e data ] || fail '--dry-run wrote a file'
