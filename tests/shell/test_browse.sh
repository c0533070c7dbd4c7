#!/bin/bash
# On a terminal report is a browser, which shows functions with report's numbers, and leaves the terminal as it was, however it ends.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
at_end 'end_terminal'
need_browser

"$(helper mkdata/mkdata)" "$(browse_recording)" in.data
start_terminal 80x24
on_screen 'stty -g >before'
for size in 80x24 200x60; do
	end_terminal
	start_terminal $size
	browse report -i in.data
	await 20 shows 'functions 1/'
	rows_match all
	keys '?'
	await 20 shows 'help 1/'
	keys q
	await 20 shows 'functions 1/'
	keys q
	left
done

# Signals that end programs end it, and the terminal is as it was.
for signal in INT TERM HUP; do
	on_screen 'stty -g >before'
	browse report -i in.data
	await 20 shows 'functions 1/'
	kill -$signal "$(browser_pid)"
	left
	on_screen 'stty -g >after' >/dev/null
	expect_same "the terminal's modes after SIG$signal" before after
done
browse report -i in.data
await 20 shows 'functions 1/'
keys C-c
left

# Where the terminal goes away so does the browser.
browse report -i in.data
await 20 shows 'functions 1/'
pid=$(browser_pid)
end_terminal
await 20 eval "! kill -0 $pid 2>/dev/null"

# Text, where there is no terminal that can, and where only text can do it.
start_terminal 80x24
for how in "TERM=dumb $PREC report" "TERM=no-such-terminal $PREC report" "$PREC report --stdio" "$PREC report --no-pager" \
	"$PREC report -s comm" "$PREC report --header-only"; do
	on_screen "export PREC_PAGER=cat; $how -i in.data 2>&1 | tail; $how -i in.data" >seen
	! grep -e 'functions 1/' -e '? help' seen || fail "$how: want text: $(cat seen)"
done
expect "a pipe gets what it got" "$("$PREC" report --stdio -i in.data 2>/dev/null)" "$("$PREC" report -i in.data 2>/dev/null)"
expect_status 129 "$PREC" report -i in.data --tui --stats 2>err
grep -F 'what --stats asks for' err >/dev/null || fail "--tui --stats: $(cat err)"
expect "--tui in a pipe" "$("$PREC" report --stdio -i in.data 2>/dev/null)" "$("$PREC" report --tui -i in.data 2>/dev/null)"

# Unreadable input is reported as without a terminal.
on_screen "$PREC report -i /no/such.data" | grep -F "prec: cannot open '/no/such.data': No such file or directory" >/dev/null ||
	fail "a file that is not there: $(screen)"

# The keys are those of the man page.
"$(helper unit/browser_test)" keymap | tr '[:upper:]' '[:lower:]' >want
browser_keys "$SRC/man/prec-report.1" >got
expect_same "the keys in the man page" want got
