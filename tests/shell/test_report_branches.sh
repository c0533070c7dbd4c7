#!/bin/bash
# Report of branch stacks: branches are counted instead of samples, by where they went from and to and what is known of them.
. "$(dirname "$0")/lib/prec.sh"

# Flags: predicted 2, mispredicted 1, in a transaction 4, aborted 8, cycles from bit 4 on.
cat >in.txt <<'IN'
attr ev type=hardware config=0 ids=1 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,BRANCH_STACK sample_id_all=1
attr other type=software config=0 ids=2 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
comm 100/100 "demo"
mmap2 100/100 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 100/100 0x40000+0x10000@0 r-xp "/no/such/lib.so"
mmap -1/0 0xffffffff80000000+0x1000000@0xffffffff80000000 "[kernel.kallsyms]_text"
sample 100/100 t=1000 ip=0x10100 mode=user period=7 cpu=0 branch=0x10010:0x40020:0x32,0x10018:0x40028:0x1,0x10010:0x40020:0x32
sample 100/100 t=2000 ip=0x10100 mode=user period=7 cpu=1 branch=0x40030:0x10014:0x4,0x40030:0xffffffff80000100:0x8
sample 100/100 t=3000 ip=0x10100 mode=user period=7 cpu=1 branch=0:0x10014:0
sample 100/100 t=3000 ip=0x10100 mode=user period=7 cpu=1 branch=0x10010:0x40020:0x32,0x10010:0x40020:0x22
sample 100/100 t=4000 ip=0x10200 mode=user period=1 cpu=0 event=other
IN
"$(helper mkdata/mkdata)" in.txt in.data
report() { "$PREC" report -i in.data "$@" 2>messages | sed 's/ *$//'; }
rows() { report -q "$@" | tr -s ' ' | sed 's/^ //; /^$/d'; }

expect "the default" "\
# Total Lost Samples: 0
#
# Samples: 4  of event 'ev'
# Event count (approx.): 8
#
# Overhead  Command  Source Shared Object  Source Symbol           Target Symbol           Basic Block Cycles
# ........  .......  ....................  ......................  ......................  ..................
#
    37.50%  demo     prog                  [.] 0x0000000000000010  [.] 0x0000000000000020  3
    12.50%  demo     [unknown]             [H] 0000000000000000    [.] 0x0000000000000014  -
    12.50%  demo     prog                  [.] 0x0000000000000010  [.] 0x0000000000000020  2
    12.50%  demo     prog                  [.] 0x0000000000000018  [.] 0x0000000000000028  -
    12.50%  demo     lib.so                [.] 0x0000000000000030  [.] 0x0000000000000014  -
    12.50%  demo     lib.so                [.] 0x0000000000000030  [k] 0xffffffff80000100  -" \
	"$(report | sed -n '4,11p;12,17p')"
# shows WHAT KEYS: the rows, in whatever order, are those on standard input.
shows() {
	LC_ALL=C sort >want
	rows -s "$2" | LC_ALL=C sort >got
	expect_same "$1" want got
}
shows "files" dso_from,dso_to <<'X'
62.50% prog lib.so
12.50% lib.so prog
12.50% lib.so [kernel.kallsyms]
12.50% [unknown] prog
X
shows "flags" mispredict,in_tx,abort <<'X'
50.00% N . .
12.50% Y . .
12.50% N/A . .
12.50% N/A . A
12.50% N/A T .
X
shows "lines" srcline_from <<'X'
50.00% prog[10]
25.00% lib.so[30]
12.50% ??:0
12.50% prog[18]
X
shows "addresses" addr_to <<'X'
50.00% [.] 0x0000000000000020
12.50% [.] 0x0000000000000028
25.00% [.] 0x0000000000000014
12.50% [k] 0xffffffff80000100
X
expect "the file and symbol are the target's" "$(rows -s dso_to,symbol_to | sort)" "$(rows -s dso,symbol | sort)"
expect "numbers" "4" "$(rows -n -s symbol_to | awk '/0x0000000000000020/ { print $2 }')"
expect "a filter of CPUs" "3" "$(report -C 0 | sed -n 's/^# Event count (approx.): //p' | head -1)"
expect "-d is the target's" "12.50%" "$(rows -d '[kernel.kallsyms]' | awk '{ print $1 }')"

# The other ways.
expect "samples" "4 28" "$(report --no-branch-stack | sed -n "s/^# Samples: \([0-9]*\) .*'ev'/\1/p; s/^# Event count (approx.): \([0-9]*\)/\1/p" | head -2 | xargs)"
expect_status 1 "$PREC" report -i in.data --no-branch-stack -s symbol_from >out 2>err
grep -q "'symbol_from' is a key of branches.*leave out" err || fail "$(cat err)"
expect_status 129 "$PREC" report -i in.data -b --mem-mode 2>err
grep -v -e ' branch=' -e '^attr ev' in.txt >none.txt
"$(helper mkdata/mkdata)" none.txt none.data
expect_status 1 "$PREC" report -b -i none.data >out 2>err
grep -q "no branches to count" err || fail "$(cat err)"
expect_status 1 "$PREC" report -s cycles -i none.data >out 2>err
grep -q "'cycles' is a key of branches.*record with -b" err || fail "$(cat err)"
for jobs in 1 4; do
	"$PREC" report -j$jobs -i in.data -s addr_from,addr_to,cycles >all.$jobs 2>messages
done
expect_same "-j4" all.1 all.4

# As perf; it cuts names, has signed cycles, and may show equal rows as several.
if with_newperf && with_corpus; then
	file=$PREC_CORPUS/quipper/perf.data.branch-4.14
	echo "ffffffff81000000 T _stext" >kallsyms
	tidy() {
		grep '^ *[0-9]' "$1" | sed 's/ *$//' | tr -s ' ' | grep -v -e '\[[kH]\] 0000000000000000' -e ' -\?[0-9]\{5\}$' |
			awk '{ n = $1; $1 = ""; sum[$0] += n } END { for (row in sum) print sum[row] row }' | sort
	}
	for keys in comm,dso_from,symbol_from,symbol_to,cycles dso_from,dso_to mispredict,in_tx,abort,cycles addr_from,addr_to \
		    srcline_from,srcline_to comm,dso; do
		"$PREC_PERF" report --stdio --kallsyms=kallsyms -i "$file" -F period,$keys >perfs 2>/dev/null
		"$PREC" report --kallsyms=kallsyms -i "$file" -F period,$keys >mine 2>/dev/null
		tidy perfs >want
		tidy mine >got
		[ -s want ] || fail "perf shows nothing for $keys"
		expect_same "as perf: $keys" want got
	done
fi
