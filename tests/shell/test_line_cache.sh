#!/bin/bash
# Lines and inlined functions that were found once are known the next time, until one of the files changes; damage is ignored.
. "$(dirname "$0")/lib/prec.sh"
need_events
need cc
need xxd
export HOME=$PWD/home
mkdir home

# As much debug information as is kept: 2,500 functions. SHIFT moves all lines.
program() {	# SHIFT
	awk -v shift="$1" 'BEGIN {
		for (i = 0; i < shift; i++) print ""
		print "static inline __attribute__((always_inline)) unsigned turn(unsigned x)\n{\n\treturn x * 77 + (x >> 7 ^ 5) % 1000;\n}"
		for (i = 0; i < 2500; i++)
			print "unsigned f" i "(unsigned x)\n{\n\tfor (unsigned j = 0; j < " (i % 10 ? 1 : 40000) "; j++)\n\t\tx = turn(x);\n\treturn x;\n}"
		print "int main(void)\n{\n\tvolatile unsigned x = 1;\n\tfor (int i = 0; i < 20; i++) {"
		for (i = 0; i < 2500; i += 10) print "\t\tx = f" i "(x);"
		print "\t}\n\treturn 0;\n}" }' >many.c
	cc -g -O1 -fno-inline-functions -Wl,--build-id=0x1122334455667788 -o many.new many.c && mv many.new many
}
program 0
[ "$(stat -c %s many)" -gt 150000 ] || fail 'a small program'
"$PREC" record -q -g -N -F 2000 -o data ./many
kept=home/.debug/.lines/1122334455667788
found() {	# OUT
	"$PREC" script -i data -F ip,sym,srcline >"$1" 2>err || { cat err; fail "script: $1"; }
}
known() {	# the number of addresses known before, and of files that were looked into
	"$PREC" script -v -i data -F ip,sym,srcline 2>&1 >out |
		awk "/many': lines of/ { n = \$(NF - 3) } /many': .* units in/ { units++ } END { print n + 0, units + 0 }"
}

found cold
grep -q 'turn' cold && grep -q 'many.c:[0-9]' cold || { head cold; fail 'no lines'; }
[ -f $kept ] || { find home; fail 'nothing is kept'; }
expect 'only this user reads it' 600 "$(stat -c %a $kept)"
found warm
expect_same 'known lines' cold warm
read -r nr units <<<"$(known)"
[ "$nr" -gt 10 ] && expect 'files that were read for known lines' 0 "$units"
"$PREC" report -i data --stdio >first 2>err
"$PREC" report -i data --stdio >second 2>err
expect_same 'report' first second

# An address that is not known yet is looked up, and all are kept.
cp $kept whole
"$PREC" record -q -g -N -F 1999 -o data ./many
found other
read -r more units <<<"$(known)"
[ "$more" -ge "$nr" ] || fail "$more addresses are known, of $nr"
expect 'files that were read then' 0 "$units"
rm -r home/.debug
found again
expect_same 'with nothing known' other again
read -r more units <<<"$(known)"

# What is cut, changed at any byte, no file, or another user's is not used, and not followed.
size=$(stat -c %s $kept)
cp $kept whole
for at in 0 7 8 15 16 100 128 "$((size / 2))" "$((size - 1))" $(awk -v n="$size" 'BEGIN { srand(7); for (i = 0; i < 8; i++) print int(rand() * n) }'); do
	head -c "$at" whole >$kept
	found again
	expect_same "cut at $at" other again
	cp whole $kept
	printf '%b' "\\x$(printf %02x $((0x$(xxd -s "$at" -l 1 -p whole) ^ 0x41)))" | dd of=$kept bs=1 seek="$at" conv=notrunc status=none
	found again
	expect_same "changed at $at" other again
done
rm $kept
mkfifo $kept
found again
expect_same 'a FIFO' other again
rm -f $kept
echo precious >precious
ln -s "$PWD/precious" $kept
found again
expect_same 'a link' other again
expect 'what the link leads to' precious "$(<precious)"
[ ! -L $kept ] && [ -f $kept ] || fail 'the link was not replaced'
if [ "$(id -u)" = 0 ]; then
	cp $kept whole
	chown 65534 home/.debug/.lines
	expect "another user's" '0 1' "$(known)"
	chown 0 home/.debug/.lines
	expect 'our own' "$more 0" "$(known)"
fi

# Another file of the same build id, at the same path; and prec itself.
program 5
read -r nr units <<<"$(known)"
expect 'another file' '0 1' "$nr $units"
found moved
HOME=$PWD found fresh
expect_same 'the other file' fresh moved
cmp -s moved other && fail 'old lines of another file'
expect 'the other file, known' "$more 0" "$(known)"
cp "$PREC" prec.other
PREC=$PWD/prec.other
expect 'another prec' '0 1' "$(known)"

"$PREC" buildid-cache --purge-all
[ ! -e $kept ] || fail 'still there after --purge-all'
