#!/bin/bash
# On arm64 the caller of a function that makes no frame is in the link register, where the function has not saved it.
. "$(dirname "$0")/lib/prec.sh"
need aarch64-linux-gnu-gcc
cat >leaf.c <<'C'
__attribute__((noinline)) int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x * 3; }
__attribute__((noinline)) int middle(int x) { x = leaf(x); __asm__ volatile("" : "+r"(x)); return x + 1; }
__attribute__((noinline)) int outer(int x) { x = middle(x); __asm__ volatile("" : "+r"(x)); return x + 1; }
int main(void) { return outer(1); }
C
aarch64-linux-gnu-gcc -O1 -g -fno-omit-frame-pointer -momit-leaf-frame-pointer -static -o leaf leaf.c 2>err || skip "cannot build for arm64: $(head -1 err)"
id=$(readelf -n leaf | sed -n 's/.*Build ID: //p')
# place FUNCTION: where it begins; behind FUNCTION CALLED: where that returns to.
dump() { aarch64-linux-gnu-objdump -d --no-show-raw-insn leaf | sed -n "/<$1>:/,/^\$/p"; }
place() { echo "0x$(dump "$1" | sed -n '1s/^0*\([0-9a-f]*\) .*/\1/p')"; }
behind() { printf '0x%x' $((0x$(dump "$1" | sed -n "s/^ *\([0-9a-f]*\):.*bl.*<$2>.*/\1/p") + 4)); }
leaf=$(place leaf) middle=$(place middle)
in_middle=$(behind middle leaf) in_outer=$(behind outer middle) in_main=$(behind main outer)
load=$(readelf -lW leaf | awk '$1 == "LOAD" && /R E/ { print $3, $2, $6; exit }')
read -r addr offset size <<<"$load"
# make MASK: of registers; in the leaf, before middle() has saved anything, and behind: when the register is out of date.
make() {
	cat >in.txt <<T
attr cycles type=hardware config=0 sample=IP,TID,TIME,CALLCHAIN,REGS_USER uregs=$1 sample_id_all ids=1
feature arch=aarch64
feature nrcpus=1
comm 1/1 "leaf" t=1
mmap2 1/1 $addr+$(((size + 0xfff) & ~0xfff))@$offset r-xp "$PWD/leaf" buildid=$id t=2
sample 1/1 t=3 ip=$leaf chain=user,$leaf,$in_outer,$in_main uregs=$in_middle
sample 1/1 t=4 ip=$middle chain=user,$middle,$in_main uregs=$in_outer
sample 1/1 t=5 ip=$in_middle chain=user,$in_middle,$in_outer,$in_main uregs=$in_middle
T
	"$(helper mkdata/mkdata)" in.txt in.data
}
names() { awk -v RS= '{ for (i = 2; i <= NF; i += 2) printf "%s%s", (i > 2 ? " " : ""), $i; print "" }' "$1"; }
make 0x40000000
"$PREC" script -i in.data -F ip,sym --no-inline >got 2>err || fail "$(cat err)"
expect 'who called whom' 'leaf middle outer main
middle outer main
middle outer main' "$(names got)"
"$PREC" report -i in.data -q --stdio --no-children -g caller >text
grep -A4 'leaf$' text | grep middle >/dev/null || fail "report has it not: $(cat text)"
if with_newperf; then
	"$PREC_PERF" script -i in.data -F ip,sym --no-inline >want 2>/dev/null
	expect 'as perf' "$(names want)" "$(names got)"
fi
# Other registers are the user's own, and nothing is guessed.
make 0x20000000
"$PREC" script -i in.data -F ip,sym --no-inline >got 2>err || fail "$(cat err)"
expect 'with another register' 'leaf outer main
middle main
middle outer main' "$(names got)"
