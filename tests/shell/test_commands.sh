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

# -v: each phase of a command once, none longer than the whole.
cat >phases.txt <<'IN'
attr cpu-clock type=software config=0 sample_id_all sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER ids=1
comm 7/7 "seven" t=1
repeat 1000
sample 7/7 t={i+10} cpu=0 period=1 mode=user ip={i}
end
IN
"$(helper mkdata/mkdata)" phases.txt phases.data
phases() { sed -n 's/^prec: phase \([a-z ]*\): [0-9.]* s, [0-9.]* s of CPU, [0-9.]* s of it serial$/\1/p' err | paste -sd';'; }
begun=$EPOCHREALTIME
"$PREC" report -v --stdio -i phases.data >out 2>err
expect "phases of report" "first pass;side band;samples;merging;naming;sorting;printing" "$(phases)"
awk -v all="$(awk "BEGIN { print $EPOCHREALTIME - $begun }")" '/^prec: phase / { sub(/.*: /, ""); sum += $1 } END { exit !(sum <= all) }' err || fail "longer than all: $(<err)"
"$PREC" script -v -i phases.data >out 2>err
expect "phases of script" "first pass;side band;records in order" "$(phases)"
