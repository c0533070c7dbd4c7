#!/bin/bash
# Names of the kernel are demangled with --demangle-kernel, to what perf makes of them, and not without it.
. "$(dirname "$0")/lib/prec.sh"
cat >kallsyms <<'E2'
ffffffff81000000 T _text
ffffffff81000100 t _RNvNtCs1234_7mycrate3foo3bar
ffffffff81000200 t _ZN4core3ptr4read17h0123456789abcdefE
ffffffff81000300 T _etext
E2
cat >text <<'E2'
feature arch=x86_64 | nrcpus=1
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU period=1 sample_id_all
comm 500/500 "some" t=1
mmap -1/-1 0xffffffff81000000+0x1000000@0xffffffff81000000 "[kernel.kallsyms]_text"
sample 500/500 t=10 ip=0xffffffff81000110 mode=kernel cpu=0
sample 500/500 t=11 ip=0xffffffff81000210 mode=kernel cpu=0
E2
"$(helper mkdata/mkdata)" text in.data
names() { "$PREC" script -i in.data --kallsyms kallsyms -F ip,sym "$@" 2>/dev/null | awk '{ print $2 }' | xargs; }
expect "without" "_RNvNtCs1234_7mycrate3foo3bar _ZN4core3ptr4read17h0123456789abcdefE" "$(names)"
expect "--demangle-kernel" "mycrate::foo::bar core::ptr::read" "$(names --demangle-kernel)"

# perf demangles those of a vmlinux.
need_newperf
command -v gcc >/dev/null || skip "no gcc"
printf '.globl %s\n.type %s,@function\n%s: .zero 256\n.size %s,256\n' $(awk '/mycrate|core/ { print $3, $3, $3, $3 }' kallsyms) >vmlinux.s
gcc -c -o vmlinux.o vmlinux.s && ld -Ttext=0xffffffff81000100 -e 0 -o vmlinux vmlinux.o || fail "gcc or ld"
for option in --demangle-kernel --no-demangle-kernel; do
	"$PREC_PERF" script -i in.data -k vmlinux -F ip,sym $option 2>/dev/null >perf.out
	"$PREC" script -i in.data -k vmlinux -F ip,sym $option 2>/dev/null >prec.out
	grep -q mycrate perf.out || fail "perf prints no names: $(cat perf.out)"
	diff perf.out prec.out || fail "$option: names are not perf's"
done
