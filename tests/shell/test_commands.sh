#!/bin/bash
# Commands are found by name, and a full disk behind standard output is an error, a reader that has gone is none.
. "$(dirname "$0")/lib/prec.sh"
"$PREC" --version | grep '^prec version [0-9]' >/dev/null || fail 'version'
for c in $("$PREC" --list-cmds); do
	"$PREC" --help | grep "^    $c " >/dev/null || fail "--help does not list $c"
	expect "help $c" "$("$PREC" "$c" -h)" "$("$PREC" help "$c")"
done
# What a script, or CI, goes by.
for c in diff compare doctor verify; do
	"$PREC" $c -h | grep '^Exit status: 0' >/dev/null || fail "$c -h does not tell its exit status"
done
expect_status 129 "$PREC" no-such-command 2>err
grep -q no-such-command err || fail 'unknown command is not named'
expect_status 129 "$PREC" >out
expect_status 129 "$PREC" help no-such-command 2>err
expect_status 1 "$PREC" --help 2>err >/dev/full
grep -q 'No space left' err || fail 'full disk is not said'
status=$(command "$PREC" record -h 2>err | true; echo "${PIPESTATUS[0]}")
[ "$status" = 0 ] || [ "$status" = 141 ] || fail "status $status where nobody reads"
[ ! -s err ] || fail "$(cat err)"
