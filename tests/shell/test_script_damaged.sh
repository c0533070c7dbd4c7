#!/bin/bash
# Script prints what can be read of a damaged or cut recording and says so; what is none is an error.
. "$(dirname "$0")/lib/prec.sh"
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1'
	echo 'feature arch=x86_64'
	echo 'comm 1/1 "x" t=1000'
	for i in $(seq 100 199); do
		echo "sample 1/1 t=$((i * 1000000)) cpu=0 ip=0x$i"
	done
} >in.txt
MKDATA=$(helper mkdata/mkdata)
"$MKDATA" in.txt whole.data
expect_status 0 "$PREC" script -i whole.data -F ip >whole 2>err
[ ! -s err ] || fail "a sound file is complained about: $(cat err)"
expect "whole" 100 "$(wc -l <whole)"

# Cut in the middle of a sample: all before it are printed.
size=$(stat -c %s whole.data)
for cut in 60 50 40; do
	head -c $((size * cut / 100)) whole.data >cut.data
	expect_status 2 "$PREC" script -i cut.data -F ip >got 2>err
	[ -s err ] || fail "cut at $cut %: nothing is said"
	n=$(wc -l <got)
	[ "$n" -gt 20 ] && [ "$n" -lt 100 ] || fail "cut at $cut %: $n lines"
	head -"$n" whole | cmp -s - got || fail "cut at $cut %: other lines"
done

# A recorder that was killed: the sizes were never written.
{ cat in.txt; echo unfinished; } >killed.txt
"$MKDATA" killed.txt killed.data
status=0
"$PREC" script -i killed.data -F ip >got 2>err || status=$?
expect_same "killed" whole got
[ $status = 0 ] || [ $status = 2 ] || fail "killed: status $status"

# Records of a type that nobody knows are stepped over.
sed '50a raw type=200 misc=0 0102030405060708' in.txt >unknown.txt
"$MKDATA" unknown.txt unknown.data
"$PREC" script -i unknown.data -F ip >got 2>err || [ $? = 2 ]
expect_same "unknown records" whole got

for file in /dev/null /nowhere/perf.data in.txt; do
	expect_status 1 "$PREC" script -i "$file" >got 2>err
	[ ! -s got ] && [ -s err ] || fail "$file: something is printed, or nothing said"
done
head -c 50 whole.data >head.data
expect_status 1 "$PREC" script -i head.data >got 2>err
