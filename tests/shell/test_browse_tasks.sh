#!/bin/bash
# Four questions of a new user, each answered by one command, or by fewer than six keys in the browser.
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

# Which command takes the time? Four processes of one are a row, which opens, and Enter takes them together.
{
	echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1"
	echo 'comm 50/50 "sh"'
	echo 'sample 50/50 t=1000 ip=0x400000 mode=user period=3000000 cpu=0'
	for n in 1 2 3 4; do
		echo "fork 10$n/10$n parent=50/50 t=${n}000"
		echo "comm 10$n/10$n \"true\" exec t=${n}000"
		echo "sample 10$n/10$n t=${n}500 ip=0x400000 mode=user period=${n}000000 cpu=0"
	done
} >four.txt
"$(helper mkdata/mkdata)" four.txt four.data
rows_of_threads() {
	screen | sed -nE 's/^ *([0-9.]+%) .*  ([^ ].*[^ ]) *$/\1 \2/p'
}
browse report -i four.data
pressed p 'threads 1/2'
expect "commands" "76.92% + true x 4
23.08% sh" "$(rows_of_threads)"
pressed + 'threads 1/6'
expect "its processes" "76.92% - true x 4
30.77% true
23.08% true
15.38% true
7.69% true
23.08% sh" "$(rows_of_threads)"
pressed C 'threads 1/2'
pressed Enter 'functions 1/1'
shows '^ comm true *$' || fail "not of that command: $(screen)"
keys C-c
left

# What did the script run? Alike ones are a line, with their time; what a number had before is not lost.
cat >groups.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
comm 100/100 "old"
comm 90/90 "idle"
fork 100/101 parent=100/100 t=1000000
comm 100/101 "worker" t=1000000
fork 200/200 parent=100/100 t=2000000
comm 200/200 "again" exec t=2000000
sample 200/200 t=3000000 ip=0x700010 mode=user period=1500000 cpu=0
exit 200/200 parent=100/100 t=4000000
fork 200/200 parent=100/100 t=5000000
comm 200/200 "again" exec t=5000000
sample 200/200 t=6000000 ip=0x700010 mode=user period=1000000 cpu=0
fork 300/300 parent=200/200 t=6000000
comm 300/300 "below" exec t=6000000
exit 300/300 parent=200/200 t=7000000
sample 100/100 t=11000000 ip=0x700010 mode=user period=1000000 cpu=0
E2
"$(helper mkdata/mkdata)" groups.txt groups.data
expect "on a terminal" "       CPU     Lived  Command
    1.0 ms   10.0 ms  old  process 100
    2.5 ms    8.0 ms    again x 2
       0 s    1.0 ms      below  process 300
       0 s   10.0 ms    worker  thread 101
2 more ran before and have no samples." "$(on_screen "$PREC report -i groups.data --tasks" | grep -v -e '^ready>' -e '^$')"
browse report -i groups.data
await 20 shows 'functions 1/'
keys W
await 20 shows 'again x 2'
expect "the browser's processes" '  100.00 %     3.5 ms  10.0 ms     old
   71.43 %     2.5 ms  8.0 ms        again x 2' "$(screen | grep -E '^ +[0-9.]+ %  .* (old|again)')"
expect "the same by a command" "prec report --tasks -i groups.data" "$(command_shown)"
keys q q
left
"$PREC" report -i groups.data --tasks --stdio | head -1 >got
expect "--stdio" "#      pid      tid     ppid  comm" "$(cat got)"
