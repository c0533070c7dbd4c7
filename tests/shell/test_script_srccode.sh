#!/bin/bash
# Script prints the source at a sample, where a thread's last line was another one.
. "$(dirname "$0")/lib/prec.sh"
need cc
need objdump
cat >prog.c <<'C'
int twice(int x)
{
	return x * 2;		/* here it is */
}

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < argc; i++)
		sum += twice(i) + !argv[i];
	return sum;
}
C
cc -g -O0 -no-pie -o prog "$PWD/prog.c" 2>err || skip "cannot build a program: $(head -1 err)"
at() { objdump -d --no-show-raw-insn prog | sed -n "/<$1>:/,/^\$/s/^ *\([0-9a-f]*\):.*/0x\1/p" | sed -n "$2p"; }
last() { objdump -d --no-show-raw-insn prog | sed -n "/<$1>:/,/^\$/s/^ *\([0-9a-f]*\):.*ret.*/0x\1/p" | head -1; }
base=$(readelf -lW prog | awk '$1 == "LOAD" && /R E/ { print $3 "+0x10000@" $2; exit }')
cat >in.txt <<T
attr cycles type=hardware config=0 sample=IP,TID,TIME,BRANCH_STACK branch_type=8 sample_id_all ids=1
feature arch=$(uname -m)
feature hostname=$(uname -n)
feature nrcpus=1
comm 1/1 "code" t=1
mmap2 1/1 $base r-xp "$PWD/prog" buildid=$(readelf -n prog | sed -n 's/.*Build ID: //p') t=2
sample 1/1 t=3 ip=$(at twice 1)
sample 1/1 t=4 ip=$(at twice 1)
sample 1/2 t=5 ip=$(at twice 1)
sample 1/1 t=6 ip=$(last twice) branch=$(last twice):$(at main 3):0x2,$(at main 2):$(at twice 1):0x2
sample 1/1 t=7 ip=0x1000
sample 1/1 t=8 ip=$(last main)
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" script -i in.data -F ip,srccode >got 2>err || fail "$(cat err)"
printf '%s\n' '|2        {' '|2        {' '|4        }' '|13       }' >want
grep '^|' got >lines
expect_same 'the lines' want lines
expect 'behind which samples they stand' '1 3 4 6' "$(awk '!/^\|/ { n++ } /^\|/ { print n }' got | xargs)"
if with_newperf; then
	for options in '-F ip,sym,srccode' '-F ip,brstackinsn,srccode'; do
		"$PREC_PERF" script -i in.data $options >want 2>/dev/null
		"$PREC" script -i in.data $options >got 2>/dev/null
		expect_same "$options as perf" want got
	done
fi
