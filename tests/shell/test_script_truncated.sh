#!/bin/bash
# A recording that is truncated while it is being read is an error that names it, and no signal.
. "$(dirname "$0")/lib/prec.sh"
need mkfifo
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1'
	echo 'feature arch=x86_64'
	echo 'comm 1/1 "x" t=1000'
	seq 1000000 1400000 | sed 's/.*/sample 1\/1 t=& cpu=0 ip=0x&/'
} >in.txt
"$(helper mkdata/mkdata)" in.txt whole.data
mkfifo pipe

# truncated_to BYTES JOBS: of the file, when the first line has come out of a pipe that takes no more; STATUS is prec's.
truncated_to() {
	cp whole.data cut.data
	exec "$PREC" script -j"$2" -i cut.data -F ip >pipe 2>err &
	exec 3<pipe
	read -r <&3
	truncate -s "$1" cut.data
	cat <&3 >rest
	exec 3<&-
	STATUS=0
	wait $! || STATUS=$?
}

for jobs in 1 2; do
	truncated_to 4096 $jobs
	expect "-j$jobs: status" 1 $STATUS
	grep -q "cut.data' was truncated while it was being read" err || fail "-j$jobs: $(<err)"
done

# The last page that is left is read as zeros, so no signal tells.
truncated_to $(($(stat -c %s whole.data) - 100)) 1
expect "by less than a page: status" 2 $STATUS
expect_finding truncated err
