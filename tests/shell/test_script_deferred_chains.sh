#!/bin/bash
# A call chain whose user part came later is shown with it, as by newest perf; one that lacks it is told, and has no cookie.
. "$(dirname "$0")/lib/prec.sh"
# Two samples of one cookie, chains that came whole, and samples that nobody completes: not by another thread either.
cat >in.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,CALLCHAIN,PERIOD sample_id_all defer_callchain defer_output ids=1
feature arch=x86_64
feature nrcpus=2
comm 100/100 "demo" t=1000000000
mmap2 100/100 0x400000+0x1000@0x2000 r-xp "/nowhere/a" t=1100000000 dev=8:1 ino=7
sample 100/100 t=1200000000 cpu=0 ip=0xffffffff81000010 chain=kernel,0xffffffff81000010,0xffffffff81000020,user_deferred,0x10000000a
sample 100/100 t=1200000500 cpu=0 ip=0xffffffff81000030 chain=kernel,0xffffffff81000030,user_deferred,0x10000000a
deferred 100/100 cookie=0x10000000a chain=user,0x400010,0x400020 t=1200001000
sample 100/100 t=1300000000 cpu=0 ip=0x400044 chain=user,0x400044,0x400055
sample 100/100 t=1400000000 cpu=0 ip=0xffffffff81000040 chain=kernel,0xffffffff81000040,user_deferred,0x10000000a
deferred 100/100 cookie=0x10000000a chain=user,0x400030 t=1400001000
E2
cp in.txt all.txt
cat >>all.txt <<'E2'
sample 100/100 t=1500000000 cpu=0 ip=0xffffffff81000050 chain=kernel,0xffffffff81000050,user_deferred,0x10000000b
deferred 100/101 cookie=0x10000000b chain=user,0x400010 t=1500001000
E2
for name in in all; do
	"$(helper mkdata/mkdata)" $name.txt $name.data
	{ echo byteorder big; cat $name.txt; } >$name.big.txt
	"$(helper mkdata/mkdata)" $name.big.txt $name.big.data
done
cat >want <<'E2'
ffffffff81000010 ffffffff81000020 400010 400020
ffffffff81000030 400010 400020
400044 400055
ffffffff81000040 400030
E2
frames() {
	"$@" -F ip 2>err | awk 'NF { line = line sep $1; sep = " "; next } line { print line; line = sep = "" }'
}
for data in in.data in.big.data; do
	frames "$PREC" script -i $data >got
	expect_same "the chains of $data" want got
	expect "nothing is told of $data" "" "$(cat err)"
done
echo ffffffff81000050 >>want
for data in all.data all.big.data; do
	frames "$PREC" script -i $data >got
	expect_same "chains that are not complete, of $data" want got
	expect_finding chains-without-user err '1 call chain ends in the kernel'
done
"$PREC" report -i all.data --no-children -g caller 2>/dev/null >report
expect "chains of report that come from there" 2 "$(grep -c '0x400020$' report)"
expect "cookies in report" 0 "$(grep -c 0x10000000 report || true)"
# Perf of Linux 6.19 and later knows them.
if with_newperf && "$PREC_PERF" script --merge-callchains -i in.data >perf.out 2>/dev/null </dev/null; then
	[ -s perf.out ] || fail "perf prints nothing"
	frames "$PREC_PERF" script -i in.data >want
	frames "$PREC" script -i in.data >got
	expect_same "as newest perf" want got
fi
