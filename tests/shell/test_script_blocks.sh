#!/bin/bash
# Script prints the code between the branches of a stack as perf does: brstackinsn, brstackinsnlen, --max-blocks.
. "$(dirname "$0")/lib/prec.sh"
need objdump
need_newperf	# older ones stop before the sample at branches that need not be taken
spin=$(workload spin)
[ "$(uname -m)" = x86_64 ] || skip 'perf knows only the length of x86 instructions'
# Where instructions of its main() begin, for a map at 0x10000000 of the whole file.
mapfile -t at < <(objdump -d --no-show-raw-insn "$spin" | sed -n '/<main>:/,/^$/s/^ *\([0-9a-f]*\):.*/\1/p' |
	while read -r a; do printf '0x%x\n' $((0x10000000 + 0x$a)); done)
[ ${#at[@]} -gt 30 ] || fail "main() has only ${#at[@]} instructions"
id=$(readelf -n "$spin" | sed -n 's/.*Build ID: //p')
K=0xffffffff81000010
# The newest branch first; flags: 1 mispredicted, 2 predicted, 4 in a transaction, 8 its abort, then cycles times 16.
sample() { echo "sample 1/1 t=$1 ip=$2 branch=$3"; }
cat >in.txt <<T
attr cycles type=hardware config=0 sample=IP,TID,TIME,BRANCH_STACK branch_type=8 sample_id_all ids=1
feature arch=x86_64
feature hostname=$(uname -n)
feature nrcpus=1
comm 1/1 "blocks" t=1
mmap2 1/1 0x10000000+0x100000@0 r-xp "$spin" buildid=$id t=2
$(sample 3 ${at[9]} ${at[6]}:${at[8]}:0x32,${at[4]}:${at[2]}:0x71,${at[12]}:${at[1]}:0x2)
$(sample 4 ${at[6]} ${at[6]}:${at[8]}:0x34,${at[4]}:${at[2]}:0x78)
$(sample 5 ${at[7]} ${at[4]}:${at[2]}:0x28)
$(sample 6 ${at[3]} ${at[9]}:${at[7]}:0x12,$((at[11] + 1)):${at[10]}:0x12,${at[20]}:${at[10]}:0x12,${at[1]}:${at[18]}:0x12)
$(sample 7 ${at[9]} ${at[6]}:${at[8]}:0x32,$K:${at[2]}:0x12,${at[12]}:${at[5]}:0x2,${at[3]}:${at[10]}:0x2)
$(sample 8 ${at[9]} ${at[6]}:${at[8]}:0x32,0x20000000:${at[2]}:0x12,${at[12]}:0x20000000:0x2)
$(sample 9 0x20000000 ${at[6]}:0x20000000:0x32,${at[8]}:${at[5]}:0x32)
$(sample 10 ${at[4]} ${at[8]}:${at[6]}:0x32,${at[20]}:${at[7]}:0x32)
T
"$(helper mkdata/mkdata)" in.txt in.data
for options in '-F ip,sym,brstackinsn' '-F ip,brstackinsn,brstackinsnlen' '-F time,brstackinsn --max-blocks 1' \
	       '-F sym,ip,brstack,brstackinsn --max-blocks 2'; do
	"$NEWPERF" script -i in.data $options >want 2>/dev/null
	"$PREC" script -i in.data $options >got 2>err || fail "script $options: $(cat err)"
	[ "$(wc -l <want)" -gt 20 ] || fail "perf shows nothing with $options"
	expect_same "$options" want got
done
# Events that were counted along branches, two bits each: 1 and 2, then 3, which is all that fits, then none.
sed -e "s/branch_type=8 /branch_type=0x80008 /; s/^attr cycles\(.*\)/&\nattr misses\1/; s/ids=1\$/ids=1/; s/^feature nrcpus=1/&\nfeature branches=32 counters=2/" \
	-e '/^sample [^ ]* t=3 /!{/^sample/d}; s/^sample.*/& brcntr=0x1,0x7,0x0 event=cycles/' in.txt | sed '2s/config=0/config=3/; 2s/ids=1/ids=2/' >counted.txt
sed -i 's/TIME,BRANCH_STACK/TIME,BRANCH_STACK,IDENTIFIER/' counted.txt
"$(helper mkdata/mkdata)" counted.txt counted.data
for options in '-F ip,brstackinsn,brcntr' '-F brcntr,brstackinsn,insnlen'; do
	# shellcheck disable=SC2086
	"$NEWPERF" script -i counted.data $options >want 2>/dev/null
	# shellcheck disable=SC2086
	"$PREC" script -i counted.data $options >got 2>err || fail "script $options: $(cat err)"
	expect "counts of branches" "-  AAA+  A " "$(sed -n 's/.*br_cntr: \([-+A-Z]* \).*/\1/p' got | xargs -d '\n')"
	expect_same "$options" want got
done
# As assembler text the same instructions, as the disassembler of another project has them.
"$PREC" script -i in.data -F ip,brstackdisasm | awk -F'\t' 'NF > 2 && $3 !~ /^(insn:|<bad>)/ { split($3, word, " "); print $2, word[1] }' |
	sort -u >got
[ -s got ] || skip 'built without a disassembler'
objdump -d --no-show-raw-insn -M suffix "$spin" | sed -nE 's/^ *([0-9a-f]+):\s+([a-z0-9]+).*/\1 \2/p' | while read -r a name; do
	printf '%016x %s\n' $((0x10000000 + 0x$a)) "$name"
done | sort >all
comm -23 got all >odd
[ ! -s odd ] || fail "not what objdump says: $(head -5 odd)"
