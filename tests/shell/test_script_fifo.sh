#!/bin/bash
# A path of the recording where now a fifo or a device is, nobody waits for: script goes without the code.
. "$(dirname "$0")/lib/prec.sh"
mkfifo fifo
cat >in.txt <<E2
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature arch=x86_64
comm 1/1 "x" t=1000
mmap2 1/1 0x400000+0x1000@0 r-xp "$PWD/fifo" t=1000
mmap2 1/1 0x500000+0x1000@0 r-xp "/dev/zero" t=1000
sample 1/1 t=2000 ip=0x400010
sample 1/1 t=3000 ip=0x500010
E2
"$(helper mkdata/mkdata)" in.txt in.data
# Who would open the fifo never comes back.
timeout 60 "$PREC" script -i in.data -F ip,insn >got 2>err || fail "script ends with $?: $(cat err)"
expect "the samples" "400010 500010" "$(awk '{ print $1 }' got | xargs)"
timeout 60 "$PREC" report -i in.data -q --sort dso >got 2>err || fail "report ends with $?: $(cat err)"
expect "their files" "2" "$(grep -c '50.00%' got)"
# Nor for the names of code made at run time, which are where everybody may write.
mkdir -p root/tmp
mkfifo root/tmp/perf-1.map
cat >jit.txt <<E2
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
comm 1/1 "x" t=1000
mmap2 1/1 0x400000+0x1000@0 r-xp "//anon" t=1000
sample 1/1 t=2000 ip=0x400010
E2
"$(helper mkdata/mkdata)" jit.txt jit.data
timeout 60 "$PREC" report -i jit.data --symfs root -q --sort sym >got 2>err || fail "report with a fifo of names ends with $?: $(cat err)"
rm root/tmp/perf-1.map
ln -s /dev/zero root/tmp/perf-1.map
timeout 60 "$PREC" report -i jit.data --symfs root -q --sort sym >got 2>err || fail "report with names without end ends with $?: $(cat err)"
rm root/tmp/perf-1.map
echo '400000 100 made_here' >root/tmp/perf-1.map
"$PREC" report -i jit.data --symfs root -q --sort sym >got 2>err
grep -q made_here got || fail "names of code made at run time: $(<got)"
