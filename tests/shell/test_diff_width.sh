#!/bin/bash
# On a terminal no line of diff's table is wider than the terminal, and none is broken within a word; a pipe gets the answer in one line.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'
mkdata=$(helper mkdata/mkdata)
for i in {0..9}; do
	printf 'ffffffff8100%d000 T f%d\n' "$i" "$i"
done >kallsyms
echo ffffffff8100a000 T end >>kallsyms
recording() {	# NAME COUNT: a function with so many samples, and nine with one
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1 period=1000000 enable_on_exec'
		printf '%s\n' 'feature arch=x86_64' 'mmap -1/0 0xffffffff81000000+0xa000@0 "[kernel.kallsyms]_text"' 'comm 7/7 "work"'
		for ((i = 1; i <= $2 + 9; i++)); do
			echo "sample 7/7 id=1 t=${i}000000 ip=0xffffffff8100$((i > $2 ? i - $2 : 0))010 mode=kernel period=1000000 cpu=0"
		done
	} >"$1.txt"
	"$mkdata" "$1.txt" "$1"
}
recording a 2000
recording same 2010
recording more 2400
compare() { "$PREC" diff --kallsyms kallsyms --stdio --no-pager -q a "$1"; }
words() { tr -s ' \n' '\n' | sed 's/\[kernel[.a-z]*\]//; /^$/d'; }

for other in same more; do
	compare $other >piped
	words <piped >want
	expect "$other: the answer in a pipe" 1 "$(grep -c '^cpu-clock: .* B took [0-9.]* % more CPU time (.*)' piped)"
	grep -q '^The intervals\|^This may be noise' piped || fail "no note: $(cat piped)"
	expect "$other: notes in a pipe are a page wide" '' "$(sed -n '/^A:/,/^$/p' piped | grep -E '.{81}' || true)"
	for width in 80 132; do
		start_terminal ${width}x50
		on_screen "'$PREC' diff --kallsyms kallsyms --stdio --no-pager -q a $other" | grep -v '^ready>' >seen
		# The terminal breaks what is too wide where it ends: in one word or two, which the pipe has otherwise.
		words <seen >got
		expect_same "$other: the words on a terminal of $width" want got
		expect "$other: width $width: the table's rows begin with numbers" '' \
			"$(sed -n '/^$/,$p' seen | grep -vE '^$|^ +[0-9A]|^ {55}[a-z(]' || true)"
		grep -E '^ .* 9 more, none of them( changed [(]--all[)])?$' seen >/dev/null || fail "the last row: $(cat seen)"
	done
done

# A side that is cut has less in any case: the answer says so first.
head -c $(($(stat -c %s a) - 100)) a >cut
any_status "$PREC" diff cut a 2>/dev/null | head -1 | grep -F ': A is cut or damaged, so that less of it is here: ' >/dev/null ||
	fail "the answer of a damaged side: $(any_status "$PREC" diff cut a 2>&1 | head -3)"
! "$PREC" diff a a | head -1 | grep -F 'damaged' || fail "nothing is damaged here"
