#!/bin/bash
# Code made at run time has a level of its own, [j], a word for --dsos, and a colour in flame graphs, by jitdump and by map.
. "$(dirname "$0")/lib/prec.sh"
need_events
JIT=$(workload jit)
"$JIT" 2>/dev/null || [ $? = 2 ] || skip "no code for this processor"
mkdir dir

check() {	# WHAT: of "data"
	"$PREC" script -i data -F ip,sym,dso 2>err >lines || fail "$1: $(<err)"
	made=$(grep -c 'piece_[0-9]* (' lines)
	[ "$made" -gt 100 ] || fail "$1: $made samples in what was made: $(head -3 lines)"
	# A sample is in a piece, or in a file.
	"$PREC" report -q -i data --stdio -g none --no-children -s sym -F sample,sym -t '|' >rows 2>err
	expect "$1: samples of level j" "$made" "$(awk -F'|' '$2 ~ /\[j\] piece_/ { n += $1 } END { print n + 0 }' rows)"
	expect "$1: rows of level j that are none" 0 "$(awk '/\[j\] [^p]/' rows | wc -l)"
	expect "$1: pieces of another level" 0 "$(awk '/piece_/ && !/\[j\]/' rows | wc -l)"
	"$PREC" report -q -i data --stdio --dsos=jit -g none --no-children -s sym -F sample,sym -t '|' 2>err >only
	grep 'piece_' rows | sort >want
	grep -v '^$' only | grep -v '\[\.\] ' | sort >got	# the program is called jit, too
	expect_same "$1: --dsos=jit" want got
	expect "$1: script --dsos=jit" "$made" "$("$PREC" script -i data --dsos=jit -F ip,sym,dso 2>err | grep -c piece_)"
	"$PREC" export -i data -o flame.svg 2>err || fail "$(<err)"
	grep -o '[^ >]*, [^,<]*</title><rect [^>]*fill="hsl([0-9]*' flame.svg | sed 's/,.*(/ /' | sort -u >colours
	expect "$1: colour of what was made" 120 "$(awk '/^piece_/ { print $2 }' colours | sort -u | xargs)"
	expect "$1: what else has it" 0 "$(awk '!/^piece_/ && $2 == 120' colours | wc -l)"
}

"$PREC" record -q -g -F 999 -e cpu-clock:u -o data "$JIT" dir 0 >pieces 2>err || fail "cannot record: $(<err)"
check jitdump
# By the map alone all are called as the last.
rm -rf dir/*
"$PREC" record -q -g -F 999 -e cpu-clock:u -o data "$JIT" dir 1 >pieces 2>err || fail "cannot record: $(<err)"
rm -rf dir/*
rm -f "/tmp/perf-$("$PREC" script -i data -F pid 2>/dev/null | head -1 | tr -d ' ').map"
check map
