#!/bin/bash
# A trace of the kernel, of modules and of what the kernel made is followed through a kcore, exactly; what a kcore does not vouch for is a gap.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/kcore.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need as
need ld
cat >calls.c <<'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int v[100];
	struct timespec t;

	for (int i = 0; i < 100; i++)
		v[i] = i * 7919 % 101;
	qsort(v, 100, sizeof(*v), compare);
	for (int i = 0; i < 20; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return v[0] + (t.tv_sec == 0);
}
EOC
cc -O1 -pie -fPIE -Wl,-z,now -o calls calls.c
# Its code, libc's, the vdso's and the loader's stand for a module's, the kernel's, the kernel's own making and a module's.
PT_KERNEL=yes pt_traces t 1000000 psb=2048 "cyc,async=500,psb=700" -- "$PWD/calls"
nr=$(wc -l <t.maps)
[ "$nr" -ge 3 ] || fail "the program has $nr ranges of code"
home=$PWD/home HOME=$PWD/home
mkdir home
from() { sed -n "$1s/-.*//p" t.maps; }
to() { sed -n "$1s/.*-\([0-9a-f]*\) .*/\1/p" t.maps; }
size() { printf '%#x' $((0x$(to "$1") - 0x$(from "$1"))); }
names=(none fake kernel made loader made2 loader2)
PT_KERNEL="mmap -1/0 0x$(from 2)+$(size 2)@0x$(from 2) \"[kernel.kallsyms]_text\" t=0 event=intel_pt id=1"
for ((i = 1; i <= nr; i++)); do
	case ${names[i]} in
	fake | loader*) PT_KERNEL+=$'\n'"mmap -1/0 0x$(from $i)+$(size $i)@0 \"/lib/modules/x/${names[i]}.ko\" t=0 event=intel_pt id=1" ;;
	made*) PT_KERNEL+=$'\n'"ksymbol 0x$(from $i)+$(size $i) \"${names[i]}\" type=2 t=1 event=intel_pt id=1" ;;
	esac
done
id=0123456789abcdef0123456789abcdef01234567
PT_EVENTS="buildid -1 $id \"[kernel.kallsyms]\""
PT_REFERENCE=0x2000000
pt_recording t 1 0xe601 -1 100 100000000
pt_recording t 2 0xe603 0 -1 4777

# lists DIR [TEXT-ADDRESS]: what belongs to a kcore.
lists() {
	mkdir -p "$1"
	{
		echo "${2:-$(from 2)} T _text"
		echo "$(to 2) T _etext"
		for ((i = 1; i <= nr; i++)); do
			case ${names[i]} in
			fake | loader*) printf '%s t start_of_%s\t[%s]\n' "$(from $i)" "${names[i]}" "${names[i]}" ;;
			made*) printf '%s t %s\t[__builtin__ftrace]\n' "$(from $i)" "${names[i]}" ;;
			esac
		done
	} >"$1/kallsyms"
	for ((i = 1; i <= nr; i++)); do
		[[ ${names[i]} = @(fake|loader*) ]] || continue
		echo "${names[i]} $(($(size $i))) 0 - Live 0x$(from $i)"
	done >"$1/modules"
}
directory() { # N: the recording t.N.data as a directory t.N
	mkdir -p "t.$1"
	cp "t.$1.data" "t.$1/data"
	lists "t.$1/kcore_dir"
	kcore t.maps "t.$1/kcore_dir/kcore"
}
instructions() { "$PREC" script --itrace=i1i -F ip "$@" 2>messages | tr -d ' ' >got; }
check() { # WHAT N OPTIONS...: every instruction is there
	instructions "${@:3}"
	expect_same "$1: $(head -3 messages)" "t.$2.exp" got
	expect "$1: messages" "" "$(cat messages)"
}

for n in 1 2; do
	[ "$(wc -l <t.$n.exp)" -gt 20000 ] || fail "too few instructions"
	directory $n
	check "the recording's directory, set $n" $n -i t.$n
	check "by five workers" $n -j5 -i t.$n
done
check "beside the kallsyms that is given" 1 --kallsyms t.1/kcore_dir/kallsyms -i t.1.data
cache="home/.debug/[kernel.kcore]/$id"
mkdir -p "$cache/2026010100000000"
cp t.1/kcore_dir/* "$cache/2026010100000000/"
lists "$cache/2026010200000000" ffffffff81000000
cp t.1/kcore_dir/kcore "$cache/2026010200000000/"
check "the cache, where the newest is of another boot" 1 -i t.1.data
rm -r home/.debug

# What is printed is what is there.
"$PREC" script --itrace=i1i -F ip,insn -i t.1 2>/dev/null | sort -u | shuf -n 60 --random-source=t.img >lines
while read -r ip _ bytes; do
	while read -r range _ off _; do
		((0x$ip >= 0x${range%-*} && 0x$ip < 0x${range#*-})) && at=$((0x$off + 0x$ip - 0x${range%-*}))
	done <t.maps
	expect "the bytes at $ip" "$(od -An -v -tx1 -j "$at" -N "$(wc -w <<<"$bytes")" t.img | tr -d '\n' | xargs)" "$bytes"
done <lines

# Stock perf reads the same directory.
for perf in $(perfs); do
	[ -x "$perf" ] || continue
	"$perf" script --itrace=i1i -F ip -i t.1 2>/dev/null </dev/null | tr -d ' ' >got || continue
	expect_same "$perf" t.1.exp got
done

# Code that changed while it was traced: an instruction that ran only in the first third of the time is another one from the
# middle on, one that ran only in the last third was another one until then. The kcore has neither: it may be of any time.
paste t.1.exp t.1.times | awk '{ if (!($1 in first)) first[$1] = $2; last[$1] = $2; end = $2; if (NR == 1) begin = $2 }
	END { third = (end - begin) / 3
		for (ip in first) {
			if (last[ip] < begin + third) early = early < ip ? ip : early
			if (first[ip] > end - third) late = late < ip ? ip : late
		}
		print early, late, int((begin + end) / 4) }' >chosen	# a nanosecond is two ticks
read -r early late middle <chosen
[ "$late" ] || fail "no instruction ran only at the end: $(cat chosen)"
at_of() { # ADDRESS: where in the image
	local range off from=-1
	while read -r range _ off _; do
		((0x$1 < 0x${range%-*} || 0x$1 >= 0x${range#*-})) || from=$((0x$off + 0x$1 - 0x${range%-*}))
	done <t.maps
	echo $from
}
poke() { # ADDRESS: one byte of it is another in the kcore
	printf '\x06' | dd of=poked/kcore_dir/kcore bs=1 seek=$((4096 + $(at_of "$1"))) conv=notrunc status=none
}
byte() { od -An -v -tx1 -j "$(at_of "$1")" -N 1 t.img | tr -d ' '; }
PT_KERNEL+="
text_poke 0x$early old=$(byte $early) new=06 t=$middle event=intel_pt id=1
text_poke 0x$late old=06 new=$(byte $late) t=$middle event=intel_pt id=1"
cp t.1.data unpoked.data
pt_recording t 1 0xe601 -1 100 100000000
cp -r t.1 poked
chmod u+w poked/kcore_dir/kcore
mv t.1.data poked/data
mv unpoked.data t.1.data
poke $early
poke $late
check "code that changes" 1 -i poked
check "by five workers" 1 -j5 -i poked
cp t.1.data poked/data
instructions -i poked
cmp -s t.1.exp got && fail "what was changed is not run"

# The kernel's text from a vmlinux that is linked elsewhere, that of one module from its file, the rest from a kcore without these.
object() { # RANGE NAME: the range's code as an object
	local at
	at=$(sed -n "$1s/^[^ ]* [^ ]* \([0-9a-f]*\) .*/\1/p" t.maps)
	printf '.globl _text\n_text: .incbin "t.img", %d, %d\n' $((0x$at)) $(($(size "$1"))) | as -o "$2" -
}
object 2 kernel.o
ld -Ttext=0xffffffff81000000 -e 0 --build-id=0x$id -o vmlinux kernel.o
mkdir -p elsewhere fs/lib/modules/x
object 1 fs/lib/modules/x/fake.ko
cp -r t.1 elsewhere/t
chmod u+w elsewhere/t/kcore_dir/*
sed -i '/^fake/d' elsewhere/t/kcore_dir/modules
sed '1,2d' t.maps >rest.maps
kcore rest.maps elsewhere/t/kcore_dir/kcore
cp vmlinux fs/
check "a vmlinux and a module's file" 1 --symfs fs -k /vmlinux -i elsewhere/t
# An installed one is found by its build id; one of another build is not taken.
rm elsewhere/t/kcore_dir/kallsyms
mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
cp vmlinux "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
instructions -i t.1.data
grep -q "'\[kernel" messages && fail "the cache's vmlinux is not used: $(cat messages)"
rm -r home/.debug
ld -Ttext=0xffffffff81000000 -e 0 --build-id=0x${id/0/1} -o vmlinux kernel.o
instructions -k vmlinux -i t.1.data
expect_finding unusable-vmlinux messages "'vmlinux' is not the kernel of the recording"
expect "instructions by another build's vmlinux" 0 "$(wc -l <got)"

# Nothing is there: a gap for each entry, the reason, and what would help.
instructions -i t.1.data
expect "instructions without code" 0 "$(wc -l <got)"
grep -q 'gaps in 0 instructions: .*no code at this address' messages || fail "no code: $(cat messages)"
grep -qF "no code of '[kernel.kallsyms]': what ran there cannot be followed [no-kernel-code]" messages ||
	fail "no hint: $(cat messages)"
# Another kernel's, or the same moved.
mv t.1/kcore_dir/kallsyms kallsyms
lists t.1/kcore_dir ffffffff81000000
instructions -i t.1
expect "instructions of a kernel elsewhere" 0 "$(wc -l <got)"
# A module that is not listed where it was, and the rest.
mv kallsyms t.1/kcore_dir/
sed -i '/^fake/s/0x/0x1/' t.1/kcore_dir/modules
instructions -i t.1
grep -qF "no code of '[fake]'" messages || fail "a module elsewhere: $(cat messages)"
grep -q "\[kernel\|made\|loader" messages && fail "more is missing: $(cat messages)"
awk -v from="$(from 1)" -v to="$(to 1)" '$1 >= from && $1 < to { exit 1 }' got || fail "code of a module that was elsewhere"
[ "$(comm -23 <(sort got) <(sort t.1.exp) | wc -l)" = 0 ] || fail "instructions that did not run"
