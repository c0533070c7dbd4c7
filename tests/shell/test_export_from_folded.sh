#!/bin/bash
# Folded stacks become every format: what was folded and is folded again is the same, and its numbers are in the page.
. "$(dirname "$0")/lib/prec.sh"

cat >in.folded <<'F'
# a comment, and an empty line

web_server;main;handle;read file 30
web_server;main;handle_[k] 12
web_server;main;inner_[i] 5
db:1;loop;loop;loop 7
web_server 3
db:1;;x 2
web_server;main;handle;read file 1
F
"$PREC" export -q -i in.folded -o out.folded
expect "folded again" 'db:1;[unknown];x 2
db:1;loop;loop;loop 7
web_server 3
web_server;main;handle 12
web_server;main;handle;read file 31
web_server;main;inner 5' "$(sort out.folded)"
"$PREC" export -q in.folded -o word.folded
cmp out.folded word.folded || fail "a word that names it is something else"

# A recording by way of its folded stacks.
cat >in.txt <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all
feature hostname=vm arch=x86_64
comm 7/7 "a b"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 7/7 0x20000+0x10000@0 r-xp "/no/such/lib"
sample 7/7 t=1 ip=0x10003 mode=user period=60 cpu=0 chain=user,0x10003,0x10003,0x20001,0x10003
sample 7/8 t=2 ip=0x20004 mode=user period=25 cpu=1 chain=user,0x20004,0x10002
T
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o one.folded
"$PREC" export -q -i one.folded -o two.folded
expect_same "there and back" one.folded two.folded

# Other formats.
for format in html svg pb.gz json.gz speedscope.json callgrind parquet csv; do
	"$PREC" export -q -i in.folded -o "out.$format" || fail "no $format"
	[ -s "out.$format" ] || fail "nothing in $format"
done
"$PREC" export -q -i in.folded -o out.jsonl
if command -v jq >/dev/null; then
	expect "rows" 60 "$(jq -s 'map(.period) | add' out.jsonl)"
	expect "threads" 'db:1 9
web_server 51' "$(jq -rs 'group_by(.comm)[] | "\(.[0].comm) \(map(.period) | add)"' out.jsonl)"
fi
if command -v chromium >/dev/null; then
	. "$SRC/tests/shell/lib/page.sh"
	page_table out.html '' | awk '{ n = substr($0, length($1 $2 $3) + 4); print n, $1, $2 }' | sort >got
	printf '%s\n' '[unknown] 0 2' 'handle 0 31' 'handle 12 12' 'inner 5 5' 'loop 7 7' 'main 0 48' 'read file 31 31' 'x 2 2' | sort >want
	expect_same "the page" want got
else
	part_skipped "the page: no chromium"
fi

# What is none: told with its place, and nothing is written.
fails() {	# MESSAGE OPTIONS...
	local message=$1
	shift
	expect_status 1 "$PREC" export "$@" -o no.html 2>err
	grep -q -e "$message" err || fail "want '$message', got '$(cat err)'"
	[ ! -e no.html ] && [ "$(echo no.html*)" = 'no.html*' ] || fail "a file after an error"
}
printf 'a;b 1\na;c\n' >bad.folded
fails "'bad.folded', line 2: no folded stack" -i bad.folded
printf 'a;b 1\na;c 2 3\n' >two_numbers.folded
"$PREC" export -q -i two_numbers.folded --format=folded >got	# the first is part of the name, as a blank may be
expect "a name that ends in a number" 'a;b 1
a;c 2 3' "$(sort got)"
printf 'a;b 1\na\0;c 2\n' >nul.folded
fails "line 2: no folded stack" -i nul.folded
printf 'a;b 99999999999999999999\n' >large.folded
expect_status 1 "$PREC" export -i large.folded -o no.html 2>err
[ -s err ] || fail "a number that is too large is not told"
fails 'filters are for recordings' -i in.folded --comms a
fails "by is for recordings" -i in.folded --format=csv --by comm
{ printf 'a'; for i in $(seq 20000); do printf ';f%d' $((i % 7)); done; echo ' 3'; } >deep.folded
"$PREC" export -q -i deep.folded -o deep.out.folded
cmp deep.folded deep.out.folded || fail "a deep stack has changed"
