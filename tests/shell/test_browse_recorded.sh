#!/bin/bash
# The browser shows the same as report for real recordings, with code, inlined functions, branches, groups, of other machines.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser
need_events

"$PREC" record -q -g -e cpu-clock:u -o demo.data "$(workload demo)" >/dev/null 2>&1
start_terminal 200x60
browse report --children -i demo.data
pressed 'functions [0-9]'
rows_match
pressed o 'ordered by samples in the function itself'
rows_match
keys Home
pressed a 'Percent'
annotate_match
for size in 80x24 120x12 200x60; do
	in_tmux resize-window -t t -x "${size%x*}" -y "${size#*x}"
	await 20 eval '[ "$(screen | wc -l)" = '"${size#*x}"' ] && screen | tail -1 | grep -F "? help" >/dev/null'
	annotate_match
done
pressed q 'functions [0-9]'
pressed p 'threads 1/'
threads_match
pressed Enter 'thread '
rows_match
pressed a 'Percent'
annotate_match
pressed Home 'annotate 1/'
pressed / 'search:'
pressed demo.c: Enter 'annotate 3/'
pressed n 'annotate [4-9]'
pressed q 'functions [0-9]'
pressed T 'timeline 1/'
keys v Right Right Right Right Right
pressed Enter ' > [0-9.e-]*-[0-9.]* s$'
pressed p 'threads 1/1'
threads_match
pressed f 'functions [0-9]'
rows_match
pressed a 'Percent'
annotate_match
pressed q 'functions [0-9]'
keys BSpace BSpace
await 20 eval '! screen | sed -n 2p | grep thread >/dev/null'
pressed c 'call tree 1/'
pressed E 'call tree 1/'
tree_match
pressed g 'flame graph'
flame_match "$(screen | sed -n '3s/.*\[.\] \([^ ]*\)  .*/\1/p')"
pressed w 'findings 1/'
pressed i 'header 1/'
shows '# cmdline : .*demo' || fail "the header: $(screen)"
keys q q q q q
left

# Files of perf, of many ages and machines.
with_corpus "the browser's numbers of others' files" || exit 0
for f in quipper/perf.data.callgraph_and_branch-3.4 quipper/perf.data.branch-4.14 quipper/perf.data.busy.0-3.4 \
	quipper/perf.data.group_desc-4.14 quipper/perf.data.armv7-3.4 quipper/perf.data.callgraph-3.8 \
	perfparser/vector_static_gcc/perf.data linux-perf-data/sleep.data; do
	[ -f "$PREC_CORPUS/$f" ] || continue
	browse report --children -i "$PREC_CORPUS/$f"
	pressed 'functions [0-9]'
	rows_match
	pressed o 'ordered by\|functions'
	rows_match
	pressed p 'threads [0-9]'
	threads_match
	pressed g 'flame graph'
	keys C-c
	left
done
