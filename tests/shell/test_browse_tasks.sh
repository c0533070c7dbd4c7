#!/bin/bash
# Three questions of a new user, each answered by one command, or by fewer than six keys in the browser.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
at_end 'end_terminal'
need_browser
program_recording in.data
start_terminal 80x24
# solved ROW_PATTERN KEY...: fewer than six keys, and then the first row of the list is that.
solved() {
	[ $# -le 6 ] || fail "$(($# - 1)) keys"
	keys "${@:2}"
	await 20 eval "screen | rows_of | head -1 | grep -e '$1' >/dev/null"
}

# Which function is hottest in thread worker?
browse report --children -i in.data
await 20 shows 'functions 1/'
solved ' hot$' p Down Enter o
shows 'thread worker 101' || fail "not of that thread: $(screen)"
keys q q
left
expect "the same by a command" hot "$("$PREC" report -i in.data --stdio --no-children --tid 101 -g none 2>/dev/null | rows_of | head -1 |
	awk '{ print $NF }')"

# Who calls malloc most?
browse report --children -i in.data malloc
await 20 shows 'functions 1/'
keys b
await 20 shows 'callers and callees'
expect "who calls malloc most" load "$(screen | awk '/^callers/ { on = 1; next } on { print; exit }' | awk '{ print $NF }')"
keys q q q
left
expect "the same by a command" load "$("$PREC" report -i in.data --stdio --no-children -g callee malloc 2>/dev/null |
	awk '/\[\.\] malloc/ { on = 1; next } on && match($0, /--[0-9.]+%--/) { print substr($0, RSTART + RLENGTH); exit }')"

# Which source line of f is hot between 2 s and 3 s?
expect "the hot line of f from 2 s to 3 s" prog.c:10 "$("$PREC" annotate -i in.data f --source-only --time +2,+3 2>/dev/null |
	grep -E '^ +[0-9]+\.[0-9]+ ' | sort -rn | head -1 | grep -oE 'prog\.c:[0-9]+')"
browse report --children -i in.data
await 20 shows 'functions 1/'
# T 2,3 Enter, the function, its code: 7 keys.
keys T 2 , 3 Enter Down a
await 20 shows '^ *[0-9.]* : prog.c:10 '
expect "the hot line of f in the browser" prog.c:10 "$(screen | awk 'match($0, /prog\.c:[0-9]+/) { line = substr($0, RSTART, RLENGTH) }
	/^ +[0-9]+\.[0-9]+ / && $1 > most { most = $1; hot = line } END { print hot }')"
keys C-c
left
expect "and at all times" prog.c:8 "$("$PREC" annotate -i in.data f --source-only 2>/dev/null |
	grep -E '^ +[0-9]+\.[0-9]+ ' | sort -rn | head -1 | grep -oE 'prog\.c:[0-9]+')"
