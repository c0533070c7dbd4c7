#!/bin/bash
# Profiles for compilers count what ran as the generator's log does, of traces and of branch stacks; clang and BOLT take them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/calls.sh"
. "$(dirname "$0")/lib/feedback.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need python3
need clang
need llvm-symbolizer
clang "${FEEDBACK_FLAGS[@]}" -o program "$SRC/tests/data/feedback.c"
sets=(psb=2048 psb=700,async=500)
pt_traces t 400000 "${sets[@]}" -- ./program
elf_maps program >t.maps
PT_BUILD_ID=$(build_id_of program)

export_of() { "$PREC" export -q -i "$1" --format="$2" "${@:3}"; }

# same_as_log WHAT FILE: its exports have the counts of the log t.1.exp.
same_as_log() {
	feedback_truth bolt program t.1.exp >want
	export_of "$2" bolt >"$2.fdata"
	sort "$2.fdata" >got
	expect_same "$1: branches" want got
	feedback_truth autofdo program t.1.exp >want
	export_of "$2" autofdo >"$2.afdo"
	autofdo_lines "$2.afdo" >got
	expect_same "$1: lines" want got
}

pt_recording t 1 0xe601 -1 100 10000000
same_as_log 'Intel PT' t.1.data
pt_recording t 1 0xe601 0 -1 3001
same_as_log 'Intel PT of a CPU, in portions' t.1.data
pt_recording t 2 0xe601 -1 100 10000000
same_as_log 'Intel PT with interrupts' t.2.data

# Heads are the calls of a function, from wherever.
expect 'calls of hot' 80 "$(sed -n 's/^hot:[0-9]*://p' t.1.data.afdo)"

# Samples each 97 branches, with the last 32 of them.
feedback_stacks program t.1.exp 97 32 t.maps >text
"$(helper mkdata/mkdata)" text lbr.data
[ "$("$PREC" script -i lbr.data -F ip 2>/dev/null | wc -l)" -gt 50 ] || fail 'hardly any samples'
export_of lbr.data bolt >lbr.fdata
awk '{ $7 = 0; print }' lbr.fdata | sort >got
LBR=97,32 feedback_truth bolt program t.1.exp >want
expect_same 'branch stacks: branches' want got
expect 'mispredicted branches' "$(grep -o ':1\b' text | wc -l)" "$(awk '{ s += $7 } END { print s }' lbr.fdata)"
export_of lbr.data autofdo >lbr.afdo
LBR=97,32 feedback_truth autofdo program t.1.exp >want
autofdo_lines lbr.afdo >got
expect_same 'branch stacks: lines' want got

# The compilers take them, and what they make works.
compilers_take t.1.data "$SRC/tests/data/feedback.c"
compilers_take lbr "$SRC/tests/data/feedback.c"

# Recordings without branches, and invalid options.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all ids=1'
	echo 'sample 7/7 t=200000000 ip=0x100 mode=user cpu=0'
} >text
"$(helper mkdata/mkdata)" text plain.data
for format in bolt autofdo; do
	expect_status 1 "$PREC" export -i plain.data --format=$format -o none 2>err
	[ ! -e none ] || fail 'a file without a profile'
	grep -q 'branch' err || { cat err; fail "$format without branches"; }
	expect_status 129 "$PREC" export -i plain.data --format=$format --by comm >out 2>err
done
