#!/bin/bash
# Counts that samples carry are read in every layout: of one event and of groups, with times, ids and losses or without.
. "$(dirname "$0")/lib/prec.sh"
need_perf
mkdata=$(helper mkdata/mkdata)
made=0
make_file() {	# BITS: three samples; event a has counted 10, 30 and 60 times, b of the group 5, 5 and 9 times
	local bits=$1 n=0 count words b
	{
		echo "attr a sample=IP,TID,TIME,ID,READ read=$bits ids=101"
		echo "attr b sample=IP,TID,TIME,ID,READ read=$bits ids=102"
		echo 'comm 7/7 "seven" t=1 event=a'
		for count in 10 30 60; do
			n=$((n + 1))
			b=$((n < 3 ? 5 : 9))
			words=$count
			[[ $bits != *GROUP* ]] || words=
			[[ $bits != *ENABLED* ]] || words+=,$((1000 + n))
			[[ $bits != *RUNNING* ]] || words+=,$((900 + n))
			if [[ $bits = *GROUP* ]]; then
				words+=,$count,101
				[[ $bits != *LOST* ]] || words+=,3
				words+=,$b,102
				[[ $bits != *LOST* ]] || words+=,4
			else
				words+=,101
				[[ $bits != *LOST* ]] || words+=,3
			fi
			echo "sample 7/7 t=$((n + 1)) ip=0x1000 event=a read=${words#,} $([[ $bits != *GROUP* ]] || echo nr=2)"
		done
	} >text
	"$mkdata" text data || fail "cannot make $bits: $(<text)"
	made=$((made + 1))
}
reads() { sed -n '/sample_read/,/thread/{ /thread/d; s/ *$//; p }'; }
for group in '' ,GROUP; do
	for enabled in '' ,TOTAL_TIME_ENABLED; do
		for running in '' ,TOTAL_TIME_RUNNING; do
			for lost in '' ,LOST; do
				bits=ID$group$enabled$running$lost
				make_file "$bits"
				"$PREC" script -D -i data 2>/dev/null | reads >got
				"$PERF" script -D -i data 2>/dev/null | reads >want
				[ -s want ] || fail "$bits: perf shows no counts"
				expect_same "$bits: counts" want got
				expect "$bits: periods" '10 20 30' "$("$PREC" script -F event,period -i data | awk '/a:/ { print $1 }' | xargs)"
				[ -z "$group" ] ||
					expect "$bits: the other's" '5 4' "$("$PREC" script -F event,period -i data | awk '/b:/ { print $1 }' | xargs)"
			done
		done
	done
done
expect layouts 16 $made
