#!/bin/bash
# The share of each instruction is what was sampled there, as perf annotate has it; its line is addr2line's.
. "$(dirname "$0")/lib/prec.sh"
need readelf
CC=${CC:-cc}

need objdump

# starts FILE FUNCTION: the addresses of its instructions, as objdump has them.
starts() {
	local addr size
	read -r addr size < <(readelf -sW "$1" | awk -v s="$2" '$4 == "FUNC" && $8 == s { line = "0x" $2 " " $3 } END { print line }')
	objdump -d --no-show-raw-insn --start-address="$addr" --stop-address=$((addr + size)) "$1" |
		awk '/^ *[0-9a-f]+:\t/ { sub(":", "", $1); print $1 }'
}

# made NAME ARCH FILE PLACE MODE FUNCTION...: NAME.data with samples at each instruction of each function, the n-th of them with a
# period of n * n; PLACE is what is added to its addresses.
made() {
	local name=$1 arch=$2 file=$3 place=$4 mode=$5 f n addr
	shift 5
	{
		echo "attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1"
		echo "feature arch=$arch"
		echo 'comm 100/100 "demo"'
		if [ "$mode" = kernel ]; then
			echo 'mmap -1/0 0xffffffff81000000+0x10000@0xffffffff81000000 "[kernel.kallsyms]_text"'
		else
			printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((place)) "$file" "$(build_id_of "$file")"
		fi
		for f; do
			n=0
			for addr in $(starts "$file" "$f"); do
				n=$((n + 1))
				printf 'sample 100/100 t=%d000 ip=0x%x mode=%s period=%d cpu=0\n' $((n + 10)) $((place + 0x$addr)) $mode $((n * n))
			done
		done
	} >"$name.txt"
	"$(helper mkdata/mkdata)" "$name.txt" "$name.data"
}

# shares FILE: "address percent" of each instruction in the text of either program.
shares() {
	awk '/^ +[0-9.]+ +: +[0-9a-f]+:/ { sub(/:.*/, "", $3); print $3, $1 }' "$1"
}

# by_construction FILE FUNCTION: what shares() has to be.
by_construction() {
	local n=0 addr all
	starts "$1" "$2" >starts
	all=$(awk '{ s += NR * NR } END { print s }' starts)
	while read -r addr; do
		n=$((n + 1))
		awk -v a="$addr" -v n=$n -v all="$all" 'BEGIN { printf "%s %.2f\n", a, 100 * n * n / all }'
	done <starts
}

# check NAME FILE FUNCTION...: NAME.data annotated is what it was made of, and what perf says of it.
check() {
	local name=$1 file=$2 f
	shift 2
	for f; do
		"$PREC" annotate -i "$name.data" -q "${EXTRA[@]}" "$f" >text 2>err || fail "$name: $f: $(cat err)"
		shares text >got
		by_construction "$file" "$f" >want
		expect_same "$name: $f" want got
		[ "${PERF:-}" ] || continue
		perf annotate --stdio -i "$name.data" "${EXTRA[@]}" -s "$f" 2>/dev/null </dev/null | awk '/^-+$/ { on = 1 } on' >perf.text
		shares perf.text | sed 's/^0*//' >want
		[ -s want ] && expect_same "$name: $f: as perf" want got
	done
}
EXTRA=()
PERF=
command -v perf >/dev/null && perf --version >/dev/null 2>&1 && PERF=perf

# C, optimized.
demo=$(workload demo)
made c "$(uname -m)" "$demo" 0x555555554000 user blur sharpen histogram render worker_main
check c "$demo" blur sharpen histogram render worker_main

# A function that was inlined is shown within the one around it; its name may be as views print it.
cat >within.c <<'CC'
static inline __attribute__((always_inline)) unsigned within(unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < n; i++)
		s = s * 31 + (i ^ s >> 3);
	return s;
}
__attribute__((noinline)) unsigned around(unsigned n) { return within(n); }
int main(int argc, char **argv) { (void)argv; return (int)around((unsigned)argc * 100); }
CC
$CC -O2 -g -o within within.c
made within "$(uname -m)" "$WORK/within" 0x555555554000 user around
"$PREC" annotate -i within.data around >want 2>err
for name in within 'within (inlined)'; do
	"$PREC" annotate -i within.data "$name" >got 2>err || { cat err; fail "annotate $name"; }
	expect_same "annotate $name" want got
	grep -q "is inlined into 'around', which is shown" err || { cat err; fail "not said of $name"; }
done
expect_status 1 "$PREC" annotate -i within.data withi >got 2>err

# The last part of a name is enough, as of Java's; of several functions the hottest is shown, and the others are named.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1'
	at=0
	for name in 'int com.x.Foo.bar(int)' 'shop::Cart::bar(shop::baz<int>)' 'shop::barter(int)' 'shop::sum(int)'; do
		printf 'ksymbol 0x%x+0x100 "%s" type=1 t=1\n' $((0xffffffffc0000000 + at)) "$name"
		printf 'sample 1/1 t=%d ip=0x%x mode=kernel period=%d\n' $((100 + at)) $((0xffffffffc0000010 + at)) $((1000 - at))
		at=$((at + 0x100))
	done
} >parts.txt
"$(helper mkdata/mkdata)" parts.txt parts.data
# part WORD FUNCTION [OTHER]: what is shown for it, and what else is named.
part() {
	"$PREC" annotate -i parts.data "$1" >got 2>err || { cat err; fail "annotate $1"; }
	grep -F "| $2 of " got >/dev/null || { cat got err; fail "$1 is not $2"; }
	expect "functions of $1" 1 "$(grep -c '^ *Percent' got)"
	if [ "${3-}" ]; then grep -F "'$3'" err >/dev/null || { cat err; fail "$1: the others"; }
	elif grep -F 'is also in' err; then fail "$1: no others"; fi
}
part Foo.bar 'int com.x.Foo.bar(int)'
part com.x.Foo.bar 'int com.x.Foo.bar(int)'
part Cart::bar 'shop::Cart::bar(shop::baz<int>)'
part bar 'int com.x.Foo.bar(int)' 'shop::Cart::bar(shop::baz<int>)'
part sum 'shop::sum(int)'
for name in baz ba Foo x.Fo; do
	expect_status 1 "$PREC" annotate -i parts.data "$name" >got 2>err
done

# C++ with inlined functions.
if command -v g++ >/dev/null; then
	cat >inlines.cc <<'CC'
#include <algorithm>
#include <vector>
extern "C" __attribute__((noinline)) int hottest(std::vector<int> &v)
{
	std::sort(v.begin(), v.end());
	return *std::max_element(v.begin(), v.end());
}
int main(int argc, char **)
{
	std::vector<int> v(argc * 100, argc);
	return hottest(v);
}
CC
	g++ -O2 -g -o inlines inlines.cc
	made cc "$(uname -m)" "$WORK/inlines" 0x555555554000 user hottest
	check cc "$WORK/inlines" hottest
	# Long names leave room for the code after them.
	"$PREC" annotate -i cc.data -q hottest 2>/dev/null | sed -nE 's/^ +([0-9.]+ +)?: [^ ]+:[0-9]+ +\[([^]]*)\] [^ ].*/\2/p' >got
	grep std:: got >/dev/null || fail "no name of what is inlined"
	awk 'length > 24 { print; bad = 1 } END { exit bad }' got || fail "names are long"
fi

# A kernel whose code is here.
if [ "$(uname -m)" = x86_64 ]; then
	echo 'int kernel_loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; } void _stext(void) { }' >k.c
	$CC -O1 -g -fno-pic -mcmodel=kernel -fcf-protection=none -nostdlib -static -Wl,-Ttext=0xffffffff81000000 \
		-Wl,-e,kernel_loop -Wl,--build-id=none -o vmlinux k.c 2>err || fail "$(cat err)"
	made kernel x86_64 "$WORK/vmlinux" 0 kernel kernel_loop
	EXTRA=(-k "$WORK/vmlinux")
	PERF='' check kernel "$WORK/vmlinux" kernel_loop
	EXTRA=()
fi

# arm64, read on whatever this is.
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v aarch64-linux-gnu-objdump >/dev/null; then
	echo 'int arm_loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; } int main(void) { return arm_loop(9); }' >a.c
	aarch64-linux-gnu-gcc -O1 -g -o arm a.c
	objdump() { command aarch64-linux-gnu-objdump "$@"; }
	made arm aarch64 "$WORK/arm" 0x555555554000 user arm_loop
	PERF='' check arm "$WORK/arm" arm_loop
	unset -f objdump
fi

# Lines: the one that stands before an instruction is what addr2line says of it; and their shares are the sums of theirs.
need addr2line
"$PREC" annotate -i c.data -q worker_main >text 2>/dev/null
awk '/^ +: / { line = $2 } /^ +[0-9.]+ +: +[0-9a-f]+:/ { sub(/:.*/, "", $3); print $3, line }' text >got
awk '{ print $1 }' got | addr2line -e "$demo" | sed 's/ (discriminator.*//; s,.*/,,' | paste -d' ' <(awk '{ print $1 }' got) - >want
expect_same "lines as addr2line's" want got
awk '/^ +[0-9.]+ +: +[0-9a-f]+:/ { print $1, line } /^ +: / { line = $2 }' text |
	awk '{ s[$2] += $1 } END { for (l in s) printf "%s %.1f\n", l, s[l] }' | sort >want
"$PREC" annotate -i c.data -q --source-only worker_main 2>/dev/null | awk 'NF { printf "%s %.1f\n", $3, $1 }' | sort >got
expect "lines alone" "$(awk '{ print $1 }' want)" "$(awk '{ print $1 }' got)"
paste -d' ' want got | awk '{ d = $2 - $4; if (d < -0.3 || d > 0.3) exit 1 }' || fail "shares of lines: $(paste want got)"

# Jumps and their targets, calls by name.
"$PREC" annotate -i c.data -q blur >text 2>/dev/null
if [ "$(uname -m)" = x86_64 ]; then
	grep -E ':[ >]\^ j[a-z]+ +[0-9a-f]+ <blur\+0x' text >/dev/null || fail "a jump back is marked: $(cat text)"
	target=$(sed -nE 's/.*\^ j[a-z]+ +([0-9a-f]+) <blur.*/\1/p' text | head -1)
	grep -E " $target:>" text >/dev/null || fail "its target is marked: $(cat text)"
	"$PREC" annotate -i c.data -q render 2>/dev/null | grep -E 'call[q]? +[0-9a-f]+ <blur>' >/dev/null || fail "calls are named"
fi

# Requests: several events, other numbers, no such function.
"$PREC" annotate -i c.data -n -q blur 2>/dev/null | awk '/:/ && $1 != ":" { s += $1 } END { print s }' >got
expect "-n: samples" "$(starts "$demo" blur | wc -l)" "$(cat got)"
expect_status 1 "$PREC" annotate -i c.data blurr >out 2>err
grep -F "no sample is in a function 'blurr'; did you mean blur?" err >/dev/null || fail "$(cat err)"
"$PREC" annotate -i c.data blur >want 2>/dev/null
for words in "c.data blur" "blur c.data"; do
	"$PREC" annotate $words >got 2>err || fail "annotate $words: $(cat err)"
	expect_same "annotate $words" want got
done
expect_status 129 "$PREC" annotate c.data blur sharpen >out 2>err
grep -F "not 'sharpen' too" err >/dev/null || fail "$(cat err)"
expect "report: a text and a file" "$("$PREC" report c.data blur -q --stdio 2>/dev/null)" \
	"$("$PREC" report blur c.data -q --stdio 2>/dev/null)"
expect "without a symbol: the hottest first" "worker_main" "$("$PREC" annotate c.data 2>/dev/null | awk '/^ *Percent/ { print $3; exit }')"
sed -e '/^attr/{p;s/attr ev/attr other/;s/config=0/config=2/;}' c.txt | awk '/^attr/ { $0 = $0 " ids=" ++n; if (n == 1) sub("sample=", "sample=ID,"); else sub("sample=", "sample=ID,") } { print }' >two.txt
awk '/^sample/ { print $0, "event=other"; if (NR % 2) print $0, "event=ev"; next } { print }' two.txt >two2.txt
"$(helper mkdata/mkdata)" two2.txt two.data
expect "two events side by side" "$(awk 'END { print NR }' <(starts "$demo" blur))" \
	"$("$PREC" annotate -i two.data -q blur 2>/dev/null | grep -cE '^ +[0-9.]+ +[0-9.]+ : +[0-9a-f]+:')"

# A source file that is named from the compiler's folder is found from any other.
mkdir -p tree/sub
printf 'int spin(int n)\n{\n\treturn n * 3;\n}\n\nint main(int n, char **v)\n{\n\treturn spin(n) + !v;\n}\n' >tree/sub/spin.c
(cd tree && $CC -O0 -g -o spin sub/spin.c)
made away "$(uname -m)" "$PWD/tree/spin" 0x555500000000 user spin
"$PREC" annotate -i away.data -q --source-only spin 2>/dev/null | grep -F 'return n * 3;' >/dev/null || fail "no text of sub/spin.c"
expect "its path" "$PWD/tree/sub/spin.c:3" "$("$PREC" report -i away.data -q -s srcline --full-source-path 2>/dev/null | grep -oE '[^ ]*spin.c:3')"

# For time off the CPU there are the columns that report has tables for, not those of the switches that it is made of.
if "$PREC" record --off-cpu --call-graph auto -o waits.data "$(workload troubles)" lock >out 2>err; then
	"$PREC" report -i waits.data --stdio -g none 2>/dev/null | sed -n "s/^# Samples: .* of event '\(.*\)'/\1/p" >want
	expect "report's events" offcpu-time "$(sed -n '$p' want)"
	"$PREC" annotate -i waits.data 2>/dev/null | sed -n '1s/.* for \(.*\) ([0-9]* samples.*/\1/p' | sed 's/, /\n/g' >got
	expect_same "events beside waits" want got
else
	part_skipped "waits: switches cannot be recorded here"
fi
