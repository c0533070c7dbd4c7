#!/bin/bash
# Each record of a branch trace (Intel BTS) is a sample, of the kind that its instruction says, as stock perf has it.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/aux.sh"

# call +b, je, syscall, jmp, nop, ret: where the branches are.
printf '\xe8\x0b\x00\x00\x00\x74\x19\x0f\x05\xeb\x10\x90\x90\x90\x90\x90\xc3' >code
kernel=$((0xffffffff81000000))
record() { # record FROM TO [PREDICTED]
	words "$1" "$2" "${3:-0}"
}
hex=$(
	record 0 0x400000
	record 0x400000 0x400010 16
	record 0x400010 0x400005
	record 0x400005 0x400020 16
	record 0x400007 $kernel
	record $((kernel + 7)) 0x400009
	record 0x400009 0x40001b 16
	record 0x40000b $((kernel + 256))
	record 0x40000c 0
	record 0 0
)
# shellcheck disable=SC2059
printf "$(sed 's/../\\x&/g' <<<"$hex")" >trace.bin
cat >want <<'X'
100/101 branches:u: tr strt 0 => 400000
100/101 branches:u: call 400000 => 400010
100/101 branches:u: return 400010 => 400005
100/101 branches:u: jcc 400005 => 400020
100/101 branches:u: syscall 400007 => ffffffff81000000
100/101 branches:u: ffffffff81000007 => 400009
100/101 branches:u: jmp 400009 => 40001b
100/101 branches:u: hw int 40000b => ffffffff81000100
100/101 branches:u: tr end 40000c => 0
X

# made NAME LINES...: a recording whose trace is what the lines say.
made() {
	{
		printf "feature %s\n" arch=x86_64 nrcpus=2 auxtrace
		echo "attr intel_bts type=9 config=0 sample=IP,TID,TIME,IDENTIFIER read=ID period=1 exclude_kernel exclude_hv" \
			"sample_id_all ids=1"
		echo "raw type=70 $(le 8 2)$(le 8 0)$(words 9 10 1024 0 1 0)"
		for tid in 101 102; do
			echo "comm 100/$tid \"program\" exec t=1 event=intel_bts id=1"
		done
		echo "mmap2 100/100 0x400000+0x1000@0 r-xp \"$PWD/code\" t=2 event=intel_bts id=1"
		printf '%s\n' "${@:2}"
	} >made.txt
	"$(helper mkdata/mkdata)" made.txt "$1.data"
}
aux() { # aux TID OFFSET SIZE
	echo "aux 100/$1 off=$2 size=$3 t=$((900000000 + $2)) event=intel_bts id=1"
}
# perf takes these for the times at which its threads and maps must be known.
REFERENCE=2000
size=$(stat -c %s trace.bin)
starts=("itrace_start 100/101 t=3 event=intel_bts id=1" "itrace_start 100/102 t=3 event=intel_bts id=1")
made one "${starts[0]}" "$(aux 101 0 "$size")" "$(auxtrace trace.bin -1 101)"
made two "${starts[@]}" "$(aux 101 0 "$size")" "$(aux 101 "$size" "$size")" "$(aux 102 0 "$size")" "$(auxtrace trace.bin -1 101)" \
	"$(auxtrace trace.bin -1 101 100000000 "$size")" "$(auxtrace trace.bin -1 102)"
head -c $((24 * 3 + 8)) trace.bin >cut.bin
made cut "${starts[0]}" "$(aux 101 0 80)" "$(auxtrace cut.bin -1 101)"

# shown FILE LETTERS [TOOL]
shown() {
	"${3:-$PREC}" script --itrace="$2" -F pid,tid,event,ip,addr,flags -i "$1.data" 2>messages | tr -s ' ' | sed 's/^ //; s/ $//'
}

shown one b >got
expect_same "all branches" want got
shown one bc >got
expect_same "calls" <(grep -E 'call|int|end' want) got
shown one br >got
expect_same "returns" <(grep -E 'return|strt' want) got
shown one bs3 >got
expect_same "without the first" <(tail -n +4 want) got
"$PREC" script --call-ret-trace -F ip -i one.data 2>messages | tr -d ' ' >got
expect "calls and returns" "0 400000 400010 400007 40000b 40000c" "$(xargs <got)"
expect "a report's samples" 9 "$("$PREC" report --stdio -i one.data 2>/dev/null | sed -n 's/# Event count (approx.): //p')"

shown two b >got
cat want want <(sed 's/101/102/' want) | sort >sorted
expect_same "of two threads, in two parts" sorted <(sort got)
"$PREC" script -j1 --itrace=b -F tid,ip,addr,flags,sym -i two.data >one 2>/dev/null
"$PREC" script -j3 --itrace=b -F tid,ip,addr,flags,sym -i two.data >many 2>/dev/null
expect_same "-j3" one many

# Nothing is lost silently.
shown cut b >got
expect_same "a trace that is cut" <(head -3 want) got
expect_finding cut-branch-trace messages '1 part of the branch trace ends'
for letter in g l; do
	expect_status 1 "$PREC" script --itrace=b$letter -i one.data >/dev/null 2>messages
	grep -q 'neither call chains (g) nor last branches (l)' messages || fail "--itrace=b$letter: $(cat messages)"
done

need_perf
# The newest one calls where tracing begins and ends a jump, too; with c alone perf leaves out the first call.
for letters in b br bcr; do
	shown one $letters >got
	shown one $letters "$PERF" | sed -E 's/(tr strt|tr end) jmp/\1/' >theirs
	expect_same "--itrace=$letters by perf" theirs got
done
for name in one cut; do
	for tool in "$PERF" "$PREC"; do
		"$tool" script -D -i $name.data 2>/dev/null | sed -n '/Intel BTS data/,/^$/p; /AUXTRACE_INFO/,/Snapshot/p' |
			sed '/^$/d; s/Muliplier /Multiplier/' >"$(basename "$tool").dump"
	done
	[ "$(wc -l <perf.dump)" -gt 8 ] || fail "$name: perf shows no trace: $(cat perf.dump)"
	expect_same "$name: the raw dump by perf" perf.dump prec.dump
done
