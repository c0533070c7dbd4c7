#!/bin/bash
# Query alone on a terminal asks for statements: it completes words, keeps lines, pages results, and ^C ends a query, not the prompt.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'

cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
comm 100/100 "a parent" exec t=1000000000
sample 100/101 t=1000004000 ip=0x400123 cpu=1 period=250000
sample 100/101 t=1000005000 ip=0x400124 cpu=1 period=250001
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
export HOME=$WORK

start_terminal 80x24
edits=false
[ ! -e "$BUILD/core/ui/prompt_edit.o" ] || edits=true
ask() { keys "$@" Enter; }

ask "clear; $PREC query in.data"
await 20 shows '^query>'
ask 'SELECT sum(period)'
await 20 shows '^  ...>'
ask 'FROM samples\;'
await 20 shows '^  *500001$'
ask '@none'
await 20 shows "there is no query '@none'"
ask '.schema maps'
await 20 shows 'pgoff .*offset in the file'
ask 'SELECT symbl FROM samples\;'
await 20 shows 'no such column: symbl'
ask '.none'
await 20 shows "there is no '.none'"

# More than the screen has: in a pager; what it is left with is asked next.
ask 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r\;'
await 20 shows '^:$'
shows '^  *18$' || fail "the pager does not begin at the first row: $(screen)"
keys q
await 20 shows '^query>'
ask 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 30) SELECT n FROM r\;'
await 20 shows '^:$'
keys G
await 20 shows '^30$'
keys q
await 20 shows '^query>'

# ^C ends an endless query, and the prompt goes on. The work is shown meanwhile.
ask 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r\;'
await 20 shows '^running the query: '
keys C-c
await 20 shows 'the query was interrupted'
! shows '^running the query' || fail "the progress is still there: $(screen)"
ask 'SELECT 40 + 2 AS answer\;'
await 20 shows '^  *42$'

if $edits; then
	# A line that is not wanted, words completed in the case of their letters, an earlier line.
	keys 'SELECT nonsense'
	keys C-c
	await 20 shows '^query>$'
	keys 'sele' Tab 'pid, comm from proc' Tab
	await 20 shows 'query> select pid, comm from processes *$'
	ask '\;'
	await 20 shows '^ *100  a parent *$'
	keys 'stack_' Tab
	await 20 shows 'stack_has(.*stack_text('
	keys C-c Up Up
	await 20 shows 'query> SELECT 40 + 2 AS answer;$'
	keys C-c
fi
keys C-d
await 20 shows 'ready>$'
if $edits; then
	grep -q 'answer' .prec_query_history || fail "the lines are not kept"
	expect "the mode of the file of lines" 600 "$(stat -c %a .prec_query_history)"
	ask "clear; $PREC query -i in.data"
	await 20 shows '^query>'
	keys Up
	await 20 shows 'query> select pid, comm from processes ;$'
	keys C-c
	ask '.quit'
	await 20 shows 'ready>$'
fi

# A long result of one statement is paged, too, but not where that is not wanted.
on_screen "PREC_PAGER='sed s/^/paged:/' $PREC query -i in.data -f <(printf 'VALUES (1)%.0s' {1..1}; printf ', (%d)' {2..60})" >seen
grep -q '^paged:' seen || fail "a long result is not paged: $(<seen)"
on_screen "PREC_PAGER='sed s/^/paged:/' $PREC query --no-pager -i in.data -f <(printf 'VALUES (1)'; printf ', (%d)' {2..60})" >seen
! grep '^paged:' seen || fail "--no-pager pages"
# There is no prompt where there is no terminal.
expect_status 129 "$PREC" query -i in.data </dev/null 2>err
grep -q 'no statements' err || fail "without a terminal: $(<err)"
