#!/bin/bash
# Call chains as deep as the kernel's limit are reported as cut, by report and by script.
. "$(dirname "$0")/lib/prec.sh"
frames() { seq -s , -f '0x40%04.0f' "$1"; }
cat >text <<E2
attr cpu-clock sample=IP,TID,TIME,CALLCHAIN ids=1
comm 7/7 "seven" t=1
sample 7/7 t=2 ip=0x400001 event=cpu-clock chain=user,$(frames 127)
sample 7/7 t=3 ip=0x400001 event=cpu-clock chain=kernel,$(frames 100),user,$(frames 27)
sample 7/7 t=4 ip=0x400001 event=cpu-clock chain=user,$(frames 126)
sample 7/7 t=5 ip=0x400001 event=cpu-clock chain=user,$(frames 128)
E2
"$(helper mkdata/mkdata)" text data
"$PREC" script -i data 2>err >out
expect_finding chains-cut-by-kernel err '2 of 4 call chains'
"$PREC" report --stdio -i data 2>err >out
expect_finding chains-cut-by-kernel err '2 of 4 call chains'
# Without chains there is no message.
"$PREC" script -G -i data 2>err >out
expect 'without chains' '' "$(<err)"

# A frame pointer that points to itself is no chain that is too deep, wherever the kernel stopped: one address, again and again, that
# is no code. Recursion looks like it, but is in code.
again() { printf ",$1%.0s" $(seq "$2"); }
cat >text <<E2
attr cpu-clock sample=IP,TID,TIME,CALLCHAIN ids=1
comm 7/7 "seven" t=1
mmap2 7/7 0x400000+0x100000@0 r-xp "/nowhere/seven" t=1
mmap2 7/7 0x600000+0x100000@0 rw-p "//anon" t=1
sample 7/7 t=2 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x600010 125)
sample 7/7 t=3 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x900010 125)
sample 7/7 t=4 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x400020 125)
sample 7/7 t=5 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(again 0x600010 122),0x600020,0x600030,0x600040
E2
"$(helper mkdata/mkdata)" text data
"$PREC" script -i data 2>err >out
expect_finding chains-cut-by-kernel err '2 of 4 call chains'

# A loop of up to four addresses is one, too, if one of them is no code; recursion through two functions is not, nor are five.
turns() { printf ",$1%.0s" $(seq "$2"); }
loops() {
	echo 'attr cpu-clock sample=IP,TID,TIME,CALLCHAIN ids=1'
	echo 'comm 7/7 "seven" t=1'
	[ $# = 0 ] || printf '%s\n' "$@"
	echo "sample 7/7 t=2 ip=0x400001 event=cpu-clock chain=user,0x400001$(turns 0x600010,0x600020 63)"
	echo "sample 7/7 t=3 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010,0x400020$(turns 0x400030,0x600020,0x600030,0x600040 31)"
	echo "sample 7/7 t=4 ip=0x400001 event=cpu-clock chain=user,0x400001$(turns 0x400010,0x400020 63)"
	echo "sample 7/7 t=5 ip=0x400001 event=cpu-clock chain=user,0x400001,0x400010$(turns 0x600010,0x600020,0x600030,0x600040,0x600050 25)"
	echo "sample 7/7 t=6 ip=0xffffffff81000010 mode=kernel event=cpu-clock chain=kernel,0xffffffff81000010$(turns 0xffffffff81000020 126)"
}
loops 'mmap2 7/7 0x400000+0x100000@0 r-xp "/nowhere/seven" t=1' 'mmap2 7/7 0x600000+0x100000@0 rw-p "//anon" t=1' >text
"$(helper mkdata/mkdata)" text data
"$PREC" script -i data 2>err >out
expect_finding chains-cut-by-kernel err '3 of 5 call chains'
expect_finding chains-broken err '3 of 5 call chains of seven'

# Of a process whose maps are not known, whatever is repeated is in no file; that is told as broken, as nothing else is known there.
loops >text
"$(helper mkdata/mkdata)" text data
for command in "script" "report --stdio" "summary"; do
	# shellcheck disable=SC2086
	"$PREC" $command -i data >out 2>err
	cat out >>err
	grep -q '2 of 5 call chains .*depth that the kernel' err || fail "$command: cut chains without maps: $(<err)"
	grep -q '3 of 5 call chains of processes whose files are not known' err || fail "$command: loops without maps: $(<err)"
done

# Wake-ups by processes that were not recorded, as beside waits, are no chains of the program.
cat >waking <<'IN'
name: sched_waking
ID: 9
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

print fmt: "waking"
IN
loops 'mmap2 7/7 0x400000+0x100000@0 r-xp "/nowhere/seven" t=1' 'mmap2 7/7 0x600000+0x100000@0 rw-p "//anon" t=1' |
	sed -E 's/^attr.*/attr cpu-clock type=software sample=IDENTIFIER,IP,TID,TIME,CPU,CALLCHAIN sample_id_all context_switch ids=1/
		s/^(sample.*) event=cpu-clock/\1 id=1 cpu=0/' >text
{
	sed 1q text
	echo 'attr sched:sched_waking type=tracepoint config=9 sample=IDENTIFIER,IP,TID,TIME,CPU,CALLCHAIN,RAW sample_id_all ids=2'
	echo 'feature tracing=sched:waking'
	sed 1d text
	for at in 10 11 12; do
		echo "sample 9/9 t=$at event=sched:sched_waking id=2 cpu=0 ip=0x400001 chain=user,0x400001$(turns 0x600010,0x600020 63) raw=09000000"
	done
	echo 'switch out 7/7 t=20 cpu=0'
	echo 'switch in 7/7 t=30 cpu=0'
} >waking.text
"$(helper mkdata/mkdata)" waking.text data
"$PREC" script --off-cpu -i data >out 2>err
expect_finding chains-cut-by-kernel err '3 of 5 call chains'
! grep -q 'whose files are not known' err || fail "wakers count as broken chains: $(<err)"

# Chains of a file that are broken, too, are told in the same line.
{
	loops
	printf '%s\n' 'comm 8/8 "eight"' 'mmap2 8/8 0x400000+0x1000@0 r-xp "/nowhere/eight"' 'sample 8/8 t=9 ip=0x400010 event=cpu-clock chain=user,0x400010,0x400020,0x8,0x10'
} >text
"$(helper mkdata/mkdata)" text data
for command in "script" "report --stdio" "summary"; do
	# shellcheck disable=SC2086
	"$PREC" $command -i data >out 2>err
	expect "$command: lines on broken chains" 1 "$(cat out err | grep -c 'call chains of .* the program.s code')"
	cat out err | grep -q '4 of 6 call chains of processes whose files are not known, eight leave' || fail "$command: broken chains: $(<err)"
done

# What record found of chains while it unwound them comes back from the file, with its numbers, and does not hinder perf.
(need_events) || exit 0
case $(uname -m) in x86_64 | aarch64) ;; *) exit 0 ;; esac
cat >cut.c <<'E2'
static volatile unsigned long s;
__attribute__((noinline)) static int f(int n)
{
	char b[1000];

	b[n] = n;
	if (n)
		return f(n - 1) + b[n];
	for (int i = 0; i < 20000000; i++)
		s += i;
	return b[0];
}
int main(void)
{
	return f(100) + f(100) + f(100) == 1;
}
E2
${CC:-cc} -O1 -fomit-frame-pointer -o cut cut.c
for how in auto 'dwarf,8192 --unwind=live'; do
	# shellcheck disable=SC2086
	"$PREC" record -e cpu-clock:u -F 997 --call-graph $how -o cut.data -- ./cut >out 2>err
	grep -o '^prec: .* \[chains-[a-z-]*\]$' err | sort >recorded
	grep -q 'chains-cut-by-stack' recorded || fail "$how: no chain is cut: $(<err)"
	for command in 'report --stdio' script 'export -o cut.folded'; do
		# shellcheck disable=SC2086
		"$PREC" $command -i cut.data >out 2>err
		expect_same "$command of $how" recorded <(grep -o '^prec: .* \[chains-[a-z-]*\]$' err | sort)
	done
	"$PREC" summary -i cut.data >out 2>&1
	grep -q chains-cut-by-stack out || fail "summary of $how: $(<out)"
	"$PREC" verify cut.data >out 2>&1 || true
	expect "verify of $how" "$(sed 's/.*\[\(.*\)\]/\1/' recorded)" "$(grep -o 'chains-[a-z-]*:' out | tr -d : | sort)"
	! command -v perf >/dev/null || expect "$how: perf's samples" "$("$PREC" script -F tid -i cut.data 2>err | wc -l)" \
		"$(perf script -F tid -i cut.data 2>err </dev/null | wc -l)"
done
