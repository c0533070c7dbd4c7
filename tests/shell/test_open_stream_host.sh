#!/bin/bash
# A stream that was recorded on this machine is read like a file that was.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<IN
attr ev type=software sample=IP,TID,TIME sample_id_all=1
feature hostname=$(uname -n) osrelease=$(uname -r) arch=x86_64
mmap -1/0 0xffffffff81000000+0x1000@0xffffffff81000000 "[kernel.kallsyms]_text"
comm 100/100 "demo"
sample 100/100 t=1000000000 ip=0xffffffff81000010 mode=kernel
sample 100/100 t=1000000001 ip=0xffffffff81002000 mode=kernel
IN
{ echo stream; cat in.txt; } >stream.txt
"$(helper mkdata/mkdata)" in.txt in.data
"$(helper mkdata/mkdata)" stream.txt stream.data
want=$("$PREC" script -i in.data -F ip,dso)
expect "lines in the kernel's map, and behind it" 2 "$(grep -c '\[kernel' <<<"$want")"
expect "the stream" "$want" "$("$PREC" script -i stream.data -F ip,dso)"
