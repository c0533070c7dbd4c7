#!/bin/bash
# Script prints the same bytes for any number of threads.
. "$(dirname "$0")/lib/prec.sh"
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,CALLCHAIN sample_id_all ids=1'
	echo 'feature arch=x86_64'
	for p in 1 2 3 4; do
		echo "comm $p/$p \"task$p\" t=1000"
		echo "mmap2 $p/$p 0x400000+0x100000@0 r-xp \"/nowhere/$p\" t=1000"
	done
	# Out of order by up to a few samples, as the rings of several CPUs are.
	awk 'BEGIN { srand(7); for (i = 0; i < 20000; i++) {
		p = i % 4 + 1; ip = 0x400000 + int(rand() * 5000) * 16
		printf "sample %d/%d t=%d cpu=%d ip=%d chain=user,%d,%d\n", p, p, 1000000 + i * 1000 + int(rand() * 20000),
			i % 8, ip, ip, 0x400000 + int(rand() * 50) * 64
		if (i % 1000 == 999) printf "comm %d/%d \"new%d\" t=%d\nround\n", p, p, i, 1000000 + i * 1000 } }'
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

same() {	# OPTIONS...
	"$PREC" script -i in.data -j1 "$@" >one
	[ -s one ] || fail "$*: nothing is printed"
	for j in 2 8; do
		"$PREC" script -i in.data -j$j "$@" >many
		expect_same "-j$j $*" one many
	done
}
same
same -F comm,tid,time,ip,sym,dso --show-task-events
same --reltime
same --deltatime -G
same -D
expect "in order of time" "" "$("$PREC" script -i in.data -G -F time --ns | sort -c -n 2>&1)"
expect "all of them" 20000 "$("$PREC" script -i in.data -G -F ip | wc -l)"
