#!/bin/bash
# Call chains that are as deep as the kernel takes them are told to be cut, by report and by script.
. "$(dirname "$0")/lib/prec.sh"
frames() { seq -s , -f '0x40%04.0f' "$1"; }
cat >text <<E2
attr cpu-clock sample=IP,TID,TIME,CALLCHAIN ids=1
comm 7/7 "seven" t=1
sample 7/7 t=2 ip=0x400001 event=cpu-clock chain=user,$(frames 127)
sample 7/7 t=3 ip=0x400001 event=cpu-clock chain=kernel,$(frames 100),user,$(frames 27)
sample 7/7 t=4 ip=0x400001 event=cpu-clock chain=user,$(frames 126)
sample 7/7 t=5 ip=0x400001 event=cpu-clock chain=user,$(frames 128)
E2
"$(helper mkdata/mkdata)" text data
"$PREC" script -i data 2>err >out
expect_finding chains-cut-by-kernel err '2 of 4 call chains'
"$PREC" report --stdio -i data 2>err >out
expect_finding chains-cut-by-kernel err '2 of 4 call chains'
# Who shows no chains hears nothing.
"$PREC" script -G -i data 2>err >out
expect 'without chains' '' "$(<err)"

# A frame pointer that points to itself is no chain that is too deep, wherever the kernel stopped: one address, again and again, that
# is no code. Recursion looks like it, but is in code.
again() { printf ",$1%.0s" $(seq "$2"); }
cat >text <<E2
attr cpu-clock sample=IP,TID,TIME,CALLCHAIN ids=1
comm 7/7 "seven" t=1
mmap2 7/7 0x400000+0x100000@0 r-xp "/nowhere/seven" t=1
mmap2 7/7 0x600000+0x100000@0 rw-p "//anon" t=1
sample 7/7 t=2 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x600010 125)
sample 7/7 t=3 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x900010 125)
sample 7/7 t=4 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x400020 125)
sample 7/7 t=5 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x600010 122),0x600020,0x600030,0x600040
E2
"$(helper mkdata/mkdata)" text data
"$PREC" script -i data 2>err >out
expect_finding chains-cut-by-kernel err '2 of 4 call chains'
