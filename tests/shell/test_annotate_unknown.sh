#!/bin/bash
# An instruction whose length is known, and which the disassembler does not know, is shown as bytes, and that is said; what follows is right.
. "$(dirname "$0")/lib/prec.sh"
CC=${CC:-cc}
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is made here"

# vaddph, of AVX512-FP16: an EVEX prefix and map 5, which came after capstone 4.
cat >prog.s <<'E2'
	.section .note.GNU-stack
	.text
	.globl main; .type main, @function
main:	.byte 0x62,0xf5,0x74,0x48,0x58,0xc2
	ret
	.size main, .-main
	.globl two; .type two, @function
two:	ret
	.size two, .-two
E2
$CC -no-pie prog.s -o prog
addr=0x$(readelf -sW prog | awk '$8 == "main" { print $2 }')
cat >in.txt <<E2
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
comm 100/100 "prog"
mmap2 100/100 0x400000+0x10000@0 r-xp "$PWD/prog" $(build_id_of prog)
sample 100/100 t=1000 ip=$addr mode=user period=2 cpu=0
sample 100/100 t=2000 ip=$(printf 0x%x $((addr + 7))) mode=user period=1 cpu=0
E2
"$(helper mkdata/mkdata)" in.txt in.data
# Without the library, that is said once, and bytes are shown.
mkdir lib
for n in 3 4 5 6; do
	echo 'int no_functions;' | $CC -shared -fPIC -xc -o lib/libcapstone.so.$n -
done
LD_LIBRARY_PATH=$PWD/lib "$PREC" annotate -i in.data >text 2>err
expect "the function as bytes" ".byte 0x62,0xf5,0x74,0x48,0x58,0xc2 .byte 0xc3 .byte 0xc3" \
	"$(sed -n 's/^ *\([0-9.]*\) : *[0-9a-f]*: *//p' text | xargs)"
expect_finding no-disassembly err "cannot load 'libcapstone.so"
expect "how often it is said" 1 "$(grep -c 'cannot load' err)"

"$PREC" annotate -i in.data main | sed -n 's/^ *\([0-9.]*\) : *[0-9a-f]*: *//p' >got
grep -q 'vaddph' got && skip "this capstone knows vaddph"
expect "the function" ".byte 0x62,0xf5,0x74,0x48,0x58,0xc2  (not known to capstone)" "$(head -1 got)"
grep -q '^ret' got || fail "no return after it: $(cat got)"
