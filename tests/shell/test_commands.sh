#!/bin/bash
# Commands are found by name, and a full disk behind standard output is an error, a reader that has gone is none.
. "$(dirname "$0")/lib/prec.sh"
"$PREC" --version | grep '^prec version [0-9]' >/dev/null || fail 'version'
for c in $("$PREC" --list-cmds); do
	"$PREC" --help | grep "^    $c " >/dev/null || fail "--help does not list $c"
	expect "help $c" "$("$PREC" "$c" -h)" "$("$PREC" help "$c")"
done
# For scripts and CI.
for c in diff compare doctor verify; do
	"$PREC" $c -h | grep '^Exit status: 0' >/dev/null || fail "$c -h does not tell its exit status"
done
# Help begins with what it is and examples; record's short help with the options that people use, of which it counts the others.
"$PREC" --help | head -1 | grep -q '^prec shows where programs spend their time' || fail "--help does not begin with what prec is"
expect "examples in --help" 3 "$("$PREC" --help | sed '/^usage/q' | grep -c '^    prec ')"
expect "options of record -h" 15 "$("$PREC" record -h | grep -c '^    -')"
expect "those that record -h leaves out" "$(($("$PREC" record -h all | grep -c '^    -') - 15)) more: prec record -h all" \
	"$("$PREC" record -h | tail -1 | cut -d';' -f1)"
expect "help record all" "$("$PREC" record -h all)" "$("$PREC" help record all)"
expect_status 129 "$PREC" no-such-command 2>err
grep -q no-such-command err || fail 'unknown command is not named'
expect_status 129 "$PREC" >out
expect_status 129 "$PREC" help no-such-command 2>err
expect_status 1 "$PREC" --help 2>err >/dev/full
grep -q 'No space left' err || fail 'full disk is not said'
status=$(command "$PREC" record -h 2>err | true; echo "${PIPESTATUS[0]}")
[ "$status" = 0 ] || [ "$status" = 141 ] || fail "status $status where nobody reads"
[ ! -s err ] || fail "$(cat err)"
