#!/bin/bash
# A view that is shown again has the numbers of the filters that are in force by then, whatever it had before.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
at_end 'end_terminal'
need_browser
program_recording in.data
start_terminal 200x60
browse report --children -i in.data
pressed 'functions 1/'
pressed Down 'functions 2/'
screen | sed -n 5p | grep -E ' f *$' >/dev/null || fail "not f: $(screen)"

flame_of_all() {
	flame_match "$(screen | sed -n '3s/.*\[.\] \([^ ]*\)  .*/\1/p')"
}

# view KEY NAME MATCH: its numbers are right without a filter, with one that was chosen in the timeline, when it is shown again after
# another filter was taken in another view, and when all were undone there.
view() {
	local samples
	keys "$1"
	await 20 shows "^ $2  *[^ ]"
	[ "$2" != annotate ] || await 20 shows '^ *[0-9.]* : prog.c:'
	"$3"
	samples=$(screen | sed -n '1s/.*: \([0-9]* samples\).*/\1/p')
	pressed T 'timeline 1/'
	keys 2 , 3
	await 20 shows 'since the first sample: 2,3 *$'
	keys Enter
	await 20 eval 'shows "^ 2-3 s *\$" && shows "^ '"$2"'  *[^ ]"'
	[ "$2" != annotate ] || await 20 shows '^ *[0-9.]* : prog.c:'
	! screen | sed -n 1p | grep -F ": $samples," >/dev/null || fail "$2: no filter: $(screen)"
	"$3"
	# Another filter, from another view; then back to where one was.
	pressed w 'findings 1/'
	keys BSpace
	await 20 eval '! screen | sed -n 2p | grep "2-3 s" >/dev/null'
	pressed T 'timeline 1/'
	keys + 0 , + 1 . 5
	await 20 shows 'since the first sample: +0,+1.5 *$'
	pressed Enter 'findings 1/'
	pressed q " 0-1.5 s *$"
	await 20 shows "^ $2  *[^ ]"
	[ "$2" != annotate ] || await 20 shows '^ *[0-9.]* : prog.c:'
	"$3"
	keys BSpace
	await 20 eval '! screen | sed -n 2p | grep "0-1.5 s" >/dev/null'
	[ "$2" != annotate ] || await 20 shows '^ *[0-9.]* : prog.c:'
	"$3"
	[ "$2" = functions ] || pressed q 'functions 2/'
}

view f functions rows_match
view b 'callers and callees' sandwich_match
view c 'call tree' tree_match
view g 'flame graph' flame_of_all
view p threads threads_match
view a annotate annotate_match
view S samples samples_match
keys q
left
