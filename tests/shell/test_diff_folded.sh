#!/bin/bash
# Differential folded stacks have in each column what the folded stacks of that side's recording have.
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)
recording() {
	cat - >"$1.lines"
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1 enable_on_exec'
		echo 'feature arch=x86_64'
		echo 'comm 7/7 "two words"'
		echo 'comm 7/8 "semi;colon"'
		echo 'mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"'
		echo 'mmap2 7/7 0x20000+0x10000@0 r-xp "/no/such/a;b.so"'
		cat "$1.lines"
	} >"$1.txt"
	"$mkdata" "$1.txt" "$1"
}
recording a <<'IN'
sample 7/7 id=1 t=1 ip=0x10003 mode=user period=60 chain=user,0x10003,0x10002,0x20001
sample 7/8 id=1 t=2 ip=0x10004 mode=user period=25 chain=user,0x10004,0x10002,0x10001
sample 7/8 id=1 t=3 ip=0x50003 mode=user period=5 chain=user,0x50003
IN
recording b <<'IN'
sample 7/7 id=1 t=1 ip=0x10003 mode=user period=90 chain=user,0x10003,0x10002,0x20001
sample 7/8 id=1 t=3 ip=0x10004 mode=user period=7 chain=user,0x10004
IN
"$PREC" diff -q --folded a b >out
expect "by hand" "\
semi:colon;[prog] 0 7
semi:colon;[prog];[prog];[prog] 25 0
semi:colon;[unknown] 5 0
two_words;[a:b.so];[prog];[prog] 60 90" "$(LC_ALL=C sort out)"
# Two runs on a side: their average.
expect "averages" "two_words;[a:b.so];[prog];[prog] 75 90" "$("$PREC" diff -q --folded a b -- b | grep two_words)"
# column N: what export says of that side.
column() { awk -v n="$1" '{ a = $(NF - 1); b = $NF; sub(/ [0-9]+ [0-9]+$/, ""); v = n == 1 ? a : b; if (v > 0) print $0, v }' out | LC_ALL=C sort; }
folded() { "$PREC" export --format=folded -i "$1" 2>/dev/null | LC_ALL=C sort; }
expect "A" "$(folded a)" "$(column 1)"
expect "B" "$(folded b)" "$(column 2)"
if "$(workload opens)" 2>/dev/null; then
	for f in ra rb; do
		"$PREC" record -q -g -e cpu-clock:u -F 2000 -o $f "$(workload demo)" >/dev/null 2>&1
	done
	"$PREC" diff -q --folded ra rb >out
	# A function that one side has as a clone alone is called by its own name.
	unclone() {
		sed -E 's/\.(cold|part|constprop|isra)(\.[0-9]+)*//g' |
			awk '{ v = $NF; sub(/ [0-9]+$/, ""); n[$0] += v } END { for (s in n) print s, n[s] }' | LC_ALL=C sort
	}
	expect "recorded, A" "$(folded ra | unclone)" "$(column 1 | unclone)"
	expect "recorded, B" "$(folded rb | unclone)" "$(column 2 | unclone)"
else
	part_skipped "recordings: events cannot be opened"
fi
expect_status 129 "$PREC" diff --folded -c delta a b 2>err
