#!/bin/bash
# Report --hierarchy: a tree with a level for each key, whose rows sum up those below them.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
comm 100/100 "demo"
comm 200/200 "another"
mmap2 100/100 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 200/200 0x10000+0x10000@0 r-xp "/no/such/lib.so"
sample 100/100 t=1000 ip=0x10100 mode=user period=30 cpu=0
sample 100/100 t=1500 ip=0x10100 mode=user period=30 cpu=1
sample 100/100 t=2000 ip=0x10200 mode=user period=25 cpu=1
sample 200/200 t=3000 ip=0x10100 mode=user period=10 cpu=1
sample 200/200 t=4000 ip=0xffffffff81000010 mode=kernel period=5 cpu=1
IN
"$(helper mkdata/mkdata)" in.txt in.data
report() { "$PREC" report -H -i in.data "$@" 2>messages | sed 's/ *$//'; }

expect "three levels" "\
#       Overhead  Command / Shared Object / Symbol
# ..............  ................................
#
    85.00%        demo
       85.00%        prog
          60.00%        [.] 0x0000000000000100
          25.00%        [.] 0x0000000000000200
    15.00%        another
       10.00%        lib.so
          10.00%        [.] 0x0000000000000100
        5.00%        [unknown]
           5.00%        [k] 0xffffffff81000010" "$(report | sed -n '9,20p')"
expect_status 129 "$PREC" report -H -i in.data -s overhead 2>messages
grep -q 'a level for each key of --sort that groups, and there is none' messages || fail "no key that groups: $(<messages)"
expect "numbers" "\
    85.00%             3     demo
       55.00%             2     001
       30.00%             1     000
    15.00%             2     another
       15.00%             2     001" "$(report -q -n -s comm,cpu | head -5)"
expect "small rows go with what is below them" "85.00% demo 85.00% prog 60.00% [.] 0x0000000000000100 25.00% [.] 0x0000000000000200" \
	"$(report -q --percent-limit 20 | xargs)"
expect "a separator" "85.00%;demo
   55.00%;001
   30.00%;000" "$(report -q -t ';' -s comm,cpu | head -3)"
expect "filters" "85.00% demo 85.00% prog 60.00% [.] 0x0000000000000100 25.00% [.] 0x0000000000000200" "$(report -q -c demo | xargs)"
expect_status 129 "$PREC" report -H -F comm -i in.data 2>err
for jobs in 1 4; do
	"$PREC" report -H -j$jobs -i in.data -s cpu,comm,sym >all.$jobs 2>messages
done
expect_same "-j4" all.1 all.4

if with_newperf; then
	while read -r options; do
		# shellcheck disable=SC2086
		"$PREC_PERF" report --stdio -H -i in.data $options 2>/dev/null | grep '%' | sed 's/ *$//; s/  *- *-$//' >want
		# shellcheck disable=SC2086
		report -q $options >mine
		grep '%' mine >got
		expect_same "as perf: $options" want got
	done <<-'X'
		-s comm,dso
		-s comm,cpu,pid
		-s cpu,comm,dso -n
		-s comm,dso --show-total-period
	X
	if with_corpus; then
		for keys in comm,dso comm,cpu,pid; do
			file=$PREC_CORPUS/quipper/perf.data.group_desc-4.14
			echo "ffffffff81000000 T _stext" >kallsyms
			"$PREC_PERF" report --kallsyms=kallsyms --stdio -H -i "$file" -s $keys 2>/dev/null | grep '%' | sed 's/ *$//' >want
			"$PREC" report --kallsyms=kallsyms -H -i "$file" -s $keys 2>/dev/null | grep '%' | sed 's/ *$//' >got
			expect_same "a group, as perf: $keys" want got
		done
	fi
fi
