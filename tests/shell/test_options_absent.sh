#!/bin/bash
# An option of perf that is not here is wrong usage, and says what to do instead.
. "$(dirname "$0")/lib/prec.sh"

# absent COMMAND OPTION WORD: refused, with a reason that has the word.
absent() {
	expect_status 129 "$PREC" "$1" "$2" >out 2>err
	expect "$1 $2: on standard output" "" "$(cat out)"
	grep -q "perf's option '$2' is not here: .*$3" err || fail "$1 $2: $(cat err)"
}
absent record --group braces
absent record --clang-path BPF
absent script --dlfilter "no code of others"
absent report --pretty raw-trace

# Others do what an option of another name does, or nothing.
expect_status 0 "$PREC" record --debuginfod=http://nowhere --latency -o x.data sleep 0.1 2>err
"$PREC" report -i x.data --stats 2>err | grep -q '^ *SWITCH events:' || fail "--latency records no switches"
