#!/bin/bash
# Two spans of one run are compared: what runs first is on one side only, and what runs then on the other; one span is that of both sides.
. "$(dirname "$0")/lib/prec.sh"
need jq
mkdata=$(helper mkdata/mkdata)

# f from 1 to 100 ms, and then g.
printf 'ffffffff8100%d000 T %s\n' 0 f 1 g 2 end >kallsyms
id=0123456789abcdef0123456789abcdef01234567
for attached in '' ' enable_on_exec'; do
	{
		echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1 period=1000000$attached"
		echo 'feature arch=x86_64'
		echo "mmap2 -1/0 0xffffffff81000000+0x2000@0 r-xp \"[kernel.kallsyms]_text\" mode=kernel buildid=$id"
		echo 'comm 7/7 "work"'
		for i in {1..201}; do
			echo "sample 7/7 id=1 t=${i}000000 ip=0xffffffff8100$((i > 100))010 mode=kernel period=1000000 cpu=0"
		done
	} >work.txt
	"$mkdata" work.txt "work${attached:+.command}"
done
compare() { "$PREC" diff --stdio --kallsyms kallsyms "$@"; }
rows() { compare --json "$@" | jq -r '.[0] | .per, (.rows | sort_by(.symbol)[] | "\(.symbol) \(.a / 1e6 | round) \(.b / 1e6 | round)")' | xargs; }
data=work.command
expect 'halves' 'run f 100 0 g 0 101' "$(rows --time 0%-50% $data --time 50%-100% $data)"
expect 'before the files' "$(rows --time 0%-50% $data --time 50%-100% $data)" "$(rows --time 0%-50% --time 50%-100% $data $data)"
expect 'the other way round' 'run f 0 100 g 101 0' "$(rows --time 50%-100% --time 0%-50% $data $data)"
expect 'as perf has it' 'run f 11 0 g 0 11' "$(rows --time 0.020,0.030:0.120,0.130 $data $data)"
expect 'one is of both' 'run f 50 50' "$(rows --time 0%-25% $data $data)"
expect 'the last word is none' 'run f 100 100 g 101 101' "$(rows --time 0%-25% --time 50%-75% --no-time $data $data)"
expect 'each side has its files' 'run f 50 0 g 0 51' "$(rows --time 0%-25% --time 75%-100% $data $data -- $data)"
# Of spans of different lengths all is compared, or what is in a second; of what was ended by hand that is so by itself.
expect 'a part and all' 'run f 20 100 g 0 101' "$(rows --time 0%-10% --time 0%-100% $data $data)"
expect 'by the second' 'second f 1' "$(rows --per=second --time 0%-10% --time 0%-20% $data $data |
	awk '{ print $1, $2, ($3 / $4 > 0.9 && $3 / $4 < 1.1) }')"
expect 'attached' 'second' "$(rows --time 0%-10% --time 0%-20% work work 2>err | cut -d' ' -f1)"
expect_status 129 compare --time 0%-10% --time 20%-30% --time 40%-50% $data $data 2>err
grep -q "^prec: --time: two are wanted at most: first A's times, then B's" err || fail "three spans: $(cat err)"
expect_status 129 compare --time 0%-10% --time 1,2:3,4 $data $data 2>err
expect_status 1 compare --time 0%-10% --time nonsense $data $data 2>err
grep -q "'nonsense' is no span of time" err || fail "a bad span: $(cat err)"

# A program that runs first_half() and then second_half(), for as long.
if "$(workload opens)" 2>/dev/null; then
	"$PREC" record -q -e cpu-clock:u -F 1000 -o halves.data "$(workload halves)" 400 2>err || fail "cannot record: $(cat err)"
	expect 'each function is on one side only' $'first_half true false\nsecond_half false true' \
		"$("$PREC" diff -q --json --time 0%-40% --time 60%-100% halves.data halves.data |
			jq -r '.[0].rows[] | select(.symbol | test("_half$")) | "\(.symbol) \(.a > 0) \(.b > 0)"' | sort)"
else
	part_skipped 'a recording: events cannot be opened'
fi
