#!/bin/bash
# Recordings made from text give the output that is written below them, for every command named there.
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)
# One case is "## COMMAND ARGS", the lines up to the next "##" are its standard output; "## status N" after them
# is the exit status it must have, if not 0.
bad=0 cases=0

# run NAME COMMAND WANT STATUS
run() {
	local got want status=0
	want=$(printf '%s' "$3")	# without the empty lines at its end, as $got
	got=$(eval "WANTED=$4 $PREC ${2%% *} -i data ${2#"${2%% *}"}" 2>messages) || status=$?
	cases=$((cases + 1))
	if [ "$got" != "$want" ] || [ $status != "$4" ]; then
		echo "$1: prec $2: status $status, want $4"
		diff -u --label want <(echo "$want") --label got <(echo "$got") || true
		sed 's/^/stderr: /' messages
		bad=1
	fi
}

one_file() {
	local line command='' want='' status=0
	"$mkdata" "$1" data
	while IFS= read -r line; do
		case $line in
		'## status '*)
			status=${line#\#\# status };;
		'## '*)
			[ -z "$command" ] || run "${1##*/}" "$command" "$want" "$status"
			command=${line#\#\# } want='' status=0;;
		*)	[ -z "$command" ] || want+=$line$'\n';;
		esac
	done <"$1"
	[ -n "$command" ] || fail "$1 expects nothing"
	run "${1##*/}" "$command" "$want" "$status"
}

for f in "$SRC"/tests/data/*.txt; do
	one_file "$f"
done
[ $bad = 0 ] || fail "see above"
echo "$cases cases"
