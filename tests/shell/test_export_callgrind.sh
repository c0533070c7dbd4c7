#!/bin/bash
# The sums of callgrind_annotate for an export, by function alone and with its callees, agree with report.
. "$(dirname "$0")/lib/prec.sh"
need callgrind_annotate
# Lines "COST OBJECT:FUNCTION" of all functions that have some.
annotate() {
	callgrind_annotate --auto=no --threshold=100 "$@" | sed -nE 's/^ *([0-9,]+) +(\([^)]*\))? +([^:]*):(.*) \[([^]]*|\[.*\])\]$/\1 \5:\4/p' |
		sed 's/,//g'
}

# Direct recursion, mutual recursion, names with blanks and brackets, a caller that is never sampled itself.
cat >in.txt <<'IN'
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
attr faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=2
feature arch=x86_64
comm 7/7 "demo"
mmap2 7/7 0x10000+0x10000@0 r-xp "/a b/(1)x"
mmap2 7/7 0x20000+0x10000@0 r-xp "/lib"
mmap2 7/7 0x30000+0x10000@0 r-xp "/top"
sample 7/7 id=1 t=1 ip=0x10003 mode=user period=60 cpu=0 chain=user,0x10003,0x10003,0x20001,0x10003,0x20001,0x30000
sample 7/7 id=1 t=2 ip=0x20004 mode=user period=25 cpu=1 chain=user,0x20004,0x10002,0x30000
sample 7/7 id=1 t=3 ip=0x50003 mode=user period=5 cpu=0 chain=user,0x50003
sample 7/7 id=2 t=5 ip=0x20004 mode=user period=3 cpu=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o out.callgrind
expect "own" "60 /a b/(1)x:[(1)x]
25 /lib:[lib]
5 ???:[unknown]" "$(annotate out.callgrind)"
expect "with calls: no more than there is, whoever calls whom" "90 ???:(all)
85 /a b/(1)x:[(1)x]
85 /lib:[lib]
85 /top:[top]
5 ???:[unknown]" "$(annotate --inclusive=yes out.callgrind | sort -k1,1nr -k2)"
expect "another event" "3 /lib:[lib]" "$("$PREC" export -q -i in.data -e faults -o f.callgrind; annotate f.callgrind)"
expect "samples" 3 "$("$PREC" export -q -i in.data --samples -o s.callgrind; annotate s.callgrind | awk '{ s += $1 } END { print s }')"

need_events
"$PREC" record -q -g -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
for jobs in 1 8; do
	"$PREC" export -q -i rec.data --no-inline -j$jobs -o rec.$jobs.callgrind
done
expect_same "-j8 as -j1" rec.1.callgrind rec.8.callgrind
expect "sum" "$("$PREC" report -i rec.data --stdio -g none 2>/dev/null | awk '/^# Event count/ { print $NF; exit }')" \
	"$(sed -n 's/^summary: //p' rec.1.callgrind)"
# named: of functions with a symbol, "NAME NUMBER", as both have them.
annotate rec.1.callgrind | sed -E 's/^([0-9]+) [^:]*:(.*)$/\2 \1/' | grep -v '^\[' | sort >got
"$PREC" report -i rec.data -q --stdio --no-children -g none -s sym -F period,sym -t '|' 2>/dev/null |
	sed -nE 's/^ *([0-9]+) *\|\[.\] ([^0].*[^ ]) *$/\2 \1/p' | sort >want
expect_same "own cost by function" want got
total=$(sed -n 's/^summary: //p' rec.1.callgrind)
some='^(blur|worker_main|start_thread|sharpen|histogram) '
annotate --inclusive=yes rec.1.callgrind | sed -E 's/^([0-9]+) [^:]*:(.*)$/\2 \1/' | grep -E "$some" |
	awk -v t="$total" '{ printf "%s %.2f\n", $1, $2 * 100 / t }' | sort >got
"$PREC" report -i rec.data -q --stdio --no-inline -g none -s sym -F overhead_children,sym -t '|' 2>/dev/null |
	sed -nE 's/^ *([0-9.]+)% *\|\[.\] (.*[^ ]) *$/\2 \1/p' | grep -E "$some" | sort >want
[ "$(wc -l <want)" = 5 ] || fail "report has not the functions of the program: $(cat want)"
expect_same "cost with calls" want got
