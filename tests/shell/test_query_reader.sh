#!/bin/bash
# Names and values are those of script and report, and a statement that finds nothing, or is quoted wrongly, says why.
. "$(dirname "$0")/lib/prec.sh"
need jq

{ printf 'name: begin\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
  printf '\tfield:void * where;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: "begin"\n'; } >begin
sed 's/begin/end/; s/ID: 7/ID: 8/' begin >end
cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all ids=1
attr offcpu-time:sums type=software config=10 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,ADDR,WEIGHT,TRANSACTION,IDENTIFIER sample_id_all ids=2
attr sys:begin type=tracepoint config=7 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER sample_id_all ids=3
attr sys:end type=tracepoint config=8 freq=100 sample=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER sample_id_all ids=4
feature tracing=sys:begin,sys:end
comm 7/7 "p" exec t=1
ksymbol 0xffffffffc0000000+0x100 "ns::operator[]<a>(char*)" type=1 t=1
ksymbol 0xffffffffc0001000+0x100 "main" type=1 t=1
repeat 5
	sample 7/7 t={i*10+1000} ip=0xffffffffc0000010 mode=kernel period=7 cpu=0 chain=kernel,0xffffffffc0000010,0xffffffffc0001010
	sample 7/7 t={i*10+1002} event=offcpu-time:sums ip=0xffffffffc0001010 mode=kernel period=9 cpu=0 chain=kernel,0xffffffffc0001010 addr=1 weight=1 txn=2
	sample 7/7 t={i*10+1003} event=sys:begin ip=0xffffffffc0001010 mode=kernel period=1 cpu=0 raw=0700000000000000000000810000ffff
	sample 7/7 t={i*10+1004} event=sys:end ip=0xffffffffc0001010 mode=kernel period={i+1} cpu=0 raw=0800000000000000000000810000ffff
end
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
ask() { "$PREC" query -i in.data "$@" 2>err || fail "query $*: $(<err)"; }
rows() { ask --csv "$@" | tail -n +2 | tr -d '\r"'; }
says() {	# REGEX STATEMENT: a statement without a result
	ask "$2" >out
	grep -qE -- "^prec: $1\$" err || fail "'$2' says: $(<err)"
}
quiet() { ask "$1" >out; ! grep -E '^prec: no row' err >&2 || fail "'$1' needs no hint"; }

# ---- events ----

# events_match FILE: each event that script prints has as many rows by its name.
events_match() {
	"$PREC" script -q -i "$1" -F event 2>/dev/null | sed 's/^ *//; s/: *$//' | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2,\1/' >want
	[ "$(wc -l <want)" -gt 2 ] || fail "script prints $(<want) of $1"
	for table in 'event, count(*) FROM samples GROUP BY event' 'event, sum(samples) FROM sums GROUP BY event' \
		     'name, sum(samples) FROM events WHERE samples GROUP BY name'; do
		"$PREC" query -q --csv -i "$1" "SELECT $table" 2>/dev/null | tail -n +2 | tr -d '\r"' | grep -v '^offcpu-time,' | sort >got
		expect_same "$table of $1" want got
	done
	while IFS=, read -r event nr; do
		expect "samples of $event by its name" "$nr" \
			"$("$PREC" query -q --csv -i "$1" "SELECT count(*) FROM samples WHERE event = '$event'" 2>/dev/null | tail -1 | tr -d '\r')"
	done <want
}
events_match in.data
while IFS=, read -r event nr; do
	expect "samples of $event in report" "$nr" \
		"$("$PREC" report -q --stdio -i in.data -e "$event" -g none --no-children -s comm -F sample -t '|' 2>/dev/null | awk '!/^#/ { n += $1 } END { print n }')"
done <want

# ---- the schema, without a recording and with one ----

"$PREC" query --schema >schema </dev/null || fail "no schema"
for table in samples sums waits diff; do
	grep -q "^$table: " schema || fail "no table $table without a recording"
done
"$PREC" query --schema waits >of_waits || fail "no schema of waits"
expect "a table alone" "waits" "$(sed -n 's/^\([a-z_]*\): .*/\1/p' of_waits)"
"$PREC" query --schema -i in.data sys_begin >one || fail "no schema of a tracepoint"
grep -qE '^    where +ADDRESS +void \*: the address, without its text$' one || fail "the tracepoint's field: $(<one)"
expect_status 1 "$PREC" query --schema sys_begin 2>err
grep -q -- "no table 'sys_begin'.*-i FILE" err || fail "a tracepoint without a recording: $(<err)"

# ---- addresses ----

expect "addresses in a table" "0xffffffffc0000010 0xffffffffc0001010" "$(ask 'SELECT DISTINCT address FROM samples ORDER BY address' | tail -n +3 | xargs)"
expect "of a field" "0xffff000081000000" "$(ask 'SELECT DISTINCT "where" FROM sys_begin' | tail -1)"
expect "as SQL takes them" "5 5" "$(rows 'SELECT sum(address = 0xffffffffc0000010), sum(address = -1073741808) FROM samples' | tr , ' ')"
expect "in JSON" "-1073741808" "$(ask --json 'SELECT min(address) AS n, address FROM samples' | jq '.[0].address')"

# ---- stack_has() ----

while IFS='|' read -r pattern nr; do
	expect "stack_has $pattern" "$nr" "$(rows "SELECT count(*) FROM samples WHERE event = 'cpu-clock' AND stack_has(stack, '$pattern')")"
done <<'P'
main|5
mai|0
ma*|5
*|5
*ain*|5
*x*|0
ns::operator[]<a>(char*)|5
*operator[]*|5
*operator[]*(*)|5
*operator[a]*|0
ns::*::x|0
P

# ---- hints ----

says "no row of samples has the symbol 'mian': there are main, .*" "SELECT * FROM samples WHERE symbol = 'mian'"
says "no row of samples has the event 'begin': there are .*sys:begin.*" "SELECT count(*), sum(period) FROM samples WHERE event = 'begin' AND tid = 7"
says "no row of sums has the file 'a.c': it is null in all of them" "SELECT * FROM sums WHERE file = 'a.c'"
says "no row of threads has the comm 'q': there are p, swapper" "SELECT * FROM threads WHERE comm = 'q'"
quiet "SELECT * FROM samples WHERE symbol = 'main' AND tid = 8"
quiet "SELECT * FROM samples WHERE symbol = 'main' AND event = 'offcpu-time' AND time < 5"
quiet "SELECT event, count(*) FROM samples WHERE symbol = 'main' OR symbol = 'nowhere' GROUP BY event"
expect_status 1 "$PREC" query -i in.data 'SELECT * FROM samples WHERE symbol = "main"' 2>err
grep -q 'no such column: main (.*single quotes)' err || fail "double quotes: $(<err)"
grep -v '^attr offcpu\|event=offcpu' in.txt >on.txt
"$(helper mkdata/mkdata)" on.txt on.data
mistake() {	# WORDS STATEMENT [FILE]: its error has these words
	expect_status 1 "$PREC" query -i "${3:-in.data}" "$2" >out 2>err
	grep -qF -- "$1" err || fail "'$2' says: $(<err)"
}
mistake 'no such table: smaples; did you mean samples?' 'SELECT * FROM smaples'
mistake 'no such table: waits: the recording has no waits (record --off-cpu)' 'SELECT * FROM waits' on.data
mistake 'no such table: diff: it needs two recordings' 'SELECT * FROM diff'
mistake 'no such table: sys:begin: its table is sys_begin' 'SELECT * FROM "sys:begin"'
mistake 'the table of the event a:b is a_b' 'SELECT * FROM sys:begin'
mistake 'no such column: symbl; did you mean symbol?' 'SELECT symbl FROM samples'
mistake 'no such column: s.symbl; did you mean symbol?' 'SELECT s.symbl FROM samples s'
mistake 'no such function: stack_txt; did you mean stack_text' 'SELECT stack_txt(stack) FROM samples'
mistake 'a number from 0 to 100' 'SELECT percentile(tid, 101) FROM samples'
mistake 'the same for all rows' 'SELECT percentile(tid, tid) FROM (SELECT 1 AS tid UNION SELECT 2)'
mistake 'no such column: tid: pairs() has those that its fourth argument names' "SELECT tid FROM pairs('sys_begin', 'sys_end')"
mistake "a closing ' is missing" "SELECT * FROM samples WHERE symbol = 'main"

# ---- the same rows, whatever else the statements name ----

# A table alone has the rows that it has beside a table that reads more of the recording.
for table in functions dsos findings; do
	rows "SELECT * FROM $table" >want
	rows "SELECT count(*) FROM frames; SELECT * FROM $table" | tail -n "$(wc -l <want)" >got
	expect_same "$table after frames" want got
done

# ---- pairs of hits that are not all there ----

ask "SELECT count(*) FROM pairs('sys_begin', 'sys_end')" >out
expect_finding pairs-thinned err 'sys:end .* 5 pairs'
expect "findings of events that have all" 1 "$(grep -c pairs-thinned err)"
ask "SELECT count(*) FROM pairs('sys_begin', 'sys_begin')" >out
! grep pairs-thinned err >&2 || fail "each hit of sys:begin is there"
expect_status 1 "$PREC" query --strict -i in.data "SELECT count(*) FROM pairs('sys_begin', 'sys_end')" >/dev/null 2>&1

# ---- as recorded ----

need_tracepoints
"$PREC" record -q --off-cpu -e cpu-clock -e sched:sched_switch -o waits.data -- sh -c 'for i in 1 2 3; do sleep 0.01; done' 2>/dev/null || skip "no --off-cpu"
events_match waits.data
"$PREC" query -q --csv -i waits.data 'SELECT DISTINCT state FROM waits' | tail -n +2 | tr -d '\r' >states
[ -s states ] || fail "no waits"
while read -r state; do
	grep -qE "^    state .*; $state: " of_waits || fail "the schema does not have the state $state: $(<of_waits)"
done <states
