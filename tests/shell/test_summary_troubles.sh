#!/bin/bash
# Ten troubles are told by summaries, four at most and 8 kB together, each of which names the next; and by the first screen of the first.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'
CC=${CC:-cc}
need strip

# tells WHAT FILE REGEX...: all of them stand in the summary, or in those that it and its followers name first.
tells() {
	local what=$1 file=$2 command n=0 found
	shift 2
	: >all
	command="prec summary -i '$file'"
	while [ "$command" ] && [ $n -lt 4 ]; do
		n=$((n + 1))
		eval "\"\$PREC\" ${command#prec } --budget=4000" >page 2>/dev/null
		cat page >>all
		[ "$(wc -c <all)" -le 8192 ] || break
		found=yes
		for regex; do
			grep -E -- "$regex" all >/dev/null || found=
		done
		[ -z "$found" ] || return 0
		command=$(sed -n 's/^next: \(prec summary .*\)/\1/p' page)
	done
	fail "$what is not told by $n summaries of $(wc -c <all) bytes: $(cat all)"
}

# on_first WHAT FILE REGEX: a line of the screen of 80x24 has it, and at most five lines stand above the first row.
on_first() {
	local first
	on_screen "$PREC summary -i $2" >first
	[ "$(tail -1 first)" = 'ready>' ] || keys q
	grep -E -- "$3" first >/dev/null || fail "$1 is not on the first screen: $(<first)"
	first=$(grep -n -m 1 -E '^ *[0-9]+\.[0-9]+ %' first | cut -d: -f1)
	[ "${first:-99}" -le 6 ] || fail "$1: many lines are above the first row: $(<first)"
}

# Those that samples tell of.
{
	echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,ID sample_id_all=1 ids=1"
	echo "feature arch=x86_64"
	echo 'comm 100/100 "busy"'
	for n in {1..95}; do
		echo "sample 0/0 t=$((n * 4000000)) ip=0xffffffff81000000 mode=kernel period=4000000 cpu=0 id=1"
	done
	for n in {96..100}; do
		echo "sample 100/100 t=$((n * 4000000)) ip=0x400000 mode=user period=4000000 cpu=0 id=1"
	done
} >idle.txt
sed 's/^comm.*/&\nlost_samples n=300 id=1/' idle.txt >lost.txt
{ cat idle.txt; for n in 1 2 3; do echo "throttle t=$((n * 40000000)) id=1"; done; } >throttled.txt
for name in idle lost throttled; do
	"$(helper mkdata/mkdata)" $name.txt $name.data
done
start_terminal 80x24
tells "an idle machine" idle.data '^event: .*idle 95\.0 %'
tells "lost samples" lost.data 'warning lost-samples: .*300'
tells "throttling" throttled.data 'warning throttled: .*3'
on_first "an idle machine" idle.data 'idle 95\.0 %'
on_first "lost samples" lost.data '^300 of 400 samples were lost'
on_first "throttling" throttled.data '^the kernel stopped sampling 3 times'

need_events kernel
record() { "$PREC" record -o "$@" >/dev/null 2>record.err || fail "$(cat record.err)"; }
troubles=$(workload troubles)

record hot.data -g -F 997 "$troubles" hot
tells "a hot loop" hot.data ' [6-9][0-9]\.[0-9]+ % .*  hot_loop  \(troubles\)| 100\.00 % .*  hot_loop  '
on_first "a hot loop" hot.data '% .* hot_loop '

record thread.data -g -F 997 "$troubles" thread
tells "one bad thread" thread.data ' [6-9][0-9]\.[0-9]+ % .*  greedy  \(process [0-9]+\)'
on_first "one bad thread" thread.data ' [6-9][0-9]\.[0-9]+ % .* greedy '

# Page faults are a third of the time at least, more where the machine is virtual.
record faults.data --call-graph auto -F 997 "$(workload faults)" 60000
tells "a storm of page faults" faults.data 'touch_pages > .*'
on_first "a storm of page faults" faults.data 'touch_pages'
record faults.data -e page-faults -c 10 -g "$(workload faults)" 60000
tells "a storm of page faults, as an event" faults.data '^event: page-faults' ' 9[0-9]\.[0-9]+ % .*  touch_pages  \(faults\)| 100\.00 % .*  touch_pages'

# What the program waits for, and where it does. The caller of a function without a frame is not in the kernel's own call chains.
if "$PREC" record --off-cpu --call-graph auto -o lock.data "$troubles" lock >/dev/null 2>&1; then
	tells "a lock" lock.data 's off the CPU' ' [0-9]+\.[0-9]+ % .*  (futex|condition)$' '(take_turns|waiter) > .*futex'
	record syscall.data --off-cpu --call-graph auto "$troubles" syscall
	tells "a slow system call" syscall.data ' [0-9]+\.[0-9]+ % .*  pipe$' '(slow_read|wait_in_read) > .*(vfs|anon_pipe|pipe)_read'
	on_first "a lock" lock.data '% .*waiting: futex, in take_turns'
	on_first "a slow system call" syscall.data '% .*waiting: pipe, in slow_read'
else
	part_skipped "waits: switches cannot be recorded here"
fi

cat >deep.c <<'E2'
volatile unsigned sum;
__attribute__((noinline)) void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i; __asm__ volatile("" ::: "memory"); }
__attribute__((noinline)) void middle(unsigned n, char *at) { char room[64]; __asm__ volatile("" : : "r"(room), "r"(at) : "memory", "rbp"); leaf(n); __asm__ volatile("" ::: "memory"); }
int main(void) { char c = 0; for (int i = 0; i < 300; i++) middle(500000, &c); return 0; }
E2
if [ "$(uname -m)" = x86_64 ]; then
	$CC -O1 -fomit-frame-pointer deep.c -o deep
	record broken.data --call-graph fp -F 997 ./deep
	tells "broken stacks" broken.data 'warning chains-broken: .* of deep' 'record with --call-graph auto'
	on_first "broken stacks" broken.data 'call chains of deep leave the program'
	sed 's/500000/400001/' deep.c >other.c	# nothing that is kept has its build id
	$CC -O1 other.c -o stripped
	strip stripped
	record stripped.data -F 997 -N ./stripped
	tells "missing symbols" stripped.data 'note no-symbol: [0-9]+ of [0-9]+ .*/stripped. .stripped:' \
		'stripped@0x[0-9a-f]+  \(stripped\)' 'prec report --unresolved'
	on_first "missing symbols" stripped.data '% .* stripped@0x'
else
	part_skipped "broken stacks and missing symbols: code of x86 is made here"
fi
