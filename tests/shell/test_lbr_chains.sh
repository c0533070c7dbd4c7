#!/bin/bash
# Call chains that the processor recorded (--call-graph lbr) are shown, not those by frame pointers beside them, as by perf.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)

# CALL_STACK, USER, NO_FLAGS, NO_CYCLES, HW_INDEX, as record asks for. 32 calls are as many as processors have room for.
calls=$(for i in $(seq 32); do printf '0x%x:0x%x:0,' $((0x400100 + 16 * i)) $((0x4000f0 + 16 * i)); done)
cat >in.txt <<E2
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,CALLCHAIN,BRANCH_STACK,PERIOD branch_type=0x2c801 sample_id_all ids=1
feature arch=x86_64
feature nrcpus=2
comm 100/100 "demo" t=1000000000
mmap2 100/100 0x400000+0x1000@0 r-xp "/nowhere/a" t=1100000000 dev=8:1 ino=7
sample 100/100 t=1200000000 cpu=0 ip=0x400014 chain=user,0x400014,0x400999 branch=0x400100:0x400010:0,0x400200:0x4000f0:0,0x400300:0x4001f0:0,0x400400:0x4002f0:0
sample 100/100 t=1300000000 cpu=0 ip=0xffffffff81000010 chain=kernel,0xffffffff81000010,0xffffffff81000020,user,0x400044,0x400055 branch=0x400110:0x400040:0,0x400210:0x400100:0
sample 100/100 t=1400000000 cpu=0 ip=0x400044 chain=user,0x400044,0x400055
sample 100/100 t=1500000000 cpu=0 ip=0xffffffff81000010 chain=kernel,0xffffffff81000010,0xffffffff81000020 branch=0x400110:0x400040:0
sample 100/100 t=1600000000 cpu=0 ip=0x4000f8 chain=user,0x4000f8,0x400999 branch=${calls%,}
sample 100/100 t=1700000000 cpu=0 ip=0xffffffff81000010 chain=kernel,0xffffffff81000010,user branch=0x400110:0x400040:0,0x400210:0x400100:0
E2
# The kernel's part, then where the calls came from; without any the chain by frame pointers; in the kernel alone no user space.
{
	echo 400014 400100 400200 400300 400400
	echo ffffffff81000010 ffffffff81000020 400044 400110 400210
	echo 400044 400055
	echo ffffffff81000010 ffffffff81000020
	echo 4000f8 "$(for i in $(seq 32); do printf '%x ' $((0x400100 + 16 * i)); done | sed 's/ $//')"
	echo ffffffff81000010 400040 400110 400210
} >want

frames() {
	"$@" -F ip 2>err | awk 'NF { line = line sep $1; sep = " "; next } line { print line; line = sep = "" }'
}
"$MKDATA" in.txt in.data
{ echo byteorder big; cat in.txt; } >big.txt
"$MKDATA" big.txt big.data
for data in in.data big.data; do
	for jobs in 1 3; do
		frames "$PREC" script -j $jobs -i $data >got
		expect_same "the chains of $data" want got
	done
done
# They are chains to report, too, and not what it counts.
"$PREC" report -i in.data --no-children -g folded,caller -F overhead,sym 2>err >report
grep -q '0x400400;0x400300;0x400200;0x400100;0x400014' report || fail "report: $(<report)"
expect 'what report counts' 'cycles' "$(sed -n "s/^# Samples: .* of event '\(.*\)'/\1/p" report)"
! grep 'chains-broken' err || fail "calls are no frames that nobody called"

# The newest perf begins with the same; in the kernel it repeats the sample's address for that of user space, and of an empty list
# of calls it shows the sample's address alone.
if with_newperf; then
	frames "$PREC_PERF" script -i in.data </dev/null >perf.got
	expect_same "as newest perf" <(sed -n '1p;4,5p' want) <(sed -n '1p;4,5p' perf.got)
	expect 'as newest perf, callers of the kernel' '400110 400210' "$(sed -n 2p perf.got | cut -d ' ' -f 4-)"
fi
