#!/bin/bash
# What takes long says so on the terminal, and nothing of it is left when it is done; ^C ends it and leaves the terminal whole.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'
{
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1'
	echo 'comm 100/100 "demo"'
	for i in {1..2000}; do
		echo "sample 100/100 t=$((i * 1000)) ip=0x10100 mode=user period=1 cpu=0"
	done
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
mkfifo fifo
size=$(stat -c %s in.data)

start_terminal 80x24
on_screen 'stty -g >before'
for command in report script; do
	keys "clear; cat fifo | $PREC $command -i - >out; echo ended; stty -g >after" Enter
	exec 3>fifo
	await 20 shows 'reading standard input: nothing has come yet'
	cat in.data >&3
	exec 3>&-
	await 20 shows '^ended'
	! shows reading || fail "$command: progress is left on the screen: $(screen)"
done
"$PREC" script -i in.data 2>/dev/null >want
expect_same "script's lines" want out

# What has come, and how fast.
keys "clear; cat fifo | $PREC report -i - >out; echo ended" Enter
exec 3>fifo
await 20 shows 'reading standard input: nothing has come yet'
head -c $((size / 2)) in.data >&3
await 20 shows 'reading standard input: [0-9.]* k\?B, [0-9.]* k\?B/s$'
cat <(tail -c +$((size / 2 + 1)) in.data) >&3
exec 3>&-
await 20 shows '^ended'
! shows reading || fail "progress is left on the screen: $(screen)"

keys "clear; $PREC report -i - <fifo; echo ended; stty -g >after" Enter
exec 3>fifo
await 20 shows 'reading standard input: nothing has come yet'
keys C-c
await 20 shows 'ready>$'
exec 3>&-
on_screen 'stty -g >after' >/dev/null
expect_same "the terminal's modes after ^C" before after
