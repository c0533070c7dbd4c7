#!/bin/bash
# Stubs of a static program are named after the functions whose resolvers they call, on x86-64 and on arm64.
. "$(dirname "$0")/lib/prec.sh"
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

# jumps OBJDUMP: address and slot of each stub. On arm64 that is two instructions, a page and the rest of the address.
jumps() {
	local page from what offset rest
	"$1" -d --no-show-raw-insn -j .plt -j .iplt program 2>/dev/null >code
	sed -n 's/^ *\([0-9a-f]*\):.*jmp .*# \([0-9a-f]*\) .*/\1 \2/p' code
	sed -n 's/^ *\([0-9a-f]*\):.*adrp.* \([0-9a-f]*\) <.*/page \1 \2/p; s/.*ldr.*\[x16\].*/rest 0/p; s/.*ldr.*\[x16, #\([0-9]*\)\].*/rest \1/p' code |
		while read -r what offset rest; do
			case $what in
			page) from=$offset page=$rest ;;
			rest) printf '%s %x\n' "$from" $((16#$page + offset)) ;;
			esac
		done
}

# check ARCH PREFIX: a program of ARCH, made and looked at by the tools with that PREFIX.
check() {
	local text start offset
	# Each slot's resolver, and the names that it has; where each stub jumps.
	"$2readelf" -rW program | awk '/_IRELATIV/ { print "slot", $1, $NF }' | sed 's/ 0*\([0-9a-f]\)/ \1/g' >slots
	"$2nm" program | sed 's/^0*//' >names
	jumps "$2objdump" >stubs
	[ "$(wc -l <stubs)" -gt 5 ] || skip "the linker makes no stubs on $1"
	text=$("$2readelf" -lW program | awk '$1 == "LOAD" && / R E / { print $3, $2 }')
	read -r start offset <<<"$text"
	{
		echo "feature arch=$1"
		echo 'attr cycles type=0 config=0 sample=IP,TID,TIME ids=1'
		echo 'comm 100/100 "program" t=1'
		echo "mmap2 100/100 $start+0x200000@$offset r-xp \"$PWD/program\" t=2 $(build_id_of program)"
		awk '{ printf "sample 100/100 t=%d ip=0x%s mode=user\n", 9 + NR, $1 }' stubs
	} >made.txt
	"$mkdata" made.txt made.data
	"$PREC" script -F ip,sym -i made.data | awk '{ sub("@plt", "", $2); print $1, $2 }' >got
	awk 'FILENAME == "names" { of[$1] = of[$1] " " $3; next } $1 == "slot" { resolver[$2] = $3; next }
		{ print $1 of[resolver[$2]] " " }' names slots stubs >want
	expect "stubs of $1" "$(wc -l <want)" "$(wc -l <got)"
	awk 'NR == FNR { may[$1] = $0; next } !index(may[$1], " " $2 " ") { print "not one of " may[$1] ": " $2; bad = 1 }
		END { exit bad }' want got || fail "$1: see above"
}

made=
if [ "$(uname -m)" = x86_64 ] && "${CC:-cc}" -O1 -static -no-pie -o program program.c 2>/dev/null; then
	check x86_64 ""
	made=1
fi
if command -v aarch64-linux-gnu-gcc >/dev/null && aarch64-linux-gnu-gcc -O1 -static -no-pie -o program program.c 2>/dev/null; then
	check aarch64 aarch64-linux-gnu-
	made=1
fi
[ "$made" ] || skip "no static C library"
