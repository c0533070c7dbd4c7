#!/bin/bash
# A recording opens from a file, a directory, a pipe or a FIFO; what is none is refused with its name and the reason.
. "$(dirname "$0")/lib/prec.sh"
"$(helper mkdata/mkdata)" "$SRC/tests/data/script.txt" data
"$(helper mkdata/mkdata)" "$SRC/tests/data/stream.txt" stream
"$PREC" script -i data >want
[ -s want ] || fail "no output"

# shellcheck disable=SC2002
cat data | "$PREC" script -i - >got
expect_same "a file through a pipe" want got
"$PREC" script -i - <data >got
expect_same "a file as standard input" want got
# shellcheck disable=SC2002
cat stream | "$PREC" script -i - >got
expect_same "a stream through a pipe" want got
mkfifo fifo
cat data >fifo &
"$PREC" script -i fifo >got
expect_same "a FIFO" want got
mkdir -p tmp dir none
cp data dir/data
"$PREC" script -i dir >got
expect_same "a directory" want got
# shellcheck disable=SC2002
cat data | TMPDIR=$PWD/tmp "$PREC" script -i - >got
expect "nothing stays in TMPDIR" "" "$(ls tmp)"
cp data perf.data
"$PREC" script >got
expect_same "perf.data is the default" want got

# refused PATTERN PATH: exit status 1, nothing on standard output, one message that names the path and matches.
refused() {
	expect_status 1 "$PREC" script -i "$2" >out 2>messages
	expect "$2: no output" "" "$(cat out)"
	expect "$2: one message" 1 "$(wc -l <messages)"
	grep -qF -- "'$2" messages || fail "$2 is not named: $(cat messages)"
	grep -q -- "$1" messages || fail "$2: want '$1', got '$(cat messages)'"
}

: >empty
seq 1000 >text
head -c 12 data >tiny
head -c 60 data >header
head -c 150 data >events
refused 'No such file or directory' missing
refused 'No such file or directory.*a file .data. in it' none
refused 'is empty' empty
refused 'does not begin with PERFILE2' text
refused 'has 12 bytes, a header has at least 16' tiny
refused 'cut inside its header: 60 bytes' header
refused 'beyond the end of the file' events
expect_status 1 "$PREC" script -i - </dev/null >out 2>messages
grep -q "'-' is empty" messages || fail "an empty standard input: $(cat messages)"
