#!/bin/bash
# Several recordings are schemas of one query; the table diff has the figures of prec diff.
. "$(dirname "$0")/lib/prec.sh"
need jq

made() {	# NAME: a recording of the lines of standard input, after a head
	{ cat <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2 enable_on_exec
feature hostname=vm arch=x86_64 cmdline=perf,record,./prog
comm 7/7 "prog" exec t=1000
ksymbol 0xffffffffc0000000+0x100 "one" type=1 t=1
ksymbol 0xffffffffc0000100+0x100 "two" type=1 t=1
ksymbol 0xffffffffc0000200+0x100 "three" type=1 t=1
T
	cat; } >made.txt
	"$(helper mkdata/mkdata)" made.txt "$1"
}
hit() { echo "repeat $3"; echo "  sample 7/7 t={$2*1000000+$4+i} ip=$1 mode=kernel period=1000 cpu=0 chain=kernel,$1,0xffffffffc0000210"; echo end; }
{ hit 0xffffffffc0000010 1 40 0; hit 0xffffffffc0000110 2 10 0; } | made a.data
{ hit 0xffffffffc0000010 1 20 0; hit 0xffffffffc0000110 2 35 0; hit 0xffffffffc0000210 3 5 0; } | made b.data
"$PREC" query -i a.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
ask() { "$PREC" query -q "$@" 2>err || fail "query $*: $(<err)"; }
rows() { ask --csv "$@" | tail -n +2 | tr -d '\r'; }
both() { rows -i a.data -i b.data "$@"; }

expect "each by its schema" "50,60,50,50" "$(both 'SELECT (SELECT count(*) FROM a.samples), (SELECT sum(samples) FROM b.sums),
	(SELECT count(*) FROM main.samples), (SELECT count(*) FROM samples) AS n')"
expect "each with other needs" "60,50" "$(both "SELECT (SELECT count(DISTINCT time) FROM b.samples), (SELECT sum(samples) FROM a.sums WHERE stack_has(stack, 'three')) AS n")"
expect "joined" "one,40,20
two,10,35" "$(both 'SELECT symbol, x.n, y.n FROM (SELECT symbol, count(*) AS n FROM a.samples GROUP BY symbol) x
	JOIN (SELECT symbol, count(*) AS n FROM b.samples GROUP BY symbol) y USING (symbol) ORDER BY symbol')"
expect "stacks of both" "a three;one 40
a three;two 10
b three;one 20
b three;three 5
b three;two 35" "$(both "SELECT 'a ' || stack_text(stack) || ' ' || sum(samples) AS line FROM a.sums GROUP BY stack UNION ALL
	SELECT 'b ' || stack_text(stack) || ' ' || sum(samples) FROM b.sums GROUP BY stack" | tr -d '"' | sort)"
expect "frames of the second" "0,0" "$(both 'SELECT (SELECT count(*) FROM b.stacks s WHERE depth <> (SELECT count(*) FROM b.frames f WHERE f.stack = s.id)),
	(SELECT count(*) FROM b.stacks WHERE id IN (SELECT id FROM a.stacks)) AS n')"
expect "another's stack" "0" "$(both 'SELECT count(*) FROM b.frames WHERE stack IN (SELECT id FROM a.stacks)')"
expect "time by file" "10,40" "$(both 'SELECT (SELECT count(*) FROM a.samples WHERE time >= 2000000), (SELECT count(*) FROM b.samples WHERE time >= 2000000) AS n')"

# The figures are those of prec diff: of two made ones, and of two that are recorded.
same_diff() {
	"$PREC" diff -q --json --all "$1" "$2" 2>/dev/null | jq -r '.[] | .event as $e | .rows[] |
		[$e, .symbol, .dso, (.a | round), (.b | round), (.difference | round), .samples_a, .samples_b, (if .changed then 1 else 0 end)] | join("|")' | sort >want
	[ -s want ] || fail "prec diff $1 $2 has no rows"
	ask --json -i "$1" -i "$2" 'SELECT * FROM diff' | jq -r '.[] | [.event, .symbol, .dso, (.self_a | round), (.self_b | round), (.change | round),
		.samples_a, .samples_b, .changed] | join("|")' | sort >got
	expect_same "diff of $1 and $2" want got
}
same_diff a.data b.data
if "$PREC" record -q -g -e cpu-clock -e page-faults -o one.data -- sh -c 'ls -lR /usr/share | sort >/dev/null' 2>/dev/null &&
   "$PREC" record -q -g -e cpu-clock -e page-faults -o two.data -- sh -c 'ls -lR /usr/share | sort -r | cksum >/dev/null' 2>/dev/null; then
	same_diff one.data two.data
fi
ask --schema -i a.data -i b.data >schema
if [ -e "$SRC/man/prec-query.1" ]; then
	man_words=$(sed 's/\\-/-/g; s/\\&//g' "$SRC/man/prec-query.1")
	for word in $(awk '/^diff: / { on = 1; next } /^$/ { on = 0 } on { print $1 }' schema); do
		grep -qx -- ".B $word" <<<"$man_words" || fail "prec-query(1) lacks '$word' of the schema"
	done
fi
grep -q '^diff: ' schema || fail "the schema lacks diff"

# One recording has no diff; neither do files have to be there, nor are there too many.
expect_status 1 "$PREC" query -i a.data 'SELECT * FROM diff' 2>err
expect_status 1 "$PREC" query -i a.data -i none.data 'SELECT 1' 2>err
grep -q "none.data" err || fail "a missing file: $(<err)"
expect_status 1 "$PREC" query -i a.data -i b.data "ATTACH 'x.db' AS x" 2>err
[ ! -e x.db ] || fail "a query wrote a file"
many=()
for _ in 1 2 3 4 5 6 7 8 9 10; do many+=(-i a.data); done
expect "ten" 50 "$(rows "${many[@]}" 'SELECT count(*) FROM j.samples')"
expect_status 1 "$PREC" query "${many[@]}" -i b.data 'SELECT 1' 2>err
grep -q '10 recordings' err || fail "too many: $(<err)"
