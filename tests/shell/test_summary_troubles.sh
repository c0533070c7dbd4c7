#!/bin/bash
# Ten troubles are told by summaries, four at most and 8 kB together, each of which names the next; and by the first screen of the first.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/troubles.sh"
at_end 'end_terminal'
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

make_sample_troubles
start_terminal 80x24
tells "an idle machine" idle.data '^event: .*idle 95\.0 %'
tells "lost samples" lost.data 'warning lost-samples: .*300'
tells "throttling" throttled.data 'warning throttled: .*3'
on_first "an idle machine" idle.data 'idle 95\.0 %'
on_first "lost samples" lost.data '^300 of 400 samples were lost'
on_first "throttling" throttled.data '^the kernel stopped sampling 3 times'

need_events kernel
make_cpu_troubles
tells "a hot loop" hot.data ' [6-9][0-9]\.[0-9]+ % .*  hot_loop  \(troubles\)| 100\.00 % .*  hot_loop  '
on_first "a hot loop" hot.data '% .* hot_loop '

tells "one bad thread" thread.data ' [6-9][0-9]\.[0-9]+ % .*  greedy  \(process [0-9]+\)'
on_first "one bad thread" thread.data ' [6-9][0-9]\.[0-9]+ % .* greedy '

tells "a storm of page faults" faults.data 'touch_pages > .*'
on_first "a storm of page faults" faults.data 'touch_pages'
record_trouble faults.data -e page-faults -c 10 -g "$(workload faults)" 60000
tells "a storm of page faults, as an event" faults.data '^event: page-faults' ' 9[0-9]\.[0-9]+ % .*  touch_pages  \(faults\)| 100\.00 % .*  touch_pages'

# What the program waits for, and where it does. The caller of a function without a frame is not in the kernel's own call chains.
if make_wait_troubles; then
	tells "a lock" lock.data 's off the CPU' ' [0-9]+\.[0-9]+ % .*  (futex|condition)$' '(take_turns|waiter) > .*futex'
	tells "a slow system call" syscall.data ' [0-9]+\.[0-9]+ % .*  pipe$' '(slow_read|wait_in_read) > .*(vfs|anon_pipe|pipe)_read'
	on_first "a lock" lock.data '% .*waiting: futex, in take_turns'
	on_first "a slow system call" syscall.data '% .*waiting: pipe, in slow_read'
else
	part_skipped "waits: switches cannot be recorded here"
fi

if make_code_troubles; then
	tells "broken stacks" broken.data 'warning chains-broken: .* of deep' 'record --call-graph auto'
	on_first "broken stacks" broken.data 'call chains of deep(, [.]{3})? leave the program'
	tells "missing symbols" stripped.data 'note no-symbol: [0-9]+ of [0-9]+ .*/stripped. .stripped:' \
		'stripped@0x[0-9a-f]+  \(stripped\)' 'prec report --unresolved'
	on_first "missing symbols" stripped.data '% .* stripped@0x'
else
	part_skipped "broken stacks and missing symbols: code of x86 is made here"
fi
