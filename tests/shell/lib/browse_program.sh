# A recording of a program with code, call chains and three threads, of which every sample is known: program_recording FILE makes it.
#	malloc, parse, load	0-1 s, in thread program; load calls malloc more
#	f			1-4 s, in threads program, worker, writer; prog.c:10 is hot from 2 s to 3 s, prog.c:8 at other times
#	hot			0-0.5 s, in thread worker
# shellcheck shell=bash
need objdump
need addr2line
need readelf
[ "$(uname -m)" = x86_64 ] || skip "the program is one of x86_64"
CC=${CC:-cc}

cat >prog.c <<'END'
volatile int sink;
void malloc(void) { sink++; }
void parse(void) { malloc(); sink += 2; }
void load(void) { malloc(); sink += 3; }
void f(void)
{
	sink += 10;
	sink += 20;
	sink += 30;
	sink += 40;
}
void hot(void) { sink += 4; }
void _start(void)
{
	parse();
	load();
	f();
	hot();
	sink += 5;
}
END
"$CC" -g -O0 -fno-builtin -fvisibility=hidden -fcf-protection=none -shared -fPIC -nostdlib -o prog.so prog.c
PROG=$PWD/prog.so
PLACE=0x7f0000000000

# The runtime address of FUNCTION's first instruction, or of its first one on LINE, by addr2line.
at() {
	local addr size
	read -r addr size < <(readelf -sW "$PROG" | awk -v s="$1" '$4 == "FUNC" && $8 == s { line = "0x" $2 " " $3 } END { print line }')
	objdump -d --no-show-raw-insn --start-address="$addr" --stop-address=$((addr + size)) "$PROG" |
		awk '/^ *[0-9a-f]+:\t/ { sub(":", "", $1); print "0x" $1 }' >insns
	[ $# = 1 ] || addr=$(while read -r a; do
		! addr2line -e "$PROG" "$a" | grep -E ":$2( |$)" >/dev/null || { echo "$a"; break; }
	done <insns)
	printf '0x%x' $((PLACE + addr))
}

# after CALLER CALLEE: where the call returns to.
after() {
	printf '0x%x' $((PLACE + $(objdump -d --no-show-raw-insn "$PROG" --disassemble="$1" | awk -v to="<$2>" '
		on { sub(":", "", $1); print "0x" $1; exit } /call/ && $NF == to { on = 1 }')))
}

# samples NR TID FROM_MS CHAIN...: that many, 10 ms apart, the innermost of the chain first.
samples() {
	local i nr=$1 tid=$2 from=$3
	shift 3
	for ((i = 0; i < nr; i++)); do
		printf 'sample 100/%d t=%d ip=%s mode=user period=10000000 cpu=0 chain=user%s\n' "$tid" \
			$((1037000000 + (from + i * 10) * 1000000)) "$1" "$(printf ',%s' "$@")"
	done
}

program_recording() {
	local malloc
	malloc=$(at malloc)
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1'
		echo 'feature arch=x86_64 cmdline=perf,record,./program hostname=host'
		printf 'comm 100/100 "program"\ncomm 100/101 "worker"\ncomm 100/102 "writer"\n'
		printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((PLACE)) "$PROG" "$(build_id_of "$PROG")"
		{
			# The program: malloc is called by parse and load, more by load; f is busy all the time, on another line from 2 s to 3 s.
			samples 30 100 0 "$malloc" "$(after parse malloc)" "$(after _start parse)"
			samples 60 100 400 "$malloc" "$(after load malloc)" "$(after _start load)"
			samples 90 100 1005 "$(at f 8)" "$(after _start f)"
			samples 20 100 2005 "$(at f 8)" "$(after _start f)"
			samples 50 100 2305 "$(at f 10)" "$(after _start f)"
			samples 90 100 3005 "$(at f 8)" "$(after _start f)"
			# Two threads; what is hottest in worker is not what is hottest in all.
			samples 40 101 3 "$(at hot)" "$(after _start hot)"
			samples 15 101 503 "$(at f 8)" "$(after _start f)"
			samples 20 102 7 "$(at f 9)" "$(after _start f)"
		} | sort -t= -k2,2n
	} >made.txt
	"$(helper mkdata/mkdata)" made.txt "$1"
}

# inl.so: work() of lines 14 and 15, into which twice() is inlined, and into that mix(); _start() calls it.
inlined_library() {
	cat >inl.c <<'END'
volatile int sink;
static inline __attribute__((always_inline)) void mix(void)
{
	sink += 7;
}
static inline __attribute__((always_inline)) void twice(void)
{
	mix();
	sink += 8;
}
void work(void)
{
	twice();
	sink += 9;
}
void _start(void)
{
	work();
	sink += 12;
}
END
	"$CC" -g -O0 -fno-builtin -fvisibility=hidden -fcf-protection=none -shared -fPIC -nostdlib -o inl.so inl.c
}
