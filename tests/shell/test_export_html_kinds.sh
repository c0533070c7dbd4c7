#!/bin/bash
# Each view of the page has the numbers of report, for recordings of each kind, and for a selected range of time.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
need chromium
need python3
MKDATA=$(helper mkdata/mkdata)
KERNEL=$(printf %u 0xffffffff81000000)	# forty functions, f0 to f39, of 256 bytes each

# made NAME: NAME.data of the lines on standard input; behind the events stands what describes a kernel with functions.
made() {
	cat >lines
	{
		grep '^attr' lines
		cat <<-IN
		feature hostname=big arch=x86_64 osrelease=6.18.0 nrcpus=2
		mmap -1/0 0xffffffff81000000+0x2000000@0xffffffff81000000 "[kernel.kallsyms]_text"
		repeat 40
		ksymbol {i*256+$KERNEL}+0x100 "f{i}" type=1
		end
		IN
		grep -v '^attr' lines
	} >"$1.txt"
	"$MKDATA" "$1.txt" "$1.data"
}
ATTR="sample_id_all sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER"
# Of a leaf among eleven functions, of a caller among three, which may be the leaf itself, and of the first function.
LEAF="{i*7+j%11*256+$KERNEL}" CALLER="{j%3*1024+$KERNEL+1}" FIRST="{j%2*256+$KERNEL+7680}"
CHAIN="mode=kernel ip=$LEAF chain=kernel,$LEAF,$CALLER,$FIRST"

made threads <<IN
attr instructions type=hardware config=1 $ATTR,CALLCHAIN ids=1
comm 7/7 "seven"
comm 9/9 "nine; n"
fork 7/8 parent=7/7
comm 7/8 "<b>eight</b>"
repeat 10
repeat 40
sample 7/7 t={i*1000000+j*11+1000000000} cpu={j%2} period={j+1000} $CHAIN
sample 7/8 t={i*1500000+j*11+1000000001} cpu={j%2} period={j*3+10} $CHAIN
sample 9/9 t={i*1000000+j*11+1000000003} cpu=1 period={j+100} $CHAIN
end
end
IN

made events <<IN
attr cpu-clock type=software config=0 $ATTR,CALLCHAIN ids=1
attr page-faults type=software config=2 $ATTR ids=2
attr instructions type=hardware config=1 $ATTR,CALLCHAIN ids=3
comm 7/7 "seven"
comm 7/8 "eight"
repeat 10
repeat 40
sample 7/7 id=1 t={i*1000000+j*11+1000000000} cpu={j%2} period={j*997+250000} $CHAIN
sample 7/8 id=2 t={i*1000000+j*11+1000000001} cpu={j%2} period={j+1} mode=kernel ip=$LEAF
end
end
IN

# Which instruction of a function is sampled says what is inlined there.
cat >inlines.c <<'C'
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	return x * 2654435761u ^ x >> 7;
}

static inline __attribute__((always_inline)) unsigned twice(unsigned x)
{
	return mix(x) + mix(x ^ 99);
}

__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += twice(i ^ sum);
	return sum;
}

__attribute__((noinline)) unsigned calls(unsigned n)
{
	return n ? hot(n) + calls(n - 1) : 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return (int)calls((unsigned)argc);
}
C
${CC:-cc} -g -O2 -fno-optimize-sibling-calls -no-pie -o inlines inlines.c
objdump -d --no-show-raw-insn inlines >code
after=$(awk '$2 == "<calls>:" { on = 1 } on && called { print $1; exit } on { called = /call.*<hot>/ }' code)
n=0 load=$(readelf -lW inlines | awk '$1 == "LOAD" && /R E/ { print $3 "+" $6 "@" $2 }')
{
	echo "attr cpu-clock type=software config=0 $ATTR,CALLCHAIN ids=1"
	echo 'comm 70/70 "inlines"'
	echo "mmap2 70/70 $load r-xp \"$PWD/inlines\""
	for a in $(awk '$2 == "<hot>:" { on = 1; next } /^$/ || / data16 | nop/ { on = on && !/^$/; next } on { sub(":", "", $1); print $1 }' code); do
		n=$((n + 1))
		echo "sample 70/70 t=$((1000000000 + 10 * n)) cpu=0 period=$((1000 + n * n)) ip=0x$a mode=user chain=user,0x$a,0x${after%:}"
	done
} | made inlines

# The reasons of waits, by the threads' switches.
made waits <<IN
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,CALLCHAIN period=1000 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
comm 7/8 "eight" t=1
sample 7/7 t=1000001000 mode=kernel ip=$KERNEL cpu=0 chain=kernel,$KERNEL
repeat 30
switch in 7/8 t={i*100000+1000002000} cpu=1
switch out 7/7 t={i*100000+1000003000} cpu=0
switch in 7/7 t={i*100077+1000009000} cpu=0
switch out 7/8 t={i*100031+1000030000} cpu=1
switch preempt 7/7 t={i*100005+1000060000} cpu=0
switch in 7/7 t={i*100011+1000070000} cpu=0
end
sample 7/7 t=1004000000 mode=kernel ip=$KERNEL cpu=0 chain=kernel,$KERNEL
IN

cat >format <<'IN'
name: hit
ID: 7
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:int value;	offset:8;	size:4;	signed:1;

print fmt: "value=%d", REC->value
IN
made tracepoints <<IN
attr sys:hit type=tracepoint config=7 $ATTR,RAW,CALLCHAIN ids=1
feature tracing=sys:format
comm 7/7 "seven"
repeat 5
repeat 20
sample 7/7 t={i*1000000+j*11+1000000000} cpu={j%2} period=1 $CHAIN raw=070000000700000009000000
sample 7/8 t={i*1000000+j*11+1000000002} cpu={j%2} period=1 $CHAIN raw=070000000800000005000000
end
end
IN

made branches <<IN
attr branches type=hardware config=4 $ATTR,BRANCH_STACK ids=1
comm 7/7 "seven"
repeat 5
repeat 40
sample 7/7 t={i*1000000+j*11+1000000000} cpu={j%2} period={j+90} mode=kernel ip=$LEAF branch=$CALLER:$LEAF:2,$FIRST:$CALLER:1
end
end
IN

made one <<IN
attr instructions type=hardware config=1 $ATTR,CALLCHAIN ids=1
comm 7/7 "seven"
sample 7/7 t=1000000000 cpu=0 period=17 mode=kernel ip=$KERNEL chain=kernel,$KERNEL
IN
made none <<IN
attr instructions type=hardware config=1 $ATTR,CALLCHAIN ids=1
comm 7/7 "seven"
IN

made many <<IN
attr cpu-clock type=software config=0 $ATTR,CALLCHAIN ids=1
repeat 10000
comm {i/100+100}/{i+1000} "worker-{i%37}"
end
repeat 2
repeat 10000
sample {j/100+100}/{j+1000} t={i*500000+j*3000+1000000000} cpu={j%64} period={j*3+i+1000} $CHAIN
end
end
IN

made million <<IN
attr instructions type=hardware config=1 $ATTR,CALLCHAIN ids=1
comm 7/7 "seven"
comm 7/8 "eight"
repeat 1000
repeat 500
sample 7/7 t={i*500+j*1900+1000000000} cpu={j%2} period={j+1000} $CHAIN
sample 7/8 t={i*500+j*1900+1000000900} cpu={j%2} period={j+1000} $CHAIN
end
end
IN

# Instructions of a known execution.
if [ "$(uname -m)" = x86_64 ]; then
	called_program called
	pt_traces t 100000 psb=2048,cyc -- ./called
	elf_maps called >t.maps
	PT_BUILD_ID=$(build_id_of called) pt_recording t 1 0xe603 -1 100 10000000
	mv t.1.data trace.data
else
	part_skipped "a trace: made on x86_64 only"
fi

export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/lib/page_numbers.py"
