#!/bin/bash
# Address filters of hardware trace reach the kernel in the words that perf gives it, and a wrong one says what is wrong.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/sysfs.sh"
need_perf
need cc

# Two functions of one name, a global one among others, and one that has no size.
cat >one.c <<'EOS'
static int __attribute__((noinline)) twice(int x) { return x + 1; }
int other(int x);
int main(int argc, char **argv) { (void)argv; return other(argc) + twice(argc); }
EOS
cat >two.c <<'EOS'
static int __attribute__((noinline)) twice(int x) { return x * 3; }
int other(int x) { return twice(x); }
__asm__(".text\nbare:\n\tnop\n\tnop\n");
EOS
cc -O1 -o program one.c two.c
make_sysfs sys
pmu sys intel_pt 9 nr_addr_filters=2 format/tsc=config:10
pmu sys arm_spe_0 10 format/ts_enable=config:0
export SYSFS_PATH=$PWD/sys

ours() {
	WANTED=any "$PREC" record -v --dry-run -e "${level:-intel_pt//}" "$@" true 2>&1
}

# What perf's versions give the kernel is the same.
theirs() {
	"$PERF" record -v --dry-run -e intel_pt// "$@" true 2>&1
}

same() {
	local want got
	want=$(theirs "$@" | sed -n 's/^Address filter: //p')
	got=$(ours "$@" | sed -n "s/.*address filter of 'intel_pt..': //p")
	[ "$want" ] || fail "perf takes no '$*': $(theirs "$@")"
	expect "$*" "$want" "$got"
}

same --filter 'filter main @ ./program'
same --filter 'start main @ ./program , stop other @ ./program'
same --filter 'tracestop other @program'
same --filter 'start other / 0x10 @ program'
same --filter 'filter main / other @ ./program'
same --filter 'filter 0x1000/0x20@./program'
same --filter 'filter 4096/32@program start 0@program'
same --filter 'filter twice #1 @ ./program'
same --filter 'filter twice #2 @ ./program,filter other #g @ ./program'
same --filter 'filter other #0 @ ./program'
same --filter 'filter 0xffffffff81000000 / 4096'
same --filter 'filter 0xffffffff81000000/4096' --filter 'stop 0xffffffff81000000'
kernel=$(awk '$1 !~ /^0*$/ && $3 == "schedule" { print $3; exit }' /proc/kallsyms)
if [ "$kernel" ]; then
	same --filter 'start schedule stop schedule_timeout'
	same --filter 'filter schedule'
	same --filter 'filter schedule_timeout #1'
fi

# A label without a size ends where the next function begins; all functions are where the code is.
range() {
	ours --filter "$1" | sed -n "s/.*: filter \(0x[0-9a-f]*\).\(0x[0-9a-f]*\)@.*/\1 \2/p"
}
text=$(objdump -h program | awk '$2 == ".text" { print $6, $3 }')
read -r from size <<<"$(range 'filter * @ program')"
[ $((from)) -le $((0x${text% *})) ] && [ $((from + size)) -ge $((0x${text% *} + 0x${text#* })) ] ||
	fail "'*' is $from/$size, .text $text"
segment=$(readelf -lW program | awk '$1 == "LOAD" && / E / { print $2, $5 }')
[ $((from)) -ge $((${segment% *})) ] || fail "'*' begins at $from, before the code's segment ($segment)"
[ "$(range 'filter bare @ program')" ] || fail "no label"

wrong() {	# message filter
	local status=0 said
	said=$(ours --filter "$2") || status=$?
	expect "status of '$2'" 129 $status
	case $said in
	*"$1"*)	;;
	*)	fail "'$2': wanted '$1', got: $said";;
	esac
}
wrong 'did you mean twice' 'filter twic @ program'
wrong "several functions 'twice' in program: #1 at 0x" 'filter twice @ program'
wrong 'no such one of the functions' 'filter twice #3 @ program'
wrong 'no such one of the functions' 'filter twice #g @ program'
wrong 'takes 2 address filters, not 3' 'filter 1/2 filter 1/2 filter 1/2'
wrong 'needs a size' 'filter 0x1000@program'
wrong 'before it begins' 'filter other / main @ program'
wrong 'No such file' 'filter main @ nosuch'
wrong 'not an ELF file' 'filter main @ one.c'
wrong "no action at 'trace main'" 'trace main'
wrong 'no place' 'filter @ program'
wrong 'no file' 'filter 1/2 @'
wrong 'no number' 'filter 12x/3'
level=intel_pt//u wrong 'traces user space only' 'filter 0xffffffff81000000/4096,filter main @ program'
level=intel_pt//k wrong 'traces the kernel only' 'filter main @ program'
expect_status 129 "$PREC" record --dry-run -e arm_spe_0// --filter 'filter 1/2' true 2>said
grep -q "'arm_spe_0' has none" said || fail "$(cat said)"
expect_status 129 "$PREC" record --dry-run -e cpu-clock --filter 'filter 1/2' true 2>said
grep -q 'hardware trace' said || fail "$(cat said)"
