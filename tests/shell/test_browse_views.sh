#!/bin/bash
# Whatever the browser is made to show, the command that it names for it prints the same numbers: views, filters, events, sizes.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser

"$(helper mkdata/mkdata)" "$(browse_recording)" in.data
start_terminal 200x60
browse report --children -i in.data

# Functions, by both orders, opened, filtered by everything there is.
pressed 'functions [0-9]'
rows_match all
pressed o 'ordered by samples in the function itself'
rows_match all
pressed o 'ordered by samples with those of callees'
pressed F 'percents of what passes'
pressed p 'threads 1/3'
threads_match
keys Down
pressed t 'thread [a-z]* [12]0'
threads_match
pressed q 'functions [0-9]'
rows_match all
pressed F 'percents of all samples'
rows_match all
pressed Tab 'page-faults: '
rows_match all
pressed Tab 'cpu-clock: '
# A typed text filters at each key; how many rows it leaves, and their share, are those of report. Esc takes it back.
pressed / 'only functions with:'
keys f
await 20 shows '4 of 8 functions, '
expect "the share of functions with f" "$("$PREC" report -i in.data --stdio --no-children -e cpu-clock -s symbol -g none \
	--tid "$(screen | sed -n '2s/.*thread [a-z]* \([0-9]*\).*/\1/p')" \
	2>/dev/null | rows_of | awk '/\] f[4-7]$/ { s += $1 } { all += $1 } END { printf "%.1f", 100 * s / all }')" \
	"$(screen | tail -1 | sed -n 's/.* functions, \([0-9.]*\)% own time in them.*/\1/p' | awk '{ printf "%.1f", $1 }')"
expect "rows" 4 "$(screen | rows_of | wc -l)"
pressed 4 '1 of 8 functions, '
pressed BSpace '4 of 8 functions, '
keys Escape
await 20 eval '[ "$(screen | rows_of | wc -l)" = 8 ] && ! shows "only functions"'
keys End
pressed s ' > '
rows_match
pressed BSpace ' thread [a-z]* [12]0.$'
keys / templ Enter
pressed '/templ'
rows_match all
pressed F 'percents of what passes'
rows_match all
pressed s '> templ<int'
rows_match all
pressed F 'percents of all samples'
pressed Escape '/templ$'
pressed Escape ' thread [a-z]* [12]0.$'
keys Escape
await 20 eval '! screen | sed -n 2p | grep thread >/dev/null'
keys L 35 Enter
await 20 eval '[ "$(screen | rows_of | wc -l)" -lt 8 ]'
rows_match all
keys L 0 Enter
await 20 eval '[ "$(screen | rows_of | wc -l)" = 8 ]'

# A range of time holds in all views.
pressed T 'timeline 1/4'
timeline_match
keys v NPage NPage Right Right
pressed Enter ' s$'
rows_match all
pressed T 'timeline 1/'
timeline_match
pressed p 'threads 1/3'
threads_match
pressed f 'functions [0-9]'
rows_match all

# Trees, both ways.
pressed c 'call tree 1/'
tree_match
pressed E 'call tree 1/'
tree_match
pressed d 'function_\|\[kernel\|ksym\|  *[^ ]* > \| > '
tree_match
pressed BSpace 'call tree 1/'
pressed r 'call tree 1/'
pressed r 'call tree 1/'
pressed b 'callers and callees'
sandwich_match
pressed + 'callers and callees'
pressed f 'functions [0-9]'
pressed b 'callers and callees'
sandwich_match
pressed q 'functions [0-9]'
pressed BSpace 'functions [0-9]'
rows_match all

# Samples one by one: of all events, under filters, with their call chains.
keys Down Down
await 20 shows 'functions 3/'
pressed S 'samples 1/'
samples_match
keys Space
await 20 eval '[ "$(screen | grep -c "^                \[k\]")" -ge 1 ]'
chain=$(screen | awk '/^                \[k\]/ { sub(/^ *\[k\] /, ""); sub(/  [^ ].*$/, ""); print; on = 1; next } on { exit }')
row=$(screen | sed -n 4p)
expect "the chain of the first sample" "$(sed -E 's/.*(cpu-clock|page-faults)  //; s/ *$//' <<<"$row")" \
	"$(awk '{ printf "%s%s", (NR > 1 ? " < " : ""), $0 }' <<<"$chain")"
pressed Space 'samples 1/'
pressed p 'threads 1/3'
pressed Enter ' thread [a-z]* [12]0'
pressed S 'samples 1/'
samples_match
pressed q 'functions [0-9]'
pressed BSpace 'functions [0-9]'

# The flame graph, from the widest bar down, zoomed or not.
pressed g 'flame graph'
widest=$(screen | sed -n '3s/.*\[k\] \(.*\)  .*/\1/p')
flame_match "$widest"
keys Down
await 20 eval '! screen | sed -n 3p | grep -F "[k] $widest  " >/dev/null'
below=$(screen | sed -n '3s/.*\[k\] \(.*\)  .*/\1/p')
flame_match "$widest;$below"
keys Enter
await 20 eval 'screen | sed -n 5p | grep -F "▏$below" | grep -vF "▏$widest" >/dev/null'
flame_match "$widest;$below"
pressed q 'functions [0-9]'

# Every view at every size: what is shown is drawn again, and nothing is lost.
for view in f b S c g T p w i '?'; do
	[[ $view != [bS] ]] || pressed f 'functions [0-9]'
	keys $view
	for size in 40x10 80x24 120x40 20x5 200x60; do
		in_tmux resize-window -t t -x "${size%x*}" -y "${size#*x}"
		await 20 eval "screen | sed -n '1p' | grep -F ' prec report  in.data' >/dev/null || [ ${size#*x} -lt 6 ] || [ ${size%x*} -lt 50 ]"
	done
	await 20 shows '? help'
	[ $view != b ] || sandwich_match
	[ $view != S ] || samples_match
done
pressed f 'functions [0-9]'
rows_match all
pressed b 'callers and callees'
in_tmux resize-window -t t -x 80 -y 24
await 20 eval '[ "$(screen | sed -n 1p | wc -m)" -lt 90 ]'
sandwich_match
in_tmux resize-window -t t -x 200 -y 60
await 20 eval '[ "$(screen | sed -n 1p | wc -m)" -gt 90 ]'
sandwich_match
keys q q
left

# The command line's own filters can be undone, and are those that the text has.
browse report --children -i in.data --tid 101 --percentage relative --no-children
pressed 'thread worker 101'
rows_match all
pressed BSpace 'functions [0-9]'
rows_match all
keys q
left

# As many samples as are wanted, of all of its time.
browse report --children -i in.data --samples=10
pressed 'functions 1/'
pressed S '10 of [0-9]* samples are shown'
pressed Down 'samples 2/10 '
keys q q
left

# Others narrow what is read.
browse report --children -i in.data --tid 100,101 --time 1.1,1.4 -e page-faults
pressed 'page-faults: '
rows_match all
pressed T 'timeline 1/'
pressed Enter ' s$'
pressed f 'functions [0-9]'
rows_match all
keys q
left
