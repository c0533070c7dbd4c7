#!/bin/bash
# Hits of a tracepoint that come again print what they say: of many kinds, of several lengths, unlike in one word only.
. "$(dirname "$0")/lib/prec.sh"
wide=$(printf '%0300d' 0)
cat >format <<IN
name: hit
ID: 7
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:unsigned int first;	offset:8;	size:4;	signed:0;
	field:unsigned int next;	offset:12;	size:4;	signed:0;
	field:unsigned int last;	offset:112;	size:4;	signed:0;

print fmt: "first=%u next=%u last=%u $wide", REC->first, REC->next, REC->last
IN
# The same bytes again, of three lengths, that differ in any of the words; thousands of kinds, so that all are forgotten in between.
awk 'function word(n) { return sprintf("%02x%02x%02x%02x", n % 256, int(n / 256) % 256, 0, 0) }
	BEGIN {
	print "attr sys:hit type=tracepoint config=7 sample=IDENTIFIER,IP,TID,TIME,PERIOD,CPU,RAW sample_id_all=1 ids=1"
	print "feature arch=x86_64\nfeature tracing=sys:format\ncomm 1/1 \"made\" t=1"
	srand(3)
	for (i = 0; i < 20000; i++) {
		first = int(rand() * (i % 3 ? 9 : 6000)); next_ = int(rand() * 60); last = 0
		raw = "07000000" word(1) word(first) word(next_)
		kind = int(rand() * 3)
		for (k = 0; k < 24 && kind == 2; k++) raw = raw word(0)
		if (kind == 2) raw = raw word(last = int(rand() * 3)) word(0)
		if (kind == 1) raw = raw word(0)
		raw = raw word(0)
		printf "sample 1/1 t=%d cpu=0 raw=%s\n", i + 1000, raw
		print "first=" first " next=" next_ " last=" last >"want"
	} }' >made.txt
"$(helper mkdata/mkdata)" made.txt made.data
for jobs in 1 3; do
	"$PREC" script -i made.data -j$jobs -F trace | sed "s/ $wide.*//; s/^ *//" >got
	expect_same "what -j$jobs prints" want got
	"$PREC" report -i made.data -j$jobs --stdio -q -F sample,trace -w 0 | awk 'NF == 5 { print $2, $3, $4, $1 }' | sort >got
	expect_same "what report -j$jobs counts" <(sort want | uniq -c | awk '{ print $2, $3, $4, $1 }' | sort) got
done
