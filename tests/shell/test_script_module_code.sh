#!/bin/bash
# Without a kcore the code of a kernel module is that of its file, packed or not, with calls to where the recording had what is called.
. "$(dirname "$0")/lib/prec.sh"
[ "$(uname -m)" = x86_64 ] || skip "assembles for x86_64 only"
need as
need ld
need objdump
need objcopy
base=ffffffffc0100000 other=ffffffffc0100040
cat >mod.s <<'E2'
	.text
	.globl first
first:	call __fentry__
	push %rbx
	call second
	jne second
	call printk
	lea printk(%rip), %rax
	jmp third
	.section .text.other, "ax", @progbits
	.balign 64
second:	nop
	call first
	ret
	.section .init.text, "ax", @progbits
third:	nop
	ret
E2
as -o mod.o mod.s
# What a linker makes of it; the call to the tracer is not there, nor is what has no place.
ld -o linked -e 0 -Ttext=0x$base --section-start=.text.other=0x$other --section-start=.init.text=0x$((1 << 4)) \
	--defsym=printk=0xffffffff81234560 --defsym=__fentry__=0xffffffff81000010 mod.o
objdump -d -w -j .text -j .text.other --insn-width=16 linked |
	sed -nE 's/^ *([0-9a-f]+):\t([0-9a-f ]*[0-9a-f]) *\t.*/\1 insn: \2/p' | grep -v ' 66 2e ' >lines
sed -E '1s/insn: .*/insn: 0f 1f 44 00 00/; /insn: e9/s/e9 .*/e9 00 00 00 00/' lines >want
[ "$(wc -l <want)" = 10 ] || fail "the linker's code: $(cat lines)"
{
	echo 'feature arch=x86_64'
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1'
	echo 'mmap -1/0 0xffffffff81000000+0x800000@0xffffffff81000000 "[kernel.kallsyms]_text" t=0'
	echo "mmap -1/0 0x$base+0x1000@0 \"/lib/modules/x/mod.ko\" t=0"
	t=10
	while read -r ip _; do
		echo "sample 7/7 t=$((t++)) ip=0x$ip mode=kernel"
	done <want
} >made.txt
"$(helper mkdata/mkdata)" made.txt made.data
printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81234560 T printk' >kallsyms
mkdir -p fs/lib/modules/x
code() { "$PREC" script --symfs fs --kallsyms kallsyms -F ip,insn -i made.data 2>messages | sed 's/^ *//'; }

cp mod.o fs/lib/modules/x/mod.ko
code >got
expect_same "a module: $(cat messages)" want got
for pack in gzip xz "zstd -q"; do
	command -v "${pack% *}" >/dev/null || continue
	$pack -c mod.o >fs/lib/modules/x/mod.ko
	code >got
	expect_same "packed by $pack: $(cat messages)" want got
	expect "a symbol, packed by $pack" first "$("$PREC" script --symfs fs -F ip,sym -i made.data 2>/dev/null | awk 'NR == 1 { print $2 }')"
done
# Half of it is no module, and nothing is made up.
head -c 300 mod.o | gzip -c >fs/lib/modules/x/mod.ko
code | cut -d' ' -f1 >got
cut -d' ' -f1 want | expect_same "half a module" - got
