#!/bin/bash
# What a JIT compiler makes of one method, again and again and elsewhere, is one function to people, and a row each in pipes, as in perf.
. "$(dirname "$0")/lib/prec.sh"

pid=$((4194304 + $$))	# above all that a kernel gives
at_end "rm -f /tmp/perf-$pid.map"
cat >/tmp/perf-$pid.map <<E2
70000000 100 JS:^hot app.js:1:1
70000200 100 JS:*hot app.js:1:1
70000400 100 JS:*hot app.js:1:1
70000600 100 JS:*hot app.js:1:1
70000800 100 main app.js:9:1
70000a00 100 main app.js:9:1
70000c00 100 long Hot.sieve(int)
70000e00 100 long Hot.sieve(int)
E2
{
	echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all ids=1"
	echo "feature arch=$(uname -m)"
	echo "comm $pid/$pid \"jit\" t=1"
	echo "mmap2 $pid/$pid 0x70000000+0x1000@0 r-xp \"//anon\" t=2"
	t=10
	# ADDRESS CALLER PERIOD
	while read -r ip caller period; do
		echo "sample $pid/$pid t=$((t++)) ip=$ip mode=user period=$period chain=user,$ip,$caller"
	done <<-E2
		0x70000010 0x70000810 1200
		0x70000210 0x70000810 2000
		0x70000410 0x70000a10 4000
		0x70000610 0x70000810 8000
		0x70000c10 0x70000810 500
		0x70000e10 0x70000810 300
	E2
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

# The same function and the same stack, whatever the address.
"$PREC" summary -i in.data >page 2>err || fail "$(<err)"
expect "functions of the summary" "87.50 JS:*hot 7.50 JS:^hot 5.00 long" \
	"$(sed -n 's/^ *\([0-9.]*\) %.* f:[0-9a-f]* *\([^ ]*\) .*/\1 \2/p' page | xargs)"
expect "call chains of the summary" 3 "$(sed -n '/^call chains/,/^$/p' page | grep -c 's:[0-9a-f]')"
"$PREC" export -i in.data -o out.folded 2>err || fail "$(<err)"
expect "stacks" 3 "$(wc -l <out.folded)"
expect "functions in the profile" 4 "$("$PREC" query -i in.data "select count(*) from functions" 2>/dev/null | tail -1 | tr -d ' ')"

# Pipes have perf's rows.
expect "rows of report" 4 "$("$PREC" report -i in.data -q --stdio --no-children -g none 2>/dev/null | grep -c 'hot app.js')"
# Each has its own code.
"$PREC" annotate -i in.data 'JS:*hot app.js:1:1' >text 2>err || fail "$(<err)"
expect "annotated" 3 "$(grep -c '^ *Percent | JS:\*hot' text)"
"$PREC" annotate -i in.data Hot.sieve >text 2>err || fail "$(<err)"
expect "annotated by a part of its name" 2 "$(grep -c '^ *Percent | long Hot.sieve' text)"
! grep 'is also in the names' err || fail "it is named twice"
