#!/bin/bash
# In a program of 32-bit Arm the stubs of library functions have names, and Thumb instructions their own sizes.
. "$(dirname "$0")/lib/prec.sh"
need clang
need ld.lld
need nm

cat >lib.c <<'EOS'
int near_by(int x) { return x + 1; }
int far_away(int x) { return x + 2; }
EOS
cat >program.c <<'EOS'
int near_by(int x);
int far_away(int x);
__attribute__((target("arm"), noinline)) int wide(int x) { return near_by(x) + 5; }
__attribute__((target("thumb"), noinline)) int narrow(int x) { return far_away(x) * 3; }
void _start(void) { wide(narrow(1)); for (;;) ; }
EOS
arm() {
	clang --target=armv7-linux-gnueabi -O1 -nostdlib -fuse-ld=lld "$@" 2>cc.said ||
		skip "no compiler for 32-bit Arm: $(tail -1 cc.said)"
}
arm -shared -fPIC -o lib.so lib.c
arm -no-pie -o program program.c lib.so

at() {	# of a symbol
	printf '%d' "0x$(nm program | awk -v name="$1" '$3 == name { print $1 }')"
}
# Sections: address, offset, size.
section() {
	readelf -SW program | sed 's/^ *\[ *[0-9]*\] //' | awk -v name="$1" '$1 == name { print "0x" $3, "0x" $4, "0x" $5 }'
}
read -r text offset _ <<<"$(section .text)"
read -r plt _ size <<<"$(section .plt)"
expect "a head of 32 bytes and two stubs of 16" 64 $((size))
wide=$(at wide) narrow=$(($(at narrow) & ~1)) plt=$((plt))
page=$((text & ~0xfff))

{
	echo 'feature arch=armv7l'
	echo 'attr cpu-clock sample=IP,TID,TIME'
	echo 'comm 100/100 "program" t=1'
	printf 'mmap2 100/100 %#x+0x1000@%#x r-xp "%s" t=2\n' $page $((page - text + offset)) "$PWD/program"
	n=10
	for ip in $wide $((wide + 4)) $narrow $((narrow + 2)) $((plt + 4)) $((plt + 32)) $((plt + 48)); do
		printf 'sample 100/100 t=%d ip=%#x mode=user\n' $((n++)) "$ip"
	done
} >text
"$(helper mkdata/mkdata)" text data
stubs=$(readelf -rW program | awk '/R_ARM_JUMP_SLOT/ { print $NF "@plt" }' | xargs)
"$PREC" script -i data -F ip,sym | awk '{ print $2 }' | xargs >got
expect "symbols" "wide wide narrow narrow .plt $stubs" "$(cat got)"

# The program's own bytes: 4 of A32; 2 and 4 of T32.
bytes() {	# address size
	tail -c +$(($1 - text + offset + 1)) program | head -c "$2" | od -An -v -tx1 | xargs
}
"$PREC" script -i data -F ip,insn,insnlen | head -4 | sed 's/.*ilen: //; s/ *$//' >got
{
	echo "4 insn: $(bytes "$wide" 4)"
	echo "4 insn: $(bytes $((wide + 4)) 4)"
	echo "2 insn: $(bytes "$narrow" 2)"
	echo "4 insn: $(bytes $((narrow + 2)) 4)"
} >want
expect_same "instructions" want got

# Their mnemonics, as LLVM's disassembler has them; calls go to a stub by its name.
need llvm-objdump
mnemonic() {	# of the instruction at an address
	llvm-objdump -d --no-show-raw-insn --start-address="$1" --stop-address=$(($1 + 2)) program |
		sed -n 's/^ *[0-9a-f]*:[ \t]*\([a-z.0-9]*\).*/\1/p' | head -1
}
"$PREC" script -i data -F ip,disasm | head -4 | sed 's/^ *[0-9a-f]*[ \t]*//; s/ *$//' >got
for ip in $wide $((wide + 4)) $narrow $((narrow + 2)); do
	mnemonic "$ip"
done >want
expect_same "mnemonics" want <(cut -d' ' -f1 got)
expect "calls" "near_by@plt+0x0 far_away@plt+0x0" "$(sed -n 's/^blx* //p' got | xargs)"
