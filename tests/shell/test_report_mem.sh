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
