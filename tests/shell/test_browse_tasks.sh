#!/bin/bash
# Three questions of a new user, each answered by one command, or by fewer than six keys in the browser.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser
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
			$((1000000000 + (from + i * 10) * 1000000)) "$1" "$(printf ',%s' "$@")"
	done
}

MALLOC=$(at malloc)
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1'
	echo 'feature arch=x86_64 cmdline=perf,record,./program hostname=host'
	printf 'comm 100/100 "program"\ncomm 100/101 "worker"\ncomm 100/102 "writer"\n'
	printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((PLACE)) "$PROG" "$(build_id_of "$PROG")"
	{
		# The program: malloc is called by parse and load, more by load; f is busy all the time, on another line from 2 s to 3 s.
		samples 30 100 0 "$MALLOC" "$(after parse malloc)" "$(after _start parse)"
		samples 60 100 400 "$MALLOC" "$(after load malloc)" "$(after _start load)"
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
"$(helper mkdata/mkdata)" made.txt in.data

start_terminal 80x24
# solved ROW_PATTERN KEY...: fewer than six keys, and then the first row of the list is that.
solved() {
	[ $# -le 6 ] || fail "$(($# - 1)) keys"
	keys "${@:2}"
	await 20 eval "screen | rows_of | head -1 | grep -e '$1' >/dev/null"
}

# Which function is hottest in thread worker?
browse report -i in.data
await 20 shows 'functions 1/'
solved ' hot$' p Down Enter o
shows 'worker\|thread 101' || fail "not of that thread: $(screen)"
keys q q
left
expect "the same by a command" hot "$("$PREC" report -i in.data --stdio --no-children --tid 101 -g none 2>/dev/null | rows_of | head -1 |
	awk '{ print $NF }')"

# Who calls malloc most?
browse report -i in.data malloc
await 20 shows 'functions 1/'
keys b
await 20 shows 'callers and callees'
expect "who calls malloc most" load "$(screen | awk '/^callers/ { on = 1; next } on { print; exit }' | awk '{ print $NF }')"
keys q q q
left
expect "the same by a command" load "$("$PREC" report -i in.data --stdio --no-children -g callee malloc 2>/dev/null |
	awk '/\[\.\] malloc/ { on = 1; next } on && match($0, /--[0-9.]+%--/) { print substr($0, RSTART + RLENGTH); exit }')"

# Which source line of f is hot between 2 s and 3 s?
expect "the hot line of f from 2 s to 3 s" prog.c:10 "$("$PREC" annotate -i in.data f --source-only --time +2,+3 2>/dev/null |
	grep -E '^ +[0-9]+\.[0-9]+ ' | sort -rn | head -1 | grep -oE 'prog\.c:[0-9]+')"
expect "and at all times" prog.c:8 "$("$PREC" annotate -i in.data f --source-only 2>/dev/null |
	grep -E '^ +[0-9]+\.[0-9]+ ' | sort -rn | head -1 | grep -oE 'prog\.c:[0-9]+')"
