#!/bin/bash
# The record says whether an address is the kernel's, a file's addresses count from its start, and a thread that has exited leaves its samples to the process.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all=1
feature arch=armv7l
mmap -1/0 0xc0008000+0x3fff7fff@0xc0008000 "[kernel.kallsyms]_stext"
mmap -1/0 0xbf000000+0x4000@0 "/lib/modules/3.4.0/kernel/drivers/abc.ko"
comm 7/7 "demo" t=1
mmap2 7/7 0x8000+0x1000@0 r-xp "/bin/demo" dev=8:1 ino=7 t=1
sample 7/7 t=2 ip=0xffff0fa0 mode=user period=1 chain=user,0xffff0fa0
sample 7/7 t=3 ip=0xc0009124 mode=kernel period=2 chain=kernel,0xc0009124
sample 7/7 t=4 ip=0xbf000123 mode=kernel period=4 chain=kernel,0xbf000123
sample 7/0 t=5 ip=0x8123 mode=user period=8 chain=user,0x8123
sample 9/0 t=7 ip=0x8123 mode=user period=32 chain=user,0x8123
IN
MKDATA=$(helper mkdata/mkdata)
"$MKDATA" in.txt in.data
report() { "$PREC" report -i in.data -q -g none "$@" 2>/dev/null | sed 's/  */ /g; s/^ //; s/ $//' | grep .; }
for how in --children --no-children; do
	expect "levels and addresses $how" "\
32 [unknown] [.] 0x0000000000008123
8 demo [.] 0x0000000000000123
4 [abc] [k] 0x0000000000000123
2 [kernel.kallsyms] [k] 0x00000000c0009124
1 [unknown] [.] 0x00000000ffff0fa0" "$(report $how -F period,dso,sym -s dso,sym | sort -rn)"
done
expect "whose" "\
32 :9
15 demo" "$(report -F period,comm -s comm | sort -rn)"
expect "threads" "\
32 9::9
15 7:demo" "$(report -F period,tid -s tid | sort -rn)"
expect "as recorded" "demo 7/7 demo 7/7 demo 7/7 demo 7/0 :9 9/0" "$("$PREC" script -i in.data -F comm,pid,tid -G 2>/dev/null | xargs)"

# A section without a byte says nothing, and nothing is wrong with it.
{ echo 'feature cpudesc=some'; cat in.txt; } >desc.txt
"$MKDATA" desc.txt desc.data
"$PREC" report -i desc.data --header-only | grep '^# cpudesc : some' >/dev/null || fail 'a description of the CPU'
table=$("$PREC" report -i desc.data --header-only | sed -n 's/^# feat offset *: //p')
printf '\0\0\0\0\0\0\0\0' | dd of=desc.data bs=1 seek=$((table + 16 + 8)) conv=notrunc status=none
expect_status 0 "$PREC" report -i desc.data --header-only >out 2>err
[ ! -s err ] || fail "an empty section: $(cat err)"
! grep cpudesc out || fail "an empty section is shown"
