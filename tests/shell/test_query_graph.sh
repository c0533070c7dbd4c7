#!/bin/bash
# A result with stacks and a number is a flame graph: of all samples the one that export writes, of some their part.
. "$(dirname "$0")/lib/prec.sh"

made() {	# NAME FACTOR
	"$(helper mkdata/mkdata)" /dev/stdin "$1" <<T
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
comm 7/7 "prog" exec t=1000
comm 8/8 "<other>" exec t=1000
ksymbol 0xffffffffc0000000+0x100 "one" type=1 t=1
ksymbol 0xffffffffc0000100+0x100 "<two>&" type=1 t=1
repeat 30
	sample 7/7 t={2000000+i*1000} ip=0xffffffffc0000010 mode=kernel period={i*$2} cpu=0 chain=kernel,0xffffffffc0000010,0xffffffffc0000110
	sample 8/8 t={2000500+i*1000} ip=0xffffffffc0000120 mode=kernel period=7 cpu=0 chain=kernel,0xffffffffc0000120
end
sample 7/7 t=9000000 ip=0x400123 period=1 cpu=0
T
}
made a.data 10
made b.data 20
"$PREC" query -i a.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
titles() { grep -o '<title>[^<]*' "$1" | sed 's/^<title>//; s/ samples:/:/; s/ ns:/:/' | sort; }
graph() { "$PREC" query -q -i a.data -o "$@" 2>err || fail "query -o $*: $(<err)"; }

"$PREC" export -q -i a.data --samples -o want.svg
graph got.svg 'SELECT stack, comm, sum(samples) AS n FROM sums GROUP BY stack, comm'
expect "a graph of all samples" "$(titles want.svg)" "$(titles got.svg)"
graph got.svg 'SELECT 1.0 AS n, comm, stack FROM samples'
expect "added up" "$(titles want.svg)" "$(titles got.svg)"
"$PREC" export -q -i a.data --samples --tid 8 -o want.svg
graph got.svg 'SELECT comm, count(*) AS n, stack FROM samples WHERE tid = 8 GROUP BY stack'
expect "of some" "$(titles want.svg)" "$(titles got.svg)"
graph got.svg 'SELECT stack, sum(period) AS n, max(period) AS m FROM samples WHERE tid = 7 AND stack_has(stack, '"'one'"') GROUP BY stack'
expect "the first number" 4350 "$(titles got.svg | sed -n 's/^[0-9.]* %, \([0-9,]*\): one.*/\1/p' | tr -d ,)"
# Of two recordings, in the same stacks.
"$PREC" query -q -i a.data -i b.data -o got.svg 'SELECT stack, period AS n FROM a.samples UNION ALL SELECT stack, period FROM b.samples' || fail "no graph of two recordings"
expect "two recordings" 13050 "$(titles got.svg | sed -n 's/^[0-9.]* %, \([0-9,]*\): one.*/\1/p' | tr -d ,)"

# A page has the same.
graph got.html 'SELECT stack, comm, sum(samples) AS n FROM sums WHERE comm = '"'prog'"' GROUP BY stack, comm'
if type chromium >/dev/null 2>&1; then
	. "$(dirname "$0")/lib/page.sh"
	expect "a page's functions" "30 30 one" "$(page_table got.html '' | awk '$NF == "one" { print $1, $2, $NF }')"
else
	part_skipped "the page: no chromium"
fi

# Results that are none.
graph none.svg 'SELECT stack, period FROM samples WHERE 0'
for wrong in 'SELECT 1' 'SELECT stack FROM samples' 'SELECT stack, symbol FROM samples' 'SELECT stack, 1 AS n FROM samples; SELECT stack, 1 AS n FROM samples' ';'; do
	rm -f wrong.svg
	any_status "$PREC" query -q -i a.data -o wrong.svg "$wrong" 2>err
	[ ! -e wrong.svg ] || fail "'$wrong' is a graph"
	[ -s err ] || fail "'$wrong' says nothing"
done
"$PREC" query -i a.data -o some.svg 'SELECT 1 AS stack, 5 AS n UNION ALL SELECT 99999999, 1 UNION ALL SELECT NULL, 1 UNION ALL SELECT -1, 2' 2>err || fail "no graph: $(<err)"
grep -q '4 rows are not in the graph' err || fail "rows without a stack: $(<err)"
"$PREC" query -q -i a.data --csv -o rows.svg 'SELECT 1 AS one' || fail "no rows in a file of another name"
expect "rows where they are asked for" "one 1" "$(tr -d '\r' <rows.svg | xargs)"
