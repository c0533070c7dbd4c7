#!/bin/bash
# Seconds of the timeline are those since the first sample: in its labels, in the filter, and in report --time +2,+3.
# A range can be typed; keys that a view has no use for say so.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
at_end 'end_terminal'
need_browser
program_recording in.data

# Rows of key time from the first sample on.
expect "report's rows begin with the first sample" "1.037000 2.037000 3.037000 4.037000" "$("$PREC" report -i in.data --stdio \
	--no-children -s time -g none --time-quantum +1s 2>/dev/null | awk '/^ +[0-9.]+%/ { print $2 }' | sort -n | xargs)"
expect "and else with 0" "1.000000 2.000000 3.000000 4.000000" "$("$PREC" report -i in.data --stdio --no-children -s time -g none \
	--time-quantum 1s 2>/dev/null | awk '/^ +[0-9.]+%/ { print $2 }' | sort -n | xargs)"

# of_time RANGE: the rows on the screen are those that report has of it.
of_time() {
	screen | rows_of | sort >got
	"$PREC" report -i in.data --stdio --children -g none -s symbol --time "$1" 2>/dev/null | rows_of | sort >all
	[ -s all ] || fail "report --time $1 has no rows"
	expect_same "rows of $1" all got
}

# columns FROM TO: the label of these columns, "0.70-0.77 s: ", by their length on the screen, with as few decimals as this has.
columns() {
	screen | sed -nE 's/.* a column is ([0-9.]+) ms.*/\1/p' | awk -v from="$1" -v to="$2" '{
		while (digits++ < 8 && ($1 * 10 ^ digits / 1000) % 1 > 1e-9)
			;
		printf "%.*f-%.*f s: ", digits, from * $1 / 1000, digits, to * $1 / 1000
	}'
}

for size in 80x24 200x60; do
	start_terminal $size
	browse report --children -i in.data
	pressed 'functions 1/'
	pressed T '2,3 type a range'
	timeline_match

	# The labels become the filter.
	pressed PPage 'timeline 1/'
	pressed NPage "^$(columns 10 11)"
	keys v Right Right
	await 20 shows "^$(columns 10 13)"
	label=$(screen | sed -n 's/^\([0-9.]*-[0-9.]*\) s: .*/\1/p')
	pressed Enter 'functions 1/'
	expect "the filter" "$(sed -E 's/\.?0+(-|$)/\1/g' <<<"$label")" "$(screen | sed -n '2s/^ \([0-9.-]*\) s *$/\1/p')"
	rows_match all
	keys BSpace
	await 20 eval '! screen | sed -n 2p | grep " s *$" >/dev/null'

	# Ranges that are typed, in each way; and what is none.
	while read -r typed range shown; do
		pressed T 'timeline 1/'
		keys -l "$typed"
		await 20 shows "since the first sample: $typed *$"
		pressed Enter 'functions 1/'
		await 20 shows "^ $shown s *$"
		of_time "$range"
		rows_match all
		keys BSpace
		await 20 eval '! screen | sed -n 2p | grep " s *$" >/dev/null'
	done <<-TYPED
		2,3 +2,+3 2-3
		+2,+3 +2,+3 2-3
		0.5-2.305 +0.5,+2.305 0.5-2.305
		2s,3s +2,+3 2-3
		,1 ,+1 0-1
	TYPED
	pressed T 'timeline 1/'
	keys 3 , 2
	pressed Enter "'3,2' is no range of seconds"
	! screen | sed -n 2p | grep ' s *$' >/dev/null || fail "a filter: $(screen)"
	keys 1 x
	pressed Enter "'1x' is no range of seconds"
	keys 2 , 3 Escape
	await 20 eval '! shows "since the first"'
	shows 'timeline 1/' || fail "Esc leaves the prompt alone: $(screen)"

	# Where a key is of no use it says where it is.
	pressed a "a (the function's instructions and lines) is a key of: callers and callees"
	pressed / '/ (only functions whose name contains a text'
	keys x
	! shows '/x' || fail "a filter by text: $(screen)"
	pressed p 'threads 1/'
	pressed / '/ (only functions whose name contains a text'
	pressed f 'functions 1/'
	keys q
	left
done
