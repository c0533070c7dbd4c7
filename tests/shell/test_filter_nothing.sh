#!/bin/bash
# Filters by names that nothing has say so, with the nearest names; rows that are all filtered out leave their columns' names.
. "$(dirname "$0")/lib/prec.sh"
need_events
"$PREC" record -q -g -e cpu-clock:u -o data "$(workload demo)" >/dev/null

# nothing NAME MESSAGE COMMAND...: the command ends well, shows no sample, and says it.
nothing() {
	local name=$1 message=$2
	shift 2
	"$PREC" "$@" -i data >out 2>err
	grep -qxF "prec: $message" err || fail "$name: $* does not say '$message': $(<err)"
}
for command in 'script' 'report --stdio' 'export --format=folded' 'export --format=csv --by sym'; do
	# shellcheck disable=SC2086
	{
		nothing comm "no sample is left of comm 'demoo'; did you mean demo?" $command --comms demoo
		nothing dso "no sample is left of dso 'libc.so6'; did you mean libc.so.6?" $command --dsos libc.so6,demo -S nothing
		nothing symbol "no sample is left of symbol 'blu'; did you mean blur?" $command -S blu
	}
done
nothing 'a filter by time' 'no sample passes the filters' script --time 0,1
nothing 'a filter by time' 'no sample passes the filters' report --stdio --time 0,1 -c demo
# A word behind the file is a text in symbols, as perf has it; who gives two files wants something else.
nothing 'a text' "no sample is left of symbol 'blurr'; did you mean blur?" report --stdio blurr
touch blurr
nothing 'a text that is a file, too' "no sample is left of symbol 'blurr'; did you mean blur?" report --stdio --symbol-filter=blurr
cp data other.data
for words in "data other.data" "-i data other.data"; do
	# shellcheck disable=SC2086
	"$PREC" report --stdio $words >out 2>err
	expect "report $words" "prec: 'other.data' was taken for a part of symbols' names: prec diff compares two files, -i gives the file" \
		"$(grep symbol err)"
done
touch blur
"$PREC" report --stdio data blur >out 2>err
grep -q ' blur$' out && ! grep 'was taken for' err || fail "a file of a symbol's name: $(<err)"

"$PREC" script -i data -S blur >out 2>err
! grep 'is left of' err || fail "a symbol that is there is said not to be"

expect 'columns of no rows' 'event,sample,period,symbol,comm' \
	"$("$PREC" export -q -i data -S nothing --format=csv --by sym,comm 2>/dev/null | tr -d '\r')"
expect 'columns of no samples' 'time,event,unit' \
	"$("$PREC" export -q -i data -S nothing --format=csv 2>/dev/null | cut -d, -f1-3)"
