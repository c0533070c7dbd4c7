#!/bin/bash
# A debug file of another build id does not make a program changed that is not there at all; another program does.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature arch=x86_64
comm 1/1 "x" t=1000
mmap2 1/1 0x400000+0x1000@0 r-xp "/nowhere/demo" buildid=0102030405060708090a0b0c0d0e0f1011121314 t=1000
sample 1/1 t=2000 ip=0x400010
E2
"$(helper mkdata/mkdata)" in.txt in.data
mkdir -p symfs/usr/lib/debug/nowhere symfs/nowhere
cp "$(workload spin)" symfs/usr/lib/debug/nowhere/demo.debug
"$PREC" report -i in.data --symfs symfs --sort dso,sym >out 2>err || fail "$(cat err)"
! grep "has changed" err || fail "a debug file passes for the program"
mv symfs/usr/lib/debug/nowhere/demo.debug symfs/nowhere/demo
"$PREC" report -i in.data --symfs symfs --sort dso,sym >out 2>err || fail "$(cat err)"
expect_finding changed-file err
