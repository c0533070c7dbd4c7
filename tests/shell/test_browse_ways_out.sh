#!/bin/bash
# However the browser ends or is stopped the shell gets the terminal as it was: signals, Ctrl-Z, faults, a recording that is cut.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser
ulimit -c 0

"$(helper mkdata/mkdata)" "$(browse_recording)" in.data
start_terminal 80x24

# What a screen that is another's has: the other screen, no cursor, the keys of applications.
taken() {
	in_tmux display -p -t t '#{alternate_on} #{?cursor_flag,0,1} #{keypad_cursor_flag}'
}

# The program, with a shell around it that looks at the modes which it left before the interactive one sets its own.
browse_and_look() {
	rm -f after messages
	cat >inner <<-END
		trap : INT QUIT
		echo \$\$ >shell
		stty -g >before
		$PREC report -i $1 2>messages
		echo \$? >status
		stty -g >after
	END
	keys "clear; export LC_ALL=C.UTF-8; sh inner" Enter
	await 20 shows 'functions 1/'
	await 20 eval '[ "$(taken)" = "1 1 1" ]'
}

# WHAT STATUS
given_back() {
	await 20 eval '[ -s after ] && shows "^ready>"'
	expect_same "the terminal's modes after $1" before after
	expect "the terminal after $1" "0 0 0" "$(taken)"
	expect "the status after $1" "$2" "$(<status)"
}

signals=(INT TERM HUP QUIT USR1)
# A sanitizer takes faults for itself.
sanitized || signals+=(SEGV ABRT FPE)
for signal in "${signals[@]}"; do
	browse_and_look in.data
	kill -$signal "$(browser_pid)"
	given_back SIG$signal $((128 + $(kill -l $signal)))
done
browse_and_look in.data
keys C-c
given_back Ctrl-C 130
browse_and_look in.data
keys 'C-\'
given_back 'Ctrl-\' 131
browse_and_look in.data
keys q
given_back q 0

# A recording that is cut, and then read once more for its code.
cp in.data cut.data
browse_and_look cut.data
truncate -s 4096 cut.data
keys a
given_back "a cut recording" 1
grep "'.*cut.data' was truncated while it was being read" messages >/dev/null || fail "no message: $(cat messages)"

# Ctrl-Z: the shell has the terminal; then the browser has it again, in the size that it has by then.
browse report -i in.data
await 20 shows 'functions 1/'
pid=$(browser_pid)
for how in key signal; do
	if [ $how = key ]; then keys C-z; else kill -TSTP "$pid"; fi
	await 20 eval 'shows "Stopped" && shows "^ready>"'
	expect "the terminal after Ctrl-Z" "0 0 0" "$(taken)"
	on_screen 'echo typed' | grep -x typed >/dev/null || fail "the shell's line: $(screen)"
	in_tmux resize-window -t t -x 100 -y 30
	await 20 eval 'on_screen "stty size" | grep -x "30 100" >/dev/null'
	keys 'clear; fg' Enter
	await 20 shows 'functions 1/'
	await 20 eval '[ "$(screen | sed -n 1p | wc -m)" -gt 90 ] && [ "$(taken)" = "1 1 1" ]'
	rows_match all
	in_tmux resize-window -t t -x 80 -y 24
	await 20 eval '[ "$(screen | sed -n 1p | wc -m)" -lt 90 ]'
	keys Down
	await 20 shows 'functions 2/'
	keys Home
	await 20 shows 'functions 1/'
done

# It is stopped, goes on in the background, where it may not draw, and is ended there.
keys C-z
await 20 eval 'shows "Stopped" && shows "^ready>"'
keys 'clear; bg' Enter
await 20 eval '[ "$(ps -o stat= -p '"$pid"' | cut -c1)" = T ]'
expect "the terminal after bg" "0 0 0" "$(taken)"
on_screen 'echo typed' | grep -x typed >/dev/null || fail "the shell's line after bg: $(screen)"
keys 'clear; kill %1' Enter
await 20 eval "! kill -0 $pid 2>/dev/null"
expect "the terminal after kill %1" "0 0 0" "$(taken)"

# Stopped by what cannot be seen, it draws all again.
browse report -i in.data
await 20 shows 'functions 1/'
pid=$(browser_pid)
kill -STOP "$pid"
await 20 shows 'Stopped'
keys 'clear; fg' Enter
await 20 eval 'shows "functions 1/" && ! shows Stopped'
keys q
left
