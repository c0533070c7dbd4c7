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
