#!/bin/bash
# On a terminal help fits the width and is paged; in a pipe it is one line an option, whatever the terminal's width.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'
need less

start_terminal 80x200
for words in --help 'report -h' 'record --help' 'record -h all' 'diff -h' 'compare -h' 'doctor -h' 'verify -h' 'help script'; do
	# shellcheck disable=SC2086
	"$PREC" $words >piped
	# shellcheck disable=SC2086
	COLUMNS=40 "$PREC" $words | cmp - piped || fail "$words in a pipe"
	on_screen "$PREC --no-pager $words" >seen
	# The same words, and no line is cut: a terminal breaks a wider one within a word.
	expect "the words of prec $words" "$(tr -s ' \n' ' ' <piped)" "$(sed '/^ready>$/d' seen | tr -s ' \n' ' ')"
	[ "$(wc -L <seen)" -le 80 ] || fail "prec $words: a line is too wide"
done
[ "$(wc -L <piped)" -gt 80 ] || fail "no line of help is wider than 80 columns: nothing was tested"

end_terminal
start_terminal 80x24
on_screen "$PREC report -h" >seen
expect "a pager asks" ":" "$(grep . seen | tail -1)"
keys q
await 20 shows 'ready>'
