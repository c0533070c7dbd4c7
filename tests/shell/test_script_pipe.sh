#!/bin/bash
# Script reads a stream from a pipe, and ends quietly when who reads its text has seen enough.
. "$(dirname "$0")/lib/prec.sh"
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1'
	echo 'feature arch=x86_64'
	echo 'comm 1/1 "x" t=1000'
	awk 'BEGIN { for (i = 0; i < 30000; i++) printf "sample 1/1 t=%d cpu=0 ip=%d\n", 1000000 + i * 1000, 4096 + i }'
} >in.txt
MKDATA=$(helper mkdata/mkdata)
"$MKDATA" in.txt in.data
{ echo stream; cat in.txt; } >stream.txt
"$MKDATA" stream.txt stream.data
"$PREC" script -i in.data >want

"$PREC" script -i stream.data >got
expect_same "a stream in a file" want got
"$PREC" script -i - <stream.data >got
expect_same "a stream on standard input" want got
cat stream.data | "$PREC" script -i - >got
expect_same "a stream in a pipe" want got
cat stream.data | "$PREC" script >got
expect_same "a pipe on standard input is the default" want got
cat in.data | "$PREC" script -i - >got
expect_same "a file in a pipe" want got

{ status=0; "$PREC" script -i in.data 2>err || status=$?; echo $status >status; } | head -1 >got
expect "the first line" "$(head -1 want)" "$(cat got)"
expect "status when the reader goes" 0 "$(cat status)"
[ ! -s err ] || fail "it complains: $(cat err)"
if [ -w /dev/full ]; then
	expect_status 1 "$PREC" script -i in.data >/dev/full 2>err
	grep -q "No space left" err || fail "a full disk is not told: $(cat err)"
fi
