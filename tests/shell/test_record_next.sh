#!/bin/bash
# On a terminal record ends in the command that shows what was recorded, which does; in a pipe, with -q and without a file it does not.
. "$(dirname "$0")/lib/prec.sh"
need script

# next ARGUMENTS OF RECORD...: the command that it ends in.
next() {
	any_status script -qec "$PREC record $*" /dev/null </dev/null | tr -d '\r' | sed -n '$s/^\[ prec record: \(.*\) shows it \]$/\1/p'
}
expect "the usual file" "prec report" "$(next -e cpu-clock:u -- true)"
"$PREC" report >/dev/null 2>&1 || [ $? = 1 ] || fail "prec report does not read perf.data"
expect "another file" "prec report -i 'a b.data'" "$(next -e cpu-clock:u -o "'a b.data'" -- true)"
[ -s 'a b.data' ] || fail "there is no such file"
expect "quiet" "" "$(next -q -e cpu-clock:u -- true)"
expect "only counted" "" "$(next -n -e cpu-clock:u -- true)"
"$PREC" record -e cpu-clock:u -- true >/dev/null 2>err
! grep -q 'shows it' err || fail "said in a pipe: $(<err)"
