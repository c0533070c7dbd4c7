#!/bin/bash
# Call graphs by line of source and by address: each place that calls is a frame of its own, inlined ones too.
. "$(dirname "$0")/lib/prec.sh"
need cc
need objdump

cat >prog.c <<'END_OF_C'
volatile long sum;
__attribute__((noinline)) void leaf(void) { sum++; }
static inline __attribute__((always_inline)) void inner(void) {
	leaf();
	sum++;
}
__attribute__((noinline)) void middle(void) {
	leaf();
	sum++;
	inner();
	sum++;
}
int main(void)
{
	middle();
	return 0;
}
END_OF_C
cc -O1 -g -fno-optimize-sibling-calls -o prog prog.c
# The return addresses of calls of a function in another, in the file.
returns() {
	objdump -d --no-show-raw-insn prog | awk -v in_="<$1>:" -v of="<$2>" '
		/^[0-9a-f]+ </ { inside = $2 == in_ }
		called { sub(/:/, "", $1); print $1; called = 0 }
		inside && /[[:space:]](call|callq|bl)[[:space:]]/ && index($0, of) { called = 1 }'
}
mapfile -t calls < <(returns middle leaf)
[ ${#calls[@]} = 2 ] || skip "this compiler made something else of the program: ${#calls[@]} calls"
main=$(returns main middle)
leaf=$(nm prog | awk '$3 == "leaf" { print $1 }')
# Where the file's addresses are at 1 << 20.
at() { printf '0x%x' $((0x100000 + 0x$1 + ${2:-0})); }
offset() { printf '0x%x' $((0x$1 - 0x$(nm prog | awk -v f="$2" '$3 == f { print $1 }'))); }
{
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all'
	echo "feature arch=$(uname -m)"
	echo 'comm 7/7 "prog"'
	echo "mmap2 7/7 0x100000+0x100000@0 r-xp \"$PWD/prog\" $(build_id_of prog)"
	echo "sample 7/7 t=1 ip=$(at "$leaf") mode=user period=60 chain=user,$(at "$leaf"),$(at "${calls[0]}"),$(at "$main")"
	echo "sample 7/7 t=2 ip=$(at "$leaf") mode=user period=30 chain=user,$(at "$leaf"),$(at "${calls[1]}"),$(at "$main")"
	echo "sample 7/7 t=3 ip=$(at "$leaf" 1) mode=user period=10 chain=user,$(at "$leaf" 1),$(at "${calls[1]}"),$(at "$main")"
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
folded() {
	local key=$1

	shift
	"$PREC" report -i in.data --no-children -q -s comm -g "folded,0,caller,period,$key" "$@" 2>/dev/null | grep '^[0-9]'
}

expect "functions" "60 main;middle;leaf
40 main;middle;inner (inlined);leaf" "$(folded function)"
expect "lines of the calls" "60 main prog.c:15;middle prog.c:8;leaf prog.c:2
40 main prog.c:15;middle prog.c:10;inner prog.c:4 (inlined);leaf prog.c:2" "$(folded srcline)"
expect "without inlined functions" "60 main prog.c:15;middle prog.c:8;leaf prog.c:2
40 main prog.c:15;middle prog.c:4;leaf prog.c:2" "$(folded srcline --no-inline)"
expect "addresses" "60 main prog.c:15;middle prog.c:8;leaf prog.c:2
30 main prog.c:15;middle prog.c:10;inner prog.c:4 (inlined);leaf prog.c:2
10 main prog.c:15;middle prog.c:10;inner prog.c:4 (inlined);leaf prog.c:2" "$(folded address)"
expect "with directories" 1 "$(folded srcline --full-source-path | grep -c "^60 main $PWD/prog.c:15;")"
expect "as a tree" "\
            |
            ---leaf prog.c:2
               |
               |--60.00%--middle prog.c:8
               |          main prog.c:15
               |
                --40.00%--inner prog.c:4 (inlined)
                          middle prog.c:10
                          main prog.c:15" \
	"$("$PREC" report -i in.data --no-children -q -s comm -g graph,callee,srcline 2>/dev/null | sed 's/ *$//; /^$/d; 1d')"
expect "entries are what they were" "$("$PREC" report -i in.data -q -g none 2>/dev/null)" \
	"$("$PREC" report -i in.data -q -g srcline,none 2>/dev/null)"

# As perf draws it where it is given an address in the call: behind it, which is what the kernel records, it names the next line.
for call in "${calls[@]}" "$main"; do echo "s/,$(at "$call")/,$(at "$call" -1)/"; done >inside.sed
sed -f inside.sed in.txt >inside.txt
"$(helper mkdata/mkdata)" inside.txt inside.data
for perf in $(perfs); do
	[ "$perf" ] && "$perf" --version >/dev/null 2>&1 || continue
	for how in caller,srcline callee,srcline caller,address; do
		"$perf" report -i inside.data --stdio --no-children --no-inline -q -s comm -g graph,0.5,$how </dev/null 2>/dev/null | sed 's/ *$//' >want
		"$PREC" report -i in.data --no-children --no-inline -q -s comm -g graph,0.5,$how 2>/dev/null | sed 's/ *$//' >got
		expect_same "$perf, $how" want got
	done
done

# Where no debug information knows a line the function is one, and by address the place in it.
objcopy --strip-debug prog bare
sed "s|$PWD/prog\"|$PWD/bare\"|" in.txt >bare.txt
"$(helper mkdata/mkdata)" bare.txt in.data
expect "functions without lines" "100 main;middle;leaf" "$(folded srcline)"
expect "addresses without lines" "60 main+$(offset "$main" main);middle+$(offset "${calls[0]}" middle);leaf
30 main+$(offset "$main" main);middle+$(offset "${calls[1]}" middle);leaf
10 main+$(offset "$main" main);middle+$(offset "${calls[1]}" middle);leaf+0x1" "$(folded address)"
