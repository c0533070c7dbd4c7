#!/bin/bash
# Script prints times in order, as recorded, since the first line, since the last one, and of the day.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1
feature arch=x86_64
comm 1/1 "x" t=1000
sample 1/1 t=12000000999 cpu=0 ip=0x10
sample 1/1 t=12500000000 cpu=0 ip=0x30
sample 1/1 t=12250000500 cpu=1 ip=0x20
sample 1/1 t=123456789012345678 cpu=0 ip=0x40
E2
"$(helper mkdata/mkdata)" in.txt in.data
times() {
	local want=$1
	shift
	expect "script $*" "$want" "$("$PREC" script -i in.data -F time,ip "$@" | sed -E 's/ +/ /g; s/^ //')"
}

times "12.000000: 10
12.250000: 20
12.500000: 30
123456789.012345: 40"
times "12.000000999: 10
12.250000500: 20
12.500000000: 30
123456789.012345678: 40" --ns
times "0.000000000: 10
0.249999501: 20
0.499999001: 30
123456777.012344679: 40" --reltime --ns
times "0.000000000: 10
0.249999501: 20
0.249999500: 30
123456776.512345678: 40" --deltatime --ns
# What is filtered out does not count as a line before.
times "0.000000000: 20
0.249999500: 30" --deltatime --ns --time 12.1,13
expect_status 129 "$PREC" script -i in.data --reltime --deltatime >out 2>err

# Without times the order is the file's, and there is no such column.
sed -e 's/,TIME//' in.txt >plain.txt
"$(helper mkdata/mkdata)" plain.txt plain.data
expect "no times" "10 30 20 40" "$("$PREC" script -i plain.data -F ip | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
expect "no times, defaults" "x 1 [000] 1 cpu-clock: 10 [unknown] ([unknown])" \
	"$("$PREC" script -i plain.data | head -1 | tr -s ' ' | sed 's/^ //')"

# Of two events one has no time: its records stand behind those before them, and nothing else changes its place.
cat >mixed.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,IDENTIFIER sample_id_all ids=1
attr faults type=software config=5 sample=IP,TID,IDENTIFIER sample_id_all ids=2
comm 1/1 "early" t=1000
sample 1/1 t=2000 id=1 ip=0x10
sample 1/1 event=faults id=2 ip=0x11
comm 1/1 "late" t=5000
sample 1/1 event=faults id=2 ip=0x51
sample 1/1 t=6000 id=1 ip=0x60
sample 1/1 t=3000 id=1 ip=0x30
sample 1/1 event=faults id=2 ip=0x31
sample 1/1 t=4000 id=1 ip=0x40
E2
"$(helper mkdata/mkdata)" mixed.txt mixed.data
expect "one event without time" "early 10 early 11 early 30 early 31 early 40 late 51 late 60" \
	"$("$PREC" script -i mixed.data -F comm,ip | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
expect "the names of those samples" "5 early 2 late" \
	"$("$PREC" report -i mixed.data -q -F sample,comm | awk 'NF { n[$2] += $1 } END { print n["early"], "early", n["late"], "late" }')"

# The wall clock needs to be told; TZ is UTC here.
if need=$(command -v "${PREC_PERF:-perf}") && "$need" record -q -k mono -o clock.data true >/dev/null 2>&1; then
	day=$("$PREC" script -i clock.data -F tod | head -1)
	expect "the day" "$(date +%F)" "${day%% *}"
fi
