#!/bin/bash
# Script shows other records between the samples when asked, and with -D all of them with their bytes.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1
feature arch=x86_64
comm 100/100 "demo" t=1000000000
mmap2 100/100 0x400000+0x1000@0x2000 r-xp "/nowhere/a" t=1100000000 dev=8:1 ino=7
sample 100/100 t=1200000000 cpu=0 ip=0x400010
fork 101/101 parent=100/100 t=1300000000
comm 101/101 "child" exec t=1400000000
lost id=1 n=3 t=1500000000
switch out 100/100 t=1600000000
switch_cpu_wide preempt 100/100 101/101 t=1650000000
namespaces 101/101 4:1,4:2 t=1700000000
cgroup 5 "/a" t=1800000000
ksymbol 0xffffffffc0001000+0x10 "bpf_prog_1" type=1 t=1900000000
bpf type=1 flags=0 num=3 tag=0102030405060708 t=2000000000
text_poke 0xffffffff81000000 old=01 new=02 t=2100000000
exit 101/101 t=2200000000
round
E2
"$(helper mkdata/mkdata)" in.txt in.data

# shown OPTION TYPES...: the types of records that the option adds to the one sample.
shown() {
	local option=$1
	shift
	"$PREC" script -i in.data "$option" >out
	expect "$option" "$*" "$(grep -o 'PERF_RECORD_[A-Z0-9_]*' out | sed 's/PERF_RECORD_//' | tr '\n' ' ' | sed 's/ $//')"
	grep -q '400010 \[unknown\] (/nowhere/a)$' out || fail "$option: the sample is gone"
}
shown --show-mmap-events MMAP2
shown --show-task-events COMM FORK COMM EXIT
shown --show-lost-events LOST
shown --show-switch-events SWITCH SWITCH_CPU_WIDE
shown --show-namespace-events NAMESPACES
shown --show-cgroup-events CGROUP
shown --show-bpf-events KSYMBOL BPF_EVENT
shown --show-text-poke-events KSYMBOL TEXT_POKE
shown --show-round-events FINISHED_ROUND

expect "a line begins as a sample's" \
	"            demo     100 [000]     1.000000: PERF_RECORD_COMM: demo:100/100" \
	"$("$PREC" script -i in.data --show-task-events | head -1)"
expect "only the fields that are printed" "            demo     1.100000: PERF_RECORD_MMAP2" \
	"$("$PREC" script -i in.data -F comm,time --show-mmap-events | grep -o '.*MMAP2')"
expect "the child has its parent's name until it executes" "demo child child" \
	"$("$PREC" script -i in.data -F comm --show-task-events | grep '101:101\|101/101' | awk '{ print $1 }' | tr '\n' ' ' | sed 's/ $//')"

# -D: every record, its offset and size, its bytes. Put together again the bytes are the data section.
"$PREC" script -D -i in.data >dump
expect "records in the dump" 15 "$(grep -c ': event: ' dump)"
expect "the sample is in the dump, and its line" 2 "$(grep -c '400010' dump)"
"$PREC" script --dump-unsorted-raw-trace -i in.data >unsorted
size=$("$PREC" script --header-only -i in.data | awk '/data size/ { print $5 }')
offset=$("$PREC" script --header-only -i in.data | awk '/data offset/ { print $5 }')
tail -c +$((offset + 1)) in.data | head -c "$size" | od -An -v -tx1 | tr -d ' \n' >want
sed -nE 's/^\.  [0-9a-f]+:  ((([0-9a-f]{2} )|(   )){16}).*/\1/p' unsorted | tr -d ' \n' >got
expect_same "the bytes of the dump" want got
