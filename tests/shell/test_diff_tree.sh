#!/bin/bash
# The call trees of two recordings are one tree, in text, folded and on a page: each node with what both sides spent at it and below.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/page.sh"
mkdata=$(helper mkdata/mkdata)
recording() {	# NAME EVENT, then its samples
	{
		echo "attr $2 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1 enable_on_exec"
		echo 'feature arch=x86_64'
		echo 'comm 7/7 "prog"'
		for f in main:1 parse:2 render:3 'hostile<b>;:4' '</script>:5' gone:6 new:7; do
			echo "mmap2 7/7 0x${f##*:}0000+0x10000@0 r-xp \"/no/such/${f%:*}\""
		done
		cat
	} >"$1.txt"
	"$mkdata" "$1.txt" "$1"
}
clock='cpu-clock type=software config=0'
recording a "$clock" <<'IN'
sample 7/7 id=1 t=1 ip=0x20001 mode=user period=60000000 chain=user,0x20001,0x10001
sample 7/7 id=1 t=2 ip=0x30001 mode=user period=30000000 chain=user,0x30001,0x10001
sample 7/7 id=1 t=3 ip=0x60001 mode=user period=10000000 chain=user,0x60001,0x30001,0x10001
sample 7/7 id=1 t=4 ip=0x50001 mode=user period=5000000 chain=user,0x50001,0x40001,0x10001
IN
recording b "$clock" <<'IN'
sample 7/7 id=1 t=1 ip=0x20001 mode=user period=90000000 chain=user,0x20001,0x10001
sample 7/7 id=1 t=2 ip=0x30001 mode=user period=30000000 chain=user,0x30001,0x10001
sample 7/7 id=1 t=3 ip=0x70001 mode=user period=10000000 chain=user,0x70001,0x30001,0x10001
sample 7/7 id=1 t=4 ip=0x50001 mode=user period=5000000 chain=user,0x50001,0x40001,0x10001
IN

# Changes that cancel out below render are shown; unchanged rows are not, unless requested.
"$PREC" diff -q --tree a b >tree
expect 'the tree' "\
105 ms 135 ms +30.0 ms +28.6 % [all]
105 ms 135 ms +30.0 ms +28.6 % prog
105 ms 135 ms +30.0 ms +28.6 % [main]
60.0 ms 90.0 ms +30.0 ms +50.0 % [parse]
40.0 ms 40.0 ms +0 +0.0 % [render]
10.0 ms 0 -10.0 ms only A [gone]
0 10.0 ms +10.0 ms only B [new]" "$(sed '1,/ratio/d' tree | grep -v 'more, which' | tr -s ' ' | sed 's/^ //')"
grep -q '2 more, which moved less than 0.5 % of the whole (--all)' tree || fail 'what is left out is not told'
expect 'as -g' "$(<tree)" "$("$PREC" diff -q -g a b)"
"$PREC" diff -q --tree --all a b | grep '5.00 ms *5.00 ms *+0 *+0.0 %  *\[hostile<b>;\]$' >/dev/null || fail '--all leaves something out'
awk 'length > 80 { exit 1 }' tree || fail 'lines are too long'

# Averages of runs; parts of the whole; for each unit of work.
expect 'averages' '75.0 ms 90.0 ms +15.0 ms +20.0 % [parse]' \
	"$("$PREC" diff -q --tree a b -- b | grep 'parse' | tr -s ' ' | sed 's/^ //')"
expect 'shares' '57.14 % 66.67 % +9.52 % +16.7 % [parse]' \
	"$("$PREC" diff -q --tree --per=total a b | grep 'parse' | tr -s ' ' | sed 's/^ //')"
expect 'units' '30.0 ms 90.0 ms +60.0 ms +200.0 % [parse]' \
	"$("$PREC" diff -q --tree --per=2,1 a b | grep 'parse' | tr -s ' ' | sed 's/^ //')"

# For any event: here one that is counted.
for f in a b; do
	sed 's/^attr .* sample=/attr page-faults type=software config=2 sample_period=1 sample=/' $f.txt >faults.txt
	"$mkdata" faults.txt faults_$f
done
expect 'of a counter' '60.0 M 90.0 M +30.0 M +50.0 % [parse]' \
	"$("$PREC" diff -q --tree faults_a faults_b | grep 'parse' | tr -s ' ' | sed 's/^ //')"

# A folded file, by its name too, holds the same.
expect_status 0 "$PREC" diff -q a b -o out.folded
expect 'folded' "$("$PREC" diff -q --format=folded a b)" "$(<out.folded)"
grep -qx 'prog;\[main\];\[parse\] 60000000 90000000' out.folded || fail "folded: $(<out.folded)"
expect_status 0 "$PREC" diff -q a b --output out.txt
expect 'the table in a file' "$("$PREC" diff -q a b)" "$(<out.txt)"
expect "perf's -o" "$("$PREC" diff -q -c delta --order 0 a b)" "$("$PREC" diff -q -c delta -o 0 a b)"

expect_status 0 "$PREC" diff -q a b -o diff.html
! grep -q '<b>' diff.html || fail 'markup of a name is in the page'
for bad in '--format=xml' '--tree -c delta' '--format=html --fail-if=2%' '-o /no/such/folder/x.html'; do
	# shellcheck disable=SC2086
	any_status "$PREC" diff $bad a b >out 2>err
	[ -s err ] || fail "nothing is said of $bad"
done
expect_status 1 "$PREC" diff -q a b -o /no/such/folder/x.html 2>err

# The page: the whole; one node; either side alone. Callers stand before what they call.
command -v chromium >/dev/null || { part_skipped 'the page: no chromium'; exit 0; }
of_page() {	# STATE ID: the text of the element
	dom diff.html "$1" | tr '\n' ' ' | grep -oE "<[a-z0-9]+ id=\"$2\"[^>]*>[^<]*" | sed 's/.*>//' | plain
}
expect 'the answer' 'In all: A 105.0 ms, B 135.0 ms, +30.00 ms (+28.6 %)' "$(of_page '' answer)"
expect 'a node' 'A 40.00 ms, B 40.00 ms, +0 (+0.0 %): [render] prog › [main] › [render]' "$(for ((i = 1; i < 10; i++)); do
	! of_page "node=$i" node | grep '): \[render\]' || break; done)"
expect 'boxes of both' 9 "$(dom diff.html '' | grep -oE 'data-drawn="[0-9]+"' | grep -oE '[0-9]+')"
expect 'boxes of A, which lacks one' 8 "$(dom diff.html show=a | grep -oE 'data-drawn="[0-9]+"' | grep -oE '[0-9]+')"
dom diff.html '' | grep -o '<td[^>]*>[^<]*</td></tr>' | head -3 | sed -E 's/<[^>]*>//g' >rows
expect 'the functions that changed most' '[parse]' "$(head -1 rows)"
expect 'no finding of two whole recordings' '' "$(of_page '' findings)"

# What is wrong with either side stands in one line.
sed 's/^comm .*/&\nlost_samples n=3 id=1/' a.txt >lost.txt
"$mkdata" lost.txt lost
"$PREC" diff -q lost b -o diff.html
of_page '' findings >line
grep -qE '^A: 3 of .*lost' line || fail "the line of findings: $(<line)"
"$PREC" diff -q b lost -o diff.html
grep -qE '^B: 3 of .*lost' <(of_page '' findings) || fail "the line of findings, the other way: $(of_page '' findings)"

# Names stay in their boxes.
need python3
for n in 1 2; do
	sed '/^mmap2\|^sample/d' a.txt
	for i in {10..60}; do
		case $((i % 3)) in 0) f=wwwwwwwwwwwwwwwwwwwwwwww ;; 1) f=iiiiiiiiiiiiiiiiiiiiiiiiiiiiii ;; *) f='std::vector<MMMM, std::allocator<MMMM> >::MMMM(int)' ;; esac
		echo "mmap2 7/7 0x${i}0000+0x10000@0 r-xp \"/no/such/$f$i\""
		echo "sample 7/7 id=1 t=$i ip=0x${i}0001 mode=user period=$((n * i))00000 chain=user,0x${i}0001,0x$((10 + i % 3))0001"
	done
done >both.txt
awk '/^attr/ { n++ } { print >n ".wide" }' both.txt
for n in 1 2; do "$mkdata" $n.wide wide_$n; done
"$PREC" diff -q wide_1 wide_2 -o diff.html
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 WORK=$WORK python3 - <<'END' || fail "names leave their boxes"
import os
import time
from chromium import Chromium
browser = Chromium()
try:
	browser.call('Page.navigate', url='file://' + os.path.abspath('diff.html'))
	while not browser.evaluate('location.href.startsWith("file") && document.body && "ready" in document.body.dataset'):
		time.sleep(.05)
	names = browser.evaluate('''(() => {
		const proto = CanvasRenderingContext2D.prototype, fill = proto.fillText, out = [];
		proto.fillText = function (text, x, y, most = Infinity) {
			const box = drawn.find(d => d.level === Math.floor(y / HEIGHT) && x >= d.x && x < d.x + d.w);
			out.push([text, x + Math.min(most, this.measureText(text).width), box.x + box.w]);
			fill.apply(this, arguments);
		};
		draw();
		return out;
	})()''')
finally:
	browser.close()
wide = [name for name in names if name[1] > name[2]]
print('%d names, too wide: %s' % (len(names), wide[:5]))
raise SystemExit(len(names) < 30 or bool(wide))
END
