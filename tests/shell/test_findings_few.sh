#!/bin/bash
# On a terminal a sentence says how good the recording is, and findings of less than 1 % do not stand before the answer; --findings and pipes have all.
. "$(dirname "$0")/lib/prec.sh"
need script

MKDATA=$(helper mkdata/mkdata)
# made LOST FILE: 1000 samples without a symbol, and so many more were lost; what is told of maps concerns few, too.
made() {
	{
		printf '%s\n' 'attr ev type=software config=0 sample=IP,TID,TIME,IDENTIFIER sample_id_all ids=1' 'comm 7/7 "seven" t=1' \
			"mmap2 7/7 0x400000+0x1000@0 r-xp \"$PWD/none\"" "lost_samples n=$1 t=2" 'throttle t=3 id=1'
		seq 10 1009 | sed 's/.*/sample 7\/7 t=& ip=0x400100 mode=user/'
	} >text
	"$MKDATA" text "$2"
}
terminal() {	# COMMAND...: what stands on a terminal of 80 columns
	any_status script -qec "stty cols 80; $PREC $*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g'
}
made 5 few.data
made 300 many.data

# A small loss is in the sentence, and no warning; at most three lines stand before the answer.
terminal report --no-pager -i few.data >out
expect "how good it is" "1000 samples; 5 samples lost" "$(sed -n 2p out)"
! grep -q 'while recording' out || fail "a small finding is told: $(<out)"
expect "a tenth or more without names" 1 "$(grep -c 'have no symbol' out)"
grep -qE '^prec: [0-9]+ (smaller|more) findings?: --findings prints (it|them)$' out || fail "no word on the others: $(<out)"
terminal report --no-pager -i many.data >out
expect "how good it is" "1000 samples; 300 samples lost" "$(sed -n 2p out)"
expect "a large loss" 1 "$(grep -c 'lost while recording' out)"
first=$(grep -nE '^ *100\.00%' out | head -1 | cut -d: -f1)
[ "$first" -le 8 ] || fail "line $first has the first row: $(<out)"

# --findings and pipes have all.
terminal report --no-pager --findings -i few.data | grep -q 'lost-samples' || fail "--findings leaves out lost-samples"
"$PREC" report -i few.data 2>&1 >/dev/null | grep -q 'lost-samples' || fail "a pipe lacks lost-samples"
expect "summary" "1000 samples; 5 samples lost" "$(terminal summary --no-pager -i few.data | sed -n 3p)"
terminal summary --no-pager --findings -i few.data | grep -q 'lost-samples' || fail "summary --findings leaves out lost-samples"
terminal script --no-pager -F ip -i few.data | grep -q -- '--findings prints' || fail "script has no word on findings"
