#!/bin/bash
# Recordings that perf made of time off the CPU are read: its sums at the end, and samples whose fields are in their raw data.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)

# word BYTES NUMBER: as it lies in memory, in hexadecimal.
word() {
	local i v=$2 hex=
	for ((i = 0; i < $1; i++)); do
		printf -v hex '%s%02x' "$hex" $((v >> 8 * i & 255))
	done
	echo -n "$hex"
}

# raw PID TID PERIOD ADDRESS...: the raw data of a sample, its chain one of user space. After the last whole word is padding.
raw() {
	local ip
	word 4 "$1"; word 4 "$2"; word 8 "$3"; word 8 $(($# - 2)); word 8 $((-512))
	for ip in "${@:4}"; do
		word 8 "$ip"
	done
	word 8 7; word 4 0
}

cat >direct.txt <<EOS
attr offcpu-time type=software config=10 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN,RAW,CGROUP period=1 sample_id_all ids=1
comm 100/100 "demo" t=5
fork 100/101 parent=100/100 t=6
mmap2 100/100 0x400000+0x10000@0 r-xp "/none/demo" dev=8:1 ino=7 t=7
sample 0/0 t=1000 ip=0 mode=user cpu=0 period=0 chain= raw=$(raw 100 101 1000000 0x401000 0x402000)
sample 0/0 t=2000 ip=0 mode=user cpu=0 period=0 chain= raw=$(raw 100 100 30000 0x401000)
sample 0/0 t=3000 ip=0 mode=user cpu=0 period=0 chain= raw=$(raw 100 101 500 0x401000 0x402000)
EOS
"$MKDATA" direct.txt direct.data
cat >sums.txt <<'EOS'
attr offcpu-time type=software config=10 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN,CGROUP period=1 sample_id_all ids=1
comm 100/100 "demo" t=5
fork 100/101 parent=100/100 t=6
mmap2 100/100 0x400000+0x10000@0 r-xp "/none/demo" dev=8:1 ino=7 t=7
sample 100/101 t=1000 ip=0x401000 mode=user cpu=0 period=1000500 chain=user,0x401000,0x402000
sample 100/100 t=1000 ip=0x401000 mode=user cpu=0 period=30000 chain=user,0x401000
EOS
"$MKDATA" sums.txt sums.data

for layout in direct sums; do
	"$PREC" report -i $layout.data -e offcpu-time -s tid -F period,tid -g none --no-children -t, -q >out 2>err
	expect "$layout: sums" '1000500 101:demo
30000 100:demo' "$(sed -nE 's/^ *([0-9]+), *([0-9]+:demo).*/\1 \2/p' out | sort -nr)"
	"$PREC" script -i $layout.data -F pid,tid,period,ip >out 2>err
	expect "$layout: the first stack" '401000 402000' "$(awk '/^$/ { exit } NF == 1 { print $1 }' out | xargs)"
	if with_newperf; then
		"$PREC_PERF" script -i $layout.data -F pid,tid,period,ip >theirs 2>/dev/null
		expect "$layout: as perf" "$(tr -s ' \t' ' ' <theirs)" "$(tr -s ' \t' ' ' <out)"
	fi
done

# A chain that is longer than the raw data, and too little raw data: nothing is read that is not there.
sed "s/raw=.*/raw=$(word 8 1)$(word 8 2)$(word 8 3)$(word 8 4)/" direct.txt >text
"$MKDATA" text data
"$PREC" report -i data -q >out 2>err
sed 's/raw=.*/raw=00000000/' direct.txt >text
"$MKDATA" text data
"$PREC" report -i data -q >out 2>err
