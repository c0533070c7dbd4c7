#!/bin/bash
# Every format says the same of one recording: inlined functions, recursion, a long wait, two units, names that want quoting.
. "$(dirname "$0")/lib/prec.sh"
need jq
CC=${CC:-cc}

cat >prog.c <<'C'
#define KEEP __attribute__((noinline))
volatile unsigned sink;
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	return x * 2654435761u ^ sink;
}
KEEP unsigned hot(unsigned n) { return mix(n); }
KEEP unsigned fact(unsigned n) { return n ? n * fact(n - 1) + sink : 1; }
unsigned odd(unsigned n);
KEEP unsigned even(unsigned n) { return n ? odd(n - 1) + sink : 1; }
KEEP unsigned odd(unsigned n) { return n ? even(n - 1) + sink : 0; }
int main(int argc, char **argv) { (void)argv; return (int)(hot(argc) + fact(argc) + even(argc)); }
C
$CC -g -O2 -fno-optimize-sibling-calls -no-pie -o prog prog.c
read -r vaddr offset size < <(readelf -lW prog | awk '$1 == "LOAD" && /R E/ { print $3, $2, $6 }' | head -1)

# in FUNCTION: an address in it, behind its first instruction. Of hot() it is one that was inlined.
in_function() {
	local start
	start=$(nm prog | awk -v f="$1" '$3 == f { print $1 }')
	printf '0x%x' $((0x$start + ${2:-1}))
}
# behind_call FUNCTION: where its first call returns to, as a caller in a chain is recorded.
behind_call() {
	objdump -d --no-show-raw-insn prog | awk -v f="<$1>:" '$2 == f { on = 1; next } !NF { on = 0 }
		on && called && !told { sub(":", "", $1); print "0x" $1; told = 1 } on && $2 ~ /^(callq?|bl)$/ { called = 1 }'
}
inlined=$(objdump -d --no-show-raw-insn prog | awk '/<hot>:/ { on = 1 } on && /imul|mul|madd/ { sub(":", "", $1); print "0x" $1; on = 0 }' | head -1)
[ "$inlined" ] || skip "the compiler does not multiply in hot()"
main=$(in_function main 2) fact=$(in_function fact 2) even=$(in_function even 2)
in_main=$(behind_call main) in_fact=$(behind_call fact) in_even=$(behind_call even) in_odd=$(behind_call odd)

# A clock's samples of 50 ms, before and behind 9 s in which there was none; page faults of one thread.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1'
	echo 'attr page-faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=2'
	echo "feature arch=$(uname -m) hostname=vm"
	echo 'comm 7/7 "a;b `c'"'"' <d>&"'
	echo 'comm 7/8 "other"'
	echo "mmap2 7/7 $vaddr+$size@$offset r-xp \"$PWD/prog\""
	echo 'mmap2 7/7 0x20000000+0x10000@0 r-xp "/no/such/l i;b.so"'
	for i in $(seq 50); do
		for begin in 0 9050; do
			ms=$((begin + i))
			case $((i % 5)) in
			0) chain=$inlined,$in_main;;
			1) chain=$fact,$in_fact,$in_fact,$in_main;;
			2) chain=$even,$in_odd,$in_even,$in_odd,$in_main;;
			3) chain=0x20000003,$in_main;;
			4) chain=$main;;
			esac
			echo "sample 7/7 id=1 t=${ms}000000 ip=${chain%%,*} mode=user period=1000000 cpu=0 chain=user,$chain"
		done
	done
	echo "sample 7/8 id=2 t=7000000 ip=$fact mode=user period=3 cpu=1 chain=user,$fact,$in_fact,$in_main"
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

# By function: its own ms, and those with all that it called, each sample once.
printf '%s\n' '[l i;b.so] 20 20' 'even 20 20' 'fact 20 20' 'hot 0 20' 'main 20 100' 'mix 20 20' 'odd 0 20' >want
# by_function: out of lines "WEIGHT FRAME|FRAME|...", root first.
by_function() {
	awk '{ w = $1; sub(/^[^ ]+ /, ""); n = split($0, f, "|"); delete seen
		for (i = 1; i <= n; i++) if (!(f[i] in seen)) { seen[f[i]]; total[f[i]] += w }
		self[f[n]] += w }
		END { for (x in total) printf "%s %.0f %.0f\n", x, self[x] / 1e6, total[x] / 1e6 }' | sort
}

"$PREC" export -q -i in.data -o out.folded 2>err
sed -E 's/^(.*) ([0-9]+)$/\2 \1/; s/^([0-9]+) [^;]*;/\1 /; s/;/|/g' out.folded | by_function >got
sed 's/l i;b/l i:b/' want | sort >want.folded
expect_same "folded" want.folded got
expect "the thread in folded" 'a:b_`c'"'"'_<d>&' "$(cut -d';' -f1 out.folded | sort -u)"

"$PREC" export -q -i in.data -o out.jsonl
jq -r 'select(.event == "cpu-clock") | "\(.period) \(.stack | join("|"))"' out.jsonl | by_function >got
expect_same "rows" want got
expect "units in rows" '[["cpu-clock","ns",100000000],["page-faults","count",3]]' \
	"$(jq -sc 'group_by(.event) | map([.[0].event, .[0].unit, (map(.period) | add)])' out.jsonl)"
expect "the thread in rows" 'a;b `c'"'"' <d>&' "$(jq -r 'select(.tid == 7).comm' out.jsonl | sort -u)"

"$PREC" export -q -i in.data -o out.speedscope.json
jq -r '.shared.frames as $f | .profiles[] | select(.unit == "nanoseconds") | [.samples, .weights] | transpose[] |
	select(.[0] | length > 0) | "\(.[1]) \(.[0] | map($f[.].name) | join("|"))"' out.speedscope.json | by_function >got
expect_same "speedscope" want got
expect "the wait in speedscope: 9 s without a stack, once" '[9000000000]' "$(jq -c '[.profiles[] | select(.unit == "nanoseconds") |
	[.samples, .weights] | transpose[] | select(.[0] == []) | .[1]]' out.speedscope.json)"
expect "units in speedscope" '[["nanoseconds",9100000000],["none",3]]' "$(jq -c '[.profiles[] | [.unit, .endValue]] | sort' out.speedscope.json)"

"$PREC" export -q -i in.data -o out.json.gz
gzip -dc out.json.gz | jq -r '.shared as $s | .threads[].samples | select(.weightType == "tracing-ms") | range(.length) as $i |
	"\(.weight[$i] * 1000000) \([.stack[$i] | recurse(if . == null or $s.stackTable.prefixOffset[.] == 0 then empty
		else . - $s.stackTable.prefixOffset[.] end)] | reverse | map($s.stringArray[$s.funcTable.name[$s.frameTable.func[$s.stackTable.frame[.]]]]) |
		join("|"))"' | by_function | grep -v '^0x' >got
grep -v '^\[' want >want.named	# what has no name is its address there
expect_same "the Firefox Profiler" want.named got
gzip -dc out.json.gz >out.json
expect "units in the Firefox Profiler" '["samples","tracing-ms"]' "$(jq -c '[.threads[].samples.weightType] | unique' out.json)"
expect "CPU used in the wait" 0 "$(jq '[.threads[] | select(.samples.weightType == "tracing-ms") | .samples | .time as $t | .threadCPUDelta as $c |
	range(1; .length) | select($t[.] - $t[. - 1] > 1000) | $c[.]] | map(select(. > 2000000)) | length' out.json)"

# By programs, where they are here.
if command -v go >/dev/null; then
	export HOME=$WORK PPROF_TMPDIR=$WORK GOFLAGS=-mod=mod GOTOOLCHAIN=local
	"$PREC" export -q -i in.data -o out.pb.gz
	go tool pprof -symbolize=none -top -unit=ms -sample_index=cpu-clock -nodecount=100 -nodefraction=0 out.pb.gz 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)(ms)? +[0-9.]+% +[0-9.]+% +([0-9.]+)ms +[0-9.]+% +(.*)$/\4 \1 \3/p' | sed 's/ (inline)//' |
		grep -v '^0x' | sort >got
	expect_same "pprof" want.named got
else
	part_skipped "pprof: no go"
fi
if command -v callgrind_annotate >/dev/null; then
	"$PREC" export -q -i in.data -o out.callgrind 2>err
	for inclusive in no yes; do
		callgrind_annotate --auto=no --threshold=100 --inclusive=$inclusive out.callgrind |
			sed -nE 's/^ *([0-9,]+) +(\([^)]*\))? +[^:]*:([a-z]+) \[.*$/\3 \1/p' | sed 's/,000,000$//' | sort >callgrind.$inclusive
	done
	expect_same "callgrind, own" <(awk '/^[a-z]/ && $2 > 0 { print $1, $2 }' want) callgrind.no
	expect_same "callgrind, with calls" <(awk '/^[a-z]/ { print $1, $3 }' want) callgrind.yes
else
	part_skipped "callgrind: no callgrind_annotate"
fi
if command -v chromium >/dev/null; then
	. "$SRC/tests/shell/lib/page.sh"
	"$PREC" export -q -i in.data -o out.html
	page_table out.html '' | awk '{ n = substr($0, length($1 $2 $3) + 4); printf "%s %d %d\n", n, $1 / 1000000, $2 / 1000000 }' | sort >got
	expect_same "the page" want got
	expect "the other event in the page" "3 1" "$(page_sum out.html 'event=1')"
else
	part_skipped "the page: no chromium"
fi
