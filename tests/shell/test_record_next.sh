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

# -o x.html: the page alone, with its recording's samples; the exit status is the program's.
expect_status 3 "$PREC" record -q -g -e cpu-clock:u -F 999 -o x.html -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; exit 3'
expect "files of a page" x.html "$(ls | grep x.html)"
grep -q '<script' x.html || fail "x.html is no page"
"$PREC" record -e cpu-clock:u -o z.html -- true >/dev/null 2>err
grep -q '^\[ prec record: Captured [0-9.]* MB ([0-9]* samples) \]$' err || fail "a name that is gone: $(<err)"
expect_status 129 "$PREC" record --switch-output -o y.html -- true 2>err
grep -q "'y.html' is to be one page" err || fail "several pages: $(<err)"

# --open: what report shows, where there is a terminal.
shown=$(TERM=dumb PREC_PAGER=cat script -qec "$PREC record -q --open -e cpu-clock:u -F 999 -o o.data -- $(workload demo)" /dev/null </dev/null | tr -d '\r')
[[ $shown == *"Overhead"* && $shown == *" demo "* ]] || fail "the view: $shown"
"$PREC" record -q --open -e cpu-clock:u -o p.data -- true >out 2>&1
[ ! -s out ] && [ -s p.data ] || fail "in a pipe: $(<out)"
"$PREC" record --open -e cpu-clock:u -o p.data -- true >out 2>&1
grep -q 'no terminal for --open: prec report -i p.data shows the recording' out || fail "no reason: $(<out)"
