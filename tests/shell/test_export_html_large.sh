#!/bin/bash
# The page of a recording with 10,000 threads opens, and shows each of them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
need chromium

awk 'BEGIN {
	print "attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all"
	print "feature hostname=big arch=x86_64 osrelease=6.18.0 nrcpus=64"
	for (t = 0; t < 10000; t++)
		printf "comm %d/%d \"worker-%d\"\n", 100 + int(t / 100), 1000 + t, t % 37
	for (p = 0; p < 100; p++)
		printf "mmap2 %d/%d 0x400000+0x100000@0 r-xp \"/usr/lib/lib%d.so\"\n", 100 + p, 100 + p, p % 8
	for (i = 0; i < 200000; i++) {
		t = (i * 7919) % 10000
		a = sprintf("0x%x", 4194304 + (i * 31) % 1000)
		printf "sample %d/%d t=%d ip=%s cpu=%d period=%d chain=user,%s,0x400800\n", 100 + int(t / 100), 1000 + t,
			1000000000 + i * 3000, a, i % 64, 1000 + t, a
	}
}' >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o out.html
expect "all" "$(awk '/^sample/ { sub(/.*period=/, ""); s += $1; n++ } END { printf "%.0f %d", s, n }' in.txt)" "$(page_sum out.html view=flame)"
for tid in 1000 7531 10999; do
	expect "thread $tid" "$(awk -v t="/$tid " '/^sample/ && index($0, t) { sub(/.*period=/, ""); s += $1; n++ } END { printf "%.0f %d", s, n }' in.txt)" \
		"$(page_sum out.html "view=table&thread=$tid")"
done
dom out.html 'view=timeline&lanes=threads' >page.dom
grep -q '9800 less busy lanes are not drawn' page.dom || fail "what is not drawn is not said"
