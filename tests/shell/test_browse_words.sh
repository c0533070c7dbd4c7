#!/bin/bash
# The browser's help: footer, menu and help name the keys that matter, the filter line the thread.
# Annotate opens where it is hot, samples have the timeline's seconds, what lies above a view is closed first, and an opened row has its own command.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
at_end 'end_terminal'
need_browser
program_recording in.data
start_terminal 80x24

# First stands where samples were taken, with the callers of the hottest: _start, which only calls, would be first with its callees'.
browse report -i in.data
pressed 'functions 1/'
expect "the first rows" "- [.] f
[.] _start
+ [.] malloc" "$(screen | sed -n '4,6p' | grep -oE '([-+] )?\[[.]\] .*[^ ]')"
[[ $(command_shown) == *" -s dso,symbol -g graph,0,callee" ]] || fail "the command of the first rows: $(<command)"
keys C
await 20 eval '! shows _start'
rows_match
pressed o 'ordered by samples with those of callees'
shows '^Children' || fail "after o: $(screen)"
keys C-c
left
# In 8 colours, and without any, bars of the flame graph are filled, too.
keys 'before=$TERM' Enter
for how in TERM=xterm:43m NO_COLOR=1:7m; do
	keys "export ${how%:*}" Enter
	browse report -i in.data
	pressed 'functions 1/'
	pressed g 'Enter zoom'
	screen -e | sed -n 5p | grep "${how#*:}.*[|▏]f" >/dev/null || fail "bars with ${how%:*}: $(screen -e | sed -n 5p | cat -v)"
	keys C-c
	left
done
keys 'export -n NO_COLOR; export TERM=$before' Enter
browse report --children -i in.data
pressed 'functions 1/'

# The footer fits; the menu says what opens.
for word in 'b callers' 't thread' 'T time' '? help  q quit *$'; do
	screen | tail -1 | grep -F -e "${word% \*\$}" >/dev/null || fail "no '$word': $(screen | tail -1)"
done
pressed Enter '^.* b  *the function between its callers and its callees'
shows '+, Space  *open or close the row: its callers' || fail "the menu: $(screen)"
shows ' t  *only one thread: choose it' || fail "the menu: $(screen)"
shows ' T  *only a range of time' || fail "the menu: $(screen)"
keys q
await 20 eval '! shows "only one thread"'
pressed r 'rows open to callees'
pressed Enter '+, Space  *open or close the row: its callees'
pressed t 'threads 1/3'
pressed q 'functions 1/'
pressed r 'rows open to callers'

# A message is closed before the browser.
keys q
await 20 eval '! shows "rows open to callers"'
shows 'functions 1/' || fail "q closed more than a message: $(screen)"

# y of a row that is open is a command of that row.
pressed / 'only functions with:'
keys malloc Enter
pressed BSpace 'functions [0-9]*/6'
pressed + 'functions [0-9]*/[0-9]'
command=$(command_shown)
[[ $command == *" --symbol-filter malloc -g graph,0,callee" ]] || fail "the command of an open row: $command"
expect "its callers" "load parse" "$(printed "$command" | sed -n 's/.*--[0-9.]*%--\(load\|parse\)$/\1/p' | sort | xargs)"
pressed y 'This prints the same'
keys q
await 20 eval '! shows "This prints the same"'
shows '\[\.\] malloc' || fail "q closed more than the command: $(screen)"
keys -- - + Home

# Help: first what the view has, lines wrapped, pages at the first press.
pressed T 'timeline 1/'
pressed '?' '^In this view: timeline'
shows 'v  *timeline: a range begins here' || fail "help of the timeline: $(screen)"
expect "lines of help" "" "$(screen | awk 'length($0) > 80')"
shows '^In all views' || fail "help of the timeline: $(screen)"
keys NPage
await 20 eval '! shows "^In this view"'
keys / "open or close the row: callers" Enter Down
await 20 shows 'open or close the row: callers or callees; of a sample its call$'
shows '^              chain; of a command its threads$' || fail "a long line of help: $(screen)"
pressed q 'timeline 1/'
pressed q 'functions 1/'

# The hottest line of f, then the next one.
pressed Down 'functions 2/'
pressed a '^ *[0-9.]* : prog.c:8 '
at_cursor() {
	printed "$command" | sed -n "$(screen | sed -n 's,^ annotate \([0-9]*\)/.*,\1,p')p" | sed 's/ \{8,\}/ /g'
}
command=$(command_shown)
expect "the hottest line" "$(printed "${command/ --line-shares/} --source-only" | grep -E '^ +[0-9]' | sort -rn | head -1 | awk '{ print $1, $3 }')" \
	"$(at_cursor | awk '{ print $1, $3 }')"
for n in 2 3; do
	before=$(at_cursor)
	keys Tab
	await 20 eval '[ "$(at_cursor)" != "$before" ]'
	expect "hot line $n" "$(printed "${command/ --line-shares/} --source-only" | grep -E '^ +[0-9]' | sort -rn | sed -n ${n}p | awk '{ print $1, $3 }')" \
		"$(at_cursor | awk '{ print $1, $3 }')"
done
keys Tab
await 20 eval 'at_cursor | grep "prog.c:8 " >/dev/null'
keys BTab
await 20 eval 'at_cursor | grep -v "prog.c:8 " >/dev/null'
keys H
await 20 eval 'at_cursor | grep "prog.c:8 " >/dev/null'
pressed q 'functions 2/'

# Seconds of samples are those since the first one, or the recorder's.
pressed S 'samples 1/'
expect "the first sample of f" 0.007000 "$(screen | awk '/ writer 102 / { print $1; exit }')"
pressed A ' Clock  Command'
expect "the first sample of f, by the clock" 1.044000 "$(screen | awk '/ writer 102 / { print $1; exit }')"
pressed A ' Time  Command'
pressed q 'functions 2/'

# The filter has the thread's name.
pressed p 'threads 1/3'
pressed Down 'threads 2/3'
pressed Enter '^ thread worker 101 *$'
keys C-c
left

# The command begins at the hottest instruction, too, where less shows it.
hottest=$("$PREC" annotate -i in.data f 2>/dev/null | sort -rn | head -1 | grep -oE '[0-9a-f]+: +[a-z].*[^ ]')
start_terminal 80x8
on_screen "LESS=FRSXK PAGER=less $PREC annotate -i in.data f" >seen
grep -F "$hottest" seen >/dev/null || fail "annotate begins elsewhere than at $hottest: $(cat seen)"
! grep -F 'Percent |' seen || fail "the hottest is on the first screen: $(cat seen)"
