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
absent report --show-ref-call-graph '{cycles,instructions}:S'
absent record --setup-filter setcap
absent script --gen-script 'prec query'

# Those of perf that choose other programs, or that are so in any case, are accepted, with a word.
printf 'attr cpu-clock type=software config=0 sample=IP,TID,TIME period=1\nsample 7/7 t=2 ip=0x100 mode=user\n' >text
"$(helper mkdata/mkdata)" text in.data
for options in '--objdump /bin/objdump' '--addr2line=/bin/addr2line' '--addr2line-style libdw' '--unwind-style libunwind' \
	--ignore-vmlinux; do
	# shellcheck disable=SC2086
	"$PREC" report -i in.data $options >out 2>err && grep -q '^ *100.00%' out && grep -q 'changes nothing: ' err ||
		fail "report $options: $(cat err)"
done
"$PREC" record --vmlinux=/boot/vmlinux --dry-run true >out 2>err && grep -q 'changes nothing: ' err || fail "record --vmlinux: $(cat err)"
"$PREC" script -i in.data -d >out 2>err && grep -q 'changes nothing: ' err && [ -s out ] || fail "script -d: $(cat err)"

# Others do what an option of another name does, or nothing.
expect_status 0 "$PREC" record --debuginfod=http://nowhere --latency -o x.data sleep 0.1 2>err
"$PREC" report -i x.data --stats 2>err | grep -q '^ *SWITCH events:' || fail "--latency records no switches"
