#!/bin/bash
# Report --mem-mode: accesses grouped by what they cost and where their data was and came from, as script shows each of them.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/spe.sh"

# rows REPORT: its lines without titles, blanks squeezed; an address 0 as others are.
rows() {
	grep -v '^#' "$1" | tr -s ' ' | sed 's/^ //; s/ *$//; s/\] 0000000000000000/] 0x0000000000000000/g' | grep . || true
}

# report OPTION...: of the accesses, as rows.
report() {
	"$PREC" report --mem-mode --itrace=M "$@" -i made.data >mine 2>messages || fail "report $*: $(<messages)"
	rows mine
}

# ---- sums, against the samples one by one ----

lay accesses 2
"$PREC" script --itrace=M -F data_src,weight -i made.data 2>messages | sed 's/ *$//' >samples
[ "$(wc -l <samples)" -gt 500 ] || fail "hardly any accesses"

# summed PATTERN: shares of the samples' weights by what PATTERN, of sed, leaves of their words.
summed() {
	sed -E "$1" samples | awk '{ w = $NF; sub(/ +[0-9]+$/, ""); sum[$0] += w > 1 ? w : 1; all += w > 1 ? w : 1 }
		END { for (t in sum) printf "%.2f%% %s\n", 100 * sum[t] / all, t }' | tr -s ' ' | sed 's/ *$//' | sort
}

while read -r key field; do
	summed "s/^.*\\|$field ([^|]*)(\\|.*[^0-9]|) +([0-9]+)\$/\\1 \\3/" >want
	report -s "$key" | sort >got
	expect_same "-s $key" want got
done <<'X'
mem LVL
snoop SNP
tlb TLB
locked LCK
blocked BLK
X
grep '^# Total weight' mine >got
expect_same "the total" <(awk '{ n += $NF > 1 ? $NF : 1 } END { print "# Total weight : " n }' samples) got
report -s local_weight | sed 's/.* //' | sort -n | uniq >got
expect_same "-s local_weight" <(awk '{ print $NF }' samples | sort -n | uniq) got
for jobs in 1 4; do
	report -j$jobs >all.$jobs
done
expect_same "-j4" all.1 all.4

# As perf: but it has a column of its own at the end, and groups only by parts of the words of mem and snoop.
if with_newperf; then
	while read -r options; do
		# shellcheck disable=SC2086
		"$PREC_PERF" report --stdio --mem-mode --itrace=M $options -i made.data >perfs 2>/dev/null
		rows perfs | sed 's/ - -$//' >want
		# shellcheck disable=SC2086
		report $options | sort >got
		expect_same "as perf: $options" <(sort want) got
	done <<-'X'

		-s local_weight
		-s tlb,locked,blocked
		-s symbol,dso,local_weight
		-s data_page_size,local_ins_lat
	X
fi

# ---- vector instructions ----

# An operation of each kind of vectors, of other and of memory instructions, with each event of its predicate.
t=1000 n=0
for op in "0 4" "0 8" "0 12" "0 136" "0 1" "1 4" "1 8" "1 13" "1 0" "2 1"; do
	for event in 0 0x20000 0x40000; do
		n=$((n + 1))
		printf 'ctx 1 4242\npc 0x400%03x 0 1\nlat total 10\nop %s\nev 4 %d\nts %s\n' $n "$op" $((event | 2)) $((t += 10))
	done
done | "$gen" >data.bin
recording 2 0:$N1:0:data.bin
"$PREC" report --itrace=i1i -s simd -i made.data >mine 2>messages || fail "-s simd: $(<messages)"
expect "vector instructions" "9
2 [.] ASE
1 [.] SME
6 [d] SVE
2 [e] ASE
1 [e] SME
2 [e] SVE
2 [f] SVE
2 [p] ASE
1 [p] SME
2 [p] SVE" "$(rows mine | awk '{ printf "%s %s %s\n", int($1 * 30 / 100 + 0.5), $2, $3 }' | sed 's/ *$//' | sort -k3 -k2 | sort -t ' ' -k2)"
if with_newperf; then
	# It has a row for each predicate of what is no vector instruction.
	"$PREC_PERF" report --stdio --itrace=i1i -s simd -i made.data >perfs 2>/dev/null
	expect_same "as perf: -s simd" <(rows perfs | grep '\[' | sort) <(rows mine | grep '\[' | sort)
fi

# ---- places of data ----

cat >data.c <<'END_OF_C'
long table[100] __attribute__((section(".table"), aligned(4096))) = { 1 };
int main(void) { return table[5]; }
END_OF_C
need cc
cc -O0 -no-pie -Wl,--section-start=.table=0x700000 -o program data.c
offset=$(readelf -SW program | awk '$2 == ".table" || $3 == ".table" { sub(/.*\.table/, ""); print $3 }')
[ "$offset" ] || fail "no table"
t=1000
for at in 0x700000 0x700028 0x700028 0x900040; do
	printf 'ctx 1 4242\npc 0x400000 0 1\nlat total 10\nop 1 0\nva %s 0\npa 0x12345000 1 0 0\nev 4 0x02\nts %s\n' $at $((t += 10))
done | "$gen" >data.bin
recording 2 0:$N1:0:data.bin
"$mkdata" <(sed "s,^mmap2 4242.*,&\nmmap2 4242/4242 0x700000+0x1000@0x$offset rw-p \"$PWD/program\" $(build_id_of program) t=2 event=$EVENT id=1," made.txt) made.data
expect "data symbols" "50.00% [.] table+0x28 program
25.00% [.] table+0x0 program
25.00% [.] 0x0000000000900040 [unknown]" "$(report -s symbol_daddr,dso_daddr)"
expect "lines of the cache" "75.00% [.] table+0x0
25.00% [X] 0x0000000000900040" "$(report -s dcacheline)"
expect "physical addresses" "100.00% [.] 0x0000000012345000" "$(report -s phys_daddr)"
expect "without --mem-mode samples count as often as they are" "100.00% L1 hit" \
	"$("$PREC" report --itrace=M -s mem -i made.data 2>/dev/null >mine; rows mine)"

# ---- classes of accesses as parts of the total ----

# Three accesses of each op, level, answer of other caches and translation, for two commands by turns.
n=0
{
	cat <<-'X'
		attr ev type=raw config=0x1cd sample=IP,TID,TIME,CPU,PERIOD,WEIGHT,DATA_SRC sample_id_all
		feature arch=x86_64
		feature nrcpus=1
		comm 1/1 "one"
		comm 2/2 "two"
	X
	while read -r op level snoop tlb; do
		n=$((n + 1))
		echo "sample $((n % 2 + 1))/$((n % 2 + 1)) t=$n ip=0x100 mode=user cpu=0 period=1 weight=$((n * 3)) data_src=$((op | level << 33 | snoop << 19 | tlb << 26))"
	done <<-'X'
		2 1 4 10
		4 2 8 18
		6 3 16 26
		8 4 1 4
		16 5 2 12
		1 6 6 1
		10 8 0 32
		20 9 20 20
		0 10 4 8
		2 11 4 2
		2 12 4 10
		2 13 4 10
		4 14 4 10
		4 0 4 10
		4 15 4 10
	X
} >classes.txt
"$mkdata" classes.txt made.data
expect "classes of accesses" "\
#           ----------------- Mem Op -----------------
# Overhead     Load  Store  Ld+St Pfetch   Exec  Other  Command
# ........  ..........................................  .......
#
    53.33%    10.0%  23.3%   2.5%   5.8%   4.2%   7.5%  two
    46.67%    18.3%  13.3%   0.0%   3.3%   6.7%   5.0%  one" "$("$PREC" report --mem-mode -F overhead,op,comm -i made.data 2>/dev/null | sed -n '9,14s/ *$//p')"
if with_newperf; then
	for keys in overhead,op,cache,mem,snoop,dtlb,comm comm,memory,dtlb snoop,overhead,comm op; do
		"$PREC_PERF" report --stdio --mem-mode -F $keys -i made.data 2>/dev/null | grep -v '^# (Tip' | sed 's/ *$//' | sed '/^#$/d; /^$/d' >want
		"$PREC" report --mem-mode -F $keys -i made.data 2>messages | sed 's/ *$//; /^#$/d; /^$/d' >got
		expect_same "as perf: -F $keys" want got
	done
	expect_same "widths" <("$PREC_PERF" report --stdio --mem-mode -F overhead,mem,comm -w 0,20,2 -i made.data 2>/dev/null | grep '%' | sed 's/ *$//') \
		<("$PREC" report --mem-mode -F overhead,mem,comm -w 0,20,2 -i made.data 2>/dev/null | grep % | sed 's/ *$//')
fi
expect "a part alone" "10.0% two" "$("$PREC" report -F op_load,comm -i made.data -w 0,0 --mem-mode 2>/dev/null >mine; rows mine | tail -1)"
expect "the sort keys of those names" "24.17% N/A Hit" "$("$PREC" report --mem-mode -s mem,snoop -i made.data 2>/dev/null >mine; rows mine | head -1)"
expect "with a separator" "op_load,op_store,op_load_store,op_prefetch,op_exec,op_other" "$("$PREC" report -F op -t , -i made.data 2>/dev/null | sed -n 's/^# op/op/p')"
