#!/bin/bash
# The page's view of code has the numbers of annotate, under every filter, and what its source says becomes no markup.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
need chromium
need objdump
need python3
CC=${CC:-cc}

# Lines that would be markup, were they not text; in a function, and in one that is inlined into it.
cat >hot.c <<'C'
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	return x * 2654435761u ^ x >> 7;	/* </script><script>document.body.dataset.error='ran'</script> */
}

__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)	// <img src=x onerror="document.body.dataset.error='ran'">
		sum += mix(i ^ sum);
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
$CC -g -O2 -fno-optimize-sibling-calls -no-pie -o hot hot.c

# addresses FUNCTION: of its instructions; after FUNCTION TARGET: what follows its calls of TARGET.
addresses() {
	objdump -d --no-show-raw-insn hot | awk -v f="<$1>:" '$2 == f { on = 1; next } /^$/ { on = 0 } on { sub(":", "", $1); print $1 }'
}
after() {
	objdump -d --no-show-raw-insn hot | awk -v f="<$1>:" -v t="<$2>" '$2 == f { on = 1; next } /^$/ { on = 0 }
		on { sub(":", "", $1); if (called && !seen++) print $1; called = /call/ && index($0, t) }'
}

# Two events, two threads, two halves of time; the n-th instruction of hot() has n * n or n, called by calls(), that by itself.
load=$(readelf -lW hot | awk '$1 == "LOAD" && /R E/ { print $3, $2, $6 }' | head -1)
read -r vaddr offset size <<<"$load"
{
	for id in 1 2; do
		echo "attr event$id type=software config=$((id - 1)) sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=$id"
	done
	echo "feature arch=$(uname -m)"
	echo 'comm 7/7 "hot"'
	echo 'comm 7/8 "other"'
	echo "mmap2 7/7 $vaddr+$size@$offset r-xp \"$PWD/hot\""
	a=$(addresses calls | head -1)
	echo "sample 7/9 id=1 t=900 ip=0x$a mode=user period=7 cpu=0 chain=user,0x$a"
	outer=$(after calls calls) inner=$(after calls hot) n=0
	for a in $(addresses hot); do
		n=$((n + 1))
		echo "sample 7/7 id=1 t=$((1000 + n)) ip=0x$a mode=user period=$((n * n)) cpu=0 chain=user,0x$a,0x$inner,0x$outer,0x$outer"
		echo "sample 7/8 id=1 t=$((5000 + n)) ip=0x$a mode=user period=$n cpu=1 chain=user,0x$a,0x$inner"
		echo "sample 7/8 id=2 t=$((5000 + n)) ip=0x$a mode=user period=$((100 - n)) cpu=1 chain=user,0x$a"
	done
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o in.html

# page_code STATE: "ADDRESS PERIOD" of instructions that have any, of the column of own weights, or TOTAL.
page_code() {
	dom in.html "view=code&code=assembly&$1" | sed 's/<tr /\n<tr /g' |
		sed -nE "s/^<tr data-address=\"([0-9a-f]+)\"[^>]* data-self=\"([0-9]+)\" data-total=\"([0-9]+)\".*/\1 \\${2:-2}/p" | grep -v ' 0$'
}
annotated() {
	"$PREC" annotate -q -i in.data --show-total-period "$@" hot 2>/dev/null |
		awk -v c="$column" '{ for (i = 1; i <= NF && $i != ":"; i++) ; a = $(i + 1); sub(/:.*/, "", a)
			if (a ~ /^[0-9a-f]+$/ && $c > 0 && i > c) print a, $c }'
}

column=1
annotated >want; page_code of=hot >got
[ -s want ] || fail "annotate prints nothing"
expect_same "all" want got
column=2
annotated >want; page_code 'of=hot&event=1' >got
expect_same "the second event" want got
column=1
annotated --tid 8 >want; page_code 'of=hot&thread=8' >got
expect_same "a thread" want got
annotated --time ,0.000004 >want; page_code 'of=hot&to=0.000003' >got
expect_same "a range of time" want got

# sum_of PID/TID: the periods of the first event that hot() has in these threads.
sum_of() {
	sed -nE "s,^sample $1 id=1 .*period=([0-9]+) .*,\\1,p" in.txt | awk '{ s += $1 } END { print s }'
}

# Callees count to the call, once for each sample, however often the function is on the stack.
all=$(sum_of "7/[78]")
call=$(objdump -d --no-show-raw-insn hot | awk '/<calls>:/ { on = 1 } on && /call.*<hot>/ { sub(":", "", $1); print $1 }' | head -1)
expect "the call of hot" "$call $all" "$(page_code of=calls 3 | grep "^$call ")"
again=$(objdump -d --no-show-raw-insn hot | awk '/<calls>:/ { on = 1 } on && /call.*<calls>/ { sub(":", "", $1); print $1 }' | head -1)
deep=$(sum_of 7/7)
expect "the call of itself" "$again $deep" "$(page_code of=calls 3 | grep "^$again ")"

# By line of source; the inlined function leads to where it was inlined.
"$PREC" annotate -q -i in.data --source-only --show-total-period hot 2>/dev/null | awk '$1 > 0 { sub(/.*:/, "", $4); print $4, $1 }' |
	sort >want
dom in.html 'view=code&of=hot&code=source' >page.dom
sed 's/<tr /\n<tr /g' page.dom | sed -nE 's/^<tr data-line="([0-9]+)"[^>]* data-self="([0-9]+)".*/\1 \2/p' | grep -v ' 0$' | sort >got
expect_same "lines" want got
grep -q 'sum += mix(i ^ sum);' page.dom || fail "no source in the page"
! grep -E '<img|<script[^>]*>document.body' page.dom || fail "markup of a line of source"
grep -q '&lt;img src=x' page.dom || fail "the line is not shown"
dom in.html 'view=code&of=mix' >page.dom
grep -q '<span id="of">self ' page.dom || fail "mix does not lead to hot"

# In a window that is lower than the listing its end has the choice of functions and the table's head above it.
expect 'heads at the end of the listing, on a wide and a narrow screen' 'True True' \
	"$(WORK=$WORK PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
from chromium import Chromium
browser, seen = Chromium(), []
try:
	for width in 1280, 390:
		browser.call('Emulation.setDeviceMetricsOverride', width=width, height=420, deviceScaleFactor=1, mobile=False)
		browser.show('in.html', view='code', of='hot', code='assembly', theme='light' if width > 500 else 'dark')
		top, end, scrolled, choice, head = browser.evaluate('''(() => {
			const box = document.querySelector("main"), rect = s => document.querySelector(s).getBoundingClientRect();
			box.scrollTop = 1e6;
			return [rect("main").top, rect("#code").bottom, box.scrollTop, rect("#function").top, rect("#code th").top];
		})()''')
		seen.append(scrolled > 60 and top <= choice < top + 20 and choice + 15 < head < top + 60 < end)
	print(*seen)
finally:
	browser.close()
END
	)"

# Only the requested parts are there.
"$PREC" export -q -i in.data --annotate=0 -o none.html
dom none.html 'view=code' >page.dom
grep -q 'No code is in this page' page.dom || fail "code without being asked for"
for n in 1 2; do
	"$PREC" export -q -i in.data --annotate=$n -o two.html
	expect "functions with --annotate=$n" $n "$(dom two.html view=code | grep -oE '<option value="(hot|calls)"' | wc -l)"
done
dom two.html 'view=code&of=main' >page.dom
grep -q 'code of main is not in this page' page.dom || fail "what is not there is not said"

# Programs that are not here: the addresses, and no finding beside those of any export.
sed "s|$PWD/hot|/no/such/hot|" in.txt >gone.txt
"$(helper mkdata/mkdata)" gone.txt gone.data
"$PREC" export -i gone.data -o gone.html 2>err
expect "findings" "$("$PREC" export -i gone.data --annotate=0 -o none.html 2>&1)" "$(cat err)"
