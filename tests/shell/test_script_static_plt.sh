#!/bin/bash
# Stubs of a static program are named after the functions whose resolvers they call.
. "$(dirname "$0")/lib/prec.sh"
[ "$(uname -m)" = x86_64 ] || skip "the stubs of x86-64 are what is tested"
mkdata=$(helper mkdata/mkdata)

cat >program.c <<'X'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	char b[100];

	memset(b, argc, sizeof(b));
	puts(strchr(argv[0], '/'));
	return !memcmp(b, argv[0], 5);
}
X
"${CC:-cc}" -O1 -static -no-pie -o program program.c 2>/dev/null || skip "no static C library"

# Each slot's resolver, and the names that it has; where each stub jumps.
readelf -rW program | awk '/R_X86_64_IRELATIV/ { print "slot", $1, $NF }' | sed 's/ 0*\([0-9a-f]\)/ \1/g' >slots
nm program | sed 's/^0*//' >names
objdump -d --no-show-raw-insn -j .plt -j .iplt program 2>/dev/null |
	sed -n 's/^ *\([0-9a-f]*\):.*jmp .*# \([0-9a-f]*\) .*/stub \1 \2/p' >stubs
[ "$(wc -l <stubs)" -gt 5 ] || skip "the linker makes no stubs"
text=$(readelf -lW program | awk '$1 == "LOAD" && / R E / { print $3, $2 }')
read -r start offset <<<"$text"
{
	echo 'feature arch=x86_64'
	echo 'attr cycles type=0 config=0 sample=IP,TID,TIME ids=1'
	echo 'comm 100/100 "program" t=1'
	echo "mmap2 100/100 $start+0x200000@$offset r-xp \"$PWD/program\" t=2"
	awk '{ printf "sample 100/100 t=%d ip=0x%s mode=user\n", 9 + NR, $2 }' stubs
} >made.txt
"$mkdata" made.txt made.data
"$PREC" script -F ip,sym -i made.data | awk '{ sub("@plt", "", $2); print $1, $2 }' >got
awk 'FILENAME == "names" { of[$1] = of[$1] " " $3; next } $1 == "slot" { resolver[$2] = $3; next }
	{ print $2 of[resolver[$3]] " " }' names slots stubs >want
expect "stubs" "$(wc -l <want)" "$(wc -l <got)"
awk 'NR == FNR { may[$1] = $0; next } !index(may[$1], " " $2 " ") { print "not one of " may[$1] ": " $2; bad = 1 }
	END { exit bad }' want got || fail "see above"
