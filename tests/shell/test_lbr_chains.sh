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
sample 100/100 t=1710000000 cpu=0 ip=0x400018 chain=user,0x400800,0x400999 branch=0x400100:0x400010:0,0x400200:0x4000f0:0
sample 100/100 t=1720000000 cpu=0 mode=user ip=0x400018 chain=kernel,0xffffffff81000040,user,0x400800 branch=0x400100:0x400010:0
E2
# The kernel's part, then where the calls came from; without any the chain by frame pointers; in the kernel alone no user space.
{
	echo 400014 400100 400200 400300 400400
	echo ffffffff81000010 ffffffff81000020 400044 400110 400210
	echo 400044 400055
	echo ffffffff81000010 ffffffff81000020
	echo 4000f8 "$(for i in $(seq 32); do printf '%x ' $((0x400100 + 16 * i)); done | sed 's/ $//')"
	echo ffffffff81000010 400040 400110 400210
	# A precise event's address is not the interrupt's.
	echo 400018 400100 400200
	echo ffffffff81000040 400018 400100
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
	expect_same "as newest perf" <(sed -n '1p;4,5p;7,8p' want) <(sed -n '1p;4,5p;7,8p' perf.got)
	expect 'as newest perf, callers of the kernel' '400110 400210' "$(sed -n 2p perf.got | cut -d ' ' -f 4-)"
fi

# ---- --stitch-lbr: what an earlier sample's calls were called by ----

# Four places. A thread goes seven calls deep, back to five, and to seven again by another way; then it has returned from all.
# In between another thread runs, whose calls are its own.
call() { printf '0x40%d105:0x40%d000:0' "$1" $(($1 + 1)); }
calls_of() {	# INNERMOST OUTERMOST [OTHER INNERMOST]
	for i in $(seq "$1" -1 "$2"); do call "$i"; echo -n ,; done | sed 's/,$//'
}
cat >deep.txt <<E2
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,CALLCHAIN,BRANCH_STACK,PERIOD branch_type=0x2c801 sample_id_all ids=1
feature arch=x86_64
feature nrcpus=2
feature branches=4
comm 100/100 "demo" t=1000000000
comm 100/101 "demo" t=1000000000
mmap2 100/100 0x400000+0x10000@0 r-xp "/nowhere/a" t=1100000000 dev=8:1 ino=7
sample 100/100 t=1200000000 cpu=0 ip=0x404010 chain=user,0x404010,0x400999 branch=$(calls_of 3 0) hw_idx=3
sample 100/101 t=1200000100 cpu=1 ip=0x404010 chain=user,0x404010,0x400999 branch=$(calls_of 3 2) hw_idx=1
sample 100/100 t=1200001000 cpu=0 ip=0x406010 chain=user,0x406010,0x400999 branch=$(calls_of 5 2) hw_idx=1
sample 100/101 t=1200001100 cpu=1 ip=0x406010 chain=user,0x406010,0x400999 branch=$(calls_of 5 2) hw_idx=3
sample 100/100 t=1200002000 cpu=0 ip=0x407010 chain=kernel,0xffffffff81000010,user,0x407010,0x400999 branch=$(calls_of 6 3) hw_idx=2
sample 100/100 t=1200003000 cpu=0 ip=0x405010 chain=user,0x405010,0x400999 branch=$(calls_of 4 3) hw_idx=0
sample 100/100 t=1200004000 cpu=0 ip=0x409010 chain=user,0x409010,0x400999 branch=0x409105:0x409000:0,0x408105:0x409000:0,$(calls_of 4 3) hw_idx=2
sample 100/100 t=1200005000 cpu=0 ip=0x401010 chain=user,0x401010,0x400999 branch=$(calls_of 0 0) hw_idx=0
sample 100/100 t=1200006000 cpu=0 ip=0x401010 chain=user,0x401010,0x400999
sample 100/100 t=1200007000 cpu=0 ip=0x404010 chain=user,0x404010,0x400999 branch=$(calls_of 3 0) hw_idx=3
E2
cat >deep.want <<E2
404010 403105 402105 401105 400105
404010 403105 402105
406010 405105 404105 403105 402105 401105 400105
406010 405105 404105 403105 402105
ffffffff81000010 407010 406105 405105 404105 403105 402105 401105 400105
405010 404105 403105 402105 401105 400105
409010 409105 408105 404105 403105 402105 401105 400105
401010 400105
401010 400999
404010 403105 402105 401105 400105
E2
"$MKDATA" deep.txt deep.data
for jobs in 1 3; do
	frames "$PREC" script --stitch-lbr -j $jobs -i deep.data >got
	expect_same 'stitched' deep.want got
done
"$PREC" report --stitch-lbr -i deep.data --no-children -g folded,caller -F overhead,sym 2>err >report
grep -q '0x400105;0x401105;0x402105;0x403105;0x404105;0x408105;0x409105;0x409010' report || fail "report --stitch-lbr: $(<report)"
"$PREC" export --stitch-lbr --format folded -i deep.data -o - 2>err >folded
grep -qx 'demo\(;\[a\]\)\{8\} 1' folded || fail "export --stitch-lbr: $(<folded)"
# Without the number of places nothing can be done.
sed '/^feature branches/d' deep.txt >unknown.txt
"$MKDATA" unknown.txt unknown.data
frames "$PREC" script --stitch-lbr -i unknown.data >got
expect 'without that number' '406010 405105 404105 403105 402105' "$(sed -n 3p got)"
grep -q 'does not say in how many places' err || fail "nothing is said: $(<err)"

# A walk of calls and returns by chance, in as many places as some processors have. Lists that are empty are left out, as is the
# address in user space of samples in the kernel: see above.
walk() {	# SEED PLACES
	awk -v seed="$1" -v places="$2" 'BEGIN {
		srand(seed)
		print "attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,CALLCHAIN,BRANCH_STACK,PERIOD branch_type=0x2c801 sample_id_all ids=1"
		print "feature arch=x86_64\nfeature nrcpus=2\nfeature branches=" places
		for (t = 100; t < 103; t++) print "comm " t "/" t " \"demo\" t=1000000000\nmmap2 " t "/" t " 0x400000+0x100000@0 r-xp \"/nowhere/a\" t=1100000000 dev=8:1 ino=7"
		for (i = 0; i < 2000; i++) {
			t = 100 + int(3 * rand())
			for (n = int(8 * rand()); n > 0; n--)
				if (depth[t] > 0 && rand() < 0.42) depth[t]--
				else from[t, ++depth[t]] = int(256 * rand())
			nr = depth[t] < places ? depth[t] : places
			if (!nr) continue
			line = ""
			for (k = 0; k < nr; k++) { d = depth[t] - k; line = line sprintf("%s0x4%02x%02x5:0x4%02x000:0", k ? "," : "", d % 256, from[t, d], (d + 1) % 256) }
			print "sample " t "/" t " t=" 1200000000 + i * 1000 " cpu=0 ip=0x4" sprintf("%02x010", depth[t] % 256) " chain=" (rand() < 0.3 ? "kernel,0xffffffff81000010," : "") "user,0x4" sprintf("%02x010", depth[t] % 256) " branch=" line " hw_idx=" (depth[t] - 1) % places
		}
	}'
}
if with_newperf '--stitch-lbr as newest perf'; then
	for places in 4 16 32; do
		walk $places $places >walk.txt
		"$MKDATA" walk.txt walk.data
		frames "$PREC_PERF" script --stitch-lbr -i walk.data </dev/null | sed 's/^\(ffffffff81000010\) [0-9a-f]*/\1/' >perf.got
		frames "$PREC" script --max-stack 10000 --stitch-lbr -i walk.data | sed 's/^\(ffffffff81000010\) [0-9a-f]*/\1/' >got
		expect_same "as newest perf, $places places" perf.got got
		frames "$PREC" script --max-stack 10000 -i walk.data | sed 's/^\(ffffffff81000010\) [0-9a-f]*/\1/' >plain
		[ "$(diff plain got | grep -c '^>')" -gt 200 ] || fail "few chains are stitched"
	done
fi
