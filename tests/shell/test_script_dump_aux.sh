#!/bin/bash
# Script's raw dump says of the kernel's records of hardware trace what the newest perf says: flags, ids of outputs, starts.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/aux.sh"

at() { # at PID TID NANOSECONDS CPU: what ends each record
	printf '%s%s%s%s%s' "$(le 8 "$1")" "$(le 8 "$2")" "$(le 16 "$3")" "$(le 8 "$4")" "$(le 8 0)"
}
cat >in.txt <<X
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1
feature arch=x86_64
comm 100/101 "demo" t=1000000000
itrace_start 100/101 t=1100000000 cpu=1
raw type=21 $(le 16 0x10)$(at 100 101 1200000000 1)
raw type=21 $(le 16 $((1 << 56 | 0x3421)))$(at 100 101 1300000000 0)
raw type=21 $(le 16 0)$(at 100 101 1400000000 1)
$(t=1400000000; for flags in 0 1 2 4 8 16 0x101 0x200 0xf; do
	echo "aux 100/101 off=$((t % 7919)) size=$((flags + 1)) flags=$flags t=$((t += 100000)) cpu=1"
done)
sample 100/101 t=1500000000 cpu=1 ip=0x400010
X
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" script -D -i in.data >dump
expect "ids of outputs" "0x10 0x100000000003421 0" \
	"$(sed -n 's/.*PERF_RECORD_AUX_OUTPUT_HW_ID hw_id: \([^ ]*\)$/\1/p' dump | xargs)"

need_newperf
kinds='PERF_RECORD_AUX|PERF_RECORD_ITRACE_START'
"$NEWPERF" script -D -i in.data 2>/dev/null | grep -aE "$kinds" >want
"$PREC" script -D -i in.data | grep -aE "$kinds" >got
expect "records" 13 "$(wc -l <want)"
expect_same "what is said of them" want got
