#!/bin/bash
# Script --itrace of an SPE recording shows exactly the samples that its records tell of, as perf has them.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/spe.sh"

# shown LETTERS FIELDS: what script prints, blanks squeezed.
shown() {
	"$PREC" script --itrace="$1" -F "$2" -i made.data 2>messages | tr -s ' ' | sed 's/^ //; s/ $//'
}

# ---- exactly what a record says ----

cat >all.txt <<X
# A branch, padded in all ways.
pad 3
ctx 1 4242
pc 0x400010 0 1
tgt 0x400100 0 1
pbt 0x400200 0 1
lat issue 3
lat total 500
lat xlat 7
lat 27 9
addr 26 0x1234
op 2 0x01
ev 2 0xc2
ts 1000
align 3
# A load by the kernel, of a thread known at EL2.
ctx 2 4243
pc 0xffff8000080000 1 1
lat total 20
op 1 0
va 0xffff12345678 0xb0
pa 0xfedcba98 1 1 7
ev 4 0x3e
src 1 8
ts 1010
# A store; nothing but the end packet closes it.
ctx 1 4244
pc 0x400020 0 1
op 1 1
va 0x600000 0
ev 8 0x0c16
end
# Neither access nor branch.
ctx 1 4242
pc 0x400030 0 1
op 0 0
ev 1 0x02
ts 1030
X
"$gen" <all.txt >all.bin
recording 2 0:$N1:0:all.bin
expect "all letters" "p4242 4242 [000] branch: 400100 500 400010
p4242 4242 [000] instructions: 400100 500 400010
p4243 4243 [000] l1d-miss: ffff12345678 20 ffffff8000080000
p4243 4243 [000] l1d-access: ffff12345678 20 ffffff8000080000
p4243 4243 [000] tlb-miss: ffff12345678 20 ffffff8000080000
p4243 4243 [000] tlb-access: ffff12345678 20 ffffff8000080000
p4243 4243 [000] memory: ffff12345678 20 ffffff8000080000
p4243 4243 [000] instructions: 0 20 ffffff8000080000
p4244 4244 [000] l1d-access: 600000 0 400020
p4244 4244 [000] tlb-access: 600000 0 400020
p4244 4244 [000] remote-access: 600000 0 400020
p4244 4244 [000] memory: 600000 0 400020
p4244 4244 [000] instructions: 0 0 400020
p4242 4242 [000] instructions: 0 0 400030" "$(shown i1ifmtabMx comm,tid,cpu,event,ip,addr,weight)"
expect "times" "0.000001000: 0.000001010: 0.000001010: 0.000001030:" \
	"$("$PREC" script --ns --itrace=i1i -F time -i made.data | xargs)"
[ ! -s messages ] || fail "it complains: $(<messages)"
expect "branch stacks" "branch: 0x400010/0x400100/MN/-/-/500/COND/- 0x0/0x400200/-/-/-/0//-" "$(shown bl event,brstack)"
expect "branch stacks of one" "branch: 0x400010/0x400100/MN/-/-/500/COND/-" "$(shown bl1 event,brstack)"
expect "flags" "branch: jcc/miss,not_taken/" "$(shown b event,flags)"
expect "physical addresses" "memory: fedcba98
memory: 0" "$(shown M event,phys_addr)"
expect "each second record" "2 400030
2 ffffff8000080000" "$(shown i2i period,ip | sort)"
expect "by default" "14" "$("$PREC" script -F event -i made.data | wc -l)"

# ---- where data came from: CPU OPERATION EVENTS SOURCE, and what data_src then says ----

rm -f ?.txt
t=1000
while read -r n op events source want; do
	printf 'pc 0x400000 0 1\nop 1 %s\nev 4 %s\n' "$op" "$events" >>"$n.txt"
	[ "$source" = - ] || echo "src 2 $source" >>"$n.txt"
	echo "ts $((t += 10))" >>"$n.txt"
	echo "$want"
done >want <<'ROWS'
0 0 0x02 0 |OP_LOAD|LVL_L1_hit|SNP_None|TLB_N/A
0 0 0x02 8 |OP_LOAD|LVL_L2_hit|SNP_None|TLB_N/A
0 0 0x02 9 |OP_LOAD|LVL_L2_hit|SNP_N/A_or_Peer|TLB_N/A
0 0 0x02 0xa |OP_LOAD|LVL_L3_hit|SNP_N/A_or_Peer|TLB_N/A
0 0 0x02 0xb |OP_LOAD|LVL_L3_hit|SNP_Hit|TLB_N/A
0 0 0x12 0xe |OP_LOAD|LVL_RAM_hit|SNP_None|TLB_Walker_hit
0 0 0x32 5 |OP_LOAD|LVL_N/A|SNP_N/A|TLB_Walker_miss
0 1 0x0c 0 |OP_STORE|LVL_N/A|SNP_N/A|TLB_N/A
1 0 0x02 8 |OP_LOAD|LVL_L1_hit|SNP_None|TLB_N/A
1 0 0x02 7 |OP_LOAD|LVL_RAM_hit|SNP_None|TLB_N/A
1 0 0x02 3 |OP_LOAD|LVL_L3_hit|SNP_Hit|TLB_N/A
2 0 0x02 17 |OP_LOAD|LVL_L2_hit|SNP_HitM|TLB_N/A
2 0 0x02 13 |OP_LOAD|LVL_I/O_hit|SNP_None|TLB_N/A
3 0 0x02 8 |OP_LOAD|LVL_N/A|SNP_N/A|TLB_N/A
3 0 0x06 - |OP_LOAD|LVL_L1_hit|SNP_N/A|TLB_N/A
3 0 0x0e - |OP_LOAD|LVL_L1_miss|SNP_N/A|TLB_N/A
3 0 0x08000e - |OP_LOAD|LVL_L2_hit|SNP_N/A|TLB_N/A
3 0 0x18000e - |OP_LOAD|LVL_L2_miss|SNP_N/A|TLB_N/A
3 0 0x18010e - |OP_LOAD|LVL_L3_hit|SNP_N/A|TLB_N/A
3 0 0x18030e - |OP_LOAD|LVL_L3_miss|SNP_N/A|TLB_N/A
3 0 0x40000e - |OP_LOAD|LVL_LFB/MAB_hit|SNP_N/A|TLB_N/A
3 0 0x800006 - |OP_LOAD|LVL_L1_hit|SNP_Hit|TLB_N/A
3 0 0xa00006 - |OP_LOAD|LVL_L1_hit|SNP_HitM|TLB_N/A
4 0 0x06 - |OP_LOAD|LVL_L1_hit|SNP_None|TLB_N/A
3 1 0x10c - |OP_STORE|LVL_L3_hit|SNP_N/A|TLB_N/A
3 1 0x30c - |OP_STORE|LVL_L3_miss|SNP_N/A|TLB_N/A
3 1 0x04 - |OP_STORE|LVL_L1_hit|SNP_N/A|TLB_N/A
ROWS
for n in 0 1 2 3 4; do
	"$gen" <$n.txt >$n.bin
done
recording 2 0:$N1:0:0.bin 1:$AMPERE:0:1.bin 2:$HIP:0:2.bin 3:$OTHER:0:3.bin 4:$OTHER:0x800000:4.bin
shown M data_src | sed 's/^[0-9a-f]* //; s/ /_/g; s/|LCK.*//' >got
expect_same "data sources" want got

# ---- bytes that are no packet, and records that the end cuts ----

{ cat all.txt; echo "bytes 9805000707"; cat all.txt; echo "bytes b010"; } | "$gen" >bad.bin
recording 2 0:$N1:0:bad.bin
expect "damage costs a record" "9" "$(shown i1i event 2>&1 | wc -l)"
expect_finding damaged-spe messages '1 of 9 SPE records'

# ---- who asks for what cannot be is told ----

for letters in i1000ns g; do
	expect_status 1 "$PREC" script --itrace=$letters -i made.data >got 2>messages
	grep -q -- '--itrace: ' messages || fail "$letters: $(<messages)"
done

# ---- the same as perf ----

# As perf shows it, but for the x that it loses in the (x) of transactions.
like_perf() {
	tr -s ' ' <"$1" | sed 's, (x*), ,; s/ *$//; s/  */ /g; /^ *$/d'
}

# compare PERF LETTERS FIELDS WHAT
compare() {
	"$1" script --itrace="$2" -F "$3" -i made.data >got.perf 2>/dev/null
	"$PREC" script -j2 --itrace="$2" -F "$3" -i made.data >got.prec 2>messages
	[ "$(wc -l <got.perf)" -gt 300 ] || fail "$4 ($2): perf shows next to nothing"
	like_perf got.perf >want
	like_perf got.prec >got
	expect_same "$4 ($2)" want got
}

FIELDS=event,comm,tid,pid,cpu,time,ip,addr,phys_addr,weight,period,flags
if with_newperf; then
	lay accesses 2
	for letters in i1ifmtabMx i1iM i3iabM; do
		compare "$PREC_PERF" $letters $FIELDS,data_src "$("$PREC_PERF" --version)"
	done
	"$PREC_PERF" script -D -i made.data 2>/dev/null | sed -n '/ARM SPE data/,/^$/p' | sed '/^$/d' >want
	"$PREC" script --no-itrace -D -i made.data | sed -n '/ARM SPE data/,/^$/p' | sed '/^$/d' >got
	[ "$(wc -l <want)" -gt 5000 ] || fail "perf dumps next to nothing"
	expect_same "-D" want got
	# perf takes calls, returns and vector operations for accesses of memory that neither load nor store.
	lay random 2
	compare "$PREC_PERF" i1ifmtablx $FIELDS,brstack "all operations"
	# Without times perf begins each trace with a sample at address 0, which no record stands for.
	WITH_TIME= lay accesses 2
	"$PREC_PERF" script --itrace=i1i -F tid,cpu,ip,addr,weight -i made.data 2>/dev/null | tr -s ' ' | grep -v ' 0 0 0$' >want
	"$PREC" script --itrace=i1i -F tid,cpu,ip,addr,weight -i made.data 2>/dev/null | tr -s ' ' >got
	expect "records without times" 1200 "$(wc -l <want)"
	sed 's/^ -\?[0-9]* //' want | sort >want.sorted
	sed 's/^ -\?[0-9]* //' got | sort >got.sorted
	expect_same "without times" want.sorted got.sorted
fi
need_perf
lay random 1
# perf 6.1 has other branches (only mispredicted ones), data sources (by events alone) and addresses of instructions.
compare "$PERF" i1i event,comm,tid,pid,cpu,time,ip,phys_addr,weight "perf without a part for each CPU"
compare "$PERF" fmta event,comm,tid,pid,cpu,time,ip,addr,phys_addr,weight "perf without a part for each CPU"
