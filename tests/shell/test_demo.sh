#!/bin/bash
# The last output of `make demo`: the three stages of its program with their shares of 60, 30 and 10 %, on one screen.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -g -o demo.data "$(workload demo)" >told 2>&1 || fail "$(cat told)"
how=$(sed -n 's/^DEMO_REPORT := //p' "$SRC/Makefile")
[ "$how" ] || fail "no DEMO_REPORT in the Makefile"
# shellcheck disable=SC2086
"$PREC" report -i demo.data $how >out 2>/dev/null
tail -n 25 out >last
share() { awk -v name="$1" '$3 == name { print $1 + 0; exit }' last; }
n=$("$PREC" script -i demo.data -F event 2>/dev/null | wc -l)
for stage in blur sharpen histogram; do
	want=$(sed -n "s/.* \([0-9.]*\) % in $stage.*/\1/p" told)
	expect_share "$stage" "$want" "$(share $stage)" "$n"
done
[ "$(wc -l <out)" -le 25 ] || fail "it is longer than the last lines of a screen: $(cat out)"
"$PREC" report -i demo.data --no-children -s symbol -G --percent-limit 5 >out 2>/dev/null
expect "callers of blur, from the outermost" "worker_main render blur" "$(awk '$3 == "blur" { on = 1; next } on && /^$/ { exit } on' out |
	grep -oE 'worker_main|render|blur$' | xargs)"
