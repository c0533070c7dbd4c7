#!/bin/bash
# Records in the other byte order are told with their own offsets in the file.
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)
{
	echo 'attr cpu-clock sample=IP,TID,TIME,CPU sample_id_all ids=1'
	echo 'feature arch=s390x'
	echo 'comm 1/1 "x" t=1'
	for i in $(seq 2 60); do
		echo "sample 1/1 t=$i cpu=0 ip=0x$i"
	done
} >text
"$mkdata" text little
{ echo 'byteorder big'; cat text; } >big.text
"$mkdata" big.text big
for f in little big; do
	"$PREC" script -D -i $f >dump 2>err || fail "$f: $(<err)"
	sed -n 's/^\([0-9]* \)*\(0x[0-9a-f]*\) \[0x[0-9a-f]*\]: \(PERF_RECORD_[A-Z]*\).*/\2 \3/p' dump >$f.offsets
done
[ "$(wc -l <little.offsets)" -ge 59 ] || fail "$(wc -l <little.offsets) offsets: $(head -3 little.offsets)"
expect_same 'offsets' little.offsets big.offsets
